"""What the tools need from the memory and the knowledge behind them.

Source: issue 2, point 4 (doors enter where the conversation begins, with an Access); issue 5.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from wellworn.domain.knowledge import Answer, Artifact, ArtifactName, Value
    from wellworn.domain.memory import Prompt, Reply
    from wellworn.domain.outline import Outlined, Passage
    from wellworn.domain.sources import Snippet, Source
    from wellworn.domain.spaces import Access
    from wellworn.domain.thoughts import Found, Record, Signal


class MemoryBackend(Protocol):
    """The memory, called from worker threads; it raises WellwornError and its kinds.

    Ids given to it are canonical UUIDs, texts are within their limits.
    """

    def converse(self, access: Access, prompt: Prompt) -> Reply:
        """Retrieve, and contribute as the prompt says."""
        ...

    def judge(
        self,
        access: Access,
        *,
        session_id: str,
        thought_id: str,
        signal: Signal,
        agent_id: str | None = None,
    ) -> float:
        """Return the thought's pheromone weight after the signal."""
        ...

    def forget(
        self, access: Access, thought_id: str, *, agent_id: str, reason: str | None = None
    ) -> float:
        """Return when the thought was erased, in epoch seconds."""
        ...

    def look_up(self, access: Access, query: str, *, limit: int = 10) -> Sequence[Found]:
        """Search without leaving a trace."""
        ...

    def outline(
        self, access: Access, of: str | None = None, *, depth: int = 1, offset: int = 0
    ) -> Outlined:
        """Return a node of the space's outline and what is below it."""
        ...

    def read(self, access: Access, node: str, *, offset: int = 0) -> Passage:
        """Return a page of the text that a node stands for."""
        ...

    def record(self, access: Access, thought_id: str) -> Record:
        """Return one thought with its whole trace."""
        ...


class KnowledgeBackend(Protocol):
    """Knowledge, called from worker threads; it raises WellwornError and its kinds."""

    def sources(self, access: Access) -> Sequence[Source]:
        """Return the sources that the caller may see."""
        ...

    def search(
        self, access: Access, text: str, *, limit: int, sources: tuple[int, ...] | None
    ) -> Sequence[Snippet]:
        """Return the best passages of documents."""
        ...

    def resolve(
        self, access: Access, term: str, *, context: str = "", agent_id: str = ""
    ) -> Answer:
        """Return what a term stands for, or the one question to ask."""
        ...

    def provenance(
        self, access: Access, term: str, *, fact_type: str | None = None
    ) -> Sequence[Value]:
        """Return every value known of a term, each with where it stands."""
        ...

    def artifact(self, access: Access, name: ArtifactName) -> Artifact:
        """Return one virtual file of the discovery layer."""
        ...

    def preamble(self, access: Access) -> str:
        """Return what an agent is told about knowledge."""
        ...


class Backend(MemoryBackend, Protocol):
    """All that a door leads to.

    Whose call it is and into which space is decided by `enter`; the other methods take its answer.
    """

    @property
    def knowing(self) -> KnowledgeBackend:
        """Documents, and what was compiled of them."""
        ...

    def enter(self, shown: str | None, space: str | None, *, writes: bool, address: str) -> Access:
        """Return what the bearer of a credential, or of none, may do in a space; counts the call.

        Who fails is counted by the `address` they call from.

        Raises:
            Unauthenticated, SpaceNotFound, SpaceLocked, RateLimited: not now, not there, or not at
                all.
        """
        ...
