"""Scores what stands beside a unit: meaning in talks and documents is spread over neighbours.

"Yes, last June" answers what was asked before it, and shares no word with the question that looks
for it. So a unit is given its neighbours' words, fading with every step, and the matches of the
question it answers. Adjacency was the only relation between units that paid.

Source: `docs/adr/0014-ranking.md`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from wellworn.engines.retrieval.matching import Pieces
from wellworn.engines.retrieval.weights import (
    AROUND_STEPS,
    MOST_STEPS,
    NEIGHBOURHOOD,
    SATURATION,
    STEP_HANDICAP,
    Shape,
)

Neighbours = NDArray[np.intp]
"""`(units, 2 * MOST_STEPS + 1)`: the index of the unit so many steps away, -1 where none is known;
the middle column is the unit itself."""

_STEPS: Final = np.arange(-MOST_STEPS, MOST_STEPS + 1)
#: A row for each shape: what a neighbour's words count, and BM25's constants.
_NUMBERS: Final[Mapping[Shape, int]] = {shape: row for row, shape in enumerate(NEIGHBOURHOOD)}
_FADING: Final = np.array(
    [
        np.where(np.abs(_STEPS) <= rule.steps, rule.fade ** np.abs(_STEPS), 0.0)
        for rule in NEIGHBOURHOOD.values()
    ],
    np.float32,
)
_RULES: Final = np.array(
    [
        (SATURATION[shape].k1, SATURATION[shape].b, SATURATION[shape].average_words)
        for shape in NEIGHBOURHOOD
    ],
    np.float32,
)
#: Score where nothing was matched.
_NOTHING: Final = np.float32(-9.0)
_COUNTED: Final = np.dtype([("term", "<u4"), ("count", "u1")])
#: Session and position make one number; positions have these bits of it.
_POSITION_BITS: Final = 40
_FARTHEST_POSITION: Final = 2**_POSITION_BITS - MOST_STEPS
_MOST_COUNTED: Final = 255
_MOST_TERMS: Final = 8_000
"""More than any thought has, so that a word at the end of a long one is not lost."""


def pack_word_counts(terms: Iterable[int]) -> bytes:
    """Return the words of a unit and how often it has each, five bytes a word."""
    counts = Counter(terms).most_common(_MOST_TERMS)
    rows = [(term, min(count, _MOST_COUNTED)) for term, count in counts]
    return np.array(rows, _COUNTED).tobytes()


def find_neighbours(places: Sequence[tuple[str, int] | None]) -> Neighbours:
    """Find for each unit those up to four places before and after it in its session."""
    rows = np.full((len(places), len(_STEPS)), -1, np.intp)
    rows[:, MOST_STEPS] = np.arange(len(places))
    # A place beyond would be told as one of the next session; what has it stands alone.
    placed = [
        (at, place) for at, place in enumerate(places) if place and place[1] < _FARTHEST_POSITION
    ]
    if not placed:
        return rows
    owners = np.array([at for at, _ in placed], np.intp)
    sessions: dict[str, int] = {}
    keys = np.array(
        [
            (sessions.setdefault(session, len(sessions)) << _POSITION_BITS) + position
            for _, (session, position) in placed
        ],
        np.int64,
    )
    order = np.argsort(keys, kind="stable")
    ordered, wanted = keys[order], keys[:, None] + _STEPS
    at = np.minimum(np.searchsorted(ordered, wanted), len(ordered) - 1)
    rows[owners] = np.where(ordered[at] == wanted, owners[order][at], -1)
    rows[:, MOST_STEPS] = np.arange(len(places))
    return rows


def score_nearby_words(
    counts: Sequence[bytes],
    shapes: Sequence[Shape],
    beside: Neighbours,
    rarity: Mapping[int, float],
) -> Pieces:
    """Return BM25 of each unit's words together with its neighbours', which fade with distance.

    Args:
        counts: `pack_word_counts` of each unit.
        shapes: theirs; how far words reach and how they level off depends on it.
        beside: who stands beside whom.
        rarity: the question's terms with their idf.
    """
    own, lengths = count_frequencies(counts, rarity)
    numbers_of = np.array([_NUMBERS[shape] for shape in shapes], np.intp)
    fading = _FADING[numbers_of]
    k1, b, usual = _RULES[numbers_of].T
    spread = np.zeros_like(own)
    total = np.zeros(len(counts), np.float32)
    for column in range(beside.shape[1]):
        others = beside[:, column]
        is_there = others >= 0
        if not is_there.any():
            continue
        share = fading[:, column] * is_there
        spread += own[others] * share[:, None]
        total += lengths[others] * share
    norm = k1 * (1 - b + b * total / (usual * fading.sum(axis=1)))
    idf = np.array([*rarity.values()], np.float32)
    saturated = spread * (k1 + 1)[:, None] / np.maximum(spread + norm[:, None], 1e-9)
    # Row by row: a matrix product rounds equal rows differently, by their place among others.
    return (saturated * idf).sum(axis=1)


def include_question(matches: Pieces, beside: Neighbours, replies: NDArray[np.bool_]) -> Pieces:
    """Return matches in which a reply also has what the question before it matches."""
    before = np.where(replies, beside[:, MOST_STEPS - 1], -1)
    return np.maximum(matches, _shift_matches(matches, before))


def include_neighbours(matches: Pieces, beside: Neighbours) -> Pieces:
    """Return matches in which a unit also has its neighbours', at a small handicap a step."""
    best = matches
    for step in range(1, AROUND_STEPS + 1):
        for column in (MOST_STEPS - step, MOST_STEPS + step):
            best = np.maximum(
                best, _shift_matches(matches, beside[:, column]) - step * STEP_HANDICAP
            )
    return best


def _shift_matches(matches: Pieces, others: NDArray[np.intp]) -> Pieces:
    return np.where((others >= 0)[:, None], matches[others], _NOTHING)


def count_frequencies(
    counts: Sequence[bytes], rarity: Mapping[int, float]
) -> tuple[Pieces, Pieces]:
    """Return `(units, terms)` how often each unit has each term, and how many words it has."""
    frequencies = np.zeros((len(counts), len(rarity)), np.float32)
    sizes = np.array([len(each) // _COUNTED.itemsize for each in counts], np.intp)
    rows = np.frombuffer(b"".join(counts), _COUNTED)
    owners = np.repeat(np.arange(len(counts)), sizes)
    lengths = np.bincount(owners, rows["count"], minlength=len(counts)).astype(np.float32)
    if len(rarity) and len(rows):
        wanted = np.array([*rarity], np.uint32)
        order = np.argsort(wanted)
        places = np.minimum(np.searchsorted(wanted[order], rows["term"]), len(wanted) - 1)
        held = wanted[order][places] == rows["term"]
        frequencies[owners[held], order[places[held]]] = rows["count"][held]
    return frequencies, lengths
