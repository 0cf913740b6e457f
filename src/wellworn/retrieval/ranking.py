"""The ranking: all that finds things, in the order it happens.

1. The index proposes candidates: what is nearest in meaning, what shares the rarest words, what is
   called as asked. (`names.py`, `terms.py`)
2. The best fifty bring the neighbours that they have in their conversation or document along.
3. Every candidate gets a score for each reason there is to show it: below, `reasons`.
4. Scores become z-scores over the candidates, are multiplied by the weights that belong to the
   shape of the unit (`weights.py`), and added. Each part is kept: every result explains itself.
5. Confirmed use moves results a little. (`usefulness.py`)

Nothing here has a clock, chance or a memory of its own: equal candidates give equal orders.

Source: `docs/adr/0014-ranking.md`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

import numpy as np

from wellworn.retrieval.fusion import FloatArray, Match, Ranked, far_apart, in_order, standardised
from wellworn.retrieval.matching import Pieces, best_matches
from wellworn.retrieval.moments import NamedDay, nearness
from wellworn.retrieval.names import name_share
from wellworn.retrieval.shapes import role_of
from wellworn.retrieval.surroundings import around, nearby_words, neighbours, with_question
from wellworn.retrieval.weights import (
    FIRST_STAGE,
    LEAST_KEYWORD_DEVIATION,
    LEAST_PIECE_DEVIATION,
    WEIGHTS,
    Shape,
    Weights,
)

_WORD = re.compile(r"\w+")
_LEAST_NAME = 3
_ROUNDING = 1e-9
_COMPARED_LETTERS = 4


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked, as ranking sees it.

    Attributes:
        text: the words as they were given.
        rarity: its terms with their idf in the space.
        pieces: `(n, 128)` vectors of its word pieces; none switches token-level matching off.
        weights: `(n,)` what each piece counts; they sum to one.
        days: the days it names.
        asks_when: whether it asks for a time.
        is_look_up: whether a name is all that it asks for.
        full_name: the name score of what is called exactly as asked; 0 when no name is asked.
    """

    text: str
    rarity: Mapping[int, float]
    pieces: Pieces
    weights: Pieces
    days: Sequence[NamedDay] = ()
    asks_when: bool = False
    is_look_up: bool = False
    full_name: float = 0.0


@dataclass(frozen=True, slots=True)
class Unit:
    """A candidate: its scores in the index, and what was kept of its words.

    Attributes:
        match: cosine, keyword and name score; None for a neighbour that is no candidate.
        place: its session and place in it.
        said_at: when it was said or written, in epoch seconds.
        codes: `matching.packed` of its text; empty if it has none, or none of this model.
        counts: `surroundings.counted` of its text.
        asks: whether it ends with a question.
        times: how many words tell a time, up to two.
    """

    id: int
    shape: Shape
    match: Match | None = None
    place: tuple[str, int] | None = None
    speaker: str = ""
    said_at: float = 0.0
    codes: bytes = b""
    counts: bytes = b""
    asks: bool = False
    times: int = 0


def ranked(
    question: Question,
    units: Sequence[Unit],
    *,
    most: int,
    weights: Mapping[Shape, Weights] = WEIGHTS,
) -> list[Ranked]:
    """Return the best of those units that are candidates; equal ones by cosine, then by id.

    The others only stand beside them.
    """
    candidates = [at for at, unit in enumerate(units) if unit.match is not None]
    if not candidates:
        return []
    scores = reasons(question, units, candidates)
    each = [_weights_of(units[at], weights) for at in candidates]
    parts = {name: _weighed(column, name, each) for name, column in scores.items()}
    told = {name: column.tolist() for name, column in parts.items() if column.any()}
    matches = [match for at in candidates if (match := units[at].match) is not None]
    best = _best(np.sum([*parts.values()], axis=0), most)
    return in_order(
        Ranked(
            matches[row].id,
            matches[row].cosine,
            matches[row].keyword,
            {name: column[row] for name, column in told.items() if column[row]},
        )
        for row in best
    )[:most]


def _weights_of(unit: Unit, weights: Mapping[Shape, Weights]) -> Weights:
    """Return the weights of the shape; where nothing is kept of the words, the index decides."""
    return weights[unit.shape] if unit.codes or unit.counts else FIRST_STAGE


def _weighed(column: FloatArray, name: str, weights: Sequence[Weights]) -> FloatArray:
    return np.array([getattr(each, name) for each in weights]) * column


