"""Language models: asked for answers of a given type, by whoever configures one.

Without a model configured nothing here is imported further, and nothing is ever sent.
"""

from wellworn.engines.llm.bounds import check_bounded
from wellworn.engines.llm.mind import ModelMind, open_mind
from wellworn.engines.llm.models import TEMPERATURES, Mind, Refused, Role, Said, Usage, Why
from wellworn.engines.llm.settings import LlmSettings

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
