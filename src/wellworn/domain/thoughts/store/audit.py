"""Sums that must agree: what the ledger says of itself, counted again from its rows."""

from __future__ import annotations

from sqlalchemy import Connection, Select, func, select

from wellworn.domain.thoughts.tables import (
    accesses,
    pairs,
    query_log,
    thoughts,
    trail_agents,
    trails,
)


def contradictions(connection: Connection) -> dict[str, int]:
    """Count, over all spaces, the rows that break each rule; rules that hold are left out."""
    counted = {rule: connection.execute(statement).scalar_one() for rule, statement in _RULES}
    return {rule: count for rule, count in counted.items() if count}


def _trails_unlike(column: str, counts: Select[int, int]) -> Select[int]:
    found = counts.subquery()
    joined = trails.outerjoin(found, found.c.thought_seq == trails.c.thought_seq)
    differs = trails.c[column] != func.coalesce(found.c.rows, 0)
    return select(func.count()).select_from(joined).where(differs)


_AGENTS = (
    select(trail_agents.c.thought_seq, func.count().label("rows"))
    .where(trail_agents.c.accesses > 0)
    .group_by(trail_agents.c.thought_seq)
)
_ACCESSES = select(accesses.c.thought_seq, func.count().label("rows")).group_by(
    accesses.c.thought_seq
)
_SHOWN = (
    select(accesses.c.query_seq, func.count().label("rows")).group_by(accesses.c.query_seq)
).subquery()
_RULES: tuple[tuple[str, Select[int]], ...] = (
    (
        "thoughts without a trail",
        select(func.count())
        .select_from(thoughts.outerjoin(trails))
        .where(trails.c.thought_seq.is_(None)),
    ),
    ("access counts unlike their accesses", _trails_unlike("access_count", _ACCESSES)),
    ("user counts unlike their users", _trails_unlike("unique_users", _AGENTS)),
    (
        "traffic scores unlike their counts",
        select(func.count())
        .select_from(trails)
        .where(trails.c.traffic_score != trails.c.access_count * trails.c.unique_users),
    ),
    (
        "pairs out of order",
        select(func.count()).select_from(pairs).where(pairs.c.low_seq >= pairs.c.high_seq),
    ),
    (
        "queries unlike what they returned",
        select(func.count())
        .select_from(query_log.outerjoin(_SHOWN, _SHOWN.c.query_seq == query_log.c.seq))
        .where(query_log.c.result_count != func.coalesce(_SHOWN.c.rows, 0)),
    ),
)
