"""Conflicts as rows, with what was decided about them."""

from __future__ import annotations

import json
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any, Final

from sqlalchemy import Connection, insert, select, update

from wellworn.domain.knowledge.answers import ConflictClaim, QuotedSpan, StoredConflict
from wellworn.domain.knowledge.store.compiled import LONGEST, term_key
from wellworn.domain.knowledge.tables import fact_conflicts
from wellworn.domain.spaces import Access

_DECISION: Final = ("resolution", "reason", "resolved_by", "resolved_at", "decided_on")
OPEN: Final[Mapping[str, Any]] = {"state": "open", **dict.fromkeys(_DECISION)}
"""The columns of a conflict that nobody has settled."""
RECORDED: Final = ("place", "term", "attribute", "fact_type", *_DECISION)
"""Fields of a settled conflict in a record."""


def list_conflicts(
    connection: Connection, access: Access, terms: Iterable[str] | None = None
) -> list[StoredConflict]:
    """Return the conflicts about some terms, or with None all of the space, oldest first."""
    statement = select(fact_conflicts).where(fact_conflicts.c.knowledge_space_id == access.space)
    if terms is not None:
        keys = {term_key(term) for term in terms}
        statement = statement.where(fact_conflicts.c.term_key.in_(keys))
    return [
        _to_conflict(row) for row in connection.execute(statement.order_by(fact_conflicts.c.id))
    ]


def list_visible(
    connection: Connection, access: Access, documents: Container[int]
) -> list[StoredConflict]:
    """Return the conflicts whose sides all stand in some documents, oldest first."""
    return [
        conflict
        for conflict in list_conflicts(connection, access)
        if all(claim.evidence.document_id in documents for claim in conflict.claims)
    ]


def add_conflict(
    connection: Connection,
    access: Access,
    name: tuple[str, str, str, str],
    claims: Sequence[ConflictClaim],
    *,
    now: float,
) -> None:
    """Write an open conflict; its name is place, term, attribute and type."""
    place, term, attribute, fact_type = name
    connection.execute(
        insert(fact_conflicts),
        {
            "knowledge_space_id": access.space,
            "place": place,
            "term": term[:LONGEST],
            "term_key": term_key(term),
            "attribute": attribute[:LONGEST],
            "fact_type": fact_type,
            "candidates": _dump_claims(claims),
            "state": "open",
            "found_at": now,
        },
    )


def import_decision(connection: Connection, access: Access, record: Mapping[str, Any]) -> bool:
    """Write how a conflict that is here too was settled elsewhere, unless it was settled here."""
    name = (term_key(record["term"]), record["attribute"], record["fact_type"])
    for conflict in list_conflicts(connection, access):
        own = (term_key(conflict.term), conflict.attribute, conflict.fact_type)
        is_here = record.get("place") in {None, conflict.place}
        if own == name and is_here and conflict.resolution is None:
            decided = {name: record[name] for name in _DECISION}
            change_conflict(connection, conflict.id, state="resolved", **decided)
            return True
    return False


def change_conflict(connection: Connection, conflict_id: int, **values: Any) -> None:
    """Write columns of a conflict; `claims` and `decided_on` are made JSON here."""
    if "claims" in values:
        values["candidates"] = _dump_claims(values.pop("claims"))
    if values.get("decided_on") is not None:
        values["decided_on"] = json.dumps(sorted(values["decided_on"]), ensure_ascii=False)
    connection.execute(
        update(fact_conflicts).where(fact_conflicts.c.id == conflict_id).values(**values)
    )


def reopen(connection: Connection, access: Access, owner: str, since: float) -> None:
    """Open the conflicts that a member settled since a moment, in epoch seconds."""
    for conflict in list_conflicts(connection, access):
        if conflict.resolved_by == owner and (conflict.resolved_at or 0.0) >= since:
            change_conflict(connection, conflict.id, **OPEN)


def _dump_claims(claims: Sequence[ConflictClaim]) -> str:
    rows = [{"value": claim.value, **asdict(claim.evidence)} for claim in claims]
    return json.dumps(rows, ensure_ascii=False)


def _to_conflict(row: Any) -> StoredConflict:
    columns = row._asdict()
    claims = [
        ConflictClaim(claim.pop("value"), QuotedSpan(**claim))
        for claim in json.loads(columns.pop("candidates"))
    ]
    decided_on = frozenset(json.loads(columns.pop("decided_on") or "[]"))
    del columns["knowledge_space_id"], columns["term_key"]
    return StoredConflict(claims=tuple(claims), decided_on=decided_on, **columns)
