"""Makes the record of how one answer came about. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import assert_never

from wellworn.domain.memory.answering import SearchOutcome, is_answered
from wellworn.domain.memory.calls import ConversationCall
from wellworn.domain.memory.contribution import is_question
from wellworn.domain.thoughts import (
    Affirmed,
    Answered,
    Decision,
    Fate,
    Judged,
    Outcome,
    RankedThought,
    Stored,
    find_propensity,
    judge_pool,
)


def decide(
    call: ConversationCall, search: SearchOutcome, kept_as: Stored | Affirmed | None
) -> Decision:
    """Return what a call showed, withheld and stored, and why."""

    def find_fate(hit: RankedThought) -> Fate:
        thought_id = hit.summary.thought_id
        if search.clusters is not None:
            return Fate.OTHER_AREA
        if thought_id in search.not_meant:
            return Fate.NOT_MEANT
        is_relevant = thought_id in search.relevant or thought_id in search.named
        return Fate.BEYOND_LIMIT if is_relevant else Fate.BELOW_RELEVANCE

    judged = judge_pool(search.own, search.pool, search.left_out, find_fate)
    return Decision(
        ranked=len(search.pool),
        judged=judged,
        reason=call.contribution.reason.value,
        outcome=_find_outcome(kept_as),
        answered=_judge(call, search),
        propensity=find_propensity(judged),
    )


def _judge(call: ConversationCall, search: SearchOutcome) -> Answered:
    if search.clusters is not None:
        return Answered.UNKNOWN
    if is_answered(call.question, search):
        return Answered.YES
    # What asks for nothing was not left unanswered: nobody else is told of it.
    return Answered.NO if is_question(call.question.prompt) else Answered.UNKNOWN


def decide_list(seqs: Sequence[int]) -> Decision:
    """Return what a call showed that was answered by a list, which nothing was searched for."""
    return Decision(judged=tuple(Judged(seq, Fate.SHOWN) for seq in seqs))


def _find_outcome(kept_as: Stored | Affirmed | None) -> Outcome:
    match kept_as:
        case None:
            return Outcome.NOTHING
        case Stored(held=True):
            return Outcome.HELD
        case Stored():
            return Outcome.STORED
        case Affirmed():
            return Outcome.AFFIRMED
        case _:
            assert_never(kept_as)
