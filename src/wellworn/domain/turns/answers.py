"""What a turn ended in, as it is read."""

from __future__ import annotations

from dataclasses import dataclass

from wellworn.domain.memory import Limit
from wellworn.domain.turns.models import Claim, Evidence, Turn


@dataclass(frozen=True, slots=True)
class TurnAnswer:
    """What a turn ended in.

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
