"""Topics: units that lie near one another, and inside large topics smaller ones.

What a unit is about is read from what ranking keeps of it: the mean of its word pieces' signs, and
its words by rarity. So nothing is embedded for it. Each unit is bound to the few nearest to it,
communities of that graph are topics, and large ones are divided again by their own edges.

Communities of a graph: what is bound more to one another than chance would have it.

Every node moves to where it is bound most, communities become nodes, and so on until none moves.
No chance is in it: the same graph has the same communities. It is done here in a few lines because
the packages that are kept up either bring SciPy, 110 MB, or are under the GPL.

Source: GraphRAG's hierarchy of communities (Edge et al. 2024), without a model; Blondel et al.,
Fast unfolding of communities in large networks, 2008; the queue: Traag et al., From Louvain to
Leiden, 2019.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wellworn.engines.retrieval.matching import CODE_BYTES, Pieces

Numbers = NDArray[np.intp]

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


def detect_communities(nodes: int, edges: Edges) -> Numbers:
    """Return the community of each of `nodes` nodes, numbered from 0 without gaps.

    A node without edges is a community of its own.
    """
    labels = np.arange(nodes)
    while True:
        joined = _move_nodes(nodes, edges)
        fewer = int(joined.max(initial=-1)) + 1
        if fewer == nodes:
            return labels
        labels, nodes = joined[labels], fewer
        edges = _contract(edges, joined, nodes)


def _move_nodes(nodes: int, edges: Edges) -> Numbers:
    """Move nodes between communities, of which each is one at first, while it binds them more."""
    starts, others, weights = _build_adjacency(nodes, edges)
    degrees: list[float] = (
        np.bincount(edges.low, edges.weight, nodes) + np.bincount(edges.high, edges.weight, nodes)
    ).tolist()
    total = sum(degrees) or 1.0
    home, volume = list(range(nodes)), degrees.copy()
    queue, waits = deque(range(nodes)), [True] * nodes
    while queue:
        node = queue.popleft()
        waits[node] = False
        near = others[starts[node] : starts[node + 1]]
        own, degree = home[node], degrees[node]
        volume[own] -= degree
        bound: dict[int, float] = {own: 0.0}
        for other, weight in zip(near, weights[starts[node] : starts[node + 1]], strict=True):
            bound[home[other]] = bound.get(home[other], 0.0) + weight
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
"""What is less near binds nothing."""
FEWEST: Final = 3
"""Members of a topic."""
DIVIDED_ABOVE: Final = 40
DEEPEST: Final = 4

_COUNTED: Final = np.dtype([("term", "<u4"), ("count", "u1")])
_WORD_DIRECTIONS: Final = 256
_USUAL: Final = 50
"""Units whose mean counts half: of a few the mean says more about them than about language."""
_AT_ONCE: Final = 512
_COMPARED_AT_ONCE: Final = 128


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
        return _normalise(np.hstack([meaning, self._encode_words(counts)]))

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
    vectors: Pieces, pause: Callable[[], object] = lambda: None
) -> tuple[TopicCluster, ...]:
    """Return the topics of units, the largest first; what is near to nothing is in none.

    Args:
        vectors: `(n, d)` of length one; memory and time grow with n, time with its square.
        pause: called every few milliseconds of work, to make way for others.
    """
    return _divide(vectors, np.arange(len(vectors)), _link_nearest(vectors, pause), 1)


def compute_centroids(topics: Sequence[Numbers], vectors: Pieces) -> Pieces:
    """Return `(topics, d)` of length one: the mean of each topic's members, 0 of none."""
    centroids = np.zeros((len(topics), vectors.shape[1]), np.float32)
    for row, members in enumerate(topics):
        if len(members):
            centroids[row] = vectors[members].mean(axis=0)
    return _normalise(centroids)


def _divide(vectors: Pieces, rows: Numbers, edges: Edges, depth: int) -> tuple[TopicCluster, ...]:
    labels = detect_communities(len(rows), edges)
    order = np.argsort(labels, kind="stable")
    groups = np.split(order, np.flatnonzero(np.diff(labels[order])) + 1)
    if depth > 1 and len(groups) == 1:
        return ()
    clusters = [
        _make_cluster(vectors, rows[group], edges.subgraph(group, len(rows)), depth)
        for group in groups
        if len(group) >= FEWEST
    ]
    # Of the same size, the one of the first row comes first; rows are in their order in groups.
    return tuple(
        sorted(clusters, key=lambda cluster: (-len(cluster.members), int(cluster.members.min())))
    )


def _make_cluster(vectors: Pieces, rows: Numbers, edges: Edges, depth: int) -> TopicCluster:
    middle = vectors[rows].mean(axis=0)
    nearest = np.argsort(-(vectors[rows] @ middle).round(5), kind="stable")
    is_small = len(rows) <= DIVIDED_ABOVE or depth == DEEPEST
    inside = () if is_small else _divide(vectors, rows, edges, depth + 1)
    return TopicCluster(rows[nearest], inside)


def _link_nearest(vectors: Pieces, pause: Callable[[], object]) -> Edges:
    """Bind each unit to those nearest to it; two that are each other's nearest are bound twice."""
    size, most = len(vectors), min(NEAREST, len(vectors) - 1)
    near = np.empty((size, max(0, most)), np.intp)
    weights = np.empty(near.shape, np.float32)
    for start in range(0, size if most > 0 else 0, _COMPARED_AT_ONCE):
        pause()
        cosines = vectors[start : start + _COMPARED_AT_ONCE] @ vectors.T
        rows = np.arange(len(cosines))
        cosines[rows, rows + start] = -1.0
        nearest = np.argpartition(-cosines, most - 1, axis=1)[:, :most]
        near[start : start + _COMPARED_AT_ONCE] = nearest
        weights[start : start + _COMPARED_AT_ONCE] = np.take_along_axis(cosines, nearest, axis=1)
    rows = np.repeat(np.arange(size), near.shape[1])
    # What adds up in another order must not decide.
    weight = weights.ravel().round(4)
    is_near = weight >= LEAST_COSINE
    return merge_edges(rows[is_near], near.ravel()[is_near], weight[is_near], size)


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
