"""The ranking: all that finds things, in the order it happens.

1. The index proposes candidates: what is nearest in meaning, what shares the rarest words, what is
   called as asked. (`text`)
2. The best of them bring the neighbours that they have in their conversation or document along.
3. Every candidate gets a score for each reason there is to show it: `score_reasons`.
4. Scores become z-scores over the candidates, are multiplied by the weights that belong to the
   shape of the unit (`weights.py`), and added. Each part stays: every result explains itself.
5. Confirmed use moves results a little. (`usefulness.py`)

Nothing here has a clock, chance or a memory of its own: equal candidates give equal orders.

Source: `docs/adr/0014-ranking.md`.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wellworn.engines.retrieval.fusion import (
    RankedResult,
    sort_results,
    standardise,
    standardise_cosines,
)
from wellworn.engines.retrieval.matching import Pieces, match_pieces
from wellworn.engines.retrieval.surroundings import (
    Neighbours,
    find_neighbours,
    include_neighbours,
    include_question,
    score_nearby_words,
)
from wellworn.engines.retrieval.text.moments import NamedDay, score_nearest_day
from wellworn.engines.retrieval.text.names import score_names
from wellworn.engines.retrieval.text.shapes import detect_role
from wellworn.engines.retrieval.weights import (
    FIRST_STAGE,
    LEAST_KEYWORD_DEVIATION,
    LEAST_PIECE_DEVIATION,
    MISTYPED_NAME,
    MOST_STEPS,
    WEIGHTS,
    Shape,
    Weights,
)
from wellworn.kit.matches import FloatArray, Matches

Flags = NDArray[np.bool_]

_WORD = re.compile(r"\w+")
_LEAST_NAME = 3
_ROUNDING = 1e-9
_COMPARED_LETTERS = 4


@dataclass(frozen=True, slots=True)
class Question:
    """A question as ranking sees it.

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


class Unit(NamedTuple):
    """A candidate, or what stands beside one: what was stored of its words.

    A tuple, because there are hundreds a question, and a tuple is made four times as fast.

    Attributes:
        place: its session and place in it.
        said_at: when it was said or written, in epoch seconds.
        codes: `pack_pieces` of its text; empty if it has none, or none of this model.
        counts: `pack_word_counts` of its text.
        asks: whether it ends with a question.
        times: how many words tell a time, up to two.
    """

    id: int
    shape: Shape
    place: tuple[str, int] | None = None
    speaker: str = ""
    said_at: float = 0.0
    codes: bytes = b""
    counts: bytes = b""
    asks: bool = False
    times: int = 0


def rank(
    question: Question,
    units: Sequence[Unit],
    matches: Matches,
    *,
    most: int,
    also: Collection[int] = (),
    weights: Mapping[Shape, Weights] = WEIGHTS,
) -> list[RankedResult]:
    """Return the best of those units that `matches` has; equal ones by cosine, then by id.

    The others only stand beside them. Behind the best come those with the ids of `also`.
    """
    rows = matches.locate([unit.id for unit in units])
    candidates = np.flatnonzero(rows >= 0)
    if not len(candidates):
        return []
    matches, chosen = matches.select(rows[candidates]), _pick(units, candidates)
    parts = _weigh(score_reasons(question, units, candidates, matches), chosen, weights)
    best = _select_best(np.sum([*parts.values()], axis=0), most)
    best += [row for row in _find_rows(also, chosen) if row not in best]
    best_parts = {name: column[best].tolist() for name, column in parts.items()}
    results = sort_results(
        RankedResult(
            match.id,
            match.cosine,
            match.keyword,
            {name: column[row] for name, column in best_parts.items() if column[row]},
        )
        for row, match in enumerate(matches.select(np.array(best, np.intp)))
    )
    return results[:most] + [result for result in results[most:] if result.id in also]


def _pick(units: Sequence[Unit], places: NDArray[np.intp]) -> list[Unit]:
    chosen: list[int] = places.tolist()
    return [units[at] for at in chosen]


def _find_rows(ids: Collection[int], units: Sequence[Unit]) -> list[int]:
    return [row for row, unit in enumerate(units) if unit.id in ids] if ids else []


def _weigh(
    columns: Mapping[str, FloatArray], units: Sequence[Unit], weights: Mapping[Shape, Weights]
) -> dict[str, FloatArray]:
    """Multiply each column by the weights of each unit's shape."""
    rows: dict[Shape | None, int] = {}
    of_each = np.array([rows.setdefault(_find_known_shape(unit), len(rows)) for unit in units])
    known = [FIRST_STAGE if shape is None else weights[shape] for shape in rows]
    return {
        name: np.array([getattr(shape_weights, name) for shape_weights in known])[of_each] * column
        for name, column in columns.items()
    }


def _find_known_shape(unit: Unit) -> Shape | None:
    """Return the shape; None where nothing is stored of the words, so that the index decides."""
    return unit.shape if unit.codes or unit.counts else None


