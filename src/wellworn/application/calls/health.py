"""Tells how an open memory is, and what to do when it is not well."""

from __future__ import annotations

from dataclasses import dataclass

from wellworn.application.calls.activity import CallTimes
from wellworn.application.calls.upkeep import UpkeepFailure
from wellworn.domain.spaces import DEFAULT_SPACE, Access, Role
from wellworn.domain.thoughts.store import FindableThoughts
from wellworn.engines.jobs import JobState
from wellworn.engines.storage.sealed import NOTHING, Loss
from wellworn.errors import Forbidden

_MOST_NAMES = 20


def require_care(access: Access) -> None:
    """Let in who may know of the whole server: who runs it, and admins of the default space.

    Raises:
        Forbidden: the caller is somebody else.
    """
    access.require(Role.ADMIN)
    if access.owner is not None and access.space != DEFAULT_SPACE:
        raise Forbidden("this is about the whole server: for admins of the default space")


@dataclass(frozen=True, slots=True)
class Workload:
    """What the server does: calls by kind, slots, what was shed, and upkeep that fails."""

    calls: tuple[CallTimes, ...]
    running: int
    waiting: int
    refused: int
    watching: int
    failing: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class BackgroundWork:
    """What the server does beside calls; `unindexed` is what waits to be indexed."""

    jobs: tuple[JobState, ...]
    failing: tuple[UpkeepFailure, ...]
    unindexed: int


@dataclass(frozen=True, slots=True)
class Health:
    """State of the parts; counts are of indexed thoughts and practices in the caller's space."""

    database: bool
    index: bool
    has_damaged_index: bool
    embedding: bool
    model: str
    reader: str | None
    reading_failure: str
    thoughts: int
    practices: int
    unindexed: int
    findable: FindableThoughts
    failures: tuple[str, ...] = ()
    loss: Loss = NOTHING

    @property
    def is_well(self) -> bool:
        return self.advice is None

    @property
    def advice(self) -> str | None:
        """Say what is wrong and what to do, if anything is."""
        return self._describe_fault() or self._describe_work()

    def _describe_fault(self) -> str | None:
        if self.has_damaged_index:
            return "a file of the vector index is damaged; the server makes the index anew"
        if not self.index:
            return "the vector index is damaged; stop the server and run `wellworn rebuild`"
        if not (self.database and self.embedding):
            return "the database or the embedding model fails or is damaged; run `wellworn doctor`"
        if self.loss.records:
            return _describe_loss(self.loss)
        return None

    def _describe_work(self) -> str | None:
        if self.reading_failure:
            return f"nothing is read: {self.reading_failure}; words and meaning answer without"
        if self.unindexed:
            return f"{self.unindexed} thoughts or chunks are still to be indexed, and found later"
        if self.failures:
            names = ", ".join(self.failures)
            return f"work in the background fails ({names}), and is tried again; see the log"
        return None


def _describe_loss(loss: Loss) -> str:
    names = [f"{row.table} {row.name}" for row in loss.rows[:_MOST_NAMES]]
    more = len(loss.rows) - len(names)
    rows = ", ".join([*names, f"{more} more"] if more else names) or "no row that can be named"
    return f"{loss.records} stored records of this sealed space are lost ({rows}); the rest is here"
