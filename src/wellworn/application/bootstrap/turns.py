"""From settings to the turns of one database: what answers, and the tools that it may call."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Final

from wellworn.application.settings import Settings
from wellworn.domain.knowledge import Discovery
from wellworn.domain.memory import Memory
from wellworn.domain.sources import Sources
from wellworn.domain.thoughts import Thoughts
from wellworn.domain.turns import (
    ExtractiveEngine,
    PromptedEngine,
    ResearchLibrary,
    SpaceGatherer,
    ToolServices,
    TurnDependencies,
    TurnEngine,
    Turns,
    load_tools,
)
from wellworn.engines.embedding import Embedder
from wellworn.engines.extraction import Extractor
from wellworn.engines.fetch import WebClient
from wellworn.engines.llm import ChatModel
from wellworn.engines.screenshots import ScreenshotRenderer
from wellworn.engines.storage.sql import Database
from wellworn.engines.tool_servers import ToolServers
from wellworn.kit.clock import Clock

TURNS: Final = "turns"
_CALL_SHARE: Final = 6
"""A search reads several pages, and none of them may take all of its time to be drawn."""


@dataclass(frozen=True)
class TurnOpener:
    """Opens the turns of databases, with what all of them share."""

    home: Path
    main_database: Database
    settings: Settings
    clock: Clock
    web: WebClient
    extractor: Extractor
    chat_model: ChatModel | None
    tool_servers: ToolServers

    @cached_property
    def _screenshots(self) -> ScreenshotRenderer | None:
        turns = self.settings.turns
        return ScreenshotRenderer(turns.tool_timeout_s / _CALL_SHARE) if turns.screenshots else None

    def open(
        self,
        database: Database,
        memory: Memory,
        thoughts: Thoughts,
        sources: Sources,
        discovery: Discovery,
        *,
        embedder: Embedder,
    ) -> Turns:
        """Return the turns of a database."""
        library = ResearchLibrary(database, self.home / TURNS, self.settings.turns, self.clock)
        services = ToolServices(
            memory=memory,
            sources=sources,
            discovery=discovery,
            web=self.web,
            search_engine=WebClient(self.settings.fetch.allow_private()),
            extractor=self.extractor,
            screenshots=self._screenshots,
            # It takes a model to choose among their tools.
            tool_servers=self.tool_servers if self._choose_model(database) else None,
            clock=self.clock,
            library=library,
            settings=self.settings.turns,
        )
        return Turns(
            database,
            SpaceGatherer(database, embedder, memory, sources, discovery, library=library),
            thoughts,
            TurnDependencies(
                embedder,
                self._choose_engine(database, embedder),
                load_tools(services),
                self.settings.turns,
                self.clock,
            ),
        )

    def _choose_engine(self, database: Database, embedder: Embedder) -> TurnEngine:
        rules, model = ExtractiveEngine(embedder), self._choose_model(database)
        return PromptedEngine(model, rules) if model else rules

    def _choose_model(self, database: Database) -> ChatModel | None:
        """Return what may read a database: of open spaces, or of the sealed one that it is for."""
        may_read = database is self.main_database or self.settings.llm.sealed_spaces
        return self.chat_model if may_read else None
