"""An open memory: the services, and the parts behind them that need looking after."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from threading import Event
from typing import Protocol

from wellworn.embedding import Embedder
from wellworn.errors import WellwornError
from wellworn.knowledge import Knowledge
from wellworn.memory import Memory, Prompt, Reply
from wellworn.spaces import Access
from wellworn.storage.sql import Database
from wellworn.storage.vectors import EdgeVectorIndex, IndexBuilder
from wellworn.thoughts import Found, Record, Signal, Thoughts
from wellworn.transfer import Transfer

REPAIRED_AT_ONCE = 256


class Repair(Protocol):
    """What makes one index agree with the database."""

    def missing(self) -> list[int]: ...

    def index(self, seqs: Sequence[int], advance: Callable[[int], None] = ...) -> None: ...


@dataclass(frozen=True, slots=True)
class Health:
    """How the parts are; counts are of indexed passages in the caller's space."""

    database: bool
    index: bool
    embedding: bool
    model: str
    thoughts: int
    practices: int
    unindexed: int

    @property
    def is_well(self) -> bool:
        return self.database and self.index and self.embedding and not self.unindexed


@dataclass(slots=True)
class App:
    """An open memory. Not more than one process may have a data folder open."""

    database: Database
    embedder: Embedder
    memory: Memory
    thoughts: Thoughts
    knowledge: Knowledge
    transfer: Transfer
    indexes: tuple[EdgeVectorIndex, ...]
    builders: tuple[IndexBuilder, ...]
    repairs: tuple[Repair, ...]
    unindexed: int = 0
    closed: bool = field(default=False)
    work: Event = field(default_factory=Event)
    """Set when maintenance should not wait for its hour."""

    def converse(self, access: Access, prompt: Prompt) -> Reply:
        """Answer a prompt, and remember it if the contribution rule says so."""
        return self.memory.converse(access, prompt)

    def judge(
        self,
        access: Access,
        *,
        session_id: str,
        thought_id: str,
        signal: Signal,
        agent_id: str | None = None,
    ) -> float:
        """Apply explicit feedback; return the thought's new weight."""
        return self.thoughts.judge(
            access,
            session_id=session_id,
            thought_id=thought_id,
            signal=signal,
            agent_id=agent_id,
        )

    def forget(
        self, access: Access, thought_id: str, *, agent_id: str, reason: str | None = None
    ) -> float:
        """Erase a thought's words; return when."""
        try:
            return self.memory.forget(access, thought_id, agent_id=agent_id, reason=reason)
        finally:
            self.work.set()

    def look_up(self, access: Access, query: str, *, limit: int = 10) -> Sequence[Found]:
        """Search without leaving a trace."""
        return self.memory.look_up(access, query, limit=limit)

    def record(self, access: Access, thought_id: str) -> Record:
        """Return a thought with its whole trace."""
        return self.thoughts.record(access, thought_id)

    def warm(self) -> None:
        """Load the model before the first call needs it; a damaged one is told by that call."""
        _answers(lambda: self.embedder.embed(["ready"]))

    def maintain(self) -> None:
        """Do what is due in the background; repairs and index builds may take minutes."""
        self.database.scrub_if_due()
        if self.unindexed:
            self.repair()
        for builder in self.builders:
            if not self.closed:
                builder.run_if_due()

    def repair(self, advance: Callable[[int], None] = lambda _: None) -> None:
        """Index whatever an index lacks; `advance` is told how many are done in all."""
        todo = [(repair, repair.missing()) for repair in self.repairs]
        self.unindexed = sum(len(seqs) for _, seqs in todo)
        done = 0
        for repair, seqs in todo:
            for start in range(0, len(seqs), REPAIRED_AT_ONCE):
                if self.closed:
                    return
                part = seqs[start : start + REPAIRED_AT_ONCE]
                repair.index(part)
                done += len(part)
                self.unindexed -= len(part)
                advance(done)

    def health(self, access: Access) -> Health:
        """Ask every part how it is; a part that fails is told, not raised."""
        thought_points, practice_points = (_counted(index, access) for index in self.indexes)
        return Health(
            database=_answers(self.database.ping),
            index=thought_points is not None and practice_points is not None,
            embedding=_answers(lambda: self.embedder.embed(["well?"])),
            model=self.embedder.name,
            thoughts=thought_points or 0,
            practices=practice_points or 0,
            unindexed=self.unindexed,
        )

    def stop_maintenance(self) -> None:
        """Give up what runs in the background; nothing that was acknowledged is lost by it."""
        self.closed = True
        self.work.set()
        for builder in self.builders:
            builder.stop()

    def close(self) -> None:
        """Release every file."""
        self.stop_maintenance()
        for index in self.indexes:
            index.close()
        self.database.close()


def _counted(index: EdgeVectorIndex, access: Access) -> int | None:
    try:
        return index.count(access.space)
    except WellwornError:
        return None


def _answers(question: Callable[[], object]) -> bool:
    try:
        question()
    except WellwornError:
        return False
    return True
