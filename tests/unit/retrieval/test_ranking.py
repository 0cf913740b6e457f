"""The whole ranking: rules that hold for any candidates."""

from __future__ import annotations

import math
from dataclasses import fields, replace
from datetime import UTC, datetime

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unit.retrieval.scored import ScoredUnit, fuse, rank
from unit.retrieval.words import pack_word_counts
from wellworn.engines.retrieval import Question
from wellworn.engines.retrieval.ranking import find_named_speaker
from wellworn.engines.retrieval.text import weigh_query_terms
from wellworn.engines.retrieval.text.moments import NamedDay
from wellworn.engines.retrieval.weights import WEIGHTS, Weights
from wellworn.kit.matches import Match

SHAPES = ["note", "section", "code", "turn", "message", "long_message"]
REASONS = [each.name for each in fields(Weights)]
ABSOLUTE = {"name", "mention", "day", "when", "speaker", "asks", "replies", "user"}
EVERYTHING = dict.fromkeys(SHAPES, Weights(**dict.fromkeys(REASONS, 1.0)))
MANY = 1_000

PIECES = np.eye(3, 128, dtype=np.float32) * 0.6 + 0.05
PIECES /= np.linalg.norm(PIECES, axis=1, keepdims=True)
CODES = [np.packbits(row > 0.1).tobytes() for row in PIECES]


def at(year: int, month: int, day: int) -> float:
    return datetime(year, month, day, 12, tzinfo=UTC).timestamp()


ASKED = Question(
    "When did Ann see lichen on the wall?",
    rarity={
        term: idf
        for word, idf in (("lichen", 5.0), ("wall", 2.0))
        for term in weigh_query_terms(word)
    },
    pieces=PIECES,
    weights=np.array([0.5, 0.3, 0.2], np.float32),
    days=[NamedDay(2023, 5, 8)],
    asks_when=True,
    full_name=2.0,
)

SAID = pack_word_counts("rain")
TEXTS = ["", "lichen", "wall of moss", "rain rain and lichen on a wall", "north"]
QUESTIONS = st.builds(
    replace,
    st.just(ASKED),
    asks_when=st.booleans(),
    is_look_up=st.booleans(),
    days=st.sampled_from([[], [NamedDay(2023, 5, 8)], [NamedDay(None, 5, None)]]),
    full_name=st.sampled_from([0.0, 2.0]),
)


@st.composite
def units(
    draw, *, least: int = 0, placed: bool = True, always_found: bool = False
) -> list[ScoredUnit]:
    count = draw(st.integers(least, 6))
    places = draw(
        st.lists(
            st.tuples(st.sampled_from("ab"), st.integers(0, 9)),
            min_size=count, max_size=count, unique=True,
        )
    )  # fmt: skip
    return [
        draw(unit(number + 1, place if placed else None, always_found=always_found))
        for number, place in enumerate(places)
    ]


@st.composite
def unit(draw, number: int, place, *, always_found: bool = False) -> ScoredUnit:
    scores = st.builds(
        Match,
        st.just(number),
        st.floats(-1, 1).map(lambda cosine: round(cosine, 3)),
        st.one_of(st.just(0.0), st.floats(0, 40).map(lambda keyword: round(keyword, 2))),
        st.sampled_from([0.0, 0.5, 1.2, 2.0]),
    )
    return ScoredUnit(
        number,
        draw(st.sampled_from(SHAPES)),
        draw(scores if always_found else st.one_of(st.none(), scores)),
        draw(st.sampled_from([None, place])),
        draw(st.sampled_from(["", "Ann", "Bob", "user", "assistant"])),
        draw(st.sampled_from([0.0, at(2023, 5, 8), at(2023, 5, 30), at(2021, 5, 8)])),
        b"".join(draw(st.lists(st.sampled_from(CODES), max_size=3))),
        pack_word_counts(draw(st.sampled_from(TEXTS))),
        draw(st.booleans()),
        draw(st.integers(0, 2)),
    )


