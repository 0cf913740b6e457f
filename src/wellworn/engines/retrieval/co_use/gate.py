"""The gate in front of "often needed next": does co-use tell more than what is known without it?

The log decides, without labels. Sessions are split by time, 60/20/20. From the first part follow
the graph and the baseline: nearness to what was asked and used, plus popularity. How much of
popularity and of the graph goes into the sum is tuned on the second. The gate opens if, on the
last, the graph finds more of what was used next within ten places than the baseline does, so
surely that the whole 95 % interval of the gain, drawn by session, is above zero; and if it did so
on the second already, for the gate is tried again every day and must not open by luck.

Popularity is in the baseline and, as chance, in the weight of the graph: without either, a graph of
shuffled queries, which knows nothing but popularity, opens the gate.

Source: `docs/concepts.md`, "Often needed next".
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wellworn.engines.retrieval.co_use.events import (
    CoUse,
    Session,
    Step,
    iterate_co_uses,
    score_co_uses,
    weigh_pairs,
)

Floats = NDArray[np.float32]
Places = NDArray[np.intp]

#: Sessions with at least two steps; with fewer the last fifth decides by chance.
LEAST_SESSIONS: Final = 100
PLACES: Final = 10
#: The results whose neighbours are shown.
MOST_SEEDS: Final = 3
_TRAINED, _TUNED = 0.6, 0.8
_POPULARITY: Final = (0.0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5)
_GRAPH: Final = (0.0, 2.0, 5.0, 10.0, 20.0, 50.0)
_DRAWS: Final = 1_000


class GateResult(NamedTuple):
    """The log's verdict; `low` and `high` bound the gain of hit@10, 0 where it says too little."""

    is_open: bool
    gain: float = 0.0
    low: float = 0.0
    high: float = 0.0
    sessions: int = 0


CLOSED: Final = GateResult(is_open=False)


class _Case(NamedTuple):
    """A step of a session, and what the next one used that this one had not shown."""

    session: int
    owner: str | None
    step: Step
    wanted: frozenset[int]


def evaluate_gate(sessions: Sequence[Session]) -> GateResult:
    """Decide on the sessions of one space, oldest first; those of a single step tell nothing."""
    telling = [session for session in sessions if len(session.steps) > 1]
    if len(telling) < LEAST_SESSIONS:
        return CLOSED
    trained, tuned = int(_TRAINED * len(telling)), int(_TUNED * len(telling))
    examination = _Evaluation(telling[:trained], telling[trained:tuned])
    popularity = examination.tune_weights([(mu, 0.0) for mu in _POPULARITY])
    weights = examination.tune_weights([(popularity[0], share) for share in _GRAPH])
    tuned_result = examination.compare_weights(popularity, weights)
    last = _Evaluation(telling[:tuned], telling[tuned:])
    result = last.compare_weights(popularity, weights)
    # A graph that gains nothing sure where it was tuned would open by luck, one time in forty.
    return result._replace(is_open=result.is_open and tuned_result.is_open)


class _Evaluation:
    """Sessions asked what comes next, by one who knows those before them."""

    def __init__(self, before: Sequence[Session], asked: Sequence[Session]) -> None:
        known = _UseHistory(before)
        self._cases = list(_list_cases(asked))
        steps = [case.step for case in self._cases]
        self._near = known.score_nearness(steps)
        self._popularity = known.popularity
        self._graph = np.array([known.score_needs(case) for case in self._cases]).reshape(
            self._near.shape
        )
        # Whatever the weights are, these are the same: rows of cases and columns of thoughts.
        self._seen = known.find_places((*step.shown, *step.used) for step in steps)
        self._wanted = known.find_places(case.wanted for case in self._cases)

    def tune_weights(self, choices: Sequence[tuple[float, float]]) -> tuple[float, float]:
        """Return the weights that hit most often; of equals the smallest."""
        return max(
            choices, key=lambda choice: (self._count_hits(*choice).sum(), -choice[0], -choice[1])
        )

    def compare_weights(
        self, baseline: tuple[float, float], candidate: tuple[float, float]
    ) -> GateResult:
        gains = self._count_hits(*candidate) - self._count_hits(*baseline)
        wanted = np.array([len(case.wanted) for case in self._cases], dtype=np.float64)
        groups = np.array([case.session for case in self._cases], dtype=np.int64)
        sessions = int(groups.max()) + 1 if len(groups) else 0
        by_session = np.bincount(groups, gains, sessions).astype(np.float64)
        of_session = np.bincount(groups, wanted, sessions).astype(np.float64)
        if not of_session.any():
            return CLOSED
        low, high = bootstrap_interval(by_session, of_session)
        gain = float(by_session.sum() / of_session.sum())
        return GateResult(low > 0.0, gain, low, high, int((of_session > 0).sum()))

    def _count_hits(self, popularity: float, graph: float) -> NDArray[np.float64]:
        """Return for each case how many of the wanted are among the first ten."""
        scores = self._near + popularity * self._popularity + graph * self._graph
        scores[self._seen] = -np.inf
        cases, _ = self._wanted
        before = (scores[cases] > scores[self._wanted][:, None]).sum(axis=1)
        return np.bincount(cases, before < PLACES, len(self._cases)).astype(np.float64)


