"""Sorts the thoughts of a space into topics and assigns later ones.

Only numbers are stored: which thoughts belong together, and where topics lie, never words.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Final

import numpy as np
from numpy.typing import NDArray

from wellworn.domain.thoughts.store.topics import (
    Gist,
    KeptTopic,
    Seqs,
    TopicChange,
    TopicChangeKind,
)
from wellworn.engines.embedding import FloatArray
from wellworn.engines.retrieval.topics import (
    DEEPEST,
    Continuity,
    TopicCluster,
    TopicEncoder,
    cluster_topics,
    compute_centroids,
    find_radius,
    match_topics,
    place_topics,
)
from wellworn.kit.text import fingerprint

LEAST_TO_JOIN: Final = 0.3
"""Cosine of a later thought to the middle of the topic it joins."""
_ID_LENGTH: Final = 16
_NOWHERE: Final = -1


@dataclass(frozen=True, slots=True)
class Topic:
    """Thoughts about one thing, as they were sorted; some may be erased or held since.

    Attributes:
        id: stays the same as long as most of its thoughts are together; see `match_topics`.
        members: seqs of all thoughts in it, the most central first, then those that came later.
        inside: smaller topics, the largest first.
        first_made_at: when it was first made, in epoch seconds.
        loose: those of the members that are in none of the topics inside.
        spot: its middle on the map, from that of the topic around it; None without a place.
    """

    id: str
    members: Seqs
    inside: tuple[Topic, ...]
    first_made_at: float
    loose: Seqs
    spot: tuple[float, float] | None = None

    @classmethod
    def build(
        cls,
        name: str,
        members: Seqs,
        inside: Sequence[Topic],
        first_made_at: float,
        spot: tuple[float, float] | None = None,
    ) -> Topic:
        """Return a topic of members, of which some are in the topics inside."""
        deeper = [topic.members for topic in inside]
        loose = members[~np.isin(members, np.concatenate(deeper))] if deeper else members
        return cls(name, members, tuple(inside), first_made_at, loose, spot)

    def list_all(self) -> Iterator[Topic]:
        """Yield it and all topics inside it, each before those inside it."""
        yield self
        for topic in self.inside:
            yield from topic.list_all()


@dataclass(frozen=True, slots=True)
class TopicLayout:
    """Topics of a space.

    Attributes:
        topics: as they were made.
        sorted: seqs of the thoughts that they were made of, ascending.
        lens: what later thoughts are compared through; None while it was not made again.
        middles: `(leaves, d)`; leaves are the topics without others inside, in order.
        late: seqs of what came after the topics were made, and the leaf that each joined.
        changes: what became of the topics of before.
    """

    topics: tuple[Topic, ...]
    sorted: Seqs
    lens: TopicEncoder | None
    middles: FloatArray
    late: tuple[Seqs, NDArray[np.intp]]
    changes: tuple[TopicChange, ...] = ()

    @classmethod
    def build(
        cls,
        gists: Sequence[Gist],
        before: Sequence[KeptTopic],
        was_sorted: Seqs,
        *,
        now: float,
        pause: Callable[[], object] = lambda: None,
    ) -> TopicLayout:
        """Sort thoughts into topics; time grows with the square of their number.

        Args:
            gists: of the thoughts.
            before: the topics as they were made last, whose ids those that are the same get.
            was_sorted: seqs of the thoughts that these were made of, ascending.
            now: when what is new is first made, in epoch seconds.
            pause: called again and again, to make way for others.
        """
        lens = TopicEncoder.fit([gist.codes for gist in gists], [gist.counts for gist in gists])
        vectors = _project(lens, gists)
        seqs = np.array([gist.seq for gist in gists], np.int64)
        clusters = cluster_topics(vectors, _place_earlier(before, seqs), pause)
        each = [*_iterate_clusters(clusters)]
        is_sorted = np.sort(seqs)
        continuity = match_topics(
            [topic.members for topic in before],
            [seqs[cluster.members] for cluster, _ in each],
            was_there=was_sorted,
            is_there=is_sorted,
        )
        names = _name_topics(each, gists, before, continuity)
        named = iter(
            (name, before[continuity.same[at]].first_made_at if at in continuity.same else now)
            for at, name in enumerate(names)
        )
        topics = tuple(_build_topic(cluster, seqs, named) for cluster in clusters)
        topics, _ = arrange(topics, seqs, vectors, before)
        changes = tuple(_list_changes(before, names, continuity, now))
        leaves = [cluster.members for cluster, _ in each if not cluster.children]
        return cls(topics, is_sorted, lens, compute_centroids(leaves, vectors), _NONE, changes)

    @classmethod
    def restore(
        cls, kept: Sequence[KeptTopic], was_sorted: Seqs, gists: Sequence[Gist] = ()
    ) -> TopicLayout:
        """Return topics as they were made last; with the gists of their thoughts later ones join.

        Where they lie is not stored, for it would tell of thoughts that were erased since.
        """
        inside: dict[str | None, list[Topic]] = {}
        # Those inside come after it, and the last are complete first.
        for topic in reversed(kept):
            below = inside.get(topic.id, [])[::-1]
            spot = None if topic.x is None or topic.y is None else (topic.x, topic.y)
            built = Topic.build(topic.id, topic.members, below, topic.first_made_at, spot)
            inside.setdefault(topic.parent_id, []).append(built)
        topics = tuple(inside.get(None, [])[::-1])
        bare = cls(topics, was_sorted, None, np.empty((0, 0), np.float32), _NONE)
        return bare._equip(gists) if gists else bare

    def _equip(self, gists: Sequence[Gist]) -> TopicLayout:
        lens = TopicEncoder.fit([gist.codes for gist in gists], [gist.counts for gist in gists])
        vectors = _project(lens, gists)
        rows = {gist.seq: row for row, gist in enumerate(gists)}
        leaves = [
            np.array([rows[seq] for seq in topic.members.tolist() if seq in rows], np.intp)
            for topic in chain.from_iterable(root.list_all() for root in self.topics)
            if not topic.inside
        ]
        return replace(self, lens=lens, middles=compute_centroids(leaves, vectors))

    def with_later(self, gists: Sequence[Gist]) -> TopicLayout:
        """Return the layout with later thoughts added, each to its nearest topic if any is near."""
        if self.lens is None or not gists or not len(self.middles):
            leaves = np.full(len(gists), _NOWHERE, np.intp)
        else:
            cosines = _project(self.lens, gists) @ self.middles.T
            near = cosines.max(axis=1) >= LEAST_TO_JOIN
            leaves = np.where(near, cosines.argmax(axis=1), _NOWHERE)
        seqs = np.array([gist.seq for gist in gists], np.int64)
        late = np.concatenate([self.late[0], seqs]), np.concatenate([self.late[1], leaves])
        return replace(self, late=late)

    def build_topics(self) -> tuple[Topic, ...]:
        """Return the topics with what came later, the largest first as they were made."""
        seqs, leaves = self.late
        if not len(seqs):
            return self.topics
        arrived = (seqs[leaves == leaf] for leaf in range(len(self.middles)))
        return tuple(_add_late(topic, arrived)[0] for topic in self.topics)

    def list_seqs(self) -> Seqs:
        """Return the seqs of all thoughts that were sorted or added."""
        return np.concatenate([self.sorted, self.late[0]])


_NONE: Final = (np.empty(0, np.int64), np.empty(0, np.intp))


def list_kept(topics: Sequence[Topic], parent_id: str | None = None) -> Iterator[KeptTopic]:
    """Yield topics as they are stored, each before those inside it."""
    for topic in topics:
        x, y = topic.spot or (None, None)
        yield KeptTopic(topic.id, parent_id, topic.members, topic.first_made_at, x, y)
        yield from list_kept(topic.inside, topic.id)


def round_place(number: float) -> float:
    """Return a coordinate, or a length beside it, as it is kept and sent."""
    return round(float(number), 2)


def arrange(
    topics: Sequence[Topic],
    seqs: Seqs,
    vectors: FloatArray,
    before: Sequence[KeptTopic] = (),
    parent_id: str | None = None,
) -> tuple[tuple[Topic, ...], list[float]]:
    """Return topics with their places on the map, and the radii of their discs.

    Args:
        topics: of one level; those inside are arranged with them.
        seqs: of thoughts, in any order.
        vectors: `(n, d)`, what these are about.
        before: the topics of before, beside which those that are the same stay.
        parent_id: the topic that they are inside of.
    """
    order = np.argsort(seqs)
    known = {each.id: each for each in before if each.parent_id == parent_id}
    arranged: list[Topic] = []
    radii: list[float] = []
    spots = np.full((len(topics), 2), np.nan)
    rows: list[NDArray[np.intp]] = []
    for number, topic in enumerate(topics):
        inside, within = arrange(topic.inside, seqs, vectors, before, topic.id)
        arranged.append(replace(topic, inside=inside))
        reaches = [
            float(np.hypot(*each.spot)) + radius
            for each, radius in zip(inside, within, strict=True)
            if each.spot is not None
        ]
        radii.append(find_radius(len(topic.members), reaches))
        members = topic.members[np.isin(topic.members, seqs)]
        rows.append(order[np.searchsorted(seqs, members, sorter=order)])
        earlier = known.get(topic.id)
        if earlier is not None and earlier.x is not None and earlier.y is not None:
            spots[number] = earlier.x, earlier.y
    placed = place_topics(compute_centroids(rows, vectors), np.array(radii), spots)
    return tuple(
        replace(topic, spot=(round_place(x), round_place(y)))
        for topic, (x, y) in zip(arranged, placed, strict=True)
    ), radii


def _place_earlier(before: Sequence[KeptTopic], seqs: Seqs) -> NDArray[np.intp]:
    """Return by depth which topic of before each thought was in, or -1."""
    places = np.full((DEEPEST, len(seqs)), _NOWHERE, np.intp)
    depths: dict[str | None, int] = {None: 0}
    order = np.argsort(seqs)
    for number, topic in enumerate(before):
        depth = depths[topic.id] = depths[topic.parent_id] + 1
        known = topic.members[np.isin(topic.members, seqs)]
        places[depth - 1, order[np.searchsorted(seqs, known, sorter=order)]] = number
    return places


def _name_topics(
    clusters: Sequence[tuple[TopicCluster, int]],
    gists: Sequence[Gist],
    before: Sequence[KeptTopic],
    continuity: Continuity,
) -> list[str]:
    """Return an id for each topic: the one of before, or else one of its most central thought."""
    taken = {topic.id for topic in before}
    names: list[str] = []
    for at, (cluster, depth) in enumerate(clusters):
        if at in continuity.same:
            names.append(before[continuity.same[at]].id)
            continue
        name, central = "", gists[int(cluster.members[0])].thought_id
        while not name or name in taken:
            name = fingerprint(str(depth), central, *filter(None, [name]))[:_ID_LENGTH]
        taken.add(name)
        names.append(name)
    return names


def _list_changes(
    before: Sequence[KeptTopic], names: Sequence[str], continuity: Continuity, now: float
) -> Iterator[TopicChange]:
    for new, old, shared in continuity.parted:
        yield TopicChange(TopicChangeKind.SPLIT, names[new], before[old].id, shared, now)
    for new, old, shared in continuity.joined:
        yield TopicChange(TopicChangeKind.MERGED, before[old].id, names[new], shared, now)
    going_on = {*continuity.same.values(), *(descent.before for descent in continuity.joined)}
    for old, topic in enumerate(before):
        if old not in going_on:
            yield TopicChange(TopicChangeKind.ENDED, topic.id, None, 0, now)


def _build_topic(cluster: TopicCluster, seqs: Seqs, named: Iterator[tuple[str, float]]) -> Topic:
    name, first_made_at = next(named)
    inside = [_build_topic(child, seqs, named) for child in cluster.children]
    return Topic.build(name, seqs[cluster.members], inside, first_made_at)


def _add_late(topic: Topic, arrived: Iterator[Seqs]) -> tuple[Topic, Seqs]:
    """Return a topic with the thoughts added to it later, and these."""
    added = [_add_late(child, arrived) for child in topic.inside]
    late = np.concatenate([late for _, late in added]) if added else next(arrived)
    inside = [child for child, _ in added]
    members = np.concatenate([topic.members, late])
    return Topic.build(topic.id, members, inside, topic.first_made_at, topic.spot), late


def _project(lens: TopicEncoder, gists: Sequence[Gist]) -> FloatArray:
    return lens.encode([gist.codes for gist in gists], [gist.counts for gist in gists])


def _iterate_clusters(
    clusters: Sequence[TopicCluster], depth: int = 1
) -> Iterator[tuple[TopicCluster, int]]:
    """Yield topics and how deep they lie, each before those inside it."""
    for cluster in clusters:
        yield cluster, depth
        yield from _iterate_clusters(cluster.children, depth + 1)
