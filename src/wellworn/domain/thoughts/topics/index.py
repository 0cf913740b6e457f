"""The topics of each space, computed from the features of thoughts and cached in memory.

A small space is sorted when it is read after a change. A large one is sorted in the background when
it has grown by a tenth and is not being filled, or was read; thoughts stored in between join the
nearest topic. Erased and held thoughts disappear with the next read, from the titles of topics,
too. The same thoughts give the same topics after a restart.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import partial
from typing import Final

import numpy as np

from wellworn.domain.spaces import Access
from wellworn.domain.thoughts.store import topics as store
from wellworn.domain.thoughts.store.topics import Seqs
from wellworn.domain.thoughts.topics.layout import Topic, TopicLayout
from wellworn.engines.retrieval.topics import extract_keywords
from wellworn.engines.storage.sql import Database, Transaction
from wellworn.engines.storage.vectors import VectorIndex
from wellworn.kit.text import fingerprint

AT_ONCE: Final = 2_000
"""Thoughts that are sorted while a caller waits."""
MOST_COMPARED: Final = 20_000
"""Thoughts that are compared with one another; the others join the nearest topic."""
GROWTH: Final = 1.1
NAMED_BY: Final = 24
"""Thoughts that name a topic, sampled evenly from the most central to the least."""
_CHARACTERS: Final = 300


@dataclass(frozen=True, slots=True)
class _CachedLayout:
    """A layout with its topics; `mark` identifies the thoughts it was made from."""

    mark: str
    layout: TopicLayout
    topics: tuple[Topic, ...]
    known: Seqs
    names: dict[str, tuple[bytes, str]] = field(default_factory=dict[str, tuple[bytes, str]])
    """Titles by topic id, with the thoughts that they were made from."""

    @classmethod
    def build(cls, mark: str, layout: TopicLayout) -> _CachedLayout:
        return cls(mark, layout, layout.build_topics(), layout.list_seqs())


class TopicMap:
    """The topics of the visible thoughts of a space at the moment of a transaction.

    Attributes:
        is_made: False while a large space waits to be sorted for the first time.
    """

    def __init__(
        self,
        transaction: Transaction,
        access: Access,
        index: VectorIndex,
        shown: Seqs,
        layout: _CachedLayout | None,
    ) -> None:
        self._transaction = transaction
        self._access = access
        self._index = index
        self._is_shown = np.zeros(int(shown.max(initial=0)) + 1, np.bool_)
        self._is_shown[shown] = True
        self._layout = layout
        self.is_made = layout is not None

    def list_topics(self, inside: Topic | None = None) -> list[Topic]:
        """Return the topics of the space, or those inside one, the largest first."""
        known = self._layout.topics if self._layout else ()
        known = known if inside is None else inside.inside
        left = [topic for topic in known if len(self.list_members(topic))]
        return sorted(left, key=lambda topic: -len(self.list_members(topic)))

    def list_members(self, topic: Topic) -> Seqs:
        """Return the seqs of its thoughts, the most central first."""
        return self._filter_visible(topic.members)

    def list_loose(self, topic: Topic) -> Seqs:
        """Return the seqs of its thoughts that are in no topic inside."""
        return self._filter_visible(topic.loose)

    def count(self) -> int:
        """Return how many thoughts are in topics."""
        return sum(len(self.list_members(topic)) for topic in self.list_topics())

    def find(self, name: str) -> Topic | None:
        """Return the topic with an id."""
        waiting = self.list_topics()
        while waiting:
            topic = waiting.pop()
            if topic.id == name:
                return topic
            waiting += self.list_topics(topic)
        return None

    def find_title(self, topic: Topic) -> str:
        """Return the words that distinguish it from the rest of the space, or an empty string."""
        naming = _sample_evenly(self.list_members(topic), NAMED_BY)
        names = self._layout.names if self._layout else {}
        by, name = names.get(topic.id, (b"", ""))
        if by != naming.tobytes():
            texts = store.load_openings(
                self._transaction, self._access, naming.tolist(), _CHARACTERS
            )
            rarity = partial(self._index.rarity, space=self._access.space)
            name = ", ".join(extract_keywords(texts, rarity))
            names[topic.id] = naming.tobytes(), name
        return name

    def _filter_visible(self, seqs: Seqs) -> Seqs:
        known = seqs[seqs < len(self._is_shown)]
        return known[self._is_shown[known]]


class TopicIndex:
    """Sorts the spaces of one database into topics, on demand and as they grow."""

    def __init__(self, database: Database, index: VectorIndex, *, version: int) -> None:
        self._database = database
        self._index = index
        self._version = version
        self._layouts: dict[str, _CachedLayout] = {}
        self._wanted: set[str] = set()
        self._seen_to = 0
        self._sorted_to = 0

    def build_map(self, transaction: Transaction, access: Access) -> TopicMap:
        """Return the topics of a space as they are now.

        Raises:
            StorageUnavailable: the database failed.
        """
        shown = store.list_visible(transaction, access.space)
        layout = self._layouts.get(access.space)
        if len(shown) <= AT_ONCE:
            mark = fingerprint(shown.tobytes().hex())
            if layout is None or layout.mark != mark:
                layout = self._sort_small(transaction, access.space, shown, mark)
        else:
            if layout is None or layout.mark != _size_mark(len(shown)):
                self._wanted.add(access.space)
            if layout is not None:
                layout = self._add_late(transaction, access.space, layout, shown)
        return TopicMap(transaction, access, self._index, shown, layout)

    def update_if_due(self) -> None:
        """Sort every large space that grew by a tenth; may take a minute.

        A space that is being filled waits until it no longer is, or until it is read.

        Raises:
            StorageUnavailable: the database failed; topics stay as they were.
        """
        with self._database.read() as transaction:
            newest = store.find_newest(transaction)
            # A space may have been moved away or sealed since.
            existing = store.filter_existing(transaction, list(self._layouts))
        for space in self._layouts.keys() - existing:
            self._layouts.pop(space, None)
        is_quiet, self._seen_to = newest == self._seen_to, newest
        wanted = self._wanted.copy()
        if is_quiet and newest != self._sorted_to:
            with self._database.read() as transaction:
                wanted |= {
                    space for space, n in store.count_thoughts(transaction).items() if n > AT_ONCE
                }
            self._sorted_to = newest
        self._wanted |= wanted
        for space in sorted(wanted):
            if self._sort(space):
                self._wanted.discard(space)

    def _sort(self, space: str) -> bool:
        """Sort a large space; tell whether that is done, or too much waits to be embedded."""
        with self._database.read() as transaction:
            shown = store.list_visible(transaction, space)
        mark, cached = _size_mark(len(shown)), self._layouts.get(space)
        if len(shown) <= AT_ONCE or (cached is not None and cached.mark == mark):
            return True
        basis = _sample_evenly(shown[: _last_sorted_size(len(shown))], MOST_COMPARED)
        with self._database.read() as transaction:
            gists = store.load_gists(transaction, basis.tolist(), self._version)
        if len(gists) * GROWTH < len(basis):
            return False
        layout = TopicLayout.build(gists)
        late = np.setdiff1d(shown, basis)
        for start in range(0, len(late), AT_ONCE):
            with self._database.read() as transaction:
                page = late[start : start + AT_ONCE].tolist()
                layout = layout.with_later(store.load_gists(transaction, page, self._version))
        self._layouts[space] = _CachedLayout.build(mark, layout)
        return True

    def _sort_small(
        self, transaction: Transaction, space: str, shown: Seqs, mark: str
    ) -> _CachedLayout:
        gists = store.load_gists(transaction, shown.tolist(), self._version)
        layout = TopicLayout.build(gists)
        # Without a mark it is sorted again when the rest is indexed.
        cached = _CachedLayout.build(mark if len(gists) == len(shown) else "", layout)
        self._layouts[space] = cached
        return cached

    def _add_late(
        self, transaction: Transaction, space: str, cached: _CachedLayout, shown: Seqs
    ) -> _CachedLayout:
        """Add thoughts stored since to the topics, at most 2,000 at once."""
        late = np.setdiff1d(shown, cached.known, assume_unique=True)[:AT_ONCE]
        if not len(late):
            return cached
        gists = store.load_gists(transaction, late.tolist(), self._version)
        if not gists:
            return cached
        cached = replace(
            _CachedLayout.build(cached.mark, cached.layout.with_later(gists)), names=cached.names
        )
        self._layouts[space] = cached
        return cached


def _last_sorted_size(size: int) -> int:
    """Return the size at which a space of this size was sorted last, growing from small."""
    step = float(AT_ONCE)
    while step * GROWTH <= size:
        step *= GROWTH
    return int(step)


def _size_mark(size: int) -> str:
    return f"of {_last_sorted_size(size)}"


def _sample_evenly(seqs: Seqs, most: int) -> Seqs:
    if len(seqs) <= most:
        return seqs
    return seqs[np.linspace(0, len(seqs) - 1, most).astype(np.intp)]
