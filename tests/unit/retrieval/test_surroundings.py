"""What stands beside a unit."""

from __future__ import annotations

import struct
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unit.retrieval.words import pack_word_counts
from wellworn.engines.retrieval.surroundings import (
    find_neighbours,
    include_neighbours,
    include_question,
    score_nearby_words,
)
from wellworn.engines.retrieval.text import weigh_query_terms
from wellworn.engines.retrieval.text.terms import hash_words
from wellworn.engines.retrieval.weights import (
    AROUND_STEPS,
    MOST_STEPS,
    NEIGHBOURHOOD,
    SATURATION,
    STEP_HANDICAP,
)

OWN = MOST_STEPS
SHAPES = ["note", "section", "code", "turn", "message", "long_message"]
WORDS = ["lichen", "wall", "north", "moss", "rain"]
PLACES = st.lists(
    st.one_of(st.none(), st.tuples(st.sampled_from("ab"), st.integers(-3, 12))),
    max_size=12,
).map(
    lambda drawn: [*dict.fromkeys(place for place in drawn if place), *[None] * drawn.count(None)]
)


def read(counts: bytes) -> dict[int, int]:
    return dict(struct.iter_unpack("<IB", counts))


def slow_neighbours(places) -> list[list[int]]:
    found = []
    for at, place in enumerate(places):
        row = []
        for step in range(-MOST_STEPS, MOST_STEPS + 1):
            wanted = place and (place[0], place[1] + step)
            others = [other for other, one in enumerate(places) if place and one == wanted]
            row.append(at if step == 0 else others[0] if others else -1)
        found.append(row)
    return found


def slow_nearby(texts, shapes, places, rarity) -> list[float]:
    """BM25 of a unit's own and its neighbours' words, one word after the other."""
    found = []
    for at, row in enumerate(slow_neighbours(places)):
        rule, reach = SATURATION[shapes[at]], NEIGHBOURHOOD[shapes[at]]
        counts: Counter[int] = Counter()
        length = usual = 0.0
        for step, other in zip(range(-MOST_STEPS, MOST_STEPS + 1), row, strict=True):
            share = reach.fade ** abs(step) if abs(step) <= reach.steps else 0.0
            usual += share * rule.average_words
            if other < 0:
                continue
            for term, count in read(pack_word_counts(texts[other])).items():
                counts[term] += share * count
                length += share * count
        norm = rule.k1 * (1 - rule.b + rule.b * length / usual)
        found.append(
            sum(
                idf * counts[term] * (rule.k1 + 1) / (counts[term] + norm)
                for term, idf in rarity.items()
                if counts[term]
            )
        )
    return found


def nearby(texts, shapes, places, rarity) -> list[float]:
    beside = find_neighbours(places)
    return score_nearby_words([*map(pack_word_counts, texts)], shapes, beside, rarity).tolist()


# ---------------------------------------------------------------- counted


@given(st.text())
def test_every_word_is_counted_in_five_bytes(text: str):
    kept = pack_word_counts(text)
    assert len(kept) % 5 == 0
    assert read(kept) == {term: min(n, 255) for term, n in Counter(hash_words(text)).items()}


def test_what_is_said_without_end_is_counted_up_to_a_byte():
    assert [*read(pack_word_counts("rain " * 10_000)).values()] == [255]


def test_of_many_words_the_commonest_are_counted():
    text = " ".join(f"word{number}x" for number in range(8_500)) + " lichen lichen"
    kept = read(pack_word_counts(text))
    assert len(kept) == 8_000
    assert kept[next(iter(weigh_query_terms("lichen")))] == 2


@pytest.mark.parametrize("text", ["", " \n", "?!", "the of and", "🦉", "\x01"])
def test_without_words_nothing_is_counted(text: str):
    assert pack_word_counts(text) == b""


# ---------------------------------------------------------------- neighbours


@given(PLACES)
def test_neighbours_are_those_of_a_slow_and_clear_reference(places):
    beside = find_neighbours(places)
    assert beside.shape == (len(places), 2 * MOST_STEPS + 1)
    assert beside.tolist() == slow_neighbours(places)


def test_sessions_do_not_mix_and_gaps_stay_gaps():
    places = [("a", 1), ("b", 2), ("a", 2), ("a", 4), None, ("a", 9)]
    assert find_neighbours(places)[0].tolist() == [-1, -1, -1, -1, 0, 2, -1, 3, -1]


@pytest.mark.parametrize("last", [2**39, 2**40 - 1, 2**40, 2**53])
def test_sessions_do_not_mix_however_long_they_are(last: int):
    beside = find_neighbours([("a", last), ("b", 0), ("b", 1), ("a", 0)])
    assert beside[0].tolist() == [-1] * OWN + [0] + [-1] * OWN
    assert beside[1].tolist() == [-1] * OWN + [1, 2] + [-1] * (OWN - 1)


def test_what_is_more_than_four_steps_away_is_no_neighbour():
    beside = find_neighbours([("a", 0), ("a", 4), ("a", 5)])
    assert beside[0].tolist() == [-1, -1, -1, -1, 0, -1, -1, -1, 1]
    assert beside[2].tolist() == [-1, -1, -1, 1, 2, -1, -1, -1, -1]


