"""ModelMind: the model that the settings name, behind a door that costs nothing until it is used.

What speaks to models takes seconds to import, and only who installed the extra has it; so it is
imported by the first question, while whether it is there at all is told when the memory is opened.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from importlib.util import find_spec
from typing import TYPE_CHECKING, Final

from wellworn.engines.llm.bounds import check_bounded
from wellworn.engines.llm.models import Mind, Refused, Role, Said, T
from wellworn.engines.llm.settings import LlmSettings
from wellworn.errors import InvalidInput

if TYPE_CHECKING:
    from wellworn.engines.llm.engine import Engine

RETRY_WAITS_S: Final = (0.5, 2.0)
"""Seconds before each further try when the model's server is down or asks to slow down."""


def open_mind(settings: LlmSettings) -> ModelMind | None:
    """Return the model that the settings name; None when they name none.

    Raises:
        InvalidInput: they name one and what speaks to models is not installed.
    """
    if settings.model is None:
        return None
    if find_spec("pydantic_ai") is None or find_spec("openai") is None:
        message = "WELLWORN_LLM__MODEL is set, which needs more: pip install 'wellworn[llm]'"
        raise InvalidInput(message)
    return ModelMind(settings)


class ModelMind:
    """Fills the Mind port; threads may share it, as every question has a connection of its own."""

    def __init__(
        self, settings: LlmSettings, *, retry_waits_s: Sequence[float] = RETRY_WAITS_S
    ) -> None:
        self.name = settings.model or ""
        self._settings = settings
        self._retry_waits_s = retry_waits_s
        self._engine: Engine | None = None

    def ask(
        self, role: Role, output_type: type[T], prompt: str, *, instructions: str, budget: int
    ) -> Said[T] | Refused:
        check_bounded(output_type)
        engine = self._engine = self._engine or self._opened()
        return asyncio.run(
            engine.ask(role, output_type, prompt, instructions=instructions, budget=budget)
        )

    def _opened(self) -> Engine:
        from wellworn.engines.llm.engine import Engine  # noqa: PLC0415 - takes seconds, so only when asked

        return Engine(self._settings, self._retry_waits_s)


_: type[Mind] = ModelMind