def ids(found) -> list[int]:
    return [one.id for one in found]


def plain(
    number: int, cosine: float = 0.5, keyword: float = 0.0, shape: str = "note", **more
) -> ScoredUnit:
    return ScoredUnit(number, shape, Match(number, cosine, keyword, more.pop("name", 0.0)), **more)


# ---------------------------------------------------------------- rules for any candidates


@given(QUESTIONS, units(), st.randoms(use_true_random=False))
def test_the_order_of_arrival_changes_nothing(question, some, random):
    shuffled = random.sample(some, len(some))
    for weights in (WEIGHTS, EVERYTHING):
        one, other = (rank(question, each, most=MANY, weights=weights) for each in (some, shuffled))
        assert ids(one) == ids(other)
        for here, there in zip(one, other, strict=True):
            assert dict(here.parts) == pytest.approx(dict(there.parts), abs=1e-5)


@given(QUESTIONS, units())
def test_the_same_question_gets_the_same_answer(question, some):
    assert rank(question, some, most=MANY) == rank(question, [*some], most=MANY)


@given(QUESTIONS, units())
def test_parts_sum_to_the_score_and_scores_fall(question, some):
    for weights in (WEIGHTS, EVERYTHING):
        found = rank(question, some, most=MANY, weights=weights)
        scores = [one.rank_score for one in found]
        assert scores == [math.fsum(one.parts.values()) for one in found]
        assert all(map(math.isfinite, scores))
        keys = [(-one.rank_score, -one.cosine, one.id) for one in found]
        assert keys == sorted(keys)
        assert {name for one in found for name in one.parts} <= {*REASONS}


@given(QUESTIONS, units())
def test_every_candidate_is_found_once_with_its_scores_and_no_neighbour_is(question, some):
    found = rank(question, some, most=MANY)
    matches = {each.match.id: each.match for each in some if each.match is not None}
    assert sorted(ids(found)) == sorted(matches)
    assert all((one.cosine, one.keyword) == matches[one.id][1:3] for one in found)


@given(QUESTIONS, units(), st.integers(1, 14))
def test_fewer_results_are_the_first_of_all(question, some, most: int):
    assert rank(question, some, most=most) == rank(question, some, most=MANY)[:most]


@given(QUESTIONS, units(), st.integers(1, 3), st.sets(st.integers(1, 6)))
def test_some_are_returned_however_far_back_they_are(question, some, most: int, also):
    order = rank(question, some, most=MANY)
    wanted = [one for at, one in enumerate(order) if at < most or one.id in also]
    assert rank(question, some, most=most, also=also) == wanted


@given(QUESTIONS, units(), st.integers(0, 3))
def test_none_is_preferred_among_those_that_are_alike_in_everything(question, some, copies: int):
    for each in [one for one in some if one.match and one.place is None][:1]:
        twins = [
            each._replace(id=100 + number, match=each.match._replace(id=100 + number))
            for number in range(copies)
        ]
        order = ids(rank(question, [*some, *twins], most=MANY))
        alike = [number for number in order if number == each.id or number >= 100]
        assert alike == sorted(alike)


@st.composite
def improved(draw) -> tuple[ScoredUnit, ScoredUnit]:
    """Return a unit and the same but for one score, in which it is worse."""
    better = draw(unit(50, None, always_found=True))._replace(place=None)
    what = draw(st.sampled_from(["cosine", "keyword", "name", "codes", "asks", "times", "day"]))
    if what in {"cosine", "keyword", "name"}:
        less = getattr(better.match, what) - draw(st.floats(0.01, 5))
        return better, better._replace(match=better.match._replace(**{what: less}))
    if what == "codes":
        codes = [better.codes[start : start + 16] for start in range(0, len(better.codes), 16)]
        return better, better._replace(codes=b"".join(codes[: max(1, len(codes) - 1)]))
    if what == "asks":
        return better._replace(asks=False), better._replace(asks=True)
    if what == "times":
        return better._replace(times=2), better._replace(times=draw(st.integers(0, 2)))
    return better._replace(said_at=at(2023, 5, 8)), better._replace(said_at=at(2021, 4, 8))


