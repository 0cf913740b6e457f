"""What somebody asks, as a turn begins with it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TurnQuery:
    """What somebody asks.

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