def test_units_without_a_place_stand_alone():
    assert (
        find_neighbours([None, None])[:, [*range(OWN), *range(OWN + 1, 2 * OWN + 1)]] == -1
    ).all()
    assert find_neighbours([]).shape == (0, 2 * MOST_STEPS + 1)


def test_two_units_in_one_place_both_have_their_neighbours():
    beside = find_neighbours([("a", 1), ("a", 1), ("a", 2)])
    assert beside[0][OWN + 1] == beside[1][OWN + 1] == 2


# ---------------------------------------------------------------- words nearby

SAID = st.lists(st.sampled_from([*WORDS, "the"]), max_size=12).map(" ".join)


@st.composite
def conversations(draw):
    places = draw(PLACES)
    count = len(places)
    texts = draw(st.lists(SAID, min_size=count, max_size=count))
    shapes = draw(st.lists(st.sampled_from(SHAPES), min_size=count, max_size=count))
    asked = draw(st.lists(st.sampled_from(WORDS), unique=True))
    rarity = {term: draw(st.floats(0.1, 9)) for word in asked for term in weigh_query_terms(word)}
    return texts, shapes, places, rarity


@given(conversations())
def test_nearby_words_are_weighed_as_by_a_slow_and_clear_reference(conversation):
    assert nearby(*conversation) == pytest.approx(slow_nearby(*conversation), rel=1e-4, abs=1e-5)


def test_the_words_of_neighbours_fade_with_every_step_and_end_at_the_last():
    texts = ["lichen", *["rain"] * 6]
    places = [("a", number) for number in range(7)]
    rarity = dict.fromkeys(weigh_query_terms("lichen"), 5.0)
    found = nearby(texts, ["turn"] * 7, places, rarity)
    assert found[:5] == sorted(found[:5], reverse=True)
    assert len({*found[:5]}) == 5
    assert found[5:] == [0.0, 0.0]
    of_sections = nearby(texts, ["section"] * 7, places, rarity)
    assert [score > 0 for score in of_sections] == [True] * 3 + [False] * 4


def test_the_words_of_another_session_are_not_heard():
    rarity = dict.fromkeys(weigh_query_terms("lichen"), 5.0)
    texts, shapes = ["lichen", "rain"], ["turn", "turn"]
    assert nearby(texts, shapes, [("a", 1), ("b", 2)], rarity)[1] == 0
    assert nearby(texts, shapes, [("a", 1), ("a", 2)], rarity)[1] > 0


@pytest.mark.slow
@given(conversations(), st.randoms())
def test_the_order_of_units_changes_no_score(conversation, random):
    texts, shapes, places, rarity = conversation
    order = random.sample(range(len(texts)), len(texts))
    shuffled = [[column[at] for at in order] for column in (texts, shapes, places)]
    before = nearby(*conversation)
    assert nearby(*shuffled, rarity) == pytest.approx([before[at] for at in order], rel=1e-5)


def test_nothing_asked_or_nothing_said_gives_nothing():
    assert nearby(["lichen"], ["note"], [None], {}) == [0.0]
    assert nearby([""], ["message"], [None], {1: 3.0}) == [0.0]
    assert nearby([], [], [], {1: 3.0}) == []


# ---------------------------------------------------------------- matches of neighbours


def drawn(units: int, pieces: int, seed: int = 3) -> np.ndarray:
    return np.random.default_rng(seed).uniform(-1, 1, (units, pieces)).astype(np.float32)


def test_a_reply_has_what_the_question_before_it_matches_and_nobody_else():
    matches = drawn(3, 4)
    beside = find_neighbours([("a", 1), ("a", 2), ("a", 3)])
    found = include_question(matches, beside, np.array([False, True, False]))
    np.testing.assert_array_equal(found[[0, 2]], matches[[0, 2]])
    np.testing.assert_array_equal(found[1], np.maximum(matches[0], matches[1]))


@given(PLACES, st.integers(0, 2**32 - 1))
def test_neighbours_matches_count_at_a_handicap_a_step(places, seed: int):
    matches = drawn(len(places), 3, seed)
    expected = matches.copy()
    for at, row in enumerate(slow_neighbours(places)):
        for step in range(-AROUND_STEPS, AROUND_STEPS + 1):
            if row[OWN + step] >= 0:
                handicapped = matches[row[OWN + step]] - abs(step) * STEP_HANDICAP
                expected[at] = np.maximum(expected[at], handicapped)
    found = include_neighbours(matches, find_neighbours(places))
    np.testing.assert_allclose(found, expected, atol=1e-6)
    assert (found >= matches).all()


def test_a_neighbour_three_steps_away_lends_no_match():
    matches = np.array([[0.9], [-1.0], [-1.0], [-1.0]], np.float32)
    beside = find_neighbours([("a", number) for number in range(4)])
    assert include_neighbours(matches, beside)[:, 0].tolist() == pytest.approx(
        [0.9, 0.85, 0.8, -1.0]
    )
