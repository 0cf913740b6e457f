"""Compares two statements: does the later say the same, update the earlier, or neither? Pure.

Meaning alone cannot tell: the cosine of a statement and its negation, or of the same with another
number, is .98. What decides is whether both are about the same matter, by the rare words they
share, and whether what carries meaning differs: numbers, names, negation, words of change.

Source: MemStrata (arXiv 2606.26511), subject and attribute equal and the value different; the
weights are fitted by `python -m benchmarks remembering` to notes that were written before the rule.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from wellworn.domain.thoughts.truth.models import LEAST_CONTESTED, SURE_CONFIDENCE
from wellworn.domain.thoughts.truth.statements import Statement
from wellworn.kit.likelihood import mark_unstated

_SAME_COSINE: Final = 0.93
_NAMED_VALUE: Final = 1.5
_REPLACES_NOTHING: Final = 0.29
"""Less than replaces anything; of another member it still lets the older go first."""


class RelationKind(StrEnum):
    SAME = "same"
    UPDATES = "updates"
    ANOTHER = "another"
    """Of one form, and about another thing."""
    UNRELATED = "unrelated"


@dataclass(frozen=True, slots=True)
class Relation:
    """How a later statement relates to an earlier one; `reason` is for people."""

    kind: RelationKind
    confidence: float
    reason: str = ""

    @property
    def is_sure(self) -> bool:
        """Whether both are surely of one matter."""
        is_of_one = self.kind in {RelationKind.SAME, RelationKind.UPDATES}
        return is_of_one and self.confidence >= SURE_CONFIDENCE


_UNRELATED: Final = Relation(RelationKind.UNRELATED, 0.0)


def measure(
    older: Statement, newer: Statement, cosine: float, rarity: Callable[[str], float]
) -> dict[str, float]:
    """Return what the confidence of an update is made from, each about 0 to 1."""
    words = older.words & newer.words
    smaller = min(_weigh(older.words, rarity), _weigh(newer.words, rarity)) or 1.0
    names = older.names & newer.words | newer.names & older.words
    return {
        "meaning": cosine,
        "words": _weigh(words, rarity) / smaller,
        "rarest": max(map(rarity, words), default=0.0),
        "name": max((rarity(name) for name in names if name in words), default=0.0),
        "value": _compare_values(older, newer),
        "change": float(bool(newer.change)),
        "end": float(bool(newer.end)),
    }


def _compare_values(older: Statement, newer: Statement) -> float:
    """Return whether the later has another value of a kind; more where it names the old one, too.

    "Moved from 10:15 to 10:30" says which statement it updates.
    """
    if newer.has_other_value_than(older):
        return 1.0
    kinds = older.values.keys() & newer.values.keys()
    names_both = any(older.values[kind] < newer.values[kind] for kind in kinds)
    return _NAMED_VALUE if names_both and (newer.change or newer.end) else 0.0


def _weigh(words: Iterable[str], rarity: Callable[[str], float]) -> float:
    return math.fsum(rarity(word) for word in words)


#: Of the logistic of what `measure` returns; fitted, see above.
_WEIGHTS: Final = {
    "meaning": 7.6,
    "words": 3.5,
    "rarest": 4.2,
    "name": 1.2,
    "value": 1.0,
    "change": 1.0,
    "end": 1.8,
}
_BIAS: Final = -10.55


def relate(
    older: Statement, newer: Statement, cosine: float, rarity: Callable[[str], float]
) -> Relation:
    """Return how the later statement relates to the earlier."""
    if not newer.asserts or older.has_another_number(newer) or newer.is_of_elsewhere(older):
        return _UNRELATED
    is_rival = newer.tells_beside(older)
    if is_rival and cosine >= _SAME_COSINE and older.says_no_more_than(newer):
        return Relation(RelationKind.SAME, cosine, "says the same")
    measures = measure(older, newer.stated, cosine, rarity)
    logit = _BIAS + math.fsum(_WEIGHTS[name] * value for name, value in measures.items())
    confidence = 1 / (1 + math.exp(-logit))
    if not is_rival:
        confidence = min(confidence, _REPLACES_NOTHING)
    if confidence >= LEAST_CONTESTED and older.is_about_another(newer):
        return Relation(RelationKind.ANOTHER, confidence)
    reason = _explain(older, newer)
    if not older.states:
        reason = mark_unstated(reason)
    return Relation(RelationKind.UPDATES, confidence, reason)


def _explain(older: Statement, newer: Statement) -> str:
    """Return in words what differs."""
    reasons: list[str] = []
    if newer.change:
        reasons.append(f'says "{newer.change}"')
    for kind in sorted(older.values.keys() & newer.values.keys()):
        before, after = sorted(older.values[kind]), sorted(newer.values[kind])
        if set(before).isdisjoint(after):
            reasons.append(f"{', '.join(after[:2])} instead of {', '.join(before[:2])}")
    if older.is_negated != newer.is_negated:
        reasons.append("one of them is a negation")
    return "; ".join(reasons) or "the same matter, said later"
