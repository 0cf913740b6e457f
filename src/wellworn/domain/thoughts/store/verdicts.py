"""Stores the verdicts of spaces' logs on co-use, each time they were judged: numbers alone."""

from __future__ import annotations

from typing import Final, NamedTuple

from sqlalchemy import Connection, delete, func, insert, select

from wellworn.domain.spaces import Access
from wellworn.domain.thoughts.tables import co_use_verdicts, query_log, uses

MOST: Final = 50
"""Verdicts that a space keeps."""


class CoUseVerdict(NamedTuple):
    """The verdict of a space's log.

    Attributes:
        is_open: whether co-use tells more than what is known without it.
        gain: how much oftener what was needed next is among the first ten, 0 to 1.
        low, high: its 95 % interval.
        sessions: that were judged by.
        uses: how long the log was: thoughts that were used through a question.
        judged_at: in epoch seconds.
    """

    is_open: bool
    gain: float
    low: float
    high: float
    sessions: int
    uses: int
    judged_at: float


def list_verdicts(connection: Connection, space: str, *, limit: int = MOST) -> list[CoUseVerdict]:
    """Return the verdicts on a space, the newest first."""
    columns = [co_use_verdicts.c[name] for name in CoUseVerdict._fields]
    statement = (
        select(*columns)
        .where(co_use_verdicts.c.knowledge_space_id == space)
        .order_by(co_use_verdicts.c.seq.desc())
        .limit(limit)
    )
    return [CoUseVerdict(*row) for row in connection.execute(statement)]


def add_verdict(connection: Connection, space: str, verdict: CoUseVerdict) -> None:
    """Store a verdict; of a space the last fifty stay."""
    connection.execute(insert(co_use_verdicts), {"knowledge_space_id": space, **verdict._asdict()})
    of_space = co_use_verdicts.c.knowledge_space_id == space
    newest_first = (
        select(co_use_verdicts.c.seq).where(of_space).order_by(co_use_verdicts.c.seq.desc())
    )
    last = connection.execute(newest_first.offset(MOST).limit(1)).scalar()
    if last is not None:
        connection.execute(delete(co_use_verdicts).where(of_space, co_use_verdicts.c.seq <= last))


def forget_verdicts(connection: Connection, access: Access) -> None:
    """Delete the verdicts on a space, whose log was changed."""
    of_space = co_use_verdicts.c.knowledge_space_id == access.space
    connection.execute(delete(co_use_verdicts).where(of_space))


def count_uses(connection: Connection, space: str) -> int:
    """Return how many thoughts were used through a question of the space."""
    statement = (
        select(func.count())
        .select_from(uses)
        .join(query_log, query_log.c.seq == uses.c.query_seq)
        .where(query_log.c.knowledge_space_id == space)
    )
    return connection.execute(statement).scalar_one()