@given(QUESTIONS, units(), improved())
def test_what_is_better_in_one_score_and_equal_in_all_else_never_stands_lower(question, some, pair):
    better, worse = pair
    worse = worse._replace(id=51, match=worse.match._replace(id=51))
    found = rank(question, [*some, worse, better], most=MANY)
    score = {one.id: one.rank_score for one in found}
    assert score[50] >= score[51] - 1e-6
    assert score[50] < score[51] + 1e-6 or ids(found).index(50) < ids(found).index(51)


def alike_but_for_one(one: ScoredUnit, other: ScoredUnit) -> bool:
    """Tell whether two units differ in at most one score, of the same shape and without a place."""
    if one.shape != other.shape or one.place or other.place:
        return False
    told = [
        (*each.match[1:], each.codes, each.counts, each.asks, each.times) for each in (one, other)
    ]
    rest = [(each.speaker, each.said_at) for each in (one, other)]
    return rest[0] == rest[1] and sum(a != b for a, b in zip(*told, strict=True)) <= 1


IRRELEVANT = st.builds(
    plain,
    st.just(99),
    st.floats(-1, 0.1),
    shape=st.sampled_from(SHAPES),
    codes=st.sampled_from([b"", bytes(16)]),
    counts=st.sampled_from([pack_word_counts("north"), b""]),
)


@given(QUESTIONS, units(always_found=True), IRRELEVANT)
def test_an_irrelevant_unit_loses_nothing_and_moves_no_two_that_differ_in_one_score(
    question, some, more
):
    some = [each._replace(counts=each.counts or SAID) for each in some]
    before = ids(rank(question, some, most=MANY))
    after = ids(rank(question, [*some, more], most=MANY))
    assert {*after} == {*before, 99}
    known = {each.id: each for each in some}
    for place, one in enumerate(before):
        for other in before[place + 1 :]:
            if alike_but_for_one(known[one], known[other]):
                assert after.index(one) < after.index(other)


@given(QUESTIONS, units(least=3, always_found=True), IRRELEVANT)
def test_an_irrelevant_unit_scales_and_shifts_z_scores_and_changes_nothing_else(
    question, some, more
):
    """The whole of its influence: mean and deviation, which are the same for all others."""
    some = [each._replace(counts=each.counts or SAID) for each in some]
    before, after = (
        {one.id: one.parts for one in rank(question, each, most=MANY, weights=EVERYTHING)}
        for each in (some, [*some, more])
    )
    for reason in ABSOLUTE:
        assert [before[each.id].get(reason) for each in some] == [
            after[each.id].get(reason) for each in some
        ]
    for reason in ("words", "nearby", "length"):
        old, new = (
            np.array([parts[each.id].get(reason, 0.0) for each in some])
            for parts in (before, after)
        )
        if np.ptp(old) > 1e-3:
            factor = np.ptp(new) / np.ptp(old)
            np.testing.assert_allclose(new - new.min(), factor * (old - old.min()), atol=1e-4)


# ---------------------------------------------------------------- few and equal


def test_nothing_is_found_among_nothing():
    assert rank(ASKED, [], most=10) == []
    assert (
        rank(
            ASKED,
            [ScoredUnit(1, "turn", place=("a", 1), counts=pack_word_counts("lichen"))],
            most=10,
        )
        == []
    )


@pytest.mark.parametrize("shape", SHAPES)
def test_one_alone_is_found_with_nothing_to_compare_it_to(shape: str):
    found = rank(ASKED, [plain(7, 0.3, 4.0, shape, codes=CODES[0])], most=10)
    assert [(one.id, one.cosine, one.keyword, dict(one.parts)) for one in found] == [
        (7, 0.3, 4.0, {})
    ]


