"""Topics: units that lie near one another, and inside large topics smaller ones.

What a unit is about is read from what ranking stores of it: the mean of its word pieces' signs, and
its words by rarity. So nothing is embedded for it. Each unit is bound to the few nearest to it,
communities of that graph are topics, and large ones are divided again by their own edges.

A community is bound more to one another than chance would have it. Every node moves to where it is
bound most, communities become nodes, and so on until none moves. No chance is in it: the same graph
has the same communities. It is done here in a few lines because the packages that are maintained
either bring SciPy, 110 MB, or are under the GPL.

Source: GraphRAG's hierarchy of communities (Edge et al. 2024), without a model; Blondel et al.,
Fast unfolding of communities in large networks, 2008; the queue: Traag et al., From Louvain to
Leiden, 2019.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wellworn.engines.retrieval.matching import CODE_BYTES, Pieces

Numbers = NDArray[np.intp]

_MOST_LOST: Final = 0.02
"""Modularity that topics may lack of the best so that they stay as they were."""
_LEAST_GAIN: Final = 1e-9
"""Below this one place is as good as another; moving for less might never end."""


class Edges(NamedTuple):
    """Undirected edges, each pair once; `weight` is positive. One from a node to itself counts."""

    low: Numbers
    high: Numbers
    weight: NDArray[np.float64]

    def subgraph(self, rows: Numbers, nodes: int) -> Edges:
        """Return the edges between some of all nodes, which are numbered by their place."""
        places = np.full(nodes, -1, np.intp)
        places[rows] = np.arange(len(rows))
        low, high = places[self.low], places[self.high]
        is_inside = (low >= 0) & (high >= 0)
        return Edges(low[is_inside], high[is_inside], self.weight[is_inside])


def merge_edges(node: Numbers, other: Numbers, weight: NDArray[np.floating], nodes: int) -> Edges:
    """Return edges between nodes, in whatever order they are named; those of one pair add up."""
    keys = np.minimum(node, other) * nodes + np.maximum(node, other)
    pairs, places = np.unique(keys, return_inverse=True)
    total = np.bincount(places, weight, len(pairs)).astype(np.float64)
    return Edges(pairs // nodes, pairs % nodes, total)


def detect_communities(
    nodes: int, edges: Edges, start: Numbers | None = None, *, resolution: float = 1.0
) -> Numbers:
    """Return the community of each of `nodes` nodes, numbered from 0 without gaps.

    A node without edges is a community of its own. With `start`, where each node was before or -1,
    nodes stay where they were unless they are bound more elsewhere, as long as the communities are
    about as good as those that are found without knowing. The finer the resolution, the more of
    them there are.
    """
    fresh = _detect(nodes, edges, None, resolution)
    if start is None or (start < 0).all():
        return fresh
    stayed = _detect(nodes, edges, start, resolution)
    loss = _compute_modularity(fresh, edges, resolution) - _compute_modularity(
        stayed, edges, resolution
    )
    return stayed if loss <= _MOST_LOST else fresh


def _compute_modularity(labels: Numbers, edges: Edges, resolution: float) -> float:
    """Return how much more communities are bound inside than chance would have it, below 1."""
    total = float(edges.weight.sum()) or 1.0
    inside = float(edges.weight[labels[edges.low] == labels[edges.high]].sum())
    ends = np.concatenate([labels[edges.low], labels[edges.high]])
    volumes = np.bincount(ends, np.tile(edges.weight, 2), int(labels.max(initial=0)) + 1)
    return inside / total - resolution * float(((volumes / (2 * total)) ** 2).sum())


def _detect(nodes: int, edges: Edges, start: Numbers | None, resolution: float) -> Numbers:
    labels = np.arange(nodes)
    while True:
        joined = _move_nodes(nodes, edges, start, resolution)
        start = None
        fewer = int(joined.max(initial=-1)) + 1
        if fewer == nodes:
            return labels
        labels, nodes = joined[labels], fewer
        edges = _contract(edges, joined, nodes)


def _move_nodes(nodes: int, edges: Edges, start: Numbers | None, resolution: float) -> Numbers:
    """Move nodes between communities while that binds them more.

    Each is one at first, or those are that were one before.
    """
    starts, others, weights = _build_adjacency(nodes, edges)
    degrees: list[float] = (
        np.bincount(edges.low, edges.weight, nodes) + np.bincount(edges.high, edges.weight, nodes)
    ).tolist()
    total = (sum(degrees) or 1.0) / resolution
    home = _number_homes(nodes, start)
    volume: list[float] = np.bincount(home, degrees, nodes).tolist()
    queue, waits = deque(range(nodes)), [True] * nodes
    while queue:
        node = queue.popleft()
        waits[node] = False
        first, last = starts[node], starts[node + 1]
        near = others[first:last]
        own, degree = home[node], degrees[node]
        volume[own] -= degree
        bound: dict[int, float] = {own: 0.0}
        get = bound.get
        for other, weight in zip(near, weights[first:last], strict=True):
            place = home[other]
            bound[place] = get(place, 0.0) + weight
        best, most = own, bound[own] - degree * volume[own] / total + _LEAST_GAIN
        for place, weight in bound.items():
            gain = weight - degree * volume[place] / total
            if gain > most:
                best, most = place, gain
        volume[best] += degree
        if best == own:
            continue
        home[node] = best
        for other in near:
            if home[other] != best and not waits[other]:
                waits[other] = True
                queue.append(other)
    return np.unique(np.array(home, np.intp), return_inverse=True)[1]


def _number_homes(nodes: int, start: Numbers | None) -> list[int]:
    """Return where each node is at first: by itself, or with those that it was with before."""
    if start is None:
        return list(range(nodes))
    # The first of those that were together gives the number, as no other node has it.
    _, firsts, places = np.unique(start, return_index=True, return_inverse=True)
    return np.where(start >= 0, firsts[places], np.arange(nodes)).tolist()


def _build_adjacency(nodes: int, edges: Edges) -> tuple[list[int], list[int], list[float]]:
    """Return where each node's neighbours begin, the neighbours, and how much each binds."""
    real = edges.low != edges.high
    low, high, weight = edges.low[real], edges.high[real], edges.weight[real]
    sources = np.concatenate([low, high])
    order = np.argsort(sources, kind="stable")
    starts = np.searchsorted(sources[order], np.arange(nodes + 1))
    others, weights = np.concatenate([high, low])[order], np.tile(weight, 2)[order]
    return starts.tolist(), others.tolist(), weights.tolist()


