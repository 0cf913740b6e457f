"""Rankings of rows, as tests write them, and of units that carry their own."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from wellworn.engines import retrieval
from wellworn.engines.retrieval import Question, RankedResult, Shape, Unit, Weights
from wellworn.kit.matches import Match, Matches

NOTHING_ASKED = Question("", {}, np.empty((0, 128), np.float32), np.empty(0, np.float32))


_FIELDS = [*Unit._fields]
_FIELDS.insert(2, "match")


class ScoredUnit(
    namedtuple("ScoredUnit", _FIELDS, defaults=[None, *Unit._field_defaults.values()])
):
    """A unit with its scores in the index; None for what only stands beside others."""

    __slots__ = ()

    @property
    def unit(self) -> Unit:
        return Unit(*self[:2], *self[3:])


def rank(question: Question, scored: Sequence[ScoredUnit], **options: Any) -> list[RankedResult]:
    matches = Matches.of(each.match for each in scored if each.match is not None)
    return retrieval.rank(question, [each.unit for each in scored], matches, **options)


def fuse(rows: Sequence[Match], weights: Weights | None = None) -> list[RankedResult]:
    """Rank units of which nothing is known but their scores; with weights, units of one word."""
    counts = b"" if weights is None else b"word1"
    scored = [ScoredUnit(row.id, "note", row, counts=counts) for row in rows]
    by_shape: Mapping[Shape, Weights] = {"note": weights or Weights()}
    return rank(NOTHING_ASKED, scored, most=len(rows), weights=by_shape)


def rank_by_cosine(rows: Sequence[Match]) -> list[RankedResult]:
    return retrieval.rank_by_cosine(Matches.of(rows))
