"""Two scores made one."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unit.retrieval.scored import fuse, rank_by_cosine
from wellworn.engines.retrieval import merge_passages, select_candidates
from wellworn.engines.retrieval.weights import FARTHEST, FIRST_STAGE, Weights
from wellworn.kit.matches import Match, Matches

CANDIDATES = st.lists(
    st.builds(
        Match,
        st.integers(1, 2**63 - 1),
        st.floats(-1, 1),
        st.one_of(st.just(0.0), st.floats(0, 100)),
    ).map(lambda one: one if one.has_vector else one._replace(cosine=0.0)),
    max_size=30,
    unique_by=lambda one: one.id,
)


def ids(ranked) -> list[int]:
    return [one.id for one in ranked]


def test_an_exact_word_lifts_what_the_vector_hardly_sees():
    near = [Match(number, 0.6 - number / 100, 0.0) for number in range(1, 20)]
    assert ids(fuse([*near, Match(99, 0.1, 12.0)]))[0] == 99


def test_without_keyword_matches_the_order_is_that_of_the_vector():
    some = [Match(1, 0.2, 0.0), Match(2, 0.7, 0.0), Match(3, 0.5, 0.0)]
    assert ids(fuse(some)) == ids(rank_by_cosine(some)) == [2, 3, 1]


def test_of_two_the_clearly_nearer_wins_over_a_common_word():
    assert ids(fuse([Match(1, 0.1, 0.2), Match(2, 0.8, 0.0)])) == [2, 1]


def test_a_hair_of_cosine_does_not_outweigh_a_word():
    assert ids(fuse([Match(1, 0.501, 0.0), Match(2, 0.500, 1.0)])) == [2, 1]


def test_nothing_fuses_to_nothing():
    assert fuse([]) == []
    assert rank_by_cosine([]) == []


def test_each_part_is_named_after_the_score_it_comes_from():
    some = [Match(1, 0.2, 3.0), Match(2, 0.7, 0.0)]
    assert [sorted(one.parts) for one in fuse(some)] == [["meaning", "words"]] * 2
    assert [one.parts for one in rank_by_cosine(some)] == [{"meaning": 0.7}, {"meaning": 0.2}]


def test_the_weights_given_decide_what_counts():
    some = [Match(1, 0.2, 3.0), Match(2, 0.7, 0.0)]
    assert ids(fuse(some, Weights(meaning=1.0))) == [2, 1]
    assert ids(fuse(some, Weights(words=1.0))) == [1, 2]


def test_far_below_the_mean_is_no_farther_than_not_about_this():
    near = [Match(number, 0.6, 0.0) for number in range(1, 20)]
    far = {one.id: one.parts["meaning"] for one in fuse([*near, Match(99, -1.0, 0.0)])}
    assert far[99] == FARTHEST * FIRST_STAGE.meaning


def test_equals_stand_by_id_with_nothing_added():
    ranked = fuse([Match(number, 0.4, 1.5) for number in (3, 1, 2)])
    assert ids(ranked) == [1, 2, 3]
    assert {one.rank_score for one in ranked} == {0.0}


def test_a_result_keeps_the_scores_it_came_with():
    (only,) = fuse([Match(7, 0.25, 3.5)])
    assert (only.id, only.cosine, only.keyword, only.rank_score) == (7, 0.25, 3.5, 0.0)


@given(CANDIDATES, st.randoms(use_true_random=False))
def test_the_order_of_arrival_changes_nothing(candidates, random):
    shuffled = random.sample(candidates, len(candidates))
    assert fuse(shuffled) == fuse(candidates)
    assert rank_by_cosine(shuffled) == rank_by_cosine(candidates)


@given(CANDIDATES)
def test_parts_sum_to_the_score_and_scores_fall(candidates):
    for ranked in (fuse(candidates), rank_by_cosine(candidates)):
        scores = [one.rank_score for one in ranked]
        assert scores == [math.fsum(one.parts.values()) for one in ranked]
        assert scores == sorted(scores, reverse=True)
        assert all(map(math.isfinite, scores))


@given(CANDIDATES)
def test_what_is_at_least_as_good_in_both_never_stands_lower(candidates):
    place = {one: number for number, one in enumerate(ids(fuse(candidates)))}
    for better in candidates:
        for worse in candidates:
            if not (better.has_vector and worse.has_vector):
                continue
            if better.cosine > worse.cosine + 1e-9 and better.keyword > worse.keyword + 1e-9:
                assert place[better.id] < place[worse.id]


@given(CANDIDATES.filter(bool), st.data())
def test_a_better_cosine_never_lowers_the_score(candidates, data):
    chosen = data.draw(st.sampled_from(candidates))
    raised = chosen._replace(cosine=data.draw(st.floats(chosen.cosine, 1)))
    others = [one for one in candidates if one.id != chosen.id]
    before, after = (
        next(one.rank_score for one in fuse([*others, version]) if one.id == chosen.id)
        for version in (chosen, raised)
    )
    assert after >= before - 1e-9


@given(CANDIDATES.filter(bool), st.data())
def test_a_better_cosine_never_lowers_the_place_in_the_specified_order(candidates, data):
    chosen = data.draw(st.sampled_from(candidates))
    raised = chosen._replace(cosine=data.draw(st.floats(chosen.cosine, 1)))
    others = [one for one in candidates if one.id != chosen.id]
    before, after = (
        ids(rank_by_cosine([*others, version])).index(chosen.id) for version in (chosen, raised)
    )
    assert after <= before


def unit_of(passage: int) -> int:
    return passage // 64


@pytest.mark.parametrize("passage", [0, 1, 63])
def test_a_passage_stands_for_its_thought(passage: int):
    [unit] = merge_passages(Matches.of([Match(5 * 64 + passage, 0.3, 1.0)]), unit_of)
    assert unit == (5, 0.3, 1.0, 0.0, True)


def test_a_thought_has_the_best_of_each_score_of_its_passages():
    passages = [
        Match(640, 0.2, 9.0, 0.5),
        Match(641, 0.6, 1.0, 2.0),
        Match(704, 0.1, 0.0),
    ]
    assert merge_passages(Matches.of(passages), unit_of) == [
        (10, 0.6, 9.0, 2.0, True),
        (11, 0.1, 0.0, 0.0, True),
    ]


def test_a_passage_without_a_vector_takes_none_from_its_thought():
    bare = Match(640, 0.0, 9.0, has_vector=False)
    assert merge_passages(Matches.of([bare]), unit_of) == [(10, 0.0, 9.0, 0.0, False)]
    far = Match(641, -0.2, 1.0)
    assert merge_passages(Matches.of([bare, far]), unit_of) == [(10, -0.2, 9.0, 0.0, True)]
    assert merge_passages(Matches.of([far, bare]), unit_of) == [(10, -0.2, 9.0, 0.0, True)]


def test_what_has_no_vector_yet_is_neither_near_nor_far():
    near = [Match(number, 0.6 - number / 100, 0.0) for number in range(1, 20)]
    parts = {
        one.id: one.parts.get("meaning", 0.0)
        for one in fuse([*near, Match(99, 0.0, 0.0, 0.0, False)])
    }
    without = {one.id: one.parts.get("meaning", 0.0) for one in fuse(near)}
    assert parts == {**without, 99: 0.0}


@given(CANDIDATES)
def test_joining_passages_loses_no_thought_and_repeats_none(candidates):
    joined = merge_passages(Matches.of(candidates), unit_of)
    assert [one.id for one in joined] == sorted({one.id // 64 for one in candidates})


@given(CANDIDATES, st.integers(0, 40))
def test_the_foremost_score_as_high_as_the_first_of_all(candidates, most: int):
    scores = {one.id: one.rank_score for one in fuse(candidates)}
    chosen = select_candidates(Matches.of(candidates), most)
    assert len(chosen) == len(set(chosen)) == min(most, len(candidates))
    expected = sorted(scores.values(), reverse=True)[:most]
    assert [scores[one] for one in chosen] == pytest.approx(expected)
