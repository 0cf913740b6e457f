"""The ranking: all that finds things, in the order it happens.

1. The index proposes candidates: what is nearest in meaning, what shares the rarest words, what is
   called as asked. (`names.py`, `terms.py`)
2. The best of them bring the neighbours that they have in their conversation or document along.
3. Every candidate gets a score for each reason there is to show it: below, `reasons`.
4. Scores become z-scores over the candidates, are multiplied by the weights that belong to the
   shape of the unit (`weights.py`), and added. Each part is kept: every result explains itself.
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
    FloatArray,
    Match,
    Ranked,
    far_apart,
    in_order,
    standardised,
)
from wellworn.engines.retrieval.matching import Pieces, best_matches
from wellworn.engines.retrieval.moments import NamedDay, nearness
from wellworn.engines.retrieval.names import name_shares
from wellworn.engines.retrieval.shapes import role_of
from wellworn.engines.retrieval.surroundings import (
    Neighbours,
    around,
    nearby_words,
    neighbours,
    with_question,
)
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

Flags = NDArray[np.bool_]

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


class Unit(NamedTuple):
    """A candidate: its scores in the index, and what was kept of its words.

    A tuple, because there are hundreds a question, and a tuple is made four times as fast.

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

    def found(self, match: Match | None) -> Unit:
        """Return it with its scores."""
        return Unit._make((self[0], self[1], match, *self[3:]))


def ranked(
    question: Question,
    units: Sequence[Unit],
    *,
    most: int,
    also: Collection[int] = (),
    weights: Mapping[Shape, Weights] = WEIGHTS,
) -> list[Ranked]:
    """Return the best of those units that are candidates; equal ones by cosine, then by id.

    The others only stand beside them. Behind the best come those with the ids of `also`.
    """
    candidates = [at for at, unit in enumerate(units) if unit.match is not None]
    if not candidates:
        return []
    chosen = [units[at] for at in candidates]
    parts = _weighed(reasons(question, units, candidates), chosen, weights)
    best = _best(np.sum([*parts.values()], axis=0), most)
    best += [row for row in _rows_of(also, chosen) if row not in best]
    told = {name: column[best].tolist() for name, column in parts.items()}
    matches = _matches([chosen[row] for row in best])
    found = in_order(
        Ranked(
            match.id,
            match.cosine,
            match.keyword,
            {name: column[row] for name, column in told.items() if column[row]},
        )
        for row, match in enumerate(matches)
    )
    return found[:most] + [one for one in found[most:] if one.id in also]


def _rows_of(ids: Collection[int], units: Sequence[Unit]) -> list[int]:
    return [row for row, unit in enumerate(units) if unit.id in ids] if ids else []


def _matches(units: Sequence[Unit]) -> list[Match]:
    return [unit.match for unit in units if unit.match is not None]


def _weighed(
    columns: Mapping[str, FloatArray], units: Sequence[Unit], weights: Mapping[Shape, Weights]
) -> dict[str, FloatArray]:
    """Multiply each column by the weights of each unit's shape."""
    rows: dict[Shape | None, int] = {}
    of_each = np.array([rows.setdefault(_shape_known(unit), len(rows)) for unit in units])
    known = [FIRST_STAGE if shape is None else weights[shape] for shape in rows]
    return {
        name: np.array([getattr(one, name) for one in known])[of_each] * column
        for name, column in columns.items()
    }


def _shape_known(unit: Unit) -> Shape | None:
    """Return the shape; None where nothing is kept of the words, so that the index decides."""
    return unit.shape if unit.codes or unit.counts else None


def _best(totals: FloatArray, most: int) -> list[int]:
    """Return the rows of the highest totals, and all that are as high up to rounding."""
    if len(totals) <= most:
        return [*range(len(totals))]
    least = np.partition(totals, len(totals) - most)[len(totals) - most]
    return np.flatnonzero(totals >= least - _ROUNDING).tolist()


def reasons(
    question: Question, units: Sequence[Unit], candidates: Sequence[int]
) -> dict[str, FloatArray]:
    """Return one column a reason over the candidates, z-scores first; names as in `Weights`.

    A reason that nothing speaks for has none.
    """
    chosen = [units[at] for at in candidates]
    return {
        **_by_index(question, _matches(chosen)),
        **_by_words(question, units, candidates),
        **_by_circumstance(question, chosen),
    }


def _by_index(question: Question, matches: Sequence[Match]) -> dict[str, FloatArray]:
    meaning = far_apart([one.cosine for one in matches])
    words = standardised([one.keyword for one in matches], LEAST_KEYWORD_DEVIATION)
    names = name_shares([one.name for one in matches], question.full_name)
    if question.is_look_up and not any(one.keyword for one in matches):
        # No word of the name is known here, so vectors say little of what is meant by it either.
        names = MISTYPED_NAME * names
    called = "name" if question.is_look_up else "mention"
    return {"meaning": meaning, "words": words, called: names}


def _by_words(
    question: Question, units: Sequence[Unit], candidates: Sequence[int]
) -> dict[str, FloatArray]:
    beside = neighbours([unit.place for unit in units])
    shapes: list[Shape] = [unit.shape for unit in units]
    nearby = nearby_words([unit.counts for unit in units], shapes, beside, question.rarity)
    replies = _replies(units, beside)
    return {
        "nearby": standardised(nearby[candidates], LEAST_KEYWORD_DEVIATION),
        "replies": replies[candidates].astype(np.float64),
        **_by_pieces(question, units, candidates, beside, replies),
    }


def _by_pieces(
    question: Question,
    units: Sequence[Unit],
    candidates: Sequence[int],
    beside: Neighbours,
    replies: Flags,
) -> dict[str, FloatArray]:
    has_codes = np.array([bool(units[at].codes) for at in candidates])
    if not len(question.weights) or not has_codes.any():
        return {}
    matches = best_matches([unit.codes for unit in units], question.pieces)
    found = {
        "pieces": matches,
        "answer": with_question(matches, beside, replies),
        "around": around(matches, beside),
    }
    # Row by row: a matrix product rounds equal rows differently, by their place among others.
    totals = {name: (each * question.weights).sum(axis=1) for name, each in found.items()}
    # Without codes there is nothing to say for or against a unit.
    return {
        name: standardised(total[candidates], LEAST_PIECE_DEVIATION, among=has_codes)
        for name, total in totals.items()
    }


def _replies(units: Sequence[Unit], beside: Neighbours) -> Flags:
    """Tell of each unit whether it follows another's question."""
    before = beside[:, MOST_STEPS - 1]
    asks = np.array([unit.asks for unit in units], np.bool_)
    numbers: dict[str, int] = {}
    speakers = np.array([numbers.setdefault(unit.speaker, len(numbers)) for unit in units])
    return (before >= 0) & asks[before] & (speakers[before] != speakers)


def _by_circumstance(question: Question, units: Sequence[Unit]) -> dict[str, FloatArray]:
    speakers = {unit.speaker for unit in units}
    named = named_speaker(question.text, speakers)
    users = {speaker for speaker in speakers if role_of(speaker) == "user"}
    in_chat = users and any(role_of(speaker) == "assistant" for speaker in speakers)
    columns: dict[str, list[float]] = {"asks": [unit.asks for unit in units]}
    if question.days:
        columns["day"] = [_day_named(unit, question.days) for unit in units]
    if question.asks_when:
        columns["when"] = [unit.times for unit in units]
    if named:
        columns["speaker"] = [unit.speaker == named for unit in units]
    if in_chat:
        columns["user"] = [unit.speaker in users for unit in units]
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