@pytest.mark.parametrize("shape", SHAPES)
def test_of_two_the_one_that_says_and_means_it_is_first(shape: str):
    told = {"codes": b"".join(CODES), "counts": pack_word_counts("lichen on the wall")}
    other = {"codes": bytes(16), "counts": pack_word_counts("rain and moss here")}
    some = [plain(1, 0.2, 0.0, shape, **other), plain(2, 0.6, 9.0, shape, **told)]
    assert ids(rank(ASKED, some, most=10)) == [2, 1]


@pytest.mark.parametrize("shape", SHAPES)
def test_two_a_hair_apart_are_not_far_apart(shape: str):
    some = [plain(1, 0.5, 1.0, shape), plain(2, 0.5001, 1.0, shape)]
    first, second = rank(ASKED, some, most=10)
    assert first.id == 2
    assert first.rank_score - second.rank_score < 0.01


@pytest.mark.parametrize("shape", SHAPES)
def test_equals_stand_by_id_with_nothing_added(shape: str):
    more = {"codes": CODES[0], "counts": pack_word_counts("lichen")}
    found = rank(ASKED, [plain(number, 0.4, 1.5, shape, **more) for number in (3, 1, 2)], most=10)
    assert ids(found) == [1, 2, 3]
    assert {one.rank_score for one in found} == {0.0}


def test_equal_scores_stand_by_cosine():
    off = dict.fromkeys(SHAPES, Weights(name=0.0, mention=0.0))
    some = [plain(number, cosine, counts=SAID) for number, cosine in ((1, 0.2), (2, 0.7), (3, 0.5))]
    assert ids(rank(ASKED, some, most=10, weights=off)) == [2, 3, 1]


# ---------------------------------------------------------------- one reason after the other

BEST = ScoredUnit(
    1,
    "turn",
    Match(1, 0.9, 3.0, 2.0),
    ("a", 2),
    "user",
    at(2023, 5, 8),
    b"".join(CODES),
    pack_word_counts("lichen on the wall, moss, rain and north winds"),
    asks=False,
    times=2,
)
ASKING = ScoredUnit(
    2,
    "turn",
    Match(2, 0.3, 0.0),
    ("a", 1),
    "assistant",
    at(2022, 1, 1),
    bytes(16),
    pack_word_counts("rain"),
    asks=True,
)
LAST = ScoredUnit(
    3,
    "turn",
    Match(3, 0.1, 0.0),
    None,
    "assistant",
    at(2020, 1, 1),
    bytes(16),
    pack_word_counts("moss"),
)
OFF = dict.fromkeys(REASONS, 0.0)


def told_by(reason: str, weights: dict[str, float], shape: str) -> list:
    question = replace(ASKED, text="When did the user see lichen?", is_look_up=reason == "name")
    some = [each._replace(shape=shape) for each in (LAST, ASKING, BEST)]
    return rank(question, some, most=10, weights={shape: Weights(**weights)})


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("reason", REASONS)
def test_each_reason_lifts_what_it_is_for(reason: str, shape: str):
    weight = -1.0 if reason == "asks" else 1.0
    found = told_by(reason, {**OFF, reason: weight}, shape)
    score = {one.id: one.rank_score for one in found}
    if reason == "asks":
        assert score == {1: 0.0, 2: -1.0, 3: 0.0}
    else:
        assert score[1] > max(score[2], score[3])
    assert {name for one in found for name in one.parts} == {reason}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("reason", REASONS)
def test_a_weight_of_nothing_switches_its_reason_off(reason: str, shape: str):
    on = dict.fromkeys(REASONS, 1.0)
    told = {name for one in told_by(reason, on, shape) for name in one.parts}
    without = {name for one in told_by(reason, {**on, reason: 0.0}, shape) for name in one.parts}
    assert reason in told
    assert without == told - {reason}


@pytest.mark.parametrize("shape", SHAPES)
def test_twice_the_weight_adds_twice_as_much(shape: str):
    for reason in REASONS:
        once, twice = (told_by(reason, {**OFF, reason: weight}, shape) for weight in (1.0, 2.0))
        assert ids(once) == ids(twice)
        for one, other in zip(once, twice, strict=True):
            assert other.rank_score == pytest.approx(2 * one.rank_score)


