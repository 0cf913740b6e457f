"""The topics of each space, made from what ranking keeps of thoughts, and kept in memory.

A small space is sorted when somebody looks and it has changed. A large one is sorted in the
background, whenever it has grown by a tenth and nobody is just filling it, or somebody looked; what
comes in between joins the topic it is nearest to. What is kept is which thoughts belong together,
so what is erased or held is gone with the next look, from the names of topics too. After a restart
topics are made anew: of the same thoughts they are the same.

Source: issue 4, point 6.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import partial
from typing import Final

import numpy as np

from wellworn.domain.spaces import Access
from wellworn.domain.thoughts.layout import Layout, Topic
from wellworn.domain.thoughts.store import topics as store
from wellworn.domain.thoughts.store.topics import Seqs
from wellworn.engines.retrieval.topics import extract_keywords
from wellworn.engines.storage.sql import Database, Transaction
from wellworn.engines.storage.vectors import VectorIndex
from wellworn.kit.text import fingerprint

AT_ONCE: Final = 2_000
"""Thoughts that are sorted while somebody waits."""
MOST_COMPARED: Final = 20_000
"""Thoughts that are compared with one another; the others join the topic they are nearest to."""
GROWTH: Final = 1.1
NAMED_BY: Final = 24
"""Thoughts of a topic whose words name it, evenly from the most central to the least."""
_CHARACTERS: Final = 300


@dataclass(frozen=True, slots=True)
class _Kept:
    """A layout with the topics it gives; `mark` tells what it was made of."""

    mark: str
    layout: Layout
    topics: tuple[Topic, ...]
    known: Seqs
    names: dict[str, tuple[bytes, str]] = field(default_factory=dict[str, tuple[bytes, str]])
    """Of topics by id, with the thoughts that named them."""

    @classmethod
    def of(cls, mark: str, layout: Layout) -> _Kept:
        return cls(mark, layout, layout.topics(), layout.known())


class Laid:
    """The topics of a space at the moment of a transaction: of what is shown in it, nothing else.

    Attributes:
        is_made: False while a large space waits to be sorted for the first time.
    """

    def __init__(
        self,
        transaction: Transaction,
        access: Access,
        index: VectorIndex,
        shown: Seqs,
        kept: _Kept | None,
    ) -> None:
        self._transaction = transaction
        self._access = access
        self._index = index
        self._is_shown = np.zeros(int(shown.max(initial=0)) + 1, np.bool_)
        self._is_shown[shown] = True
        self._kept = kept
        self.is_made = kept is not None

    def topics(self, inside: Topic | None = None) -> list[Topic]:
        """Return the topics of the space, or those inside one, the largest first."""
        known = self._kept.topics if self._kept else ()
        known = known if inside is None else inside.inside
        left = [topic for topic in known if len(self.members(topic))]
        return sorted(left, key=lambda topic: -len(self.members(topic)))

    def members(self, topic: Topic) -> Seqs:
        """Return the seqs of its thoughts, the most central first."""
        return self._of_those_shown(topic.members)

    def loose(self, topic: Topic) -> Seqs:
        """Return the seqs of its thoughts that are in no topic inside."""
        return self._of_those_shown(topic.loose)

    def size(self) -> int:
        """Return how many thoughts are in topics."""
        return sum(len(self.members(topic)) for topic in self.topics())

    def find(self, name: str) -> Topic | None:
        """Return the topic with an id."""
        waiting = self.topics()
        while waiting:
            topic = waiting.pop()
            if topic.id == name:
                return topic
            waiting += self.topics(topic)
        return None

    def title(self, topic: Topic) -> str:
        """Return the words that tell it from the rest of the space; empty if there are none."""
        naming = _evenly(self.members(topic), NAMED_BY)
        names = self._kept.names if self._kept else {}
        by, name = names.get(topic.id, (b"", ""))
        if by != naming.tobytes():
            texts = store.load_openings(
                self._transaction, self._access, naming.tolist(), _CHARACTERS
            )
            rarity = partial(self._index.rarity, space=self._access.space)
            name = ", ".join(extract_keywords(texts, rarity))
            names[topic.id] = naming.tobytes(), name
        return name

    def _of_those_shown(self, seqs: Seqs) -> Seqs:
        known = seqs[seqs < len(self._is_shown)]
        return known[self._is_shown[known]]


class Topics:
    """Sorts the spaces of one database, as far as somebody asks or as they grow."""

    def __init__(self, database: Database, index: VectorIndex, *, made_by: int) -> None:
        self._database = database
        self._index = index
        self._made_by = made_by
        self._kept: dict[str, _Kept] = {}
        self._wanted: set[str] = set()
        self._seen_to = 0
        self._made_to = 0

    def laid(self, transaction: Transaction, access: Access) -> Laid:
        """Return the topics of a space as they are now.

        Raises:
            StorageUnavailable: the database failed.
        """
        shown = store.list_visible(transaction, access.space)
        kept = self._kept.get(access.space)
        if len(shown) <= AT_ONCE:
            mark = fingerprint(shown.tobytes().hex())
            if kept is None or kept.mark != mark:
                kept = self._small(transaction, access.space, shown, mark)
        else:
            if kept is None or kept.mark != _step_mark(len(shown)):
                self._wanted.add(access.space)
            if kept is not None:
                kept = self._with_late(transaction, access.space, kept, shown)
        return Laid(transaction, access, self._index, shown, kept)

    def make_if_due(self) -> None:
        """Sort every large space that grew by a tenth; may take a minute.

        A space that is being filled waits until it is not, or until somebody looks.

        Raises:
            StorageUnavailable: the database failed; topics stay as they were.
        """
        with self._database.read() as transaction:
            newest = store.find_newest(transaction)
            # What was moved away, or sealed since, leaves nothing here.
            here = store.filter_existing(transaction, list(self._kept))
        for space in self._kept.keys() - here:
            self._kept.pop(space, None)
        is_quiet, self._seen_to = newest == self._seen_to, newest
        wanted = self._wanted.copy()
        if is_quiet and newest != self._made_to:
            with self._database.read() as transaction:
                wanted |= {
                    space for space, n in store.count_thoughts(transaction).items() if n > AT_ONCE
                }
            self._made_to = newest
        for space in sorted(wanted):
            self._make(space)
            self._wanted.discard(space)

    def _make(self, space: str) -> None:
        with self._database.read() as transaction:
            shown = store.list_visible(transaction, space)
        mark, kept = _step_mark(len(shown)), self._kept.get(space)
        if len(shown) <= AT_ONCE or (kept is not None and kept.mark == mark):
            return
        basis = _evenly(shown[: _step(len(shown))], MOST_COMPARED)
        with self._database.read() as transaction:
            gists = store.load_gists(transaction, basis.tolist(), self._made_by)
        layout = Layout.of(gists)
        late = np.setdiff1d(shown, basis)
        for start in range(0, len(late), AT_ONCE):
            with self._database.read() as transaction:
                page = late[start : start + AT_ONCE].tolist()
                layout = layout.joined(store.load_gists(transaction, page, self._made_by))
        self._kept[space] = _Kept.of(mark, layout)

    def _small(self, transaction: Transaction, space: str, shown: Seqs, mark: str) -> _Kept:
        gists = store.load_gists(transaction, shown.tolist(), self._made_by)
        layout = Layout.of(gists)
        # What is not indexed yet will be.
        kept = _Kept.of(mark if len(gists) == len(shown) else "", layout)
        self._kept[space] = kept
        return kept

    def _with_late(self, transaction: Transaction, space: str, kept: _Kept, shown: Seqs) -> _Kept:
        """Return topics with what came since, the first 2,000 of it."""
        late = np.setdiff1d(shown, kept.known, assume_unique=True)[:AT_ONCE]
        if not len(late):
            return kept
        gists = store.load_gists(transaction, late.tolist(), self._made_by)
        if not gists:
            return kept
        kept = replace(_Kept.of(kept.mark, kept.layout.joined(gists)), names=kept.names)
        self._kept[space] = kept
        return kept


def _step(size: int) -> int:
    """Return the size at which a space of this size was sorted last, growing from small."""
    step = float(AT_ONCE)
    while step * GROWTH <= size:
        step *= GROWTH
    return int(step)


def _step_mark(size: int) -> str:
    return f"of {_step(size)}"


def _evenly(seqs: Seqs, most: int) -> Seqs:
    if len(seqs) <= most:
        return seqs
    return seqs[np.linspace(0, len(seqs) - 1, most).astype(np.intp)]
