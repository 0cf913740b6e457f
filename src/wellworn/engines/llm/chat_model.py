"""ConfiguredChatModel: the model that the settings name; it costs nothing until first used.

pydantic-ai takes seconds to import and is an optional extra. It is imported on the first question;
whether it is installed is checked when the memory is opened.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from importlib.util import find_spec
from typing import TYPE_CHECKING, Final

from wellworn.engines.llm.bounds import check_bounded
from wellworn.engines.llm.models import ChatModel, ModelAnswer, ModelRefusal, ModelRole, T
from wellworn.engines.llm.settings import LlmSettings
from wellworn.errors import InvalidInput

if TYPE_CHECKING:
    from wellworn.engines.llm.client import ModelClient

RETRY_WAITS_S: Final = (0.5, 2.0)
"""Seconds before each further try when the model's server is down or asks to slow down."""


def open_chat_model(settings: LlmSettings) -> ConfiguredChatModel | None:
    """Return the model that the settings name; None when they name none.

    Raises:
        InvalidInput: they name one and the `llm` extra is not installed.
    """
    if settings.model is None:
        return None
    if find_spec("pydantic_ai") is None or find_spec("openai") is None:
        message = "WELLWORN_LLM__MODEL is set, which needs more: pip install 'wellworn[llm]'"
        raise InvalidInput(message)
    return ConfiguredChatModel(settings)


class ConfiguredChatModel:
    """A thread-safe `ChatModel`: each question opens its own connection."""

    def __init__(
        self, settings: LlmSettings, *, retry_waits_s: Sequence[float] = RETRY_WAITS_S
    ) -> None:
        self.name = settings.model or ""
        self._settings = settings
        self._retry_waits_s = retry_waits_s
        self._engine: ModelClient | None = None

    def ask(
        self, role: ModelRole, output_type: type[T], prompt: str, *, instructions: str, budget: int
    ) -> ModelAnswer[T] | ModelRefusal:
        check_bounded(output_type)
        engine = self._engine = self._engine or self._load_engine()
        return asyncio.run(
            engine.ask(role, output_type, prompt, instructions=instructions, budget=budget)
        )

    def _load_engine(self) -> ModelClient:
        from wellworn.engines.llm.client import ModelClient  # noqa: PLC0415 - takes seconds, so only when asked

        return ModelClient(self._settings, self._retry_waits_s)


_: type[ChatModel] = ConfiguredChatModel
