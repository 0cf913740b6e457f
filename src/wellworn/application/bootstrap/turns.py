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

    @cached_property
    def _screenshots(self) -> ScreenshotRenderer | None:
        turns = self.settings.turns
        return ScreenshotRenderer(turns.tool_timeout_s / _CALL_SHARE) if turns.screenshots else None

    @cached_property
    def _tool_servers(self) -> ToolServers:
        return ToolServers(self.settings.mcp, self.settings.turns.tool_timeout_s)

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
            tool_servers=self._choose_servers(database),
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
        may_read = self._is_open(database) or self.settings.llm.sealed_spaces
        if self.chat_model is None or not may_read:
            return ExtractiveEngine(embedder)
        return PromptedEngine(self.chat_model, ExtractiveEngine(embedder))

    def _choose_servers(self, database: Database) -> ToolServers | None:
        """Return whose tools may be called: it takes a model to choose among them."""
        settings = self.settings
        may_send = self._is_open(database) or (
            settings.mcp.sealed_spaces and settings.llm.sealed_spaces
        )
        return self._tool_servers if may_send and self.chat_model is not None else None

    def _is_open(self, database: Database) -> bool:
        """Tell whether a database is of open spaces; each sealed one has its own."""
        return database is self.main_database
