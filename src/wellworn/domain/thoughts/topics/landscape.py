"""The map of a space: where its thoughts lie, how worn they are, and which were used together.

Topics have their places from when they were made, and keep them; thoughts lie in their topic by
what they are about, so that a new one lies where those like it are. Nothing of it is stored but the
middles of topics, and nothing is on it that is erased, held or not true any more.

Source: `docs/browser.md`, "The map".
"""

from __future__ import annotations

from collections import Counter, OrderedDict, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import dist
from threading import Lock
from typing import Final

import numpy as np
from numpy.typing import NDArray

from wellworn.domain.spaces import Access
from wellworn.domain.thoughts.deciding import DecisionLog
from wellworn.domain.thoughts.models import HighwayOrder
from wellworn.domain.thoughts.store import (
    Catalogue,
    ThoughtExcerpt,
    co_use,
    highways,
    ledger,
    rows,
)
from wellworn.domain.thoughts.store import topics as store
from wellworn.domain.thoughts.store.topics import Seqs
from wellworn.domain.thoughts.topics.index import TopicIndex, TopicMap
from wellworn.domain.thoughts.topics.layout import Topic, arrange, round_place
from wellworn.domain.thoughts.trail import HIGHWAY_ACCESSES, HIGHWAY_AGENTS
from wellworn.engines.retrieval.co_use import iterate_co_uses
from wellworn.engines.retrieval.topics import (
    Spots,
    TopicEncoder,
    compute_centroids,
    find_radius,
    spread_units,
    surround,
)
from wellworn.engines.storage.sql import Database, Transaction
from wellworn.errors import NotFound
from wellworn.kit.clock import Clock
from wellworn.kit.text import fingerprint

MOST_POINTS: Final = 20_000
MOST_EDGES: Final = 200
MOST_HIGHWAYS: Final = 100
_MOST_STEPS: Final = 100
_MOST_SPACES: Final = 8
_ANSWERING: Final = 3
"""The first thoughts that a question was shown, between which it lies."""
_NOWHERE: Final = -1


@dataclass(frozen=True, slots=True)
class MapTopic:
    """A topic as a disc; `size` counts its thoughts."""

    id: str
    title: str
    parent_id: str | None
    size: int
    x: float
    y: float
    radius: float


@dataclass(frozen=True, slots=True)
class MapPoints:
    """Thoughts in columns, in the order in which they were stored.

    Attributes:
        weights: their pheromone.
        topics: the number of the smallest topic that each is in, or -1.
    """

    thought_ids: tuple[str, ...]
    x: tuple[float, ...]
    y: tuple[float, ...]
    weights: tuple[float, ...]
    topics: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class MapEdge:
    """Two thoughts that were used in so many sessions together."""

    thought_id: str
    other_id: str
    sessions: int


@dataclass(frozen=True, slots=True)
class MapStep:
    """A question of a session, between the thoughts that answered it."""

    asked_at: float
    question: str
    x: float
    y: float
    thought_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Landscape:
    """The map of a space.

    Attributes:
        mark: changes when anything moves.
        thoughts: how many could be on it; of more than are shown, some evenly.
        is_waiting: whether topics are still to be made, of a large space.
        highways: thoughts that several agents return to, the most used first.
        edges: what was used together, the most often first.
        path: the questions of a session, in order.
    """

    mark: str
    thoughts: int
    is_waiting: bool
    topics: tuple[MapTopic, ...]
    points: MapPoints
    highways: tuple[str, ...]
    edges: tuple[MapEdge, ...]
    path: tuple[MapStep, ...]


@dataclass(frozen=True, slots=True)
class _Disc:
    """A topic with its place on the whole map."""

    topic: Topic
    parent_id: str | None
    middle: tuple[float, float]
    radius: float


@dataclass(frozen=True, slots=True)
class _Layout:
    """Places as they were worked out last; `leaves` are numbers of discs."""

    mark: str
    seqs: Seqs
    spots: Spots
    leaves: NDArray[np.intp]
    discs: tuple[_Disc, ...]


