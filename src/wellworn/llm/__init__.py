"""Language models: asked for answers of a given type, by whoever configures one.

Without a model configured nothing here is imported further, and nothing is ever sent.
"""

from wellworn.llm.bounds import check_bounded
from wellworn.llm.mind import ModelMind, open_mind
from wellworn.llm.models import TEMPERATURES, Mind, Refused, Role, Said, Usage, Why
from wellworn.llm.settings import LlmSettings

__all__ = [
    "TEMPERATURES",
    "LlmSettings",
    "Mind",
    "ModelMind",
    "Refused",
    "Role",
    "Said",
    "Usage",
    "Why",
    "check_bounded",
    "open_mind",
]
