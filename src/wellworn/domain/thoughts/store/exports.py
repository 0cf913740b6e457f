"""Exports the ledger of a space as rows, each kind in the order it was written.

Rows are read page by page, each in a short transaction: memory stays bounded, and whoever takes
long to use a page holds up nobody.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Any, Self

from sqlalchemy import Connection, Row, Select, Table, func, select

from wellworn.domain.spaces import Access
from wellworn.domain.thoughts.store.ledger import trail_from_row
from wellworn.domain.thoughts.tables import (
    accesses,
    affirmations,
    co_uses,
    erasures,
    feedback,
    query_log,
    replacements,
    sessions,
    thought_sources,
    thoughts,
    trail_agents,
    trails,
    uses,
)
from wellworn.domain.thoughts.trail import create
from wellworn.engines.storage.sql import Database, read_pages
from wellworn.kit.clock import to_iso

LedgerRow = dict[str, Any]
AnySelect = Select[*tuple[Any, ...]]

TRAIL_COLUMNS = (
    "last_accessed",
    "weight",
    "frozen_until_h",
    "uses",
    "exposures",
    "counted_at",
    "use_score",
)
"""The columns of a trail that do not follow from the queries."""


@dataclass(frozen=True, slots=True)
class ExportScope:
    """What one export reads: a space up to the last thought and query there were at its begin."""

    database: Database
    access: Access
    last_thought: int
    last_query: int

    @classmethod
    def begin(cls, database: Database, access: Access) -> Self:
        """Return the scope of an export that begins now."""
        with database.read() as connection:
            last_thought = connection.execute(select(func.max(thoughts.c.seq))).scalar()
            last_query = connection.execute(select(func.max(query_log.c.seq))).scalar()
        return cls(database, access, last_thought or 0, last_query or 0)

    def limit(self, statement: AnySelect) -> AnySelect:
        """Return the statement for the thoughts of this scope only."""
        return statement.where(
            thoughts.c.knowledge_space_id == self.access.space, thoughts.c.seq <= self.last_thought
        )


def _export_thoughts(scope: ExportScope) -> Iterator[LedgerRow]:
    for page in read_pages(scope.database, scope.limit(select(thoughts)), thoughts.c.seq):
        with scope.database.read() as connection:
            sources = _load_sources(connection, page[0].seq, page[-1].seq)
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
                "created_at": to_iso(row.created_at),
                "kind": row.kind,
                "session": row.session,
                "position": row.position,
                "erased_at": None if row.erased_at is None else to_iso(row.erased_at),
                **_drop_absent(owner=row.owner, quarantined_at=row.quarantined_at),
            }


def _drop_absent(**fields: object) -> LedgerRow:
    """Return the fields that are set; without credentials none of them is."""
    return {name: value for name, value in fields.items() if value is not None}


def _load_sources(connection: Connection, first: int, last: int) -> dict[int, list[str]]:
    statement = (
        select(thought_sources.c.thought_seq, thoughts.c.id)
        .join_from(thought_sources, thoughts, thoughts.c.seq == thought_sources.c.source_seq)
        .where(thought_sources.c.thought_seq.between(first, last))
        .order_by(thought_sources.c.thought_seq, thought_sources.c.place)
    )
    sources: dict[int, list[str]] = {}
    for row in connection.execute(statement):
        sources.setdefault(row.thought_seq, []).append(row.id)
    return sources


def _select_with_thought(table: Table, *columns: Any) -> AnySelect:
    return select(thoughts.c.id.label("thought_id"), *columns).join_from(
        table, thoughts, thoughts.c.seq == table.c.thought_seq
    )


def _export_affirmations(scope: ExportScope) -> Iterator[LedgerRow]:
    c, before = affirmations.c, affirmations.alias().c
    names = ("thought_seq", "contributor_id", "contributor_name", "affirmed_at", "owner")
    same = (before[name].is_not_distinct_from(c[name]) for name in names)
    earlier = select(func.count()).where(*same, before.seq < c.seq).correlate(affirmations)
    statement = _select_with_thought(
        affirmations, *(c[name] for name in names[1:]), earlier.scalar_subquery().label("repeat")
    )
    for row in _export_rows(scope, statement, c.seq):
        yield _drop_absent_owner(row)


def _drop_absent_owner(row: LedgerRow) -> LedgerRow:
    return {name: row[name] for name in row if name != "owner" or row[name] is not None}


def _export_rows(scope: ExportScope, statement: AnySelect, *order: Any) -> Iterator[LedgerRow]:
    return _read_rows(scope, scope.limit(statement), *order)


def _read_rows(scope: ExportScope, statement: AnySelect, *order: Any) -> Iterator[LedgerRow]:
    names = statement.selected_columns.keys()
    for row in chain.from_iterable(read_pages(scope.database, statement, *order)):
        yield dict(zip(names, row, strict=False))


def _export_sessions(scope: ExportScope) -> Iterator[LedgerRow]:
    c = sessions.c
    statement = select(c.id, c.agent_id, c.created_at, c.owner)
    of_space = statement.where(c.knowledge_space_id == scope.access.space)
    for row in _read_rows(scope, of_space, c.created_at, c.id):
        yield _drop_absent_owner(row)


def _export_trails(scope: ExportScope) -> Iterator[LedgerRow]:
    statement = _select_with_thought(trails, thoughts.c.created_at, trails)
    pages = read_pages(scope.database, scope.limit(statement), trails.c.thought_seq)
    for row in chain.from_iterable(pages):
        # An unused trail is created with its thought on import.
        if trail_from_row(row) != create(row.created_at):
            yield {"thought_id": row.thought_id} | {
                name: getattr(row, name) for name in TRAIL_COLUMNS
            }


def _export_trail_agents(scope: ExportScope) -> Iterator[LedgerRow]:
    c = trail_agents.c
    statement = _select_with_thought(trail_agents, c.agent_id, c.first_accessed, c.exposed_at)
    yield from _export_rows(scope, statement, c.thought_seq, c.agent_id)


def _export_queries(scope: ExportScope) -> Iterator[LedgerRow]:
    c = query_log.c
    statement = (
        select(query_log, thoughts.c.id.label("contributed_id"))
        .outerjoin_from(query_log, thoughts, thoughts.c.seq == c.contributed_seq)
        .where(c.knowledge_space_id == scope.access.space, c.seq <= scope.last_query)
    )
    for page in read_pages(scope.database, statement, c.seq):
        with scope.database.read() as connection:
            deposits = {
                row.seq: None if row.owner is None else _load_deposits(connection, row.seq)
                for row in page
            }
        yield from (_to_query(row, deposits[row.seq]) for row in page)


def _to_query(row: Row[*tuple[Any, ...]], deposits: list[float] | None) -> LedgerRow:
    vector, offered = row.query_vector, row.offered_tags
    return {
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
        **_drop_absent(owner=row.owner, deposits=deposits),
    }


def _load_deposits(connection: Connection, query_seq: int) -> list[float]:
    statement = (
        select(accesses.c.deposited)
        .where(accesses.c.query_seq == query_seq)
        .order_by(accesses.c.rank)
    )
    return [amount or 0.0 for amount in connection.execute(statement).scalars()]


def _export_uses(scope: ExportScope) -> Iterator[LedgerRow]:
    c = uses.c
    statement = _select_with_thought(
        uses, c.agent_id, c.kind, c.session_id, query_log.c.id.label("query_id"), c.used_at
    ).outerjoin(query_log, query_log.c.seq == c.query_seq)
    yield from _export_rows(scope, statement, c.seq)


def _export_co_uses(scope: ExportScope) -> Iterator[LedgerRow]:
    other = thoughts.alias()
    statement = (
        select(thoughts.c.id.label("thought_id"), other.c.id.label("other_id"), co_uses.c.together)
        .join_from(co_uses, thoughts, thoughts.c.seq == co_uses.c.low_seq)
        .join(other, other.c.seq == co_uses.c.high_seq)
    )
    yield from _export_rows(scope, statement, co_uses.c.low_seq, co_uses.c.high_seq)


def _export_feedback(scope: ExportScope) -> Iterator[LedgerRow]:
    c = feedback.c
    use = (uses.c.agent_id.label("used_by"), uses.c.used_at)
    columns = (c.session_id, c.signal, c.effect, c.given_at, *use)
    statement = _select_with_thought(feedback, *columns).outerjoin(uses, uses.c.seq == c.use_seq)
    yield from _export_rows(scope, statement, c.session_id, c.thought_seq)


def _export_erasures(scope: ExportScope) -> Iterator[LedgerRow]:
    c = erasures.c
    statement = _select_with_thought(erasures, c.erased_by, c.reason, c.erased_at)
    yield from _export_rows(scope, statement, c.thought_seq)


def _export_replacements(scope: ExportScope) -> Iterator[LedgerRow]:
    c, replaced = replacements.c, thoughts.alias()
    columns = (c.origin, c.reason, c.confidence, c.made_by, c.made_at, c.withdrawn_by)
    statement = _select_with_thought(
        replacements, replaced.c.id.label("replaced_id"), *columns, c.withdrawn_at
    ).join(replaced, replaced.c.seq == c.replaced_seq)
    yield from _export_rows(scope, statement, c.thought_seq, c.replaced_seq)


EXPORTERS: dict[str, Callable[[ExportScope], Iterator[LedgerRow]]] = {
    "thought": _export_thoughts,
    "affirmation": _export_affirmations,
    "session": _export_sessions,
    "trail": _export_trails,
    "trail_agent": _export_trail_agents,
    "query": _export_queries,
    "use": _export_uses,
    "co_use": _export_co_uses,
    "feedback": _export_feedback,
    "erasure": _export_erasures,
    "replacement": _export_replacements,
}
