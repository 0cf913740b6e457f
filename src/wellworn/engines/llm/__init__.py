"""Language models: typed answers from the model that the settings name, if they name one.

Without a configured model, no client is imported and nothing is sent.
"""

from wellworn.engines.llm.bounds import check_bounded
from wellworn.engines.llm.chat_model import ConfiguredChatModel, open_chat_model
from wellworn.engines.llm.models import (
    ChatModel,
    ModelAnswer,
    ModelRefusal,
    ModelRole,
    RefusalReason,
    Usage,
)
from wellworn.engines.llm.settings import LlmSettings
