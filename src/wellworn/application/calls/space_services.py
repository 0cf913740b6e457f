"""Groups what calls use in a space: the services over one database and its indexes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from wellworn.application.transfer import Transfer
from wellworn.domain.knowledge import Discovery, Knowledge
from wellworn.domain.memory import Memory
from wellworn.domain.outline import Outline
from wellworn.domain.sources import Sources
from wellworn.domain.thoughts import Thoughts
from wellworn.domain.turns import Turns
from wellworn.engines.embedding import Pace
from wellworn.engines.storage.sealed import NOTHING, Loss
from wellworn.engines.storage.sql import Database, RamDatabase
from wellworn.engines.storage.vectors import VectorIndex


@dataclass(frozen=True, slots=True)
class Seal:
    """`frame` is the number of the last transaction, which only grows; `forget` wipes the key."""

    frame: Callable[[], int]
    forget: Callable[[], None]
    loss: Loss = NOTHING


class Unembedded(Protocol):
    """Units of one kind that are found by their words and wait to be embedded."""

    def list_pending(self, most: int) -> list[int]: ...

    def embed(self, units: Sequence[int], pace: Pace, /) -> None: ...


@dataclass(frozen=True, slots=True)
class SpaceServices:
    """The services over one database and its indexes."""

    database: Database
    memory: Memory
    thoughts: Thoughts
    knowledge: Knowledge
    outline: Outline
    transfer: Transfer
    sources: Sources
    discovery: Discovery
    turns: Turns
    thought_index: VectorIndex
    chunk_index: VectorIndex
    unembedded: tuple[Unembedded, ...]
    judge_next: Callable[[], bool] | None = None
    """Asks a language model about the next note, if one is to be asked about these."""
    seal: Seal | None = None
    """Of a sealed space: what stores it."""

    @property
    def is_over(self) -> bool:
        """Tell whether a sealed space closed by itself, as its records could not be stored."""
        return isinstance(self.database, RamDatabase) and self.database.is_closed

    def close(self) -> None:
        """Drop all that is in memory of a sealed space, its key at last."""
        self.thought_index.close()
        self.chunk_index.close()
        self.database.close()
        if self.seal is not None:
            self.seal.forget()
