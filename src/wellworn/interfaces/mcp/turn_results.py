"""Results of the tool of turns: the answer, and in their own words the sources it cites."""

from __future__ import annotations

import json
import operator
from collections.abc import Mapping, Sequence
from typing import Annotated

from pydantic import BaseModel, Field

from wellworn.client.models import Shape, Text, TurnClaim, TurnSource
from wellworn.domain.turns import Evidence, TurnAnswer, TurnStatus
from wellworn.engines.safety import Fence, Quote, fence_quotes, new_nonce
from wellworn.interfaces.mcp.introductions import WHAT_A_TURN_FOUND
from wellworn.interfaces.mcp.results import Quotation


class CitedSource(TurnSource):
    """A source of an answer."""

    text: Quotation
    link: Text | None = Field(exclude=True)
    stale: Annotated[bool, Field(exclude_if=operator.not_)] = Field(validation_alias="is_stale")


class TurnResult(BaseModel):
    """The answer of a turn; `context` is the resource that holds its document."""

    turn_id: str
    number: int
    status: str
    engine: Text
    note: str = WHAT_A_TURN_FOUND
    answer: Quotation
    sources: tuple[CitedSource, ...]
    missing: tuple[str, ...]
    context: str


class CitableSource(Shape):
    """Something that a claim can stand on, in a turn of the agent's own; `number` cites it."""

    number: int
    title: Text
    source: Text


class OwnTurnResult(BaseModel):
    """A turn that an agent works on by itself, after a call; a closed one has been checked."""

    turn_id: str
    status: str
    sources: tuple[CitableSource, ...]
    quality: float | None = None
    claims: tuple[TurnClaim, ...] | None = None
    context: str


def describe_open_turn(turn_id: str, context: str, sources: Sequence[Evidence]) -> OwnTurnResult:
    """Return the result for an open turn, with what was appended."""
    return OwnTurnResult(
        turn_id=turn_id,
        status=TurnStatus.OPEN.value,
        sources=tuple(map(CitableSource.of, sources)),
        context=context,
    )


def describe_closed_turn(
    answer: TurnAnswer, context: str, sources: Sequence[Evidence]
) -> OwnTurnResult:
    """Return the result for a turn that was closed; a claim without `evidence` has no source."""
    return describe_open_turn(answer.turn.id, context, sources).model_copy(
        update={
            "status": answer.turn.status.value,
            "quality": answer.turn.quality,
            "claims": tuple(map(TurnClaim.of, answer.claims)),
        }
    )


def describe_turn(answer: TurnAnswer, context: str) -> TurnResult:
    """Return the result for a turn."""
    turn = answer.turn
    return TurnResult(
        turn_id=turn.id,
        number=turn.number,
        status=turn.status.value,
        engine=turn.engine,
        answer=answer.text,
        sources=tuple(map(CitedSource.of, answer.evidence)),
        missing=answer.missing,
        context=context,
    )


def format_turn(result: TurnResult, names: Mapping[str, str], nonce: str | None = None) -> str:
    """Return the result as text.

    `names` are places of thoughts as shown; `nonce` marks the fence, by default a fresh one.
    """
    fence = Fence(nonce or new_nonce())
    quotes = [Quote(result.answer, "answer"), *(_quote(source, names) for source in result.sources)]
    head = f"Turn {result.number} ({result.turn_id}): {result.status}. {result.note}"
    return "\n\n".join([head, fence_quotes(quotes, fence.nonce), f"All of it: {result.context}"])


def _quote(source: CitedSource, names: Mapping[str, str]) -> Quote:
    shown = names.get(source.source, source.source)
    place = json.dumps(f"{source.title}, {shown}", ensure_ascii=False)
    moment = f" at {source.moment}" if source.moment else ""
    stale = ", may be out of date" if source.stale else ""
    return Quote(source.text, f"source {source.number}, {source.kind} {place}{moment}{stale}")
