"""The port of a tool of the coordinator: a tool is one module beside this one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from threading import Event
from typing import Final, Protocol

from wellworn.domain.knowledge import Answer, Discovery
from wellworn.domain.memory import NO_LIMITS, Limits, Memory
from wellworn.domain.sources import Sources
from wellworn.domain.spaces import Access
from wellworn.domain.turns.briefs import ToolDescription
from wellworn.domain.turns.files import Vault
from wellworn.domain.turns.models import ToolResult
from wellworn.domain.turns.research import ResearchLibrary
from wellworn.domain.turns.settings import TurnSettings
from wellworn.engines.extraction import Extractor
from wellworn.engines.fetch import WebClient
from wellworn.engines.screenshots import ScreenshotRenderer
from wellworn.engines.tool_servers import ToolServers
from wellworn.kit.clock import Clock

LONGEST_TERM: Final = 200


class Resolutions:
    """Resolves terms in the context of a turn's question, and remembers the answers."""

    def __init__(self) -> None:
        self._answers: dict[str, Answer] = {}

    def resolve(
        self, discovery: Discovery, access: Access, term: str, *, context: str, agent_id: str
    ) -> Answer:
        """Return what a term stands for, as documents were when it was resolved first.

        Passages are not read for it: the turn reads all that it gathers.
        """
        term = term[:LONGEST_TERM]
        if term not in self._answers:
            self._answers[term] = discovery.resolve(
                access, term, context=context, agent_id=agent_id, learn=False, reads=False
            )
        return self._answers[term]


@dataclass(frozen=True, slots=True)
class ToolServices:
    """The services that tools are made of.

    Attributes:
        web: the way out to pages.
        search_engine: the way out to the configured one, which may be in a private network.
        screenshots: draws pages that were read; None where no pictures are wanted.
        tool_servers: whose tools may be called; None where a turn may call none.
    """

    memory: Memory
    sources: Sources
    discovery: Discovery
    web: WebClient
    search_engine: WebClient
    extractor: Extractor
    screenshots: ScreenshotRenderer | None
    tool_servers: ToolServers | None
    clock: Clock
    library: ResearchLibrary
    settings: TurnSettings


@dataclass(frozen=True, slots=True)
class ToolContext:
    """The turn that a tool is called for.

    Attributes:
        query: what the user asked, in the user's words.
        folder: of the turn's files in the vault.
        may_change: whether the call was stored before it is made, so that it may change something.
        resolutions: what the resolver answered in the turn.
        abandoned: set when nobody waits for the tool any more, which then writes nothing: the turn
            may be over, and its space sealed.
    """

    access: Access
    agent_id: str
    query: str
    vault: Vault
    folder: str
    turn_number: int
    may_change: bool = False
    limits: Limits = NO_LIMITS
    resolutions: Resolutions = field(default_factory=Resolutions)
    abandoned: Event = field(default_factory=Event)


class TurnTool(Protocol):
    """Something that the coordinator can call; safe to call from another thread."""

    @property
    def description(self) -> ToolDescription | None:
        """The tool's purpose; None where it cannot be called now."""
        ...

    def call(self, context: ToolContext, arguments: Mapping[str, str]) -> ToolResult:
        """Do it; a failure is a result. An error that is raised is recorded as one, too."""
        ...