class Cartographer:
    """Draws the maps of the spaces of one database; every method needs an Access."""

    def __init__(
        self,
        database: Database,
        index: TopicIndex,
        decisions: DecisionLog,
        clock: Clock,
        *,
        version: int,
    ) -> None:
        self._database = database
        self._index = index
        self._decisions = decisions
        self._clock = clock
        self._version = version
        self._layouts: OrderedDict[str, _Layout] = OrderedDict()
        self._drawing = defaultdict[str, Lock](Lock)

    def draw(
        self, access: Access, *, session_id: str | None = None, limit: int = MOST_POINTS
    ) -> Landscape:
        """Return the map of a space as it is now, with the path of a session if one is named.

        Of a session the questions are shown that the caller may know of; without any, nothing.
        """
        now = self._clock.now()
        with self._database.read() as transaction:
            topic_map = self._index.build_map(transaction, access)
            layout = self._lay_out(transaction, access, topic_map)
            chosen = _choose(len(layout.seqs), limit)
            seqs = layout.seqs[chosen].tolist()
            trails = ledger.load_trails(transaction, seqs)
            ids = store.load_ids(transaction, access, layout.seqs.tolist())
            worn = highways.list_highways(
                transaction,
                access,
                min_access=HIGHWAY_ACCESSES,
                min_users=HIGHWAY_AGENTS,
                limit=MOST_HIGHWAYS,
                sort_by=HighwayOrder.USE,
                now=now,
            )
            topics = tuple(
                MapTopic(
                    disc.topic.id,
                    topic_map.find_title(disc.topic),
                    disc.parent_id,
                    len(topic_map.list_members(disc.topic)),
                    round_place(disc.middle[0]),
                    round_place(disc.middle[1]),
                    round_place(disc.radius),
                )
                for disc in layout.discs
            )
            drawn = {seq: ids[seq] for seq in seqs}
            edges = _list_edges(transaction, access, drawn)
        is_there = {*drawn.values()}
        return Landscape(
            layout.mark,
            len(topic_map.shown),
            not topic_map.is_made,
            topics,
            MapPoints(
                tuple(ids[seq] for seq in seqs),
                tuple(map(round_place, layout.spots[chosen, 0].tolist())),
                tuple(map(round_place, layout.spots[chosen, 1].tolist())),
                tuple(round_place(trails[seq].weight_at(now)) for seq in seqs),
                tuple(layout.leaves[chosen].tolist()),
            ),
            tuple(each.thought_id for each in worn if each.thought_id in is_there),
            edges,
            () if session_id is None else self._follow(access, session_id, layout, ids),
        )

    def find(self, access: Access, mark: str, number: int) -> str:
        """Return the thought at a place of the points, if nothing moved since.

        Raises:
            NotFound: the map is another one by now, or has no such point.
        """
        with self._database.read() as transaction:
            topic_map = self._index.build_map(transaction, access, for_caller=False)
            layout = self._lay_out(transaction, access, topic_map)
            if mark != layout.mark or not 0 <= number < len(layout.seqs):
                raise NotFound("the map has changed; load it again")
            seq = int(layout.seqs[number])
            return store.load_ids(transaction, access, [seq])[seq]

    def read_words(self, access: Access, thought_ids: Sequence[str]) -> dict[str, ThoughtExcerpt]:
        """Return the words of thoughts by their ids; without those that may not be read."""
        with self._database.read() as transaction:
            seqs = rows.find_seqs(transaction, access, thought_ids)
            found = Catalogue(transaction, access).list_excerpts([*seqs.values()])
        return {each.thought_id: each for each in found}

    def _lay_out(self, transaction: Transaction, access: Access, topic_map: TopicMap) -> _Layout:
        shown = topic_map.shown[_choose(len(topic_map.shown), MOST_POINTS)]
        topics = topic_map.list_topics()
        placed = [
            (topic.id, topic.spot, len(topic_map.list_members(topic)))
            for root in topics
            for topic in root.list_all()
        ]
        # What is not embedded yet has no place, and gets one later.
        count = store.count_gists(transaction, access.space, self._version)
        mark = fingerprint(shown.tobytes().hex(), repr(placed), str(count))[:16]
        with self._drawing[access.space]:
            layout = self._layouts.get(access.space)
            if layout is None or layout.mark != mark:
                gists = store.load_gists(transaction, shown.tolist(), self._version)
                gists.sort(key=lambda gist: gist.seq)
                layout = _work_out(mark, gists, topics, topic_map)
                self._layouts[access.space] = layout
            self._layouts.move_to_end(access.space)
            while len(self._layouts) > _MOST_SPACES:
                self._layouts.popitem(last=False)
        return layout

    def _follow(
        self, access: Access, session_id: str, layout: _Layout, ids: Mapping[int, str]
    ) -> tuple[MapStep, ...]:
        found = self._decisions.list_decisions(access, session_id=session_id, limit=_MOST_STEPS)
        places = {ids[seq]: row for row, seq in enumerate(layout.seqs.tolist())}
        steps: list[MapStep] = []
        for call in reversed(found.decisions):
            shown = [each.thought_id for each in call.shown if each.thought_id in places]
            if first := shown[:_ANSWERING]:
                x, y = layout.spots[[places[each] for each in first]].mean(axis=0).tolist()
                step = MapStep(
                    call.decided_at, call.question, round_place(x), round_place(y), tuple(first)
                )
                steps.append(step)
        return tuple(steps)


