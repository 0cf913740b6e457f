"""Packs what one call decided: what it showed, what it withheld and why, what it stored.

A decision takes less than a kilobyte beside its row of the query log: numbers alone, no words.
Scores are stored to three digits. Whatever learns from what was shown starts from here.

Source: `docs/concepts.md`.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Final, Self

from wellworn.engines.retrieval import Team


class _Coded(IntEnum):
    """Stored as numbers, told as words. Numbers stay: add, never change."""

    @property
    def code(self) -> str:
        """The word that tells it."""
        return self.name.lower()

    @classmethod
    def of(cls, code: str) -> Self:
        """Return what is told so.

        Raises:
            KeyError: nothing is.
        """
        return cls[code.upper()]


class Fate(_Coded):
    """The fate of a thought that a search came across."""

    SHOWN = 0
    BELOW_RELEVANCE = 1
    """It has too little to do with what was asked."""
    ALIKE = 2
    """It says the same in the same words as what is shown."""
    REPLACED = 3
    """Something shown, or found, replaces it."""
    RETRACTED = 4
    """It was called wrong."""
    HELD = 5
    BEYOND_LIMIT = 6
    OTHER_AREA = 7
    """It was asked back which of several areas was meant."""
    NOT_MEANT = 8
    """A reference to the last answer meant others."""
    OUT_OF_SCOPE = 9
    """It is of another time or another speaker than who was asked for."""


class Outcome(_Coded):
    """The outcome of what the call said."""

    NOTHING = 0
    STORED = 1
    AFFIRMED = 2
    HELD = 3


class Answered(_Coded):
    """Whether something of what was shown has to do with what was asked."""

    UNKNOWN = 0
    YES = 1
    NO = 2


@dataclass(frozen=True, slots=True)
class Judged:
    """A thought that a search came across, by its seq.

    Attributes:
        cosine, score: its similarity and what the order follows; None where neither was reckoned.
        by: the seq of what stands in its place.
        team: whose weights picked it, where some were on trial.
        is_first: whether it was picked first.
    """

    seq: int
    fate: Fate
    cosine: float | None = None
    score: float | None = None
    by: int | None = None
    team: Team | None = None
    is_first: bool = False


@dataclass(frozen=True, slots=True)
class Decision:
    """The decisions of one call.

    Attributes:
        ranked: how many thoughts were ranked; None where nothing was searched.
        judged: what is shown in its order, then what was withheld; at most 68.
        reason: why the prompt is stored or not, a `ContributionReason`; empty for no prompt.
        propensity: how likely what was put first was put there, above 0 to 1.
    """

    ranked: int | None = None
    judged: tuple[Judged, ...] = ()
    reason: str = ""
    outcome: Outcome = Outcome.NOTHING
    answered: Answered = Answered.UNKNOWN
    propensity: float = 1.0

    @property
    def seqs(self) -> set[int]:
        """Every thought that it names."""
        by = {each.by for each in self.judged if each.by is not None}
        return {*(each.seq for each in self.judged), *by}


_VERSION: Final = 1
_WITH_TEAMS: Final = 2
"""Of what was decided with weights on trial: beside its fate, a thought has its team."""
_TEAM_AT: Final = 4
_FIRST: Final = 1 << 6
_HEAD: Final = struct.Struct("<BBhBBfB")
ANSWERED_AT: Final = 2
"""The byte of a packed decision, from 1, that holds whether the question was answered."""
_ONE: Final = "qBBee"
MOST_JUDGED: Final = 68
LONGEST_REASON: Final = 16
_LARGEST: Final = 60_000.0
"""The largest half float, rounded."""
_NOBODY: Final = 255


def pack(decision: Decision) -> bytes:
    """Return a decision as less than 1,000 bytes; what is beyond the first 68 thoughts is lost."""
    judged = decision.judged[:MOST_JUDGED]
    places = {each.seq: place for place, each in enumerate(judged)}
    numbers: list[float] = []
    for each in judged:
        by = _NOBODY if each.by is None else places.get(each.by, _NOBODY)
        fate = each.fate | (each.team or 0) << _TEAM_AT | each.is_first * _FIRST
        numbers += (each.seq, fate, by, _clamp(each.cosine), _clamp(each.score))
    reason = decision.reason.encode()[:LONGEST_REASON]
    head = _HEAD.pack(
        _WITH_TEAMS if any(each.team for each in judged) else _VERSION,
        decision.answered,
        -1 if decision.ranked is None else min(decision.ranked, 32_767),
        decision.outcome,
        len(reason),
        decision.propensity,
        len(judged),
    )
    return head + reason + struct.pack("<" + _ONE * len(judged), *numbers)


def unpack(packed: bytes) -> Decision | None:
    """Return what was packed; None where that is damaged, or of a later version."""
    try:
        version, answered, ranked, outcome, length, propensity, count = _HEAD.unpack_from(packed)
        if version not in {_VERSION, _WITH_TEAMS}:
            return None
        reason = packed[_HEAD.size : _HEAD.size + length].decode()
        numbers = struct.unpack("<" + _ONE * count, packed[_HEAD.size + length :])
        rows = [numbers[at : at + 5] for at in range(0, len(numbers), 5)]
        seqs = [row[0] for row in rows]
        return Decision(
            ranked=None if ranked < 0 else ranked,
            judged=tuple(_read_judged(row, seqs) for row in rows),
            reason=reason,
            outcome=Outcome(outcome),
            answered=Answered(answered),
            propensity=propensity,
        )
    except (struct.error, ValueError, IndexError):
        return None


def _read_judged(row: Sequence[float], seqs: Sequence[int]) -> Judged:
    seq, coded, by, cosine, score = row
    fate = int(coded)
    team = fate >> _TEAM_AT & Team.BOTH
    return Judged(
        int(seq),
        Fate(fate & (1 << _TEAM_AT) - 1),
        None if math.isnan(cosine) else cosine,
        None if math.isnan(score) else score,
        None if by == _NOBODY else seqs[int(by)],
        Team(team) if team else None,
        bool(fate & _FIRST),
    )


def _clamp(number: float | None) -> float:
    return math.nan if number is None else max(-_LARGEST, min(_LARGEST, number))