def _contract(edges: Edges, joined: Numbers, nodes: int) -> Edges:
    """Return the edges between communities, each of which is now a node."""
    return merge_edges(joined[edges.low], joined[edges.high], edges.weight, nodes)


NEAREST: Final = 10
"""Units that each is bound to."""
LEAST_COSINE: Final = 0.2
"""The least cosine that binds."""
FEWEST: Final = 3
"""Members of a topic."""
DIVIDED_ABOVE: Final = (40, 160, 160)
"""Members of a topic that is divided, by how deep it lies."""
DEEPEST: Final = 4
_RESOLUTIONS: Final = (1.0, 12.0, 48.0, 192.0)
"""The fineness of topics at each depth; a topic never finer than by itself, so that
what is about one thing stays whole."""
_WORDS_COUNT: Final = np.float32(0.5)
"""The weight of words beside the signs of pieces: in short texts most are of no subject."""

_COUNTED: Final = np.dtype([("term", "<u4"), ("count", "u1")])
_WORD_DIRECTIONS: Final = 256
_USUAL: Final = 50
"""Units whose mean counts half: of a few the mean says more about them than about language."""
_AT_ONCE: Final = 512
_COMPARED_AT_ONCE: Final = 128
_COMPARED_WITH_ALL: Final = 4_000
_COMPARED_SHARE: Final = 0.2


