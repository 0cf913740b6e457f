"""Communities of a graph: what is bound more to one another than chance would have it.

Every node moves to where it is bound most, communities become nodes, and so on until none moves.
No chance is in it: the same graph has the same communities. It is done here in a few lines because
the packages that are kept up either bring SciPy, 110 MB, or are under the GPL.

Source: Blondel et al., Fast unfolding of communities in large networks, 2008; the queue: Traag et
al., From Louvain to Leiden, 2019.
"""

from __future__ import annotations

from collections import deque
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

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