class _UseHistory:
    """The uses of thoughts in earlier sessions, one column each."""

    def __init__(self, sessions: Sequence[Session]) -> None:
        uses: Counter[int] = Counter()
        sums: dict[int, Floats] = {}
        self._neighbours: defaultdict[int, list[CoUse]] = defaultdict(list)
        for session in sessions:
            for step in session.steps:
                for thought in step.used:
                    uses[thought] += 1
                    sums[thought] = sums.get(thought, 0.0) + step.query
            for event in iterate_co_uses(session):
                self._neighbours[event.thought].append(event)
        self._chances = weigh_pairs(sessions)
        self.column = {thought: number for number, thought in enumerate(uses)}
        self.popularity = np.log1p(np.array(list(uses.values()), dtype=np.float32))
        # What a thought was used for tells where it lies.
        self._places = (
            _normalise(np.stack(list(sums.values()))) if sums else np.zeros((0, 1), np.float32)
        )

    def find_places(self, thoughts: Iterable[Iterable[int]]) -> tuple[Places, Places]:
        """Return the row and the column of each known thought of each row."""
        places = [
            (row, self.column[thought])
            for row, some in enumerate(thoughts)
            for thought in some
            if thought in self.column
        ]
        rows, columns = np.array(places, np.intp).reshape(-1, 2).T
        return rows, columns

    def score_nearness(self, steps: Sequence[Step]) -> Floats:
        """Return `(steps, thoughts)`: cosine to what was asked and used."""
        anchors = [self._compute_anchor(step) for step in steps]
        if not anchors:
            return np.zeros((0, len(self.column)), dtype=np.float32)
        return np.stack(anchors) @ self._places.T

    def _compute_anchor(self, step: Step) -> Floats:
        used = [
            self._places[self.column[thought]] for thought in step.used if thought in self.column
        ]
        return _normalise(step.query + (np.mean(used, axis=0) if used else 0.0))

    def score_needs(self, case: _Case) -> Floats:
        """Return `(thoughts,)`: shares of the co-uses of the first results, as they are shown."""
        row = np.zeros(len(self.column), dtype=np.float32)
        events = [
            event for seed in case.step.shown[:MOST_SEEDS] for event in self._neighbours[seed]
        ]
        strengths = score_co_uses(events, owner=case.owner, now=case.step.at, chances=self._chances)
        total = 1.0 + sum(strengths.values())
        for thought, strength in strengths.items():
            row[self.column[thought]] = strength / total
        return row


def _list_cases(sessions: Sequence[Session]) -> Iterable[_Case]:
    for number, session in enumerate(sessions):
        for step, following in zip(session.steps, session.steps[1:], strict=False):
            if wanted := frozenset(following.used).difference(step.shown, step.used):
                yield _Case(number, session.owner, step, wanted)


def _normalise(vectors: Floats) -> Floats:
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return (vectors / np.maximum(lengths, 1e-12)).astype(np.float32)


def bootstrap_interval(
    gains: NDArray[np.float64], wanted: NDArray[np.float64]
) -> tuple[float, float]:
    """Return the 95 % interval of the gain a wanted thought, sessions redrawn each time."""
    # A seed of its own: the same log gives the same verdict.
    drawn = np.random.default_rng(0).integers(len(gains), size=(_DRAWS, len(gains)))
    totals = np.maximum(wanted[drawn].sum(axis=1), 1.0)
    low, high = np.quantile(gains[drawn].sum(axis=1) / totals, (0.025, 0.975))
    return float(low), float(high)
