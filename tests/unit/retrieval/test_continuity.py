"""Topics are the same as before by their members; what was divided or joined is told."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from wellworn.engines.retrieval.topics import match_topics
from wellworn.engines.retrieval.topics.continuity import LEAST_SAME


def numbers(*ranges):
    return np.array([one for each in ranges for one in range(*each)], np.int64)


def match(before, after, was=None, there=None):
    was = np.unique(np.concatenate(before)) if was is None else was
    there = np.unique(np.concatenate(after)) if there is None else there
    return match_topics(before, after, was_there=was, is_there=there)


def test_the_same_members_are_the_same_topic_in_whatever_order():
    lamps, ropes = numbers((0, 6)), numbers((6, 11))
    found = match([lamps, ropes], [ropes[::-1], lamps])
    assert found.same == {0: 1, 1: 0}
    assert (found.parted, found.joined) == ((), ())


def test_what_came_and_what_went_makes_no_topic_another_one():
    before, after = numbers((0, 10)), numbers((5, 200))
    assert match([before], [after]).same == {0: 0}


def test_what_is_still_there_and_in_no_topic_any_more_counts_against_it():
    before, after = numbers((0, 10)), numbers((0, 3))
    found = match([before], [after], there=before)
    assert found.same == {}
    assert [(one.after, one.before, one.shared) for one in found.parted] == [(0, 0, 3)]
    assert found.joined == ()


def test_of_a_topic_that_is_divided_the_larger_part_goes_on_and_the_other_came_out_of_it():
    found = match([numbers((0, 10))], [numbers((0, 4)), numbers((4, 10))])
    assert found.same == {1: 0}
    assert [(one.after, one.before, one.shared) for one in found.parted] == [(0, 0, 4)]
    assert found.joined == ()


def test_of_topics_that_are_joined_the_larger_goes_on_and_the_other_went_into_it():
    found = match([numbers((0, 4)), numbers((4, 10))], [numbers((0, 10))])
    assert found.same == {0: 1}
    assert [(one.after, one.before, one.shared) for one in found.joined] == [(0, 0, 4)]
    assert found.parted == ()


def test_a_topic_that_falls_apart_goes_on_nowhere():
    after = [numbers((at, at + 3)) for at in range(0, 12, 3)]
    found = match([numbers((0, 12))], after)
    assert found.same == {}
    assert [one.after for one in found.parted] == [0, 1, 2, 3]
    assert found.joined == ()


def test_an_outer_topic_and_the_only_one_inside_it_are_not_taken_for_one_another():
    outer, inner = numbers((0, 50)), numbers((0, 45))
    found = match([outer, inner], [numbers((0, 52)), numbers((0, 45), (50, 52))])
    assert found.same == {0: 0, 1: 1}


def test_new_thoughts_alone_are_a_topic_that_came_from_nowhere():
    found = match([numbers((0, 5))], [numbers((0, 5)), numbers((5, 9))])
    assert (found.same, found.parted, found.joined) == ({0: 0}, (), ())


def test_nothing_before_and_nothing_now_match_nothing():
    nothing = numbers()
    assert match_topics([], [], was_there=nothing, is_there=nothing).same == {}
    found = match_topics([], [numbers((0, 3))], was_there=nothing, is_there=numbers((0, 3)))
    assert (found.same, found.parted, found.joined) == ({}, (), ())


sets = st.lists(st.sets(st.integers(0, 20), min_size=1, max_size=12), max_size=5)


@given(sets, sets)
def test_each_topic_is_matched_once_and_shares_a_third_with_its_match(before, after):
    old, new = ([np.array(sorted(one), np.int64) for one in each] for each in (before, after))
    found = match_topics(old, new, was_there=numbers((0, 21)), is_there=numbers((0, 21)))
    assert len({*found.same.values()}) == len(found.same)
    for at, was in found.same.items():
        assert len(before[was] & after[at]) / len(before[was] | after[at]) >= LEAST_SAME - 1e-9
    for at, was, shared in found.parted:
        assert at not in found.same
        assert shared == len(before[was] & after[at]) >= len(after[at]) / 2
    for at, was, shared in found.joined:
        assert was not in found.same.values()
        assert shared == len(before[was] & after[at]) >= len(before[was]) / 2
