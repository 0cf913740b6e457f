"""Opens the readers of open and of sealed spaces by the settings."""

from __future__ import annotations

from collections.abc import Callable

from wellworn.engines.embedding import open_pair_model
from wellworn.engines.llm import ChatModel, ModelRefusal, ModelRole
from wellworn.engines.reading import (
    LanguageModelReader,
    ReaderService,
    ReadingSettings,
    SecondReader,
    TextReadings,
    choose_for_sealed,
    open_reader,
)
from wellworn.engines.safety import Quote, fence_quotes, new_nonce
from wellworn.errors import ReadingFailed


def open_reading(
    settings: ReadingSettings,
    chat_model: Callable[[], ChatModel | None],
    second_reader: SecondReader | None = None,
) -> tuple[ReaderService, ReaderService]:
    """Return what reads in open spaces, and in sealed ones; the same where nothing is sent away.

    Raises:
        InvalidInput: the language model is to read, and none is configured.
    """
    reader = open_reader(
        settings,
        open_model=open_pair_model,
        language_model=lambda: _read_by_language_model(chat_model()),
        second=second_reader,
    )
    sealed = choose_for_sealed(reader, settings, open_model=open_pair_model, second=second_reader)
    shared = ReaderService(reader, is_paid=settings.language_model)
    return shared, shared if sealed is reader else ReaderService(sealed)


def _read_by_language_model(chat_model: ChatModel | None) -> LanguageModelReader | None:
    if chat_model is None:
        return None

    def ask(prompt: str, instructions: str, budget: int) -> TextReadings:
        answer = chat_model.ask(
            ModelRole.NERVES, TextReadings, prompt, instructions=instructions, budget=budget
        )
        if isinstance(answer, ModelRefusal):
            raise ReadingFailed(answer.message)
        return answer.output

    return LanguageModelReader(
        chat_model.name, ask, fence=lambda text: fence_quotes([Quote(text, "text")], new_nonce())
    )
