"""Rows of bridges between topics: numbers alone; what topics are called is read when it is told."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from sqlalchemy import Connection, delete, insert, select, update

from wellworn.domain.spaces import Access
from wellworn.domain.thoughts.tables import bridges


@dataclass(frozen=True, slots=True)
class KeptBridge:
    """Two topics that were needed together though they lie far apart.

    Attributes:
        topic_id, other_id: the lesser comes first.
        sessions: how many used both, through different questions.
        users: how many users those were of.
        expected: how many sessions would use both by chance.
        p: how probable as many are by chance.
        found_at, last_found_at: in epoch seconds.
        is_taken: what an admin decided; None while it is a proposal.
        decided_at: when, in epoch seconds.
    """

    id: str
    topic_id: str
    other_id: str
    sessions: int
    users: int
    expected: float
    p: float
    found_at: float
    last_found_at: float
    is_taken: bool | None = None
    decided_at: float | None = None


_COLUMNS = [bridges.c[name] for name in KeptBridge.__dataclass_fields__]


def list_bridges(connection: Connection, space: str) -> list[KeptBridge]:
    """Return the bridges of a space, the surest first."""
    statement = select(*_COLUMNS).where(bridges.c.knowledge_space_id == space)
    rows = connection.execute(statement.order_by(bridges.c.p, bridges.c.id))
    return [KeptBridge(*row) for row in rows]


def save_found(connection: Connection, space: str, found: Iterable[KeptBridge]) -> None:
    """Keep what was found; of what is known already the decision and the first time stay."""
    c = bridges.c
    for bridge in found:
        numbers = {
            name: getattr(bridge, name)
            for name in ("sessions", "users", "expected", "p", "last_found_at")
        }
        known = connection.execute(
            update(bridges)
            .where(
                c.knowledge_space_id == space,
                c.topic_id == bridge.topic_id,
                c.other_id == bridge.other_id,
            )
            .values(numbers)
        )
        if not known.rowcount:
            row = {name: getattr(bridge, name) for name in KeptBridge.__dataclass_fields__}
            connection.execute(insert(bridges), {"knowledge_space_id": space, **row})


def drop_old(connection: Connection, space: str, *, before: float) -> None:
    """Delete what was not found since a moment, and not taken."""
    c = bridges.c
    is_over = (c.last_found_at < before) & c.is_taken.is_not(True)
    connection.execute(delete(bridges).where(c.knowledge_space_id == space, is_over))


def decide(
    connection: Connection, access: Access, ids: Collection[str], *, is_taken: bool, now: float
) -> int:
    """Write down what was decided of bridges; return how many of them there are."""
    c = bridges.c
    statement = update(bridges).where(c.knowledge_space_id == access.space, c.id.in_(ids))
    return connection.execute(statement.values(is_taken=is_taken, decided_at=now)).rowcount


def forget(connection: Connection, access: Access, *, since: float) -> None:
    """Delete what was found since a moment, as the log was rolled back to it.

    What was found earlier is found again, or expires; what was decided of it stays.
    """
    c = bridges.c
    is_open = (c.last_found_at >= since) & c.is_taken.is_(None)
    is_later = (c.found_at >= since) | is_open
    connection.execute(delete(bridges).where(c.knowledge_space_id == access.space, is_later))
