"""A query as a turn begins with it, and the answer the turn ends in."""

from __future__ import annotations

from dataclasses import dataclass

from wellworn.domain.memory import Limit
from wellworn.domain.turns.models import Claim, Evidence, Intent, Turn, TurnStatus
from wellworn.engines.safety import redact


@dataclass(frozen=True, slots=True)
class TurnQuery:
    """A question to be worked on.

    Attributes:
        follows: id of a turn to go on from.
        engine: what answers, where an agent of its own does; None where one of ours does.
        key: a name of the agent's for the turn, which is opened once under it; of a question that
            we answer, the key of the call, so that a call that is repeated asks once.
        asked_at: when it was asked, in epoch seconds; None for now.
    """

    text: str
    agent_id: str
    agent_name: str
    follows: str | None = None
    engine: str | None = None
    key: str | None = None
    asked_at: float | None = None


def begin_turn(query: TurnQuery, turn_id: str, *, now: float, engine: str) -> Turn:
    """Return the turn that a question begins; `engine` answers where its agent does not."""
    text = redact(query.text).text
    return Turn(
        id=turn_id,
        user_id=redact(query.agent_id).text,
        number=0,
        status=TurnStatus.OPEN if query.engine else TurnStatus.RUNNING,
        query=text,
        resolved_query=text,
        topic="general",
        intent=Intent.INFORMATIONAL,
        engine=redact(query.engine or engine).text,
        summary="",
        quality=None,
        created_at=min(query.asked_at or now, now),
    )


@dataclass(frozen=True, slots=True)
class TurnAnswer:
    """The answer of a turn.

    Attributes:
        text: the answer, a question to the user, or why there is none.
        evidence: what the answer cites, by number.
        limits: of the query, and what became of them.
        edited: headings of the sections that people changed in `context.md`.
    """

    turn: Turn
    text: str
    claims: tuple[Claim, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    missing: tuple[str, ...] = ()
    edited: tuple[str, ...] = ()
    limits: tuple[Limit, ...] = ()