@dataclass(frozen=True, slots=True)
class TopicEncoder:
    """Encodes the units of one space by what sets them apart from the others.

    Attributes:
        usual: `(128,)` float32, the mean of their pieces' signs.
        terms: the numbers of their words, ascending.
        rarity: of each of these.
        rarest: of a word that none of them has.
    """

    usual: Pieces
    terms: NDArray[np.uint32]
    rarity: Pieces
    rarest: float

    @classmethod
    def fit(cls, codes: Sequence[bytes], counts: Sequence[bytes]) -> TopicEncoder:
        """Fit the encoder to units, from their `pack_pieces` and `pack_word_counts`."""
        means = _average_signs(codes)
        terms, having = np.unique(_unpack_counts(counts)["term"], return_counts=True)
        rarity = np.log1p(len(counts) / having).astype(np.float32)
        usual = means.sum(axis=0) / np.float32(len(codes) + _USUAL)
        return cls(usual, terms, rarity, float(np.log1p(max(1, len(counts)))))

    def encode(self, codes: Sequence[bytes], counts: Sequence[bytes]) -> Pieces:
        """Return `(n, 384)` float32 of length one: what units are about; 0 for those of nothing."""
        means = _average_signs(codes)
        has_pieces = np.array([bool(code) for code in codes])[:, None]
        meaning = _normalise(np.where(has_pieces, means - self.usual, np.float32(0)))
        return _normalise(np.hstack([meaning, _WORDS_COUNT * self._encode_words(counts)]))

    def _encode_words(self, counts: Sequence[bytes]) -> Pieces:
        """Return words by rarity, each in one of 256 directions or against it."""
        rows = _unpack_counts(counts)
        owners = np.repeat(
            np.arange(len(counts)), [len(each) // _COUNTED.itemsize for each in counts]
        )
        weights = self._look_up_rarity(rows["term"]) * np.log1p(rows["count"]).astype(np.float32)
        # Their numbers are checksums: the low bits are as good as chance.
        directions = rows["term"] % _WORD_DIRECTIONS
        against = (rows["term"] // _WORD_DIRECTIONS) % 2 == 1
        sums = np.bincount(
            owners * _WORD_DIRECTIONS + directions,
            np.where(against, -weights, weights),
            len(counts) * _WORD_DIRECTIONS,
        )
        return _normalise(sums.astype(np.float32).reshape(-1, _WORD_DIRECTIONS))

    def _look_up_rarity(self, terms: NDArray[np.uint32]) -> Pieces:
        if not len(self.terms):
            return np.full(len(terms), self.rarest, np.float32)
        places = np.minimum(np.searchsorted(self.terms, terms), len(self.terms) - 1)
        known = self.terms[places] == terms
        return np.where(known, self.rarity[places], np.float32(self.rarest))


@dataclass(frozen=True, slots=True)
class TopicCluster:
    """A topic.

    Attributes:
        members: rows of all units in it, the most central first.
        branches: topics inside it, the largest first; some members may be in none of them.
    """

    members: Numbers
    children: tuple[TopicCluster, ...] = ()


def cluster_topics(
    vectors: Pieces,
    earlier: Numbers | None = None,
    pause: Callable[[], object] = lambda: None,
) -> tuple[TopicCluster, ...]:
    """Return the topics of units, the largest first; what is near to nothing is in none.

    Args:
        vectors: `(n, d)` of length one; memory and time grow with n, time with its square.
        earlier: `(4, n)`, by depth the topic that each was in the last time, or -1.
        pause: called every few milliseconds of work, to make way for others.
    """
    if earlier is None:
        earlier = np.full((DEEPEST, len(vectors)), -1, np.intp)
    edges = _link_nearest(vectors, pause)
    division = _Division(vectors, earlier, pause, float(edges.weight.sum()) or 1.0)
    return division.divide(np.arange(len(vectors)), edges, 1)


def compute_centroids(topics: Sequence[Numbers], vectors: Pieces) -> Pieces:
    """Return `(topics, d)` of length one: the mean of each topic's members, 0 of none."""
    centroids = np.zeros((len(topics), vectors.shape[1]), np.float32)
    for row, members in enumerate(topics):
        if len(members):
            centroids[row] = vectors[members].mean(axis=0)
    return _normalise(centroids)


@dataclass(frozen=True, slots=True)
class _Division:
    """Divides units into topics; see `cluster_topics`."""

    vectors: Pieces
    earlier: Numbers
    pause: Callable[[], object]
    bound: float
    """Sum of all weights between units."""

    def divide(self, rows: Numbers, edges: Edges, depth: int) -> tuple[TopicCluster, ...]:
        """Return the topics of some units, which lie as deep as it is told."""
        self.pause()
        if not len(edges.weight):
            return ()
        share = float(edges.weight.sum()) / self.bound
        resolution = min(1.0, _RESOLUTIONS[depth - 1] * share)
        labels = detect_communities(
            len(rows), edges, self.earlier[depth - 1][rows], resolution=resolution
        )
        order = np.argsort(labels, kind="stable")
        groups = np.split(order, np.flatnonzero(np.diff(labels[order])) + 1)
        if depth > 1 and len(groups) == 1:
            return ()
        clusters = [
            self._make_cluster(rows[group], edges.subgraph(group, len(rows)), depth)
            for group in groups
            if len(group) >= FEWEST
        ]
        # Of the same size, the one of the first row comes first; rows are in order in groups.
        return tuple(
            sorted(
                clusters, key=lambda cluster: (-len(cluster.members), int(cluster.members.min()))
            )
        )

    def _make_cluster(self, rows: Numbers, edges: Edges, depth: int) -> TopicCluster:
        middle = self.vectors[rows].mean(axis=0)
        nearest = np.argsort(-(self.vectors[rows] @ middle).round(5), kind="stable")
        is_small = depth == DEEPEST or len(rows) <= DIVIDED_ABOVE[depth - 1]
        inside = () if is_small else self.divide(rows, edges, depth + 1)
        return TopicCluster(rows[nearest], inside)


def _link_nearest(vectors: Pieces, pause: Callable[[], object]) -> Edges:
    """Bind each unit to those nearest to it; two that are each other's nearest are bound twice."""
    size, most = len(vectors), min(NEAREST, len(vectors) - 1)
    near = np.empty((size, max(0, most)), np.intp)
    weights = np.empty(near.shape, np.float32)
    for rows, others in _list_comparisons(vectors) if most > 0 else ():
        pause()
        cosines = vectors[rows] @ vectors[others].T
        cosines[rows[:, None] == others[None, :]] = -1.0
        nearest = np.argpartition(-cosines, most - 1, axis=1)[:, :most]
        near[rows] = others[nearest]
        weights[rows] = np.take_along_axis(cosines, nearest, axis=1)
    rows = np.repeat(np.arange(size), near.shape[1])
    # What adds up in another order must not decide.
    weight = weights.ravel().round(4)
    is_near = weight >= LEAST_COSINE
    return merge_edges(rows[is_near], near.ravel()[is_near], weight[is_near], size)


def _list_comparisons(vectors: Pieces) -> Iterator[tuple[Numbers, Numbers]]:
    """Yield units and those that they are compared with: all, or of many the likelier ones.

    Many are sorted into cells around some of them, and each is compared with the units of its own
    cell and of those around it, a fifth of all.
    """
    size = len(vectors)
    everyone = np.arange(size)
    if size <= _COMPARED_WITH_ALL:
        for start in range(0, size, _COMPARED_AT_ONCE):
            yield everyone[start : start + _COMPARED_AT_ONCE], everyone
        return
    middles = vectors[np.linspace(0, size - 1, int(size**0.5)).astype(np.intp)]
    cells = _find_cells(vectors, middles)
    middles = compute_centroids(
        [np.flatnonzero(cells == cell) for cell in range(len(middles))], vectors
    )
    cells = _find_cells(vectors, middles)
    order = np.argsort(cells, kind="stable")
    members = np.split(order, np.cumsum(np.bincount(cells, minlength=len(middles)))[:-1])
    sizes = np.array([len(cell) for cell in members])
    for cell, likeness in enumerate(middles @ middles.T):
        around: Numbers = np.argsort(-likeness, kind="stable")
        enough = int(np.searchsorted(np.cumsum(sizes[around]), size * _COMPARED_SHARE)) + 1
        others = np.concatenate([members[at] for at in {cell, *around[:enough].tolist()}])
        for start in range(0, len(members[cell]), _COMPARED_AT_ONCE):
            yield members[cell][start : start + _COMPARED_AT_ONCE], others


def _find_cells(vectors: Pieces, middles: Pieces) -> Numbers:
    """Return for each unit which middle is nearest to it."""
    return np.concatenate(
        [
            (vectors[start : start + _AT_ONCE] @ middles.T).argmax(axis=1)
            for start in range(0, len(vectors), _AT_ONCE)
        ]
    )


def _average_signs(codes: Sequence[bytes]) -> Pieces:
    """Return `(n, 128)` float32: the mean of the signs of each unit's pieces; 0 without any."""
    means = np.zeros((len(codes), 8 * CODE_BYTES), np.float32)
    held = [at for at, code in enumerate(codes) if code]
    for start in range(0, len(held), _AT_ONCE):
        some = held[start : start + _AT_ONCE]
        lengths = np.array([len(codes[at]) // CODE_BYTES for at in some])
        packed = np.frombuffer(b"".join(codes[at] for at in some), np.uint8)
        bits = np.unpackbits(packed.reshape(-1, CODE_BYTES), axis=1)
        ones = np.add.reduceat(bits, np.cumsum(lengths) - lengths, axis=0, dtype=np.float32)
        means[some] = 2 * ones / lengths[:, None] - 1
    return means


def _unpack_counts(counts: Sequence[bytes]) -> NDArray[np.void]:
    return np.frombuffer(b"".join(counts), _COUNTED)


def _normalise(rows: Pieces) -> Pieces:
    return rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), np.float32(1e-9))
