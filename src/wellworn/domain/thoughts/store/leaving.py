"""The whole ledger of a space as rows that leave, each kind in the order it was written.

An import stores rows in the order they come, so an export of it equals the export it came from.
Results are read page by page: memory stays bounded however much there is.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterator
from typing import Any

from sqlalchemy import Connection, CursorResult, Select, Table, func, select

from wellworn.domain.spaces import Access
from wellworn.domain.thoughts.store.ledger import trail_of
from wellworn.domain.thoughts.tables import (
    accesses,
    affirmations,
    co_uses,
    erasures,
    feedback,
    query_log,
    sessions,
    thought_sources,
    thoughts,
    trail_agents,
    trails,
    uses,
)
from wellworn.domain.thoughts.trail import fresh
from wellworn.kit.clock import iso

Fields = dict[str, Any]
Anything = Select[*tuple[Any, ...]]

_PAGE = 1_000
TRAIL = (
    "last_accessed",
    "weight",
    "frozen_until_h",
    "uses",
    "exposures",
    "counted_at",
    "use_score",
)
"""What of a trail does not follow from the queries."""


def _executed(connection: Connection, statement: Anything) -> CursorResult[*tuple[Any, ...]]:
    return connection.execute(statement, execution_options={"yield_per": _PAGE})


def _thoughts(connection: Connection, access: Access) -> Iterator[Fields]:
    statement = (
        select(thoughts)
        .where(thoughts.c.knowledge_space_id == access.space)
        .order_by(thoughts.c.seq)
    )
    result = connection.execute(statement, execution_options={"yield_per": _PAGE})
    for page in result.partitions():
        sources = _sources(connection, page[0].seq, page[-1].seq)
        for row in page:
            yield {
                "id": row.id,
                "content": row.content,
                "contributor_id": row.contributor_id,
                "contributor_name": row.contributor_name,
                "thought_type": row.thought_type,
                "source_ids": sources.get(row.seq, []),
                "tags": json.loads(row.tags),
                "context_metadata": row.context_metadata,
                "created_at": iso(row.created_at),
                "kind": row.kind,
                "session": row.session,
                "position": row.position,
                "erased_at": None if row.erased_at is None else iso(row.erased_at),
                **_beside(owner=row.owner, quarantined_at=row.quarantined_at),
            }


def _beside(**known: object) -> Fields:
    """Return what travels beside a record only where credentials are in use."""
    return {name: value for name, value in known.items() if value is not None}


def _sources(connection: Connection, first: int, last: int) -> dict[int, list[str]]:
    statement = (
        select(thought_sources.c.thought_seq, thoughts.c.id)
        .join_from(thought_sources, thoughts, thoughts.c.seq == thought_sources.c.source_seq)
        .where(thought_sources.c.thought_seq.between(first, last))
        .order_by(thought_sources.c.thought_seq, thought_sources.c.place)
    )
    found: dict[int, list[str]] = {}
    for row in connection.execute(statement):
        found.setdefault(row.thought_seq, []).append(row.id)
    return found


def _of_thoughts(table: Table, *columns: Any) -> Anything:
    return select(thoughts.c.id.label("thought_id"), *columns).join_from(
        table, thoughts, thoughts.c.seq == table.c.thought_seq
    )


def _affirmations(connection: Connection, access: Access) -> Iterator[Fields]:
    one = affirmations.c
    alike = (one.thought_seq, one.contributor_id, one.contributor_name, one.affirmed_at, one.owner)
    earlier = func.row_number().over(partition_by=alike, order_by=one.seq) - 1
    statement = _of_thoughts(affirmations, *alike[1:], earlier.label("repeat"))
    for row in _plain(connection, access, statement, one.seq):
        yield _without_nobody(row)


def _without_nobody(row: Fields) -> Fields:
    return {name: row[name] for name in row if name != "owner" or row[name] is not None}


def _plain(
    connection: Connection, access: Access, statement: Anything, *order: Any
) -> Iterator[Fields]:
    inside = statement.where(thoughts.c.knowledge_space_id == access.space).order_by(*order)
    for row in _executed(connection, inside).mappings():
        yield dict(row)


def _sessions(connection: Connection, access: Access) -> Iterator[Fields]:
    statement = (
        select(sessions.c.id, sessions.c.agent_id, sessions.c.created_at, sessions.c.owner)
        .where(sessions.c.knowledge_space_id == access.space)
        .order_by(sessions.c.created_at, sessions.c.id)
    )
    for row in _executed(connection, statement).mappings():
        yield _without_nobody(dict(row))


def _trails(connection: Connection, access: Access) -> Iterator[Fields]:
    statement = _of_thoughts(trails, thoughts.c.created_at, trails).where(
        thoughts.c.knowledge_space_id == access.space
    )
    for row in _executed(connection, statement.order_by(trails.c.thought_seq)):
        # A trail as it is made with its thought needs no record.
        if trail_of(row) != fresh(row.created_at):
            yield {"thought_id": row.thought_id} | {name: getattr(row, name) for name in TRAIL}


def _trail_agents(connection: Connection, access: Access) -> Iterator[Fields]:
    one = trail_agents.c
    statement = _of_thoughts(trail_agents, one.agent_id, one.first_accessed, one.exposed_at)
    yield from _plain(connection, access, statement, one.thought_seq, one.agent_id)


def _queries(connection: Connection, access: Access) -> Iterator[Fields]:
    statement = (
        select(query_log, thoughts.c.id.label("contributed_id"))
        .outerjoin_from(query_log, thoughts, thoughts.c.seq == query_log.c.contributed_seq)
        .where(query_log.c.knowledge_space_id == access.space)
        .order_by(query_log.c.seq)
    )
    for row in _executed(connection, statement):
        vector, offered = row.query_vector, row.offered_tags
        deposits = None if row.owner is None else _deposits(connection, row.seq)
        yield {
            "id": row.id,
            "agent_id": row.agent_id,
            "session_id": row.session_id,
            "query_text": row.query_text,
            "context_text": row.context_text,
            "query_vector": None if vector is None else base64.b64encode(vector).decode(),
            "returned_ids": json.loads(row.returned_ids),
            "timestamp": row.timestamp,
            "retrieval_method": row.retrieval_method,
            "policy_version": row.policy_version,
            "offered_tags": None if offered is None else json.loads(offered),
            "contributed_id": row.contributed_id,
            **_beside(owner=row.owner, deposits=deposits),
        }


def _deposits(connection: Connection, query_seq: int) -> list[float]:
    statement = (
        select(accesses.c.deposited)
        .where(accesses.c.query_seq == query_seq)
        .order_by(accesses.c.rank)
    )
    return [amount or 0.0 for amount in connection.execute(statement).scalars()]


def _uses(connection: Connection, access: Access) -> Iterator[Fields]:
    one = uses.c
    statement = _of_thoughts(
        uses, one.agent_id, one.kind, one.session_id, query_log.c.id.label("query_id"), one.used_at
    ).outerjoin(query_log, query_log.c.seq == one.query_seq)
    yield from _plain(connection, access, statement, one.seq)


def _co_uses(connection: Connection, access: Access) -> Iterator[Fields]:
    other = thoughts.alias()
    statement = (
        select(thoughts.c.id.label("thought_id"), other.c.id.label("other_id"), co_uses.c.together)
        .join_from(co_uses, thoughts, thoughts.c.seq == co_uses.c.low_seq)
        .join(other, other.c.seq == co_uses.c.high_seq)
    )
    yield from _plain(connection, access, statement, co_uses.c.low_seq, co_uses.c.high_seq)


def _feedback(connection: Connection, access: Access) -> Iterator[Fields]:
    one = feedback.c
    used = (uses.c.agent_id.label("used_by"), uses.c.used_at)
    columns = (one.session_id, one.signal, one.effect, one.given_at, *used)
    statement = _of_thoughts(feedback, *columns).outerjoin(uses, uses.c.seq == one.use_seq)
    yield from _plain(connection, access, statement, one.session_id, one.thought_seq)


def _erasures(connection: Connection, access: Access) -> Iterator[Fields]:
    one = erasures.c
    statement = _of_thoughts(erasures, one.erased_by, one.reason, one.erased_at)
    yield from _plain(connection, access, statement, one.thought_seq)


LEAVING: dict[str, Callable[[Connection, Access], Iterator[Fields]]] = {
    "thought": _thoughts,
    "affirmation": _affirmations,
    "session": _sessions,
    "trail": _trails,
    "trail_agent": _trail_agents,
    "query": _queries,
    "use": _uses,
    "co_use": _co_uses,
    "feedback": _feedback,
    "erasure": _erasures,
}
