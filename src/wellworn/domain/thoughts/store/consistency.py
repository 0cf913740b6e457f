"""Compares stored counts of the ledger with the rows they count, or counts them again."""

from __future__ import annotations

from sqlalchemy import Connection, Select, func, insert, select, update

from wellworn.domain.thoughts.store.ledger import trail_to_row
from wellworn.domain.thoughts.tables import (
    accesses,
    query_log,
    thoughts,
    trail_agents,
    trails,
)
from wellworn.domain.thoughts.trail import create


def recount(connection: Connection) -> None:
    """Give every thought a trail, and every count the number of the rows it counts."""
    lacking = (
        select(thoughts.c.seq, thoughts.c.knowledge_space_id, thoughts.c.created_at)
        .outerjoin(trails)
        .where(trails.c.thought_seq.is_(None))
    )
    new = [
        {
            "thought_seq": row.seq,
            "knowledge_space_id": row.knowledge_space_id,
            **trail_to_row(create(row.created_at)),
        }
        for row in connection.execute(lacking)
    ]
    if new:
        connection.execute(insert(trails), new)
    number = select(func.count())
    seq = trails.c.thought_seq
    shown = number.where(accesses.c.thought_seq == seq).scalar_subquery()
    users = number.where(
        trail_agents.c.thought_seq == seq, trail_agents.c.accesses > 0
    ).scalar_subquery()
    counts = {"access_count": shown, "unique_users": users, "traffic_score": shown * users}
    connection.execute(update(trails).values(counts))
    returned = number.where(accesses.c.query_seq == query_log.c.seq).scalar_subquery()
    connection.execute(update(query_log).values(result_count=returned))


def count_inconsistencies(connection: Connection) -> dict[str, int]:
    """Count the rows that break each rule, over all spaces; rules that hold are left out."""
    counts = {rule: connection.execute(statement).scalar_one() for rule, statement in _RULES}
    return {rule: count for rule, count in counts.items() if count}


def _count_mismatches(column: str, counts: Select[int, int]) -> Select[int]:
    counted = counts.subquery()
    joined = trails.outerjoin(counted, counted.c.thought_seq == trails.c.thought_seq)
    differs = trails.c[column] != func.coalesce(counted.c.rows, 0)
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
    ("access counts unlike their accesses", _count_mismatches("access_count", _ACCESSES)),
    ("user counts unlike their users", _count_mismatches("unique_users", _AGENTS)),
    (
        "traffic scores unlike their counts",
        select(func.count())
        .select_from(trails)
        .where(trails.c.traffic_score != trails.c.access_count * trails.c.unique_users),
    ),
    (
        "queries unlike what they returned",
        select(func.count())
        .select_from(query_log.outerjoin(_SHOWN, _SHOWN.c.query_seq == query_log.c.seq))
        .where(query_log.c.result_count != func.coalesce(_SHOWN.c.rows, 0)),
    ),
)
