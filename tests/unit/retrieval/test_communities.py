"""Communities: groups that are bound more to one another than to the rest, without any chance."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from wellworn.engines.retrieval.topics.clustering import Edges, detect_communities, merge_edges

NODES = 12


def made(pairs) -> Edges:
    low, high, weight = zip(*pairs, strict=True)
    return merge_edges(np.array(low), np.array(high), np.array(weight, float), NODES)


def clique(nodes, weight=1.0):
    return [(one, other, weight) for one in nodes for other in nodes if one < other]


def modularity(labels, edges) -> float:
    total = edges.weight.sum()
    inside = edges.weight[labels[edges.low] == labels[edges.high]].sum()
    degrees = np.bincount(edges.low, edges.weight, NODES)
    degrees = degrees + np.bincount(edges.high, edges.weight, NODES)
    return inside / total - ((np.bincount(labels, degrees) / (2 * total)) ** 2).sum()


pairs = st.lists(
    st.tuples(st.integers(0, NODES - 1), st.integers(0, NODES - 1), st.floats(0.125, 2.0)).filter(
        lambda pair: pair[0] != pair[1]
    ),
    min_size=1,
    max_size=40,
)


def test_cliques_joined_by_a_thread_are_communities_of_their_own():
    edges = made([*clique(range(4)), *clique(range(4, 8)), *clique(range(8, 12)), (3, 4, 0.1)])
    assert detect_communities(NODES, edges).tolist() == [0] * 4 + [1] * 4 + [2] * 4


def test_what_nothing_binds_is_alone():
    labels = detect_communities(NODES, made(clique(range(3))))
    assert len(set(labels.tolist())) == 1 + NODES - 3


def test_edges_of_one_pair_add_up_in_either_order():
    edges = made([(1, 2, 0.5), (2, 1, 0.25)])
    assert (edges.low.tolist(), edges.high.tolist(), edges.weight.tolist()) == ([1], [2], [0.75])


@given(pairs)
def test_every_node_is_in_one_community_and_numbers_have_no_gap(drawn):
    labels = detect_communities(NODES, made(drawn))
    assert len(labels) == NODES
    assert set(labels.tolist()) == set(range(labels.max() + 1))


@given(pairs)
def test_communities_bind_at_least_as_much_as_nodes_alone_and_as_all_in_one(drawn):
    edges = made(drawn)
    found = modularity(detect_communities(NODES, edges), edges)
    assert found >= modularity(np.arange(NODES), edges) - 1e-6
    assert found >= -1e-6


@given(pairs)
def test_no_two_communities_would_be_better_as_one(drawn):
    edges = made(drawn)
    labels = detect_communities(NODES, edges)
    found = modularity(labels, edges)
    for one in range(labels.max() + 1):
        for other in range(one):
            joined = np.where(labels == one, other, labels)
            assert modularity(joined, edges) <= found + 1e-6


@given(pairs)
def test_nothing_is_in_a_community_without_an_edge_into_it(drawn):
    edges = made(drawn)
    labels = detect_communities(NODES, edges)
    for node in range(NODES):
        mates = {*np.flatnonzero(labels == labels[node]).tolist()} - {node}
        bound = {*edges.high[edges.low == node].tolist(), *edges.low[edges.high == node].tolist()}
        assert not mates or mates & bound


@given(pairs, st.randoms(use_true_random=False))
def test_the_order_in_which_edges_are_named_decides_nothing(drawn, random):
    shuffled = random.sample(drawn, len(drawn))
    # The sum of several weights of a pair may depend on its order.
    one = made([(low, high, round(weight * 8) or 1) for low, high, weight in drawn])
    other = made([(high, low, round(weight * 8) or 1) for low, high, weight in shuffled])
    assert detect_communities(NODES, one).tolist() == detect_communities(NODES, other).tolist()
