"""From settings to what asks a language model which notes replace others."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from wellworn.application.settings import Settings
from wellworn.domain.thoughts.judging import ReplacementJudge
from wellworn.engines.embedding import Embedder
from wellworn.engines.llm import ChatModel
from wellworn.engines.storage.sql import Database
from wellworn.engines.storage.vectors import VectorIndex
from wellworn.errors import InvalidInput
from wellworn.kit.clock import Clock


@dataclass(frozen=True)
class JudgeOpener:
    """Opens a judge for each database whose words may go to the model.

    Raises:
        InvalidInput: the settings want judgements and name no model.
    """

    main_database: Database
    settings: Settings
    clock: Clock
    chat_model: ChatModel | None

    def __post_init__(self) -> None:
        if self.settings.thoughts.judge_changes and self.chat_model is None:
            message = "WELLWORN_THOUGHTS__JUDGE_CHANGES needs a model: set WELLWORN_LLM__MODEL, too"
            raise InvalidInput(message)

    def open(
        self, database: Database, index: VectorIndex, embedder: Embedder
    ) -> Callable[[], bool] | None:
        """Return what judges the next note of a database; None where no model is to read it."""
        settings = self.settings.thoughts
        may_read = database is self.main_database or self.settings.llm.sealed_spaces
        if self.chat_model is None or not (settings.judge_changes and may_read):
            return None
        return ReplacementJudge(
            database,
            index,
            embedder,
            self.clock,
            chat_model=self.chat_model,
            most_a_day=settings.judged_a_day,
        ).judge_next
