"""What callers are told of consolidations: titled quotes, each with its source.

Only numbers are kept. Quotes and titles are made when they are read, of what is true and visible
at that moment, so nothing of a thought outlives it here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from typing import Final

from wellworn.domain.spaces import Access
from wellworn.domain.thoughts.sleep.retelling import read_told
from wellworn.domain.thoughts.store import ThoughtExcerpt, rows
from wellworn.domain.thoughts.store import consolidations as store
from wellworn.domain.thoughts.store.consolidations import Consolidation, Core
from wellworn.engines.retrieval.topics import extract_keywords
from wellworn.engines.storage.sql import Asked, Database, Rows, Transaction, fetch_together
from wellworn.engines.storage.vectors import VectorIndex
from wellworn.kit.clock import Clock
from wellworn.kit.text import shorten

FEWEST_QUOTES: Final = 2
"""What is left with fewer stands for nothing but itself."""
LOOKED_AT: Final = 3
"""Results that tell what an answer is about; what comes after them may be of other things."""
FEWEST_SHOWN: Final = 2
"""How many of these must be sources of a consolidation for an answer to tell of it."""
MOST_SOURCES: Final = 20
"""Ids of sources that are told, those of the quotes first."""
_CHARACTERS: Final = 280


@dataclass(frozen=True, slots=True)
class OverviewClaim:
    """A sentence of a model, and the thoughts that bear it out."""

    text: str
    source_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class OverviewChange:
    """What a version of an overview changed in its sources.

    Attributes:
        made_at: when it superseded the one before, in epoch seconds.
        came, went: how many sources.
        came_ids, went_ids: of at most 20 of them, those that may be read.
    """

    version: int
    made_at: float
    came: int
    went: int
    came_ids: tuple[str, ...]
    went_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Overview:
    """What several thoughts say, in the words of those that stand for them.

    Attributes:
        id: of the consolidation; empty of one that is not kept.
        version: how often it was made anew.
        made_at: when this version was made, in epoch seconds.
        title: up to three words that distinguish the quotes from the rest of the space.
        quotes: openings of thoughts that are true now.
        source_ids: at most 20, those of the quotes first.
        size: how many sources there are that may be read.
        claims: what a language model says of it, as long as all that bears it out is true.
        changes: what its last versions changed, the newest first.
    """

    id: str
    topic_id: str
    version: int
    made_at: float
    title: str
    quotes: tuple[ThoughtExcerpt, ...]
    source_ids: tuple[str, ...]
    size: int
    claims: tuple[OverviewClaim, ...] = ()
    changes: tuple[OverviewChange, ...] = ()

    def list_shown(self) -> Iterator[str]:
        """Yield the ids of the thoughts whose words are shown."""
        yield from (quote.thought_id for quote in self.quotes)


class OverviewReader:
    """Tells of the consolidations of one database; every method needs an Access."""

    def __init__(self, database: Database, index: VectorIndex, clock: Clock) -> None:
        self._database = database
        self._index = index
        self._clock = clock

    def ask_for(self, shown: Sequence[int]) -> list[Asked]:
        """Ask for what `find` wants, if there is anything to be found."""
        enough = len(shown) >= FEWEST_SHOWN
        return [store.ask_covering(shown[:LOOKED_AT])] if enough else []

    def find(
        self, transaction: Transaction, access: Access, shown: Sequence[int], found: Sequence[Rows]
    ) -> Overview | None:
        """Return what most of the first results, by their seqs, are sources of, if it holds.

        `found` are the rows of what `ask_for` asks.
        """
        if not found:
            return None
        seq = store.find_covering(found[0], shown[:LOOKED_AT], least=FEWEST_SHOWN)
        if seq is None:
            return None
        kept = store.load_one(transaction, access.space, seq)
        return self._describe(transaction, access, kept) if kept else None

    def look_up(self, access: Access, ids: Iterable[str]) -> Overview | None:
        """Return what most of the first results, by their ids, are sources of, if it holds."""
        first = [*islice(ids, LOOKED_AT)]
        with self._database.read() as transaction:
            known = rows.find_seqs(transaction, access, first)
            shown = [known[each] for each in first if each in known]
            found = [*fetch_together(transaction, *self.ask_for(shown))]
            return self.find(transaction, access, shown, found)

    def list_largest(self, access: Access, *, limit: int) -> list[Overview]:
        """Return the consolidations of a space, those with the most sources first."""
        with self._database.read() as transaction:
            kept = store.load_consolidations(transaction, access.space)
            kept.sort(key=lambda each: -len(each.core.members))
            changes = {
                each.id: tuple(
                    _tell_change(transaction, access.space, change) for change in each.changes
                )
                for each in kept[:limit]
            }
            found = self.describe(transaction, access, kept[:limit])
        return [replace(each, changes=changes[each.id]) for each in found]

    def describe(
        self, transaction: Transaction, access: Access, kept: Sequence[Consolidation]
    ) -> list[Overview]:
        """Return consolidations as they are now, without those of which too little is left."""
        told = (self._describe(transaction, access, each) for each in kept)
        return [overview for overview in told if overview is not None]

    def sketch(
        self, transaction: Transaction, access: Access, cores: Iterable[Core]
    ) -> list[Overview]:
        """Return what would be kept of cores."""
        now = self._clock.now()
        return self.describe(
            transaction, access, [Consolidation(0, "", 1, now, core) for core in cores]
        )

    def _describe(
        self, transaction: Transaction, access: Access, kept: Consolidation
    ) -> Overview | None:
        core, space = kept.core, access.space
        told = read_told(kept.told)
        cited = {seq for claim in told for seq in claim.seqs}
        asked = [*{*core.quoted, *cited}]
        settled = store.filter_settled(transaction, space, asked, at=self._clock.now())
        true_now = [seq for seq in core.quoted if seq in settled]
        quotes = store.load_quotes(transaction, space, true_now)
        if len(quotes) < FEWEST_QUOTES:
            return None
        rarity = partial(self._index.rarity, space=space)
        first = [each.seq for each in quotes]
        others = [seq for seq in core.members if seq not in core.quoted]
        sources = store.find_readable(transaction, space, [*first, *others])
        return Overview(
            kept.id,
            core.topic_id,
            kept.version,
            kept.made_at,
            ", ".join(extract_keywords([each.text for each in quotes], rarity)),
            tuple(replace(each, text=shorten(each.text, _CHARACTERS)) for each in quotes),
            tuple(thought_id for thought_id, _ in sources.values())[:MOST_SOURCES],
            len(sources),
            tuple(
                OverviewClaim(claim.text, tuple(sources[seq][0] for seq in claim.seqs))
                for claim in told
            )
            if cited <= settled & sources.keys()
            else (),
        )


def _tell_change(
    transaction: Transaction, space: str, change: store.VersionChange
) -> OverviewChange:
    """Return what a version changed, without the ids of what may not be read any more."""
    came, went = (
        store.find_readable(transaction, space, seqs[:MOST_SOURCES])
        for seqs in (change.came, change.went)
    )
    return OverviewChange(
        change.version,
        change.made_at,
        len(change.came),
        len(change.went),
        tuple(name for name, _ in came.values()),
        tuple(name for name, _ in went.values()),
    )