def test_units_of_different_shapes_stand_in_one_order_each_by_its_own_weights():
    some = [BEST._replace(shape="turn"), LAST._replace(shape="note"), ASKING._replace(shape="code")]
    weights = {**dict.fromkeys(SHAPES, Weights(**OFF)), "turn": Weights(**{**OFF, "day": 4.0})}
    weights["code"] = Weights(**{**OFF, "words": 2.0})
    found = {one.id: dict(one.parts) for one in rank(ASKED, some, most=10, weights=weights)}
    assert found[1] == {"day": 8.0}
    assert found[2].keys() == {"words"}
    assert found[3] == {}


# ---------------------------------------------------------------- codes


def test_what_has_no_codes_is_neither_rewarded_nor_punished():
    some = [
        plain(1, codes=b"".join(CODES)),
        plain(2, codes=bytes(16)),
        plain(3, codes=CODES[0]),
        plain(4),
    ]
    parts = {one.id: one.parts for one in rank(ASKED, some, most=10, weights=EVERYTHING)}
    for reason in ("pieces", "answer", "around"):
        assert reason not in parts[4]
        assert sum(parts[number].get(reason, 0.0) for number in (1, 2, 3)) == pytest.approx(
            0, abs=1e-5
        )
    without = {one.id: one.parts for one in rank(ASKED, some[:3], most=10, weights=EVERYTHING)}
    assert {number: parts[number]["pieces"] for number in (1, 2, 3)} == pytest.approx(
        {number: without[number]["pieces"] for number in (1, 2, 3)}, abs=1e-5
    )


@pytest.mark.parametrize("shape", SHAPES)
def test_where_nothing_is_kept_of_words_the_scores_of_the_index_decide(shape: str):
    some = [plain(1, 0.50, 8.0, shape), plain(2, 0.51, 0.0, shape), plain(3, 0.1, 0.0, shape)]
    found = rank(ASKED, some, most=10)
    assert ids(found) == ids(fuse([each.match for each in some])) == [1, 2, 3]
    assert found[0].rank_score > found[1].rank_score > found[2].rank_score


@pytest.mark.parametrize("shape", ["note", "section", "code", "message"])
def test_a_question_without_pieces_is_ranked_by_all_other_reasons(shape: str):
    bare = replace(ASKED, pieces=np.empty((0, 128), np.float32), weights=np.empty(0, np.float32))
    some = [plain(1, 0.50, 8.0, shape, codes=CODES[0]), plain(2, 0.51, 0.0, shape, codes=CODES[1])]
    found = rank(bare, some, most=10)
    assert ids(found) == [1, 2]
    assert not {"pieces", "answer", "around"} & {name for one in found for name in one.parts}


def test_following_a_question_counts_whether_or_not_there_are_codes():
    some = [
        plain(1, place=("a", 1), speaker="Bob", counts=SAID, asks=True),
        plain(2, place=("a", 2), speaker="Ann", counts=SAID),
    ]
    found = {one.id: one.parts for one in rank(ASKED, some, most=10, weights=EVERYTHING)}
    assert found[2]["replies"] == 1.0
    assert "replies" not in found[1]


# ---------------------------------------------------------------- surroundings


def test_a_neighbour_that_is_no_candidate_lends_its_words_and_matches():
    alone = [plain(1, shape="turn", codes=bytes(16)), plain(2, shape="turn", codes=bytes(16))]
    placed = [alone[0]._replace(place=("a", 2)), alone[1]._replace(place=("b", 2))]
    beside = ScoredUnit(
        9, "turn", None, ("b", 3), codes=b"".join(CODES), counts=pack_word_counts("lichen")
    )
    assert ids(rank(ASKED, [*placed, beside], most=10)) == [2, 1]
    assert ids(rank(ASKED, placed, most=10)) == [1, 2]


