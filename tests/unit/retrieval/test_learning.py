"""Weights are learned where agents follow other reasons than the shipped ones, and nowhere else.

The worlds: questions with fifty candidates of which the shipped order shows ten, to readers who get
to the tenth a quarter as often as to the first. `preferring` readers confirm what shares words,
whatever else speaks for it; `careless` ones confirm anything; `obedient` ones what stands on top;
`agreeing` ones what the shipped score says.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wellworn.engines.retrieval import POLICY_VERSION
from wellworn.engines.retrieval.learning import (
    LEAST_FACTOR,
    LEAST_QUERIES,
    LEAST_SESSIONS,
    MOST_FACTOR,
    NOTHING_LEARNED,
    POLICY_STEP,
    REASONS,
    SHIPPED_POLICY,
    TrainingQuery,
    TrainingResult,
    compare_orders,
    fit_factors,
    is_control,
    learn_weights,
    make_policy,
)
from wellworn.engines.retrieval.weights import WEIGHTS

CANDIDATES, SHOWN = 50, 10
SPREAD = {"meaning": 1.5, "words": 1.0, "nearby": 1.0, "pieces": 0.6, "around": 0.5}
WORDS = REASONS.index("words")
READ = 1.0 / (1.0 + 0.3 * np.arange(SHOWN))


def sigmoid(values):
    return 1.0 / (1.0 + np.exp(-values))


READERS = {
    "preferring": lambda parts: READ * sigmoid(2.5 * parts[:, WORDS] - 3.0),
    "careless": lambda _: READ * 0.2,
    "obedient": lambda _: np.array([0.8, 0.4, 0.2] + [0.0] * (SHOWN - 3)),
    "agreeing": lambda parts: READ * sigmoid(parts.sum(axis=1) - 7.0),
}


def candidates(rng):
    """Return parts in the shipped order: what speaks for one candidate mostly agrees."""
    parts = np.zeros((CANDIDATES, len(REASONS)))
    common = rng.normal(size=CANDIDATES)
    for reason, spread in SPREAD.items():
        parts[:, REASONS.index(reason)] = spread * (
            0.6 * common + 0.8 * rng.normal(size=CANDIDATES)
        )
    return parts[np.argsort(-parts.sum(axis=1))]


def asked(reader, *, seed=0, queries=600):
    rng = np.random.default_rng(seed)
    found = []
    for number in range(queries):
        parts = candidates(rng)
        grades = np.full(CANDIDATES, np.nan)
        grades[:SHOWN] = rng.random(SHOWN) < READERS[reader](parts[:SHOWN])
        # Now and then somebody misclicks.
        grades[:SHOWN][(rng.random(SHOWN) < 0.05) & (grades[:SHOWN] == 0.0)] = -1.0
        who = f"agent-{rng.integers(8)}"
        found.append(TrainingQuery(number, who, f"session-{number // 3}", parts, grades, SHOWN))
    return found


@pytest.fixture(scope="module")
def preferring():
    return asked("preferring")


@pytest.mark.parametrize("seed", range(3))
def test_what_readers_prefer_is_learned(seed):
    lesson = learn_weights(asked("preferring", seed=seed))
    assert 0.0 < lesson.low <= lesson.gain <= lesson.high
    assert max(lesson.factors, key=lesson.factors.__getitem__) == "words"
    assert lesson.factors["words"] > 1.5


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("reader", ["careless", "obedient", "agreeing"])
def test_where_labels_say_nothing_new_the_shipped_weights_stay(reader, seed):
    assert not learn_weights(asked(reader, seed=seed)).factors


def test_what_proves_good_only_once_is_not_learned(preferring):
    halfway = len(preferring) * 4 // 5
    changed_their_minds = preferring[:halfway] + asked("agreeing")[halfway:]
    assert learn_weights(preferring).factors
    assert not learn_weights(changed_their_minds).factors
    before = len(preferring) * 3 // 5
    late = asked("careless")[before:halfway]
    assert learn_weights([*preferring[:before], *late, *preferring[halfway:]]) == NOTHING_LEARNED


def test_the_same_labels_teach_the_same(preferring):
    assert learn_weights(preferring) == learn_weights(preferring)


def test_few_labels_teach_nothing():
    clear = [single([0.0, 0.0, 1.0], number=number) for number in range(LEAST_QUERIES)]
    assert learn_weights(clear).factors
    assert learn_weights(clear[1:]) == learn_weights([]) == NOTHING_LEARNED


def test_queries_of_which_nothing_is_said_do_not_count(preferring):
    silent = [replace(one, grades=np.where(one.grades == 0, 0, np.nan)) for one in preferring]
    assert not any(one.is_informative for one in silent)
    assert learn_weights(silent) == NOTHING_LEARNED


def test_a_few_sessions_decide_nothing(preferring):
    few = LEAST_SESSIONS - 1
    crowded = [replace(one, session=str(number % few)) for number, one in enumerate(preferring)]
    assert learn_weights(crowded) == NOTHING_LEARNED


def numbers(low, high):
    return st.floats(low, high, allow_nan=False)


def rows(values, at_most):
    return st.lists(st.lists(values, min_size=14, max_size=14), min_size=1, max_size=at_most)


@st.composite
def labelled(draw):
    parts = np.array(draw(rows(numbers(-20, 20), 5)))
    grade = st.sampled_from([1.0, 0.0, -1.0, np.nan])
    grades = draw(st.lists(grade, min_size=len(parts), max_size=len(parts)))
    number = draw(st.integers(1, 9))
    who = draw(st.sampled_from("ab"))
    return TrainingQuery(number, who, who, parts, np.array(grades), len(parts))


@given(st.lists(labelled(), max_size=6))
def test_factors_are_bounded_whatever_is_said(queries):
    factors = fit_factors(queries)
    assert factors.shape == (len(REASONS),)
    assert (factors >= LEAST_FACTOR).all()
    assert (factors <= MOST_FACTOR).all()


def test_factors_are_bounded_however_much_is_said():
    parts = np.zeros((2, len(REASONS)))
    parts[0, 0], parts[1, WORDS] = 1.5, 1.0
    factors = fit_factors([TrainingQuery(1, "ann", "s", parts, np.array([0.0, 1.0]), 2)] * 3_000)
    assert (factors[0], factors[WORDS]) == (LEAST_FACTOR, MOST_FACTOR)


@pytest.mark.slow
@given(st.lists(labelled(), max_size=6), st.sampled_from([0.0, 1.0, -1.0, np.nan]))
def test_without_evidence_the_factors_are_exactly_one(queries, said):
    alike = [replace(one, grades=np.full_like(one.grades, said)) for one in queries]
    assert fit_factors(alike).tolist() == [1.0] * len(REASONS)


@pytest.mark.slow
@given(st.lists(labelled(), max_size=6), st.integers(0, 13), numbers(-9, 9))
def test_a_reason_in_which_nothing_differs_keeps_its_weight(queries, reason, value):
    for one in queries:
        one.parts[:, reason] = value
    assert fit_factors(queries)[reason] == 1.0


@pytest.mark.slow
@given(st.lists(labelled(), min_size=1, max_size=6), st.randoms())
def test_neither_the_order_of_queries_nor_of_candidates_changes_what_is_learned(queries, random):
    mixed = []
    for one in queries:
        order = random.sample(range(len(one.grades)), len(one.grades))
        mixed.append(replace(one, parts=one.parts[order], grades=one.grades[order]))
    random.shuffle(mixed)
    assert fit_factors(mixed) == pytest.approx(fit_factors(queries), abs=1e-6)


def test_what_is_unknown_is_neither_better_nor_worse(preferring):
    half = preferring[:50]
    known = [replace(one, parts=one.parts[:SHOWN], grades=one.grades[:SHOWN]) for one in half]
    assert fit_factors(half).tolist() == fit_factors(known).tolist()


def test_one_agent_does_not_outvote_many(preferring):
    # One agent wants the opposite in a third of all queries, twelve times as often as any other.
    against = [
        replace(one, user="loud", grades=np.where(one.grades == 1, -1.0, 1.0 * (one.grades == -1)))
        for one in preferring[:200]
    ]
    others = [
        replace(one, user=f"quiet-{number % 24}") for number, one in enumerate(preferring[200:])
    ]
    everybody = fit_factors(against + others)
    each_for_itself = fit_factors(
        [replace(one, user=str(number)) for number, one in enumerate(against + others)]
    )
    assert everybody[WORDS] > 1.3
    assert each_for_itself[WORDS] < 1.0


def test_equal_orders_gain_exactly_nothing(preferring):
    twice = compare_orders(np.full(len(REASONS), 2.0), preferring)
    assert (twice.gain, twice.low, twice.high) == (0.0, 0.0, 0.0)
    assert not twice.factors


def single(grades, *, number, places=2):
    """Return a query of three candidates: words speak for the last, all else for the others."""
    parts = np.zeros((3, len(REASONS)))
    parts[:, 0], parts[:, WORDS] = (3.0, 2.0, 0.0), (0.0, 0.0, 1.0)
    return TrainingQuery(number, "ann", str(number), parts, np.array(grades), places)


def gain(grades, **more):
    to_the_words = np.where(np.arange(len(REASONS)) == WORDS, 4.0, 0.25)
    return compare_orders(to_the_words, [single(grades, number=n, **more) for n in range(20)]).gain


def test_a_team_gains_for_what_it_picks_and_the_other_did_not():
    # Shipped 0, 1, 2; learned 2, 0, 1: with two places each team has its own first pick.
    assert gain([0.0, 0.0, 1.0]) == 1.0
    assert gain([1.0, 0.0, 0.0]) == -1.0
    assert gain([0.0, 0.0, -1.0]) == -1.0
    assert gain([np.nan, np.nan, 1.0]) == 1.0


def test_what_is_shown_to_nobody_gains_nothing():
    # One place: half of the drafts show the one, half the other.
    assert gain([0.0, 0.0, 1.0], places=1) == 0.5
    assert gain([0.0, 1.0, 0.0], places=1) == 0.0


def test_without_a_lesson_weights_and_number_are_the_shipped_ones():
    assert make_policy(NOTHING_LEARNED, day=20_000) is SHIPPED_POLICY
    assert SHIPPED_POLICY.weights is WEIGHTS
    assert SHIPPED_POLICY.version == POLICY_VERSION
    assert make_policy(TrainingResult(dict.fromkeys(REASONS, 1.0)), day=1).weights == WEIGHTS


def test_factors_multiply_a_reason_in_every_shape_and_nothing_else():
    policy = make_policy(TrainingResult({"words": 2.0, "asks": 0.5}), day=20_000)
    for shape, weights in policy.weights.items():
        shipped = WEIGHTS[shape]
        changed = replace(shipped, words=2.0 * shipped.words, asks=0.5 * shipped.asks)
        assert weights == changed
    assert policy.weights.keys() == WEIGHTS.keys()


@given(st.integers(1, 10**6))
def test_the_number_of_a_policy_tells_the_rules_and_the_day(day):
    version = make_policy(TrainingResult({"words": 2.0}), day=day).version
    assert divmod(version, POLICY_STEP) == (day, POLICY_VERSION)


def test_about_one_question_in_five_is_a_control():
    share = sum(is_control(f"what became of number {one}?") for one in range(2_000)) / 2_000
    assert 0.17 < share < 0.23


@given(st.text())
def test_the_same_question_always_has_the_same_order(text):
    assert is_control(text) == is_control(f"  {text}\n")
