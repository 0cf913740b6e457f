"""Exports the ledger of a space as rows, each kind in the order it was written.

Rows are read page by page, each in a short transaction: memory stays bounded, and one who takes
long to use a page holds up nobody.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, Self

from sqlalchemy import Connection, Row, Select, Table, func, select

from wellworn.domain.spaces import Access
from wellworn.domain.thoughts.store import decisions
from wellworn.domain.thoughts.store.ledger import trail_from_row
from wellworn.domain.thoughts.tables import (
    accesses,
    affirmations,
    erasures,
    feedback,
    query_log,
    replacements,
    sessions,
    thought_ends,
    thought_sources,
    thoughts,
    trail_agents,
    trails,
    uses,
)
from wellworn.domain.thoughts.trail import create
from wellworn.engines.storage.sql import Database, Lose, read_pages
from wellworn.errors import DamagedStore
from wellworn.kit.clock import to_iso, to_iso_if_any

LedgerRow = dict[str, Any]
AnySelect = Select[*tuple[Any, ...]]
AnyRow = Row[*tuple[Any, ...]]
_LARGEST = 2**63 - 1

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
_THOUGHT_COLUMNS = (
    *("id", "content", "contributor_id", "contributor_name", "thought_type"),
    *("context_metadata", "kind", "session", "position"),
)
_QUERY_COLUMNS = (
    *("id", "agent_id", "session_id", "query_text", "context_text"),
    *("timestamp", "retrieval_method", "policy_version", "contributed_id"),
)


@dataclass(frozen=True, slots=True)
class ExportScope:
    """The scope of one export: a space up to its last thought and query at the begin."""

    database: Database
    access: Access
    last_thought: int
    last_query: int
    lose: Lose

    @classmethod
    def begin(cls, database: Database, access: Access, lose: Lose) -> Self:
        """Return the scope of an export that begins now."""
        last_thought, last_query = (
            _find_last(database, column, lose) for column in (thoughts.c.seq, query_log.c.seq)
        )
        return cls(database, access, last_thought, last_query, lose)

    def read(
        self,
        kind: str,
        statement: AnySelect,
        *order: Any,
        convert: Callable[[Sequence[AnyRow]], Iterable[LedgerRow]],
    ) -> Iterator[LedgerRow]:
        """Yield what `convert` makes of the rows of a statement, page by page."""
        pages = read_pages(
            self.database, statement, *order, convert=convert, kind=kind, lose=self.lose
        )
        return chain.from_iterable(pages)

    def limit(self, statement: AnySelect) -> AnySelect:
        """Return the statement for the thoughts of this scope only."""
        return statement.where(
            thoughts.c.knowledge_space_id == self.access.space, thoughts.c.seq <= self.last_thought
        )


def _find_last(database: Database, column: Any, lose: Lose) -> int:
    try:
        with database.read() as connection:
            return connection.execute(select(func.max(column))).scalar() or 0
    except DamagedStore as failure:
        lose(column.table.name, "which is the last", failure)
        return _LARGEST


def _export_thoughts(scope: ExportScope) -> Iterator[LedgerRow]:
    def to_thoughts(page: Sequence[AnyRow]) -> list[LedgerRow]:
        sources = _find_sources(scope, page)
        return [_to_thought(row, sources.get(row.seq, [])) for row in page]

    statement = scope.limit(select(thoughts))
    return scope.read("thought", statement, thoughts.c.seq, convert=to_thoughts)


def _find_sources(scope: ExportScope, page: Sequence[AnyRow]) -> dict[int, list[str]]:
    try:
        with scope.database.read() as connection:
            return _load_sources(connection, page[0].seq, page[-1].seq)
    except DamagedStore as failure:
        if len(page) > 1:
            raise
        # Its words are more than where they come from.
        scope.lose("source_ids", page[0].id, failure)
        return {}


def _to_thought(row: AnyRow, source_ids: list[str]) -> LedgerRow:
    return {
        **{name: getattr(row, name) for name in _THOUGHT_COLUMNS},
        "source_ids": source_ids,
        "tags": json.loads(row.tags),
        "created_at": to_iso(row.created_at),
        "erased_at": to_iso_if_any(row.erased_at),
        **_drop_absent(
            owner=row.owner,
            quarantined_at=row.quarantined_at,
            by_admin=row.by_admin or None,
            unconfirmed_until=row.unconfirmed_until,
        ),
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
    for row in _export_rows(scope, "affirmation", statement, c.seq):
        yield _drop_absent_owner(row)


def _drop_absent_owner(row: LedgerRow) -> LedgerRow:
    return {name: row[name] for name in row if name != "owner" or row[name] is not None}


def _drop_absent_mark(row: LedgerRow) -> LedgerRow:
    return {name: row[name] for name in row if name != "by_admin" or row[name]}


def _export_rows(
    scope: ExportScope, kind: str, statement: AnySelect, *order: Any
) -> Iterator[LedgerRow]:
    return _read_rows(scope, kind, scope.limit(statement), *order)


def _read_rows(
    scope: ExportScope, kind: str, statement: AnySelect, *order: Any
) -> Iterator[LedgerRow]:
    names = statement.selected_columns.keys()

    def to_rows(page: Sequence[AnyRow]) -> list[LedgerRow]:
        return [dict(zip(names, row, strict=False)) for row in page]

    return scope.read(kind, statement, *order, convert=to_rows)


def _export_sessions(scope: ExportScope) -> Iterator[LedgerRow]:
    c = sessions.c
    statement = select(c.id, c.agent_id, c.created_at, c.owner)
    of_space = statement.where(c.knowledge_space_id == scope.access.space)
    for row in _read_rows(scope, "session", of_space, c.created_at, c.id):
        yield _drop_absent_owner(row)


def _export_trails(scope: ExportScope) -> Iterator[LedgerRow]:
    statement = _select_with_thought(trails, thoughts.c.created_at, trails)
    yield from scope.read("trail", scope.limit(statement), trails.c.thought_seq, convert=_to_trails)


def _to_trails(page: Sequence[AnyRow]) -> Iterator[LedgerRow]:
    for row in page:
        # An unused trail is created with its thought on import.
        if trail_from_row(row) != create(row.created_at):
            yield {"thought_id": row.thought_id} | {
                name: getattr(row, name) for name in TRAIL_COLUMNS
            }


def _export_trail_agents(scope: ExportScope) -> Iterator[LedgerRow]:
    c = trail_agents.c
    statement = _select_with_thought(trail_agents, c.agent_id, c.first_accessed, c.exposed_at)
    yield from _export_rows(scope, "trail_agent", statement, c.thought_seq, c.agent_id)


def _export_queries(scope: ExportScope) -> Iterator[LedgerRow]:
    c = query_log.c
    statement = (
        select(query_log, thoughts.c.id.label("contributed_id"))
        .outerjoin_from(query_log, thoughts, thoughts.c.seq == c.contributed_seq)
        .where(c.knowledge_space_id == scope.access.space, c.seq <= scope.last_query)
    )

    def to_queries(page: Sequence[AnyRow]) -> list[LedgerRow]:
        with scope.database.read() as connection:
            deposits = {
                row.seq: None if row.owner is None else _load_deposits(connection, row.seq)
                for row in page
            }
            decided = decisions.export_decisions(connection, [row.seq for row in page])
        return [_to_query(row, deposits[row.seq], decided.get(row.seq)) for row in page]

    yield from scope.read("query", statement, c.seq, convert=to_queries)


def _to_query(row: AnyRow, deposits: list[float] | None, decision: LedgerRow | None) -> LedgerRow:
    vector, offered = row.query_vector, row.offered_tags
    return {
        **{name: getattr(row, name) for name in _QUERY_COLUMNS},
        "query_vector": None if vector is None else base64.b64encode(vector).decode(),
        "returned_ids": json.loads(row.returned_ids),
        "offered_tags": None if offered is None else json.loads(offered),
        **_drop_absent(owner=row.owner, deposits=deposits, decision=decision),
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
    yield from _export_rows(scope, "use", statement, c.seq)


def _export_feedback(scope: ExportScope) -> Iterator[LedgerRow]:
    c = feedback.c
    use = (uses.c.agent_id.label("used_by"), uses.c.used_at)
    columns = (c.session_id, c.signal, c.effect, c.given_at, c.by_admin, *use)
    statement = _select_with_thought(feedback, *columns).outerjoin(uses, uses.c.seq == c.use_seq)
    for row in _export_rows(scope, "feedback", statement, c.session_id, c.thought_seq):
        yield _drop_absent_mark(row)


def _export_erasures(scope: ExportScope) -> Iterator[LedgerRow]:
    c = erasures.c
    statement = _select_with_thought(erasures, c.erased_by, c.reason, c.erased_at)
    yield from _export_rows(scope, "erasure", statement, c.thought_seq)


def _export_ends(scope: ExportScope) -> Iterator[LedgerRow]:
    c = thought_ends.c
    columns = (c.contributor_id, c.expires_at, c.given_at, c.owner, c.by_admin)
    statement = _select_with_thought(thought_ends, *columns)
    for row in _export_rows(scope, "end", statement, c.given_at, c.seq):
        yield _drop_absent_mark(_drop_absent_owner(row))


def _export_replacements(scope: ExportScope) -> Iterator[LedgerRow]:
    c, replaced = replacements.c, thoughts.alias()
    columns = (c.origin, c.reason, c.confidence, c.made_by, c.made_at, c.by_admin, c.withdrawn_by)
    statement = _select_with_thought(
        replacements, replaced.c.id.label("replaced_id"), *columns, c.withdrawn_at
    ).join(replaced, replaced.c.seq == c.replaced_seq)
    for row in _export_rows(scope, "replacement", statement, c.thought_seq, c.replaced_seq):
        yield _drop_absent_mark(row)


EXPORTERS: dict[str, Callable[[ExportScope], Iterator[LedgerRow]]] = {
    "thought": _export_thoughts,
    "affirmation": _export_affirmations,
    "session": _export_sessions,
    "trail": _export_trails,
    "trail_agent": _export_trail_agents,
    "query": _export_queries,
    "use": _export_uses,
    "feedback": _export_feedback,
    "erasure": _export_erasures,
    "replacement": _export_replacements,
    "end": _export_ends,
}
