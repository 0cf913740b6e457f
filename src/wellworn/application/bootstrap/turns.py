"""Builds the turns of one database by the settings: what answers, and the tools it may call."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Final

from wellworn.application.bootstrap.records import TURNS
from wellworn.application.settings import Settings
from wellworn.domain.knowledge import Discovery
from wellworn.domain.memory import Memory
from wellworn.domain.reading import PassageReader
from wellworn.domain.sources import Sources
from wellworn.domain.thoughts import Thoughts
from wellworn.domain.turns import (
    ExtractiveEngine,
    PromptedEngine,
    ResearchLibrary,
    SpaceGatherer,
    ToolServices,
    TurnDependencies,
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

_CALL_SHARE: Final = 6
"""A search reads several pages, and none of them may take all of its time to be drawn."""


@dataclass(frozen=True)
class TurnOpener:
    """Opens the turns of databases, with what all of them share."""

    home: Path
    settings: Settings
    clock: Clock
    web: WebClient
    extractor: Extractor
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
        passages: PassageReader,
        chat_model: ChatModel | None,
    ) -> Turns:
        """Return the turns of a database, with the model that may read it."""
        rules = ExtractiveEngine(passages)
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
            tool_servers=self.tool_servers if chat_model else None,
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
                PromptedEngine(chat_model, rules) if chat_model else rules,
                load_tools(services),
                self.settings.turns,
                self.clock,
            ),
        )