def test_an_answer_has_what_anothers_question_matches_and_not_its_own():
    question = ScoredUnit(9, "turn", None, ("a", 1), "Bob", codes=b"".join(CODES), asks=True)
    other = plain(2, shape="turn", codes=bytes(16))
    for speaker, is_answer in (("Ann", True), ("Bob", False)):
        reply = plain(3, shape="turn", place=("a", 2), speaker=speaker, codes=bytes(16))
        only = {"turn": Weights(**{**OFF, "answer": 1.0})}
        found = rank(ASKED, [question, other, reply], most=10, weights=only)
        assert ("answer" in found[0].parts) is is_answer
        assert ids(found) == ([3, 2] if is_answer else [2, 3])


def test_what_follows_a_statement_is_no_answer():
    statement = ScoredUnit(9, "turn", None, ("a", 1), "Bob", codes=b"".join(CODES), asks=False)
    some = [
        statement,
        plain(2, codes=bytes(16)),
        plain(3, place=("a", 2), speaker="Ann", codes=bytes(16)),
    ]
    found = rank(
        ASKED, some, most=10, weights={**EVERYTHING, "note": Weights(**{**OFF, "answer": 1.0})}
    )
    assert [dict(one.parts) for one in found] == [{}, {}]


# ---------------------------------------------------------------- who said it


@pytest.mark.parametrize(
    ("text", "speaker"),
    [
        ("What did Caroline say?", "Caroline"),
        ("what did caroline say?", "Caroline"),
        ("Caroline's dog", "Caroline"),
        ("What did Carolina do?", "Caroline"),
        ("Where is Jo?", ""),
        ("What about Sam?", "Sam"),
        ("Is it the same sample?", ""),
        ("Did Caroline meet Sam?", ""),
        ("scaroline", ""),
        ("Smith", ""),
        ("", ""),
        ("(", ""),
    ],
)
def test_the_one_speaker_who_is_named_is_known(text: str, speaker: str):
    everyone = {"Caroline", "Sam", "Jo", "Ann Smith", "Bob Smith", "", "(x|y", "🦉🦉🦉"}
    assert find_named_speaker(text, everyone) == speaker


def test_a_name_that_is_everyones_names_nobody():
    assert find_named_speaker("What did Anna say?", {"Anna Bell", "Anna Holm"}) == ""
    assert find_named_speaker("What did Anna Bell say?", {"Anna Bell", "Tom Holm"}) == "Anna Bell"


@given(st.text(max_size=60), st.sets(st.text(max_size=12), max_size=5))
def test_any_names_can_be_compared(text: str, speakers: set[str]):
    assert find_named_speaker(text, speakers) in {*speakers, ""}


@given(
    st.sets(st.text("abc ", max_size=6), max_size=5),
    st.sets(st.text("abc ", max_size=6), max_size=5),
)
def test_more_speakers_name_nobody_else_for_sure(some: set[str], more: set[str]):
    named = find_named_speaker("abc cab", some)
    assert find_named_speaker("abc cab", some | more) in {named, ""} or not named


def test_a_user_counts_only_beside_an_assistant():
    only = {"message": Weights(**{**OFF, "user": 1.0})}
    people, chat = (
        [
            plain(number, shape="message", speaker=speaker, counts=SAID)
            for number, speaker in ((1, "User"), (2, other))
        ]
        for other in ("Ann", "Assistant")
    )
    assert [one.rank_score for one in rank(ASKED, people, most=10, weights=only)] == [0, 0]
    assert [one.rank_score for one in rank(ASKED, chat, most=10, weights=only)] == [1, 0]


def test_times_and_days_count_only_where_they_are_asked_for():
    some = [plain(1, counts=SAID, times=2, said_at=at(2023, 5, 8)), plain(2, counts=SAID)]
    unasked = replace(ASKED, asks_when=False, days=[])
    parts = [one.parts for one in rank(unasked, some, most=10, weights=EVERYTHING)]
    assert not any({"when", "day"} & each.keys() for each in parts)