def _work_out(
    mark: str, gists: Sequence[store.Gist], topics: Sequence[Topic], topic_map: TopicMap
) -> _Layout:
    seqs = np.array([gist.seq for gist in gists], np.int64)
    lens = TopicEncoder.fit([gist.codes for gist in gists], [gist.counts for gist in gists])
    vectors = lens.encode([gist.codes for gist in gists], [gist.counts for gist in gists])
    if any(topic.spot is None for root in topics for topic in root.list_all()):
        # They were made before topics had places.
        topics, _ = arrange(topics, seqs, vectors)
    discs = tuple(_list_discs(topics, topic_map))
    spots, leaves = np.zeros((len(seqs), 2)), np.full(len(seqs), _NOWHERE, np.intp)
    ends = [number for number, disc in enumerate(discs) if not disc.topic.inside]
    within = [_find_rows(topic_map.list_members(discs[number].topic), seqs) for number in ends]
    for number, members in zip(ends, within, strict=True):
        leaves[members] = number
        disc = discs[number]
        spots[members] = disc.middle + disc.radius * spread_units(vectors[members])
    rest = leaves == _NOWHERE
    if ends:
        middles = np.array([discs[number].middle for number in ends])
        radii = np.array([discs[number].radius for number in ends])
        centroids = compute_centroids(within, vectors)
        spots[rest] = surround(vectors[rest], centroids, middles, radii)
    else:
        spots[rest] = find_radius(int(rest.sum())) * spread_units(vectors[rest])
    return _Layout(mark, seqs, spots, leaves, discs)


def _list_discs(
    topics: Sequence[Topic],
    topic_map: TopicMap,
    around: tuple[float, float] = (0.0, 0.0),
    parent_id: str | None = None,
) -> Iterator[_Disc]:
    """Yield topics with their places on the whole map, each before those inside it."""
    for topic in topics:
        x, y = topic.spot or (0.0, 0.0)
        middle = around[0] + x, around[1] + y
        inside = [*_list_discs(topic.inside, topic_map, middle, topic.id)]
        reaches = [dist(disc.middle, middle) + disc.radius for disc in inside]
        members = len(topic_map.list_members(topic))
        if not members:
            continue
        yield _Disc(topic, parent_id, middle, find_radius(members, reaches))
        yield from inside


def _list_edges(
    transaction: Transaction, access: Access, ids: Mapping[int, str]
) -> tuple[MapEdge, ...]:
    """Return what was used in one session through different questions, the most often first.

    What one other member alone used together is theirs to know.
    """
    sessions = Counter[tuple[int, int]]()
    users = defaultdict[tuple[int, int], set[str | None]](set)
    for session in co_use.load_sessions(transaction, access.space):
        pairs = {
            (event.thought, event.other)
            for event in iterate_co_uses(session)
            if event.thought < event.other and event.thought in ids and event.other in ids
        }
        sessions.update(pairs)
        for pair in pairs:
            users[pair].add(session.owner)
    together = {
        pair: count
        for pair, count in sessions.items()
        if access.owner in users[pair] or len(users[pair]) > 1
    }
    ordered = sorted(together.items(), key=lambda item: (-item[1], item[0]))
    return tuple(
        MapEdge(ids[first], ids[second], count) for (first, second), count in ordered[:MOST_EDGES]
    )


def _find_rows(members: Seqs, seqs: Seqs) -> NDArray[np.intp]:
    """Return at which places of ascending seqs the members are that are there."""
    return np.searchsorted(seqs, members[np.isin(members, seqs)])


def _choose(count: int, most: int) -> NDArray[np.intp]:
    """Return the places of all of a list, or of some evenly."""
    return np.linspace(0, count - 1, min(count, most)).round().astype(np.intp)