def _best(totals: FloatArray, most: int) -> list[int]:
    """Return the rows of the highest totals, and all that are as high up to rounding."""
    if len(totals) <= most:
        return [*range(len(totals))]
    least = np.partition(totals, len(totals) - most)[len(totals) - most]
    return np.flatnonzero(totals >= least - _ROUNDING).tolist()


def reasons(
    question: Question, units: Sequence[Unit], candidates: Sequence[int]
) -> dict[str, FloatArray]:
    """Return one column a reason over the candidates, z-scores first; names as in `Weights`."""
    return {
        **_by_index(question, units, candidates),
        **_by_pieces(question, units, candidates),
        **_by_circumstance(question, units, candidates),
    }


def _by_index(
    question: Question, units: Sequence[Unit], candidates: Sequence[int]
) -> dict[str, FloatArray]:
    matches = [match for at in candidates if (match := units[at].match) is not None]
    meaning = far_apart([one.cosine for one in matches])
    words = standardised([one.keyword for one in matches], LEAST_KEYWORD_DEVIATION)
    names = np.array([name_share(one.name, question.full_name) for one in matches])
    called = "name" if question.is_look_up else "mention"
    return {"meaning": meaning, "words": words, called: names}


def _by_pieces(
    question: Question, units: Sequence[Unit], candidates: Sequence[int]
) -> dict[str, FloatArray]:
    beside = neighbours([unit.place for unit in units])
    shapes: list[Shape] = [unit.shape for unit in units]
    nearby = nearby_words([unit.counts for unit in units], shapes, beside, question.rarity)
    replies = np.array([_replies(units, at, row) for at, row in enumerate(beside)], np.bool_)
    scores = {
        "nearby": standardised(nearby[candidates], LEAST_KEYWORD_DEVIATION),
        "replies": replies[candidates].astype(np.float64),
    }
    coded = np.array([bool(unit.codes) for unit in units])
    if not len(question.weights) or not coded[candidates].any():
        return scores
    matches = best_matches([unit.codes for unit in units], question.pieces)
    found = {
        "pieces": matches,
        "answer": with_question(matches, beside, replies),
        "around": around(matches, beside),
    }
    has_codes = coded[candidates]
    for name, column in found.items():
        # Row by row: a matrix product rounds equal rows differently, by their place among others.
        weighed = (column[candidates] * question.weights).sum(axis=1)
        # Without codes there is nothing to say for or against a unit.
        scores[name] = standardised(weighed, LEAST_PIECE_DEVIATION, among=has_codes)
    return scores


def _replies(units: Sequence[Unit], at: int, row: Sequence[int]) -> bool:
    before = row[len(row) // 2 - 1]
    if before < 0:
        return False
    return units[before].asks and units[before].speaker != units[at].speaker


def _by_circumstance(
    question: Question, units: Sequence[Unit], candidates: Sequence[int]
) -> dict[str, FloatArray]:
    chosen = [units[at] for at in candidates]
    named = named_speaker(question.text, {unit.speaker for unit in chosen})
    roles = set(map(role_of, {unit.speaker for unit in chosen}))
    in_chat = {"user", "assistant"} <= roles
    nothing = [0.0] * len(chosen)
    columns = {
        "day": [_day_named(unit, question.days) for unit in chosen] if question.days else nothing,
        "when": [unit.times for unit in chosen] if question.asks_when else nothing,
        "speaker": [unit.speaker == named for unit in chosen] if named else nothing,
        "asks": [unit.asks for unit in chosen],
        "user": [role_of(unit.speaker) == "user" for unit in chosen] if in_chat else nothing,
    }
    return {name: np.array(column, np.float64) for name, column in columns.items()}


def _day_named(unit: Unit, named: Sequence[NamedDay]) -> float:
    return nearness(datetime.fromtimestamp(unit.said_at, UTC).date(), named)


def named_speaker(text: str, speakers: set[str]) -> str:
    """Return the one speaker whom a question names, by the beginning of a name; else nothing."""
    said = {word[:_COMPARED_LETTERS] for word in _WORD.findall(text.lower())}
    named = {
        speaker
        for speaker in speakers
        for part in _WORD.findall(speaker.lower())
        if len(part) >= _LEAST_NAME and part[:_COMPARED_LETTERS] in said
    }
    return named.pop() if len(named) == 1 else ""
