"""Tells what learned weights change: the last questions, in the order of both.

They are searched again as they were asked, now and without a trace. Of what comes first by either
order stands beside it what became of it when it was shown.

Source: `docs/concepts.md`, "Learned weights".
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from wellworn.domain.thoughts.results import RankedThought
from wellworn.domain.thoughts.store.labels import IRRELEVANT, USED, LabelledQuery
from wellworn.engines.retrieval.learning import REASONS, SHIPPED_POLICY, Policy, is_control

MOST_TOLD: Final = 20
"""Questions that are told with what comes first."""

Rank = Callable[[LabelledQuery, Sequence[Policy]], Sequence[Sequence[RankedThought]]]


class PlaceEvidence(StrEnum):
    """What is known of a result for one question."""

    USED = "used"
    IRRELEVANT = "irrelevant"
    SHOWN = "shown"
    """It was shown, and nobody said anything of it."""
    UNKNOWN = "unknown"
    """It was not shown, or is the asker's own."""


@dataclass(frozen=True, slots=True)
class FirstPlace:
    """What comes first for a question by some weights."""

    thought_id: str
    opening: str
    evidence: PlaceEvidence


@dataclass(frozen=True, slots=True)
class PolicyChange:
    """A question to which something else comes first.

    Attributes:
        asked_at: in epoch seconds.
        shipped, learned: what comes first by these weights.
        reason: what of the ranking speaks more for it, or less against it, than as shipped.
    """

    query_id: str
    asked_at: float
    question: str
    shipped: FirstPlace
    learned: FirstPlace
    reason: str


@dataclass(frozen=True, slots=True)
class PolicyChanges:
    """What learned weights change in the order of the last questions.

    Attributes:
        version: of the learned weights.
        questions: how many were searched again, the controls among them.
        controls: how many keep the shipped order, as one in five does.
        reordered: how many lists, as long as they were shown, are not the same.
        first_places: to how many something else comes first.
        gained: in how many of these what comes first now was used, and what did was not.
        lost: in how many it is the other way round.
        changes: the newest first.
    """

    version: int
    questions: int
    controls: int
    reordered: int
    first_places: int
    gained: int
    lost: int
    changes: tuple[PolicyChange, ...]

    def list_shown(self) -> Iterator[str]:
        """Yield the ids of the thoughts whose words are shown."""
        for change in self.changes:
            yield change.shipped.thought_id
            yield change.learned.thought_id


def compare_policies(asked: Sequence[LabelledQuery], learned: Policy, rank: Rank) -> PolicyChanges:
    """Return what learned weights change in the order of questions, the oldest first."""
    reordered, changes = 0, list[PolicyChange]()
    free = [query for query in asked if not is_control(query.text)]
    for query in free:
        before, after = rank(query, (SHIPPED_POLICY, learned))
        shown = (_list_seqs(hits[: query.places]) for hits in (before, after))
        reordered += next(shown) != next(shown)
        if before and after and before[0].summary.seq != after[0].summary.seq:
            changes.append(_tell(query, before, after))
    used = [(each.shipped.evidence, each.learned.evidence) for each in changes]
    return PolicyChanges(
        version=learned.version,
        questions=len(asked),
        controls=len(asked) - len(free),
        reordered=reordered,
        first_places=len(changes),
        gained=sum(PlaceEvidence.USED is now is not then for then, now in used),
        lost=sum(PlaceEvidence.USED is then is not now for then, now in used),
        changes=tuple(changes[::-1][:MOST_TOLD]),
    )


def _list_seqs(hits: Sequence[RankedThought]) -> list[int]:
    return [hit.summary.seq for hit in hits]


def _tell(
    query: LabelledQuery, before: Sequence[RankedThought], after: Sequence[RankedThought]
) -> PolicyChange:
    old, new = before[0], after[0]

    def lead(hits: Sequence[RankedThought]) -> Mapping[str, float]:
        """Return by reason how far the new first is before the old one."""
        parts = {hit.summary.seq: hit.ranked.parts for hit in hits}
        ours, theirs = (parts.get(hit.summary.seq, {}) for hit in (new, old))
        return {reason: ours.get(reason, 0.0) - theirs.get(reason, 0.0) for reason in REASONS}

    shipped, learned = lead(before), lead(after)
    return PolicyChange(
        query.query_id,
        query.at,
        query.text,
        _place(query, old),
        _place(query, new),
        max(REASONS, key=lambda reason: learned[reason] - shipped[reason]),
    )


def _place(query: LabelledQuery, hit: RankedThought) -> FirstPlace:
    grade = query.grades.get(hit.summary.seq)
    told = {
        USED: PlaceEvidence.USED,
        IRRELEVANT: PlaceEvidence.IRRELEVANT,
        None: PlaceEvidence.UNKNOWN,
    }
    evidence = told.get(grade, PlaceEvidence.SHOWN)
    return FirstPlace(hit.summary.thought_id, hit.summary.opening, evidence)
