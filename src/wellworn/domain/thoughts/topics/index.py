"""The topics of each space: made from the features of thoughts, and stored.

A small space is sorted when it is read after a change, a large one in the background when it has
grown by a tenth; thoughts stored in between join the nearest topic. Once a day each space that
changed is sorted again. Topics are stored with the ids that the same topics get
again. Thoughts that are erased, held or replaced disappear with the next read, from the titles of
topics, too: those are made when they are read.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from threading import Lock
from typing import Final

import numpy as np

from wellworn.domain.spaces import Access
from wellworn.domain.thoughts.store import topics as store
from wellworn.domain.thoughts.store.topics import KeptTree, Seqs
from wellworn.domain.thoughts.topics.layout import Topic, TopicLayout, list_kept
from wellworn.engines.retrieval.topics import extract_keywords
from wellworn.engines.storage.sql import Database, Transaction
from wellworn.engines.storage.vectors import VectorIndex
from wellworn.kit.clock import Clock
from wellworn.kit.text import fingerprint

AT_ONCE: Final = 2_000
"""Thoughts that are sorted while a caller waits."""
MOST_COMPARED: Final = 20_000
"""Thoughts that are compared with one another; the others join the nearest topic."""
GROWTH: Final = 1.1
NAMED_BY: Final = 24
"""Thoughts that name a topic, sampled evenly from the most central to the least."""
SORTED_EVERY_S: Final = 86_400.0
_LOOKED_EVERY_S: Final = 3_600.0
_CHARACTERS: Final = 300
_UNKEPT: Final = KeptTree(0, 0.0, "", 0, 0)

Pause = Callable[[], object]


@dataclass(frozen=True, slots=True)
class _CachedLayout:
    """A layout with its topics.

    Attributes:
        mark: the thoughts that it was made from; empty if it is to be made again.
        revision: of the stored topics that it follows, or that it is.
    """

    mark: str
    revision: int
    layout: TopicLayout
    topics: tuple[Topic, ...]
    known: Seqs
    names: dict[str, tuple[bytes, str]] = field(default_factory=dict[str, tuple[bytes, str]])
    """Titles by topic id, with the thoughts that they were made from."""

    @classmethod
    def build(cls, mark: str, revision: int, layout: TopicLayout) -> _CachedLayout:
        return cls(mark, revision, layout, layout.build_topics(), layout.list_seqs())


class TopicMap:
    """The topics of the visible thoughts of a space at the moment of a transaction.

    Attributes:
        shown: seqs of all thoughts that may be in topics, ascending.
        is_made: False while a large space waits to be sorted for the first time.
        made_at: when the topics were last made and stored, in epoch seconds; None before that.
    """

    def __init__(
        self,
        transaction: Transaction,
        access: Access,
        index: VectorIndex,
        shown: Seqs,
        layout: _CachedLayout | None,
        *,
        made_at: float | None = None,
    ) -> None:
        self._transaction = transaction
        self._access = access
        self._index = index
        self._is_shown = np.zeros(int(shown.max(initial=0)) + 1, np.bool_)
        self._is_shown[shown] = True
        self._layout = layout
        self._members: dict[str, Seqs] = {}
        self.shown = shown
        self.is_made = layout is not None
        self.made_at = made_at

    def list_topics(self, inside: Topic | None = None) -> list[Topic]:
        """Return the topics of the space, or those inside one, the largest first."""
        known = self._layout.topics if self._layout else ()
        known = known if inside is None else inside.inside
        left = [topic for topic in known if len(self.list_members(topic))]
        return sorted(left, key=lambda topic: -len(self.list_members(topic)))

    def list_members(self, topic: Topic) -> Seqs:
        """Return the seqs of its thoughts, the most central first."""
        if topic.id not in self._members:
            self._members[topic.id] = self._filter_visible(topic.members)
        return self._members[topic.id]

    def list_loose(self, topic: Topic) -> Seqs:
        """Return the seqs of its thoughts that are in no topic inside."""
        return self._filter_visible(topic.loose)

    def list_lowest(self) -> Iterator[tuple[Topic, Seqs]]:
        """Yield topics with those of their thoughts that are in none of the topics inside."""
        waiting = self.list_topics()
        while waiting:
            topic = waiting.pop()
            inside = self.list_topics(topic)
            waiting += inside
            yield topic, self.list_loose(topic) if inside else self.list_members(topic)

    def count(self) -> int:
        """Return how many thoughts are in topics."""
        return sum(len(self.list_members(topic)) for topic in self.list_topics())

    def find(self, name: str) -> Topic | None:
        """Return the topic with an id."""
        path = self.find_path(name)
        return path[-1] if path else None

    def find_path(self, name: str) -> tuple[Topic, ...]:
        """Return the topic with an id after those that it is inside of; nothing without one."""
        return next((path for path in self.list_paths() if path[-1].id == name), ())

    def list_paths(self) -> Iterator[tuple[Topic, ...]]:
        """Yield every topic after those that it is inside of, level by level."""
        level: list[tuple[Topic, ...]] = [(topic,) for topic in self.list_topics()]
        while level:
            yield from level
            level = [(*path, topic) for path in level for topic in self.list_topics(path[-1])]

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
    """Sorts the spaces of one database into topics, on demand, as they grow and once a day."""

    def __init__(
        self, database: Database, index: VectorIndex, clock: Clock, *, version: int
    ) -> None:
        self._database = database
        self._index = index
        self._clock = clock
        self._version = version
        self._layouts: dict[str, _CachedLayout] = {}
        self._wanted: set[str] = set()
        self._seen_to = 0
        self._looked_to = 0
        self._looked_at = -_LOOKED_EVERY_S
        self._sorting = defaultdict[str, Lock](Lock)
        self.hand_over: Callable[[str], object] | None = None
        """Takes the large spaces that are due instead of sorting them here."""

    def build_map(
        self, transaction: Transaction, access: Access, *, for_caller: bool = True
    ) -> TopicMap:
        """Return the topics of a space as they are now; what a caller looks at is kept soon.

        Raises:
            StorageUnavailable: the database failed.
        """
        space = access.space
        shown = store.list_visible(transaction, space, at=self._clock.now())
        kept = store.find_tree(transaction, space) or _UNKEPT
        layout = self._layouts.get(space)
        if layout is not None and layout.revision != kept.revision:
            layout = None
        mark = _mark(shown)
        if len(shown) <= AT_ONCE:
            if layout is None or layout.mark != mark:
                layout = self._make_small(transaction, space, shown, kept)
        else:
            if layout is None and kept.revision:
                layout = self._restore(transaction, space, kept, shown)
            if layout is not None:
                layout = self._add_late(transaction, space, layout, shown)
        if for_caller and kept.mark != mark:
            self._wanted.add(space)
        made_at = kept.made_at if kept.revision else None
        return TopicMap(transaction, access, self._index, shown, layout, made_at=made_at)

    def update_if_due(self) -> None:
        """Sort every space that is due; may take a minute.

        A space that is being filled waits until it no longer is, or until it is read.

        Raises:
            StorageUnavailable: the database failed; topics stay as they were.
        """
        now = self._clock.now()
        with self._database.read() as transaction:
            newest = store.find_newest(transaction)
            # A space may have been moved away or sealed since.
            existing = store.filter_existing(transaction, list(self._layouts))
        for space in self._layouts.keys() - existing:
            self._layouts.pop(space, None)
        is_quiet, self._seen_to = newest == self._seen_to, newest
        wanted, everywhere = self._wanted.copy(), set[str]()
        is_new = newest != self._looked_to or _is_past(now, self._looked_at, _LOOKED_EVERY_S)
        if is_quiet and is_new:
            with self._database.read() as transaction:
                everywhere = {*store.list_spaces(transaction)}
            self._looked_to, self._looked_at = newest, now
        for space in sorted(wanted | everywhere):
            if self._update(space, is_wanted=space in wanted):
                self._wanted.discard(space)
            else:
                self._wanted.add(space)

    def _update(self, space: str, *, is_wanted: bool) -> bool:
        """Sort a space if it is due; tell whether that is done, or to be tried again."""
        with self._database.read() as transaction:
            shown = store.list_visible(transaction, space, at=self._clock.now())
            kept = store.find_tree(transaction, space) or _UNKEPT
        if not self._is_due(space, shown, kept, is_wanted=is_wanted):
            return True
        if len(shown) > AT_ONCE and self.hand_over is not None:
            with self._database.read() as transaction:
                ready = store.count_gists(transaction, space, self._version)
            if ready * GROWTH >= len(shown):
                self.hand_over(space)
            return False
        return self.sort(space)

    def _is_due(self, space: str, shown: Seqs, kept: KeptTree, *, is_wanted: bool) -> bool:
        is_large, layout = len(shown) > AT_ONCE, self._layouts.get(space)
        # After a restart nothing can join a large space's topics.
        is_bare = is_large and (layout is None or layout.layout.lens is None)
        if kept.mark == _mark(shown):
            return is_bare
        if is_wanted and (is_bare or not is_large):
            return True
        has_grown = _last_sorted_size(len(shown)) != _last_sorted_size(kept.thoughts)
        is_old = _is_past(self._clock.now(), kept.made_at, SORTED_EVERY_S)
        return (is_large and has_grown) or is_old or not kept.revision

    def is_large(self, access: Access) -> bool:
        """Tell whether sorting a space takes too long for a caller to wait."""
        with self._database.read() as transaction:
            shown = store.list_visible(transaction, access.space, at=self._clock.now())
        return len(shown) > AT_ONCE

    def sort(self, space: str, pause: Pause = lambda: None) -> bool:
        """Sort a space again and store its topics; once at a time.

        False if too much waits to be embedded, or somebody changed the stored topics meanwhile.

        Raises:
            StorageUnavailable: the database failed; topics stay as they were.
        """
        with self._sorting[space]:
            with self._database.read() as transaction:
                shown = store.list_visible(transaction, space, at=self._clock.now())
                kept = store.find_tree(transaction, space) or _UNKEPT
                before = store.load_topics(transaction, space)
            layout = self._sort(shown, kept, before, pause)
            if layout is None:
                return False
            if kept.mark != _mark(shown):
                kept = self._keep(space, shown, kept, layout)
                if kept is None:
                    return False
            self._cache(space, kept.mark, kept, layout)
            return True

    def _sort(
        self, shown: Seqs, kept: KeptTree, before: list[store.KeptTopic], pause: Pause
    ) -> TopicLayout | None:
        is_same = kept.mark == _mark(shown)
        basis = _sample_evenly(shown[: _last_sorted_size(len(shown))], MOST_COMPARED)
        with self._database.read() as transaction:
            gists = store.load_gists(transaction, basis.tolist(), self._version)
        if len(gists) * GROWTH < len(basis):
            return None
        if is_same:
            return TopicLayout.restore(before, shown, gists)
        was_sorted = _list_earlier(shown, kept)
        layout = TopicLayout.build(gists, before, was_sorted, now=self._clock.now(), pause=pause)
        late = np.setdiff1d(shown, basis)
        for start in range(0, len(late), AT_ONCE):
            pause()
            with self._database.read() as transaction:
                page = late[start : start + AT_ONCE].tolist()
                layout = layout.with_later(store.load_gists(transaction, page, self._version))
        return layout

    def _keep(
        self, space: str, shown: Seqs, kept: KeptTree, layout: TopicLayout
    ) -> KeptTree | None:
        """Store the topics that a layout has, unless others were stored, or the space left."""
        with self._database.write() as transaction:
            latest = store.find_tree(transaction, space) or _UNKEPT
            if latest != kept or not store.filter_existing(transaction, [space]):
                return None
            # What waits to be embedded is missing in the mark: then they are made again.
            mark, newest = _mark(np.sort(layout.list_seqs())), int(shown.max(initial=0))
            tree = KeptTree(kept.revision + 1, self._clock.now(), mark, len(shown), newest)
            store.save_tree(transaction, space, tree, [*list_kept(layout.build_topics())])
            store.add_changes(transaction, space, layout.changes)
        return tree

    def _make_small(
        self, transaction: Transaction, space: str, shown: Seqs, kept: KeptTree
    ) -> _CachedLayout:
        mark, before = _mark(shown), store.load_topics(transaction, space)
        if kept.mark == mark:
            return self._cache(space, mark, kept, TopicLayout.restore(before, shown))
        gists = store.load_gists(transaction, shown.tolist(), self._version)
        if before and len(gists) * GROWTH < len(shown):
            # They wait to be embedded, as after a change of the encoder.
            return self._cache(space, "", kept, TopicLayout.restore(before, shown))
        was_sorted = _list_earlier(shown, kept)
        layout = TopicLayout.build(gists, before, was_sorted, now=self._clock.now())
        # Without a mark it is sorted again when the rest is indexed.
        return self._cache(space, mark if len(gists) == len(shown) else "", kept, layout)

    def _restore(
        self, transaction: Transaction, space: str, kept: KeptTree, shown: Seqs
    ) -> _CachedLayout:
        before = store.load_topics(transaction, space)
        layout = TopicLayout.restore(before, _list_earlier(shown, kept))
        return self._cache(space, kept.mark, kept, layout)

    def _cache(self, space: str, mark: str, kept: KeptTree, layout: TopicLayout) -> _CachedLayout:
        cached = self._layouts[space] = _CachedLayout.build(mark, kept.revision, layout)
        return cached

    def _add_late(
        self, transaction: Transaction, space: str, cached: _CachedLayout, shown: Seqs
    ) -> _CachedLayout:
        """Add thoughts stored since to the topics, at most 2,000 at once."""
        late = np.setdiff1d(shown, cached.known, assume_unique=True)[:AT_ONCE]
        if not len(late) or cached.layout.lens is None:
            return cached
        gists = store.load_gists(transaction, late.tolist(), self._version)
        if not gists:
            return cached
        layout = cached.layout.with_later(gists)
        cached = replace(
            _CachedLayout.build(cached.mark, cached.revision, layout), names=cached.names
        )
        self._layouts[space] = cached
        return cached


def _last_sorted_size(size: int) -> int:
    """Return the size at which a space of this size was sorted last, growing from small."""
    if size <= AT_ONCE:
        return size
    step = float(AT_ONCE)
    while step * GROWTH <= size:
        step *= GROWTH
    return int(step)


def _is_past(now: float, since: float, period_s: float) -> bool:
    """Tell whether a period is over; one that begins later was begun by a clock that ran ahead."""
    return not 0.0 <= now - since < period_s


def _mark(shown: Seqs) -> str:
    return fingerprint(shown.tobytes().hex())


def _list_earlier(shown: Seqs, kept: KeptTree) -> Seqs:
    """Return those of the thoughts that were there when topics were made last."""
    return shown[shown <= kept.newest]


def _sample_evenly(seqs: Seqs, most: int) -> Seqs:
    if len(seqs) <= most:
        return seqs
    return seqs[np.linspace(0, len(seqs) - 1, most).astype(np.intp)]
