"""Weights learned from feedback: a factor for each reason, used only where interleaving agrees.

The shipped weights were measured on public sets; what is called useful in one space may follow
other reasons. Labelled queries are split by time, 60/20/20. From the first part follow factors, by
logistic regression over pairs of what was shown, pulled towards 1: without evidence the weights are
the shipped ones. On each of the other parts both orders pick a team in turn, and a team gains for
a pick that was confirmed and loses for one that was called irrelevant. Learned factors are used if
their team gains more on both parts, so surely that the whole 95 % interval, drawn by session, is
above zero.

There are labels only for what the shipped order showed. What it never showed gains nothing when a
learned order brings it up, and who reads from the top confirms what stands there. Both speak for
the shipped order, so a learned one must be better than it has to look. That holds only while labels
come from shipped orders: one question in five goes on being answered in that order (`is_control`),
and what a learned order showed is no evidence.

A user's queries weigh together as the root of their number: ten users outweigh one ten times.

Source: `docs/concepts.md`, "Learned weights"; team-draft interleaving (Radlinski and others, 2008).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wellworn.engines.retrieval.co_use.gate import bootstrap_interval
from wellworn.engines.retrieval.fusion import FloatArray, RankedResult, sort_results
from wellworn.engines.retrieval.interleaving import Team, draft
from wellworn.engines.retrieval.weights import POLICY_VERSION, WEIGHTS, Shape, Weights
from wellworn.kit.text import fingerprint, normalise_text

REASONS: Final = tuple(field.name for field in fields(Weights))
LEAST_QUERIES: Final = 100
#: In each of the parts that decide; a few sessions agree by chance.
LEAST_SESSIONS: Final = 10
#: No reason is ever switched off, or turned round.
LEAST_FACTOR: Final = 0.25
MOST_FACTOR: Final = 4.0
#: Learned weights have the number of the rules, and this many times the day they were learned on.
POLICY_STEP: Final = 1_000

_CONTROLS = 5
_TRAINED, _TUNED = 0.6, 0.8
#: In ten simulated spaces with 300 queries and a reason to prefer, learned weights won nine times.
#: With 2 factors run so far that what was never shown comes up (none); 100 holds them back (four).
_PULL = 20.0
_MOST_STEPS = 200
_STILL = 1e-10
_DRAFTS = 4


@dataclass(frozen=True, slots=True)
class TrainingQuery:
    """A query as the shipped weights answer it now, and what was said of what it showed.

    Attributes:
        number: its place in time; the draft is tossed by it.
        user: who counts as one user.
        parts: `(candidates, reasons)` what each of `REASONS` adds to each score.
        grades: `(candidates,)` 1 confirmed, -1 called irrelevant, 0 shown without a word, NaN for
            what nothing is known of.
        places: how many were shown; at least 1.
    """

    number: int
    user: str
    session: str
    parts: FloatArray
    grades: FloatArray
    places: int

    @property
    def is_informative(self) -> bool:
        """Whether something was said of one candidate that was not said of another."""
        known = self.grades[~np.isnan(self.grades)]
        return bool(known.size) and bool(known.min() < known.max())


class TrainingResult(NamedTuple):
    """The lesson from labels.

    Attributes:
        factors: by reason; empty where the shipped weights stay.
        gain: what the learned order's team gained above the shipped one's, a label, -1 to 1; `low`
            and `high` bound it.
        queries: how many decided.
    """

    factors: Mapping[str, float]
    gain: float = 0.0
    low: float = 0.0
    high: float = 0.0
    queries: int = 0


NOTHING_LEARNED: Final = TrainingResult({})


_NO_FACTORS: Final[Mapping[str, float]] = {}


class Policy(NamedTuple):
    """Weights, and the number that showings by them are logged with; `factors` made them."""

    weights: Mapping[Shape, Weights] = WEIGHTS
    version: int = POLICY_VERSION
    factors: Mapping[str, float] = _NO_FACTORS


SHIPPED_POLICY: Final = Policy()


def make_policy(result: TrainingResult, *, day: int) -> Policy:
    """Return the weights that a lesson of a day, counted from 1970-01-01, makes of the shipped."""
    if not result.factors:
        return SHIPPED_POLICY
    weights: dict[Shape, Weights] = {
        shape: _multiply(shipped, result.factors) for shape, shipped in WEIGHTS.items()
    }
    return Policy(weights, POLICY_VERSION + POLICY_STEP * day, {**result.factors})


def _multiply(weights: Weights, factors: Mapping[str, float]) -> Weights:
    return replace(
        weights, **{name: factor * getattr(weights, name) for name, factor in factors.items()}
    )


def rank_again(
    results: Sequence[RankedResult], in_use: Policy, tried: Policy
) -> list[RankedResult]:
    """Return results of the weights in use in the order of those on trial."""
    factors = {
        name: tried.factors.get(name, 1.0) / in_use.factors.get(name, 1.0)
        for name in {*tried.factors, *in_use.factors}
    }
    return sort_results(_scale(result, factors) for result in results)


def _scale(result: RankedResult, factors: Mapping[str, float]) -> RankedResult:
    parts = {name: factors.get(name, 1.0) * part for name, part in result.parts.items()}
    return RankedResult(result.id, result.cosine, result.keyword, parts)


def is_control(text: str) -> bool:
    """Tell whether a question is answered in the shipped order whatever was learned.

    By its words alone, so that the same question always has the same order.
    """
    return int(fingerprint(normalise_text(text))[:8], 16) % _CONTROLS == 0


def learn_weights(queries: Sequence[TrainingQuery]) -> TrainingResult:
    """Learn from the labelled queries of one space, oldest first."""
    telling = [query for query in queries if query.is_informative]
    if len(telling) < LEAST_QUERIES:
        return NOTHING_LEARNED
    trained, tuned = int(_TRAINED * len(telling)), int(_TUNED * len(telling))
    first = compare_orders(fit_factors(telling[:trained]), telling[trained:tuned])
    if not first.factors:
        # It is tried again every day, and must not succeed by luck, one time in forty.
        return NOTHING_LEARNED
    return compare_orders(fit_factors(telling[:tuned]), telling[tuned:])


def fit_factors(queries: Sequence[TrainingQuery]) -> FloatArray:
    """Return a factor for each of `REASONS`, exactly 1 where nothing speaks against it."""
    shares = _weigh_queries(queries)
    pairs = [_compare_pairs(query) for query in queries]
    weights = np.concatenate(
        [
            np.full(len(some), share / max(1, len(some)))
            for some, share in zip(pairs, shares, strict=True)
        ]
        or [np.empty(0)]
    )
    differences = np.concatenate(pairs or [np.empty((0, len(REASONS)))])
    # How much a score says at all comes first, or every reason would be blamed for loose labels.
    total = differences.sum(axis=1, keepdims=True)
    sharpness = np.clip(_fit_logistic(total, weights), LEAST_FACTOR, MOST_FACTOR)
    return np.clip(_fit_logistic(sharpness * differences, weights), LEAST_FACTOR, MOST_FACTOR)


def _weigh_queries(queries: Sequence[TrainingQuery]) -> FloatArray:
    """Return what each query weighs, 1 on average."""
    of_user = Counter(query.user for query in queries)
    shares = np.array([of_user[query.user] ** -0.5 for query in queries])
    return shares / shares.mean() if len(shares) else shares


def _compare_pairs(query: TrainingQuery) -> FloatArray:
    """Return `(pairs, reasons)`: by how much the better of two is ahead, of what was shown."""
    better, worse = np.nonzero(query.grades[:, None] > query.grades[None, :])
    return query.parts[better] - query.parts[worse]


def _fit_logistic(differences: FloatArray, weights: FloatArray) -> FloatArray:
    """Return the factors under which the better of each pair is likeliest ahead, pulled to 1."""
    width = differences.shape[1]
    factors = np.ones(width)
    # A bound on all curvatures in place of the one here: no step can go too far.
    bound = differences.T @ (0.25 * weights[:, None] * differences) + _PULL * np.eye(width)
    for _ in range(_MOST_STEPS):
        behind = 0.5 - 0.5 * np.tanh(0.5 * (differences @ factors))
        slope = differences.T @ (weights * behind) - _PULL * (factors - 1.0)
        step = np.linalg.solve(bound, slope)
        factors += step
        if np.abs(step).max() < _STILL:
            break
    return factors


def compare_orders(factors: FloatArray, queries: Sequence[TrainingQuery]) -> TrainingResult:
    """Let the order by factors play against the shipped one; it is learned only if it wins."""
    shares = _weigh_queries(queries)
    gains = np.array([_measure_gain(query, factors) for query in queries])
    numbers: dict[str, int] = {}
    groups = np.array(
        [numbers.setdefault(query.session, len(numbers)) for query in queries], np.int64
    )
    if len(numbers) < LEAST_SESSIONS:
        return NOTHING_LEARNED
    by_session = np.bincount(groups, shares * gains).astype(np.float64)
    of_session = np.bincount(groups, shares).astype(np.float64)
    low, high = bootstrap_interval(by_session, of_session)
    gain = float(by_session.sum() / of_session.sum())
    won = dict(zip(REASONS, factors.tolist(), strict=True)) if low > 0.0 else {}
    return TrainingResult(won, gain, low, high, len(queries))


def _measure_gain(query: TrainingQuery, factors: FloatArray) -> float:
    """Return what the learned order's picks gain above the shipped one's, -1 to 1."""
    grades = np.nan_to_num(query.grades)
    orders = [_sort_rows(query.parts.sum(axis=1)), _sort_rows(query.parts @ factors)]
    if orders[0][: query.places] == orders[1][: query.places]:
        return 0.0
    tosses = np.random.default_rng(query.number).integers(2, size=(_DRAFTS, query.places))
    # Each toss counts both ways, so that being first is nobody's merit.
    drafts = [_play_draft(orders, toss.tolist(), grades) for toss in (*tosses, *(1 - tosses))]
    return sum(drafts) / (len(drafts) * float(np.abs(grades).sum()))


def _sort_rows(scores: FloatArray) -> list[int]:
    return np.argsort(-scores, kind="stable").tolist()


def _play_draft(
    orders: Sequence[Sequence[int]], tosses: Sequence[int], grades: NDArray[np.float64]
) -> float:
    """Let two orders pick in turn, the first of each two by toss; return the second's lead."""
    signs = {Team.IN_USE: -1.0, Team.TRIED: 1.0, Team.BOTH: 0.0}
    in_use, tried = orders
    drafted = draft(in_use, tried, tosses, len(tosses))
    return sum(float(grades[row]) * signs[team] for row, team in drafted)