def _select_best(totals: FloatArray, most: int) -> list[int]:
    """Return the rows of the highest totals, and all that are as high up to rounding."""
    if len(totals) <= most:
        return [*range(len(totals))]
    least = np.partition(totals, len(totals) - most)[len(totals) - most]
    return np.flatnonzero(totals >= least - _ROUNDING).tolist()


def score_reasons(
    question: Question,
    units: Sequence[Unit],
    candidates: NDArray[np.intp],
    matches: Matches,
) -> dict[str, FloatArray]:
    """Return one column a reason over the candidates, z-scores first; names as in `Weights`.

    `candidates` are the places of those units whose scores `matches` has, row by row. A reason
    that nothing speaks for has no column.
    """
    chosen = _pick(units, candidates)
    return {
        **_score_by_index(question, matches),
        **_score_by_words(question, units, candidates),
        **_score_by_circumstance(question, chosen),
    }


def _score_by_index(question: Question, matches: Matches) -> dict[str, FloatArray]:
    meaning = standardise_cosines(matches)
    words = standardise(matches.keywords, LEAST_KEYWORD_DEVIATION)
    names = score_names(matches.names, question.full_name)
    if question.is_look_up and not matches.keywords.any():
        # No word of the name is known here, so vectors say little of what is meant by it either.
        names = MISTYPED_NAME * names
    called = "name" if question.is_look_up else "mention"
    return {"meaning": meaning, "words": words, called: names}


def _score_by_words(
    question: Question, units: Sequence[Unit], candidates: NDArray[np.intp]
) -> dict[str, FloatArray]:
    beside = find_neighbours([unit.place for unit in units])
    shapes: list[Shape] = [unit.shape for unit in units]
    nearby = score_nearby_words([unit.counts for unit in units], shapes, beside, question.rarity)
    replies = _find_replies(units, beside)
    return {
        "nearby": standardise(nearby[candidates], LEAST_KEYWORD_DEVIATION),
        "replies": replies[candidates].astype(np.float64),
        **_score_by_pieces(question, units, candidates, beside, replies),
    }


def _score_by_pieces(
    question: Question,
    units: Sequence[Unit],
    candidates: NDArray[np.intp],
    beside: Neighbours,
    replies: Flags,
) -> dict[str, FloatArray]:
    has_codes = np.array([bool(unit.codes) for unit in units])[candidates]
    if not len(question.weights) or not has_codes.any():
        return {}
    matches = match_pieces([unit.codes for unit in units], question.pieces)
    by_reason = {
        "pieces": matches,
        "answer": include_question(matches, beside, replies),
        "around": include_neighbours(matches, beside),
    }
    # Row by row: a matrix product rounds equal rows differently, by their place among others.
    totals = {name: (each * question.weights).sum(axis=1) for name, each in by_reason.items()}
    # Without codes there is nothing to say for or against a unit.
    return {
        name: standardise(total[candidates], LEAST_PIECE_DEVIATION, among=has_codes)
        for name, total in totals.items()
    }


def _find_replies(units: Sequence[Unit], beside: Neighbours) -> Flags:
    """Tell of each unit whether it follows another's question."""
    before = beside[:, MOST_STEPS - 1]
    asks = np.array([unit.asks for unit in units], np.bool_)
    numbers: dict[str, int] = {}
    speakers = np.array([numbers.setdefault(unit.speaker, len(numbers)) for unit in units])
    return (before >= 0) & asks[before] & (speakers[before] != speakers)


def _score_by_circumstance(question: Question, units: Sequence[Unit]) -> dict[str, FloatArray]:
    speakers = {unit.speaker for unit in units}
    named = find_named_speaker(question.text, speakers)
    users = {speaker for speaker in speakers if detect_role(speaker) == "user"}
    in_chat = users and any(detect_role(speaker) == "assistant" for speaker in speakers)
    columns: dict[str, list[float]] = {"asks": [unit.asks for unit in units]}
    if question.days:
        columns["day"] = [_score_day_named(unit, question.days) for unit in units]
    if question.asks_when:
        columns["when"] = [unit.times for unit in units]
    if named:
        columns["speaker"] = [unit.speaker == named for unit in units]
    if in_chat:
        columns["user"] = [unit.speaker in users for unit in units]
    return {name: np.array(column, np.float64) for name, column in columns.items()}


def _score_day_named(unit: Unit, named: Sequence[NamedDay]) -> float:
    return score_nearest_day(datetime.fromtimestamp(unit.said_at, UTC).date(), named)


def find_named_speaker(text: str, speakers: set[str]) -> str:
    """Return the one speaker whom a question names, by the beginning of a name; else nothing."""
    prefixes = {word[:_COMPARED_LETTERS] for word in _WORD.findall(text.lower())}
    named = {
        speaker
        for speaker in speakers
        for part in _WORD.findall(speaker.lower())
        if len(part) >= _LEAST_NAME and part[:_COMPARED_LETTERS] in prefixes
    }
    return named.pop() if len(named) == 1 else ""
