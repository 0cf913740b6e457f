"""Stores what use taught: aliases, pins, and how questions ended."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

from sqlalchemy import Connection, Select, delete, func, insert, select, true

from wellworn.domain.knowledge.aliases import Alias
from wellworn.domain.knowledge.answers import ResolutionOutcome, ResolverStep
from wellworn.domain.knowledge.store.compiled import LONGEST, term_key
from wellworn.domain.knowledge.tables import learned_aliases, resolutions, term_pins
from wellworn.domain.spaces import Access


def find_alias(connection: Connection, access: Access, term: str) -> Alias | None:
    row = connection.execute(
        select(learned_aliases).where(
            learned_aliases.c.knowledge_space_id == access.space,
            learned_aliases.c.term_key == term_key(term),
        )
    ).one_or_none()
    return None if row is None else _to_alias(row)


def find_taught(
    connection: Connection,
    access: Access,
    terms: Iterable[str],
    *,
    among: Select[tuple[int]] | None,
) -> set[str]:
    """Return the keys of those terms that somebody said the meaning of.

    `among` are the documents that count; None stands for all.
    """
    statement = select(learned_aliases.c.term_key).where(
        learned_aliases.c.knowledge_space_id == access.space,
        learned_aliases.c.is_taught,
        learned_aliases.c.term_key.in_({term_key(term) for term in terms}),
        true() if among is None else learned_aliases.c.canonical_doc_id.in_(among),
    )
    return set(connection.execute(statement).scalars())


def list_aliases(connection: Connection, access: Access) -> list[Alias]:
    """Return all aliases of the space, those used most first."""
    statement = select(learned_aliases).where(learned_aliases.c.knowledge_space_id == access.space)
    ordered = statement.order_by(learned_aliases.c.usage_count.desc(), learned_aliases.c.term_key)
    return [_to_alias(row) for row in connection.execute(ordered)]


def store_alias(connection: Connection, access: Access, learned: Alias) -> None:
    """Write an alias in place of the one that the term had."""
    drop_alias(connection, access, learned.term)
    columns = asdict(learned)
    columns |= {
        "knowledge_space_id": access.space,
        "term_key": term_key(learned.term),
        "term": learned.term[:LONGEST],
        "canonical_path": columns.pop("citation"),
        "canonical_doc_id": columns.pop("document_id"),
    }
    connection.execute(insert(learned_aliases), columns)


def drop_alias(connection: Connection, access: Access, term: str) -> None:
    connection.execute(
        delete(learned_aliases).where(
            learned_aliases.c.knowledge_space_id == access.space,
            learned_aliases.c.term_key == term_key(term),
        )
    )


def list_pins(connection: Connection, access: Access) -> list[str]:
    """Return the pinned terms, oldest first."""
    statement = select(term_pins.c.term).where(term_pins.c.knowledge_space_id == access.space)
    return list(connection.execute(statement.order_by(term_pins.c.pinned_at)).scalars())


def pin(connection: Connection, access: Access, term: str, now: float) -> None:
    unpin(connection, access, term)
    connection.execute(
        insert(term_pins),
        {
            "knowledge_space_id": access.space,
            "term_key": term_key(term),
            "term": term[:LONGEST],
            "pinned_at": now,
            "pinned_by": access.owner,
        },
    )


def unpin(connection: Connection, access: Access, term: str) -> None:
    connection.execute(
        delete(term_pins).where(
            term_pins.c.knowledge_space_id == access.space,
            term_pins.c.term_key == term_key(term),
        )
    )


def roll_back(connection: Connection, access: Access, owner: str, since: float) -> None:
    """Delete what a member taught, pinned and asked since a moment, in epoch seconds."""
    by_table = (
        (learned_aliases, learned_aliases.c.taught_by, learned_aliases.c.taught_at),
        (term_pins, term_pins.c.pinned_by, term_pins.c.pinned_at),
        (resolutions, resolutions.c.asked_by, resolutions.c.resolved_at),
    )
    for table, by, at in by_table:
        is_theirs = table.c.knowledge_space_id == access.space, by == owner, at >= since
        connection.execute(delete(table).where(*is_theirs))


def record_resolution(
    connection: Connection,
    access: Access,
    term: str,
    *,
    outcome: ResolutionOutcome,
    found_by: ResolverStep,
    agent_id: str,
    now: float,
) -> None:
    """Write down how a question about a term ended."""
    connection.execute(
        insert(resolutions),
        {
            "knowledge_space_id": access.space,
            "term": term[:LONGEST],
            "term_key": term_key(term),
            "outcome": outcome,
            "found_by": found_by,
            "agent_id": agent_id or access.owner,
            "asked_by": access.owner,
            "resolved_at": now,
        },
    )


def count_resolved(connection: Connection, access: Access) -> dict[str, int]:
    """Return how often each term was resolved."""
    statement = (
        select(func.min(resolutions.c.term).label("term"), func.count().label("times"))
        .where(
            resolutions.c.knowledge_space_id == access.space,
            resolutions.c.outcome == ResolutionOutcome.RESOLVED,
        )
        .group_by(resolutions.c.term_key)
    )
    return {row.term: row.times for row in connection.execute(statement)}


def count_missed(
    connection: Connection,
    access: Access,
    outcome: ResolutionOutcome = ResolutionOutcome.UNKNOWN,
) -> dict[str, int]:
    """Return the terms that ended so when last asked, with how often they did."""
    last = (
        select(func.max(resolutions.c.id))
        .where(resolutions.c.knowledge_space_id == access.space)
        .group_by(resolutions.c.term_key)
    )
    open_keys = select(resolutions.c.term_key).where(
        resolutions.c.id.in_(last), resolutions.c.outcome == outcome
    )
    statement = (
        select(func.min(resolutions.c.term).label("term"), func.count().label("times"))
        .where(
            resolutions.c.knowledge_space_id == access.space,
            resolutions.c.term_key.in_(open_keys),
            resolutions.c.outcome == outcome,
        )
        .group_by(resolutions.c.term_key)
    )
    return {row.term: row.times for row in connection.execute(statement)}


def count_outcomes(connection: Connection, access: Access) -> dict[tuple[str, str], int]:
    """Count questions by how they ended and which step answered."""
    statement = (
        select(resolutions.c.outcome, resolutions.c.found_by, func.count().label("times"))
        .where(resolutions.c.knowledge_space_id == access.space)
        .group_by(resolutions.c.outcome, resolutions.c.found_by)
    )
    return {(row.outcome, row.found_by): row.times for row in connection.execute(statement)}


def purge(connection: Connection, access: Access) -> None:
    """Delete all that use taught in the space."""
    for table in (learned_aliases, term_pins, resolutions):
        connection.execute(delete(table).where(table.c.knowledge_space_id == access.space))


def _to_alias(row: Any) -> Alias:
    columns = row._asdict()
    citation, document = columns.pop("canonical_path"), columns.pop("canonical_doc_id")
    del columns["knowledge_space_id"], columns["term_key"]
    return Alias(citation=citation, document_id=document, **columns)
