"""Term statistics: what the idf of a space is taken over."""

from __future__ import annotations

import math
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wellworn.engines.storage.vectors.statistics import PointTerms, Statistics, idf

words = st.builds(
    PointTerms,
    space=st.sampled_from(("meadow", "forest")),
    terms=st.sets(st.integers(0, 6)).map(tuple),
)


@given(kept=st.lists(words), passing=st.lists(words))
def test_what_comes_and_goes_leaves_no_trace(kept, passing):
    statistics, expected = Statistics(), Statistics()
    statistics.add([*kept, *passing])
    statistics.remove(passing)
    expected.add(kept)
    for space in ("meadow", "forest"):
        assert statistics.count(space) == expected.count(space)
        everything = dict.fromkeys(range(7), 1.0)
        assert statistics.weigh(everything, space) == expected.weigh(everything, space)
    assert statistics.with_terms == sum(bool(one.terms) for one in kept)


@given(st.lists(words))
def test_a_term_weighs_by_how_many_points_of_its_space_hold_it(stored):
    statistics = Statistics()
    statistics.add(stored)
    meadow = [one for one in stored if one.space == "meadow"]
    holding = Counter(term for one in meadow for term in one.terms)
    weighted = statistics.weigh(dict.fromkeys(range(7), 2.0), "meadow")
    assert weighted.keys() == holding.keys()
    for term, weight in weighted.items():
        assert weight == pytest.approx(2 * idf(len(meadow), holding[term]))


@given(stored=st.lists(words), passing=st.lists(words))
def test_what_is_saved_is_restored(stored, passing):
    statistics = Statistics()
    statistics.add([*stored, *passing])
    statistics.remove(passing)
    restored = Statistics.from_bytes(statistics.to_bytes(), points=len(stored))
    assert restored is not None
    for space in ("meadow", "forest"):
        assert restored.count(space) == statistics.count(space)
        everything = dict.fromkeys(range(7), 1.0)
        assert restored.weigh(everything, space) == statistics.weigh(everything, space)
    assert restored.with_terms == statistics.with_terms
    restored.remove(stored)
    assert restored.to_bytes() == Statistics().to_bytes()


@given(stored=st.lists(words), data=st.data())
def test_what_is_damaged_or_of_other_points_is_not_restored(stored, data):
    statistics = Statistics()
    statistics.add(stored)
    saved = statistics.to_bytes()
    at = data.draw(st.integers(0, len(saved) - 1))
    damaged = saved[:at] + bytes([saved[at] ^ 1]) + saved[at + 1 :]
    for wrong in (damaged, saved[:at]):
        assert Statistics.from_bytes(wrong, points=len(stored)) is None
    assert Statistics.from_bytes(saved, points=len(stored) + 1) is None


@given(points=st.integers(1, 10**6), data=st.data())
def test_idf_is_positive_and_falls_as_more_points_hold_a_term(points, data):
    holding = data.draw(st.integers(1, points))
    assert idf(points, holding) > 0
    if holding > 1:
        assert idf(points, holding - 1) > idf(points, holding)


def test_idf_is_the_one_of_bm25():
    assert idf(10, 3) == pytest.approx(math.log(1 + 7.5 / 3.5))


def test_an_unknown_space_knows_no_terms():
    assert Statistics().weigh({1: 1.0}, "nowhere") == {}
    assert Statistics().count("nowhere") == 0
