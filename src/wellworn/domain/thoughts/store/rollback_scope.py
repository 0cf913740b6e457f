"""Finds what a rollback undoes: an owner's actions since a moment, and what was built on them.

Source: `docs/security.md`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from sqlalchemy import Connection, func, or_, select

from wellworn.domain.spaces import Access
from wellworn.domain.thoughts.models import UseKind
from wellworn.domain.thoughts.store.events import owner_or_label
from wellworn.domain.thoughts.tables import query_log, thought_sources, thoughts, uses
from wellworn.engines.storage.sql import select_in
from wellworn.kit.clock import to_iso


@dataclass(frozen=True, slots=True)
class RollbackScope:
    """The rows to be undone, by seq.

    Attributes:
        own_thoughts: contributed by the owner.
        removed_thoughts: these and all that anybody built on them.
        uses: uses of remaining thoughts, newest first.
        lost_uses: number of uses of removed thoughts.
    """

    owner: str
    since: float
    own_thoughts: frozenset[int]
    removed_thoughts: frozenset[int]
    queries: tuple[int, ...]
    uses: tuple[int, ...]
    lost_uses: int


def find_scope(connection: Connection, access: Access, owner: str, since: float) -> RollbackScope:
    own = _find_thoughts(connection, access, owner, since)
    removed = _add_derived(connection, own)
    queries = select(query_log.c.seq).where(
        query_log.c.knowledge_space_id == access.space,
        owner_or_label(query_log, "agent_id") == owner,
        query_log.c.timestamp >= to_iso(since),
    )
    uses_by_owner = _find_uses_by_owner(connection, access, owner, since)
    uses_by_owner |= _find_uses_by_building(connection, removed)
    lost = _find_uses_on(connection, removed)
    return RollbackScope(
        owner=owner,
        since=since,
        own_thoughts=frozenset(own),
        removed_thoughts=frozenset(removed),
        queries=tuple(connection.execute(queries.order_by(query_log.c.seq)).scalars()),
        uses=tuple(sorted(uses_by_owner - lost, reverse=True)),
        lost_uses=len(lost),
    )


def _find_thoughts(connection: Connection, access: Access, owner: str, since: float) -> set[int]:
    arrived = func.coalesce(thoughts.c.stored_at, thoughts.c.created_at)
    statement = select(thoughts.c.seq).where(
        thoughts.c.knowledge_space_id == access.space,
        owner_or_label(thoughts, "contributor_id") == owner,
        arrived >= since,
    )
    return set(connection.execute(statement).scalars())


def _add_derived(connection: Connection, seqs: Iterable[int]) -> set[int]:
    """Return the thoughts with all that were built on them, in any number of steps."""
    removed = set(seqs)
    newest = removed
    statement = select(thought_sources.c.thought_seq)
    while newest:
        rows = select_in(connection, statement, thought_sources.c.source_seq, newest)
        newest = {row.thought_seq for row in rows} - removed
        removed |= newest
    return removed


def _find_uses_by_owner(
    connection: Connection, access: Access, owner: str, since: float
) -> set[int]:
    statement = (
        select(uses.c.seq)
        .join_from(uses, thoughts, thoughts.c.seq == uses.c.thought_seq)
        .where(
            thoughts.c.knowledge_space_id == access.space,
            uses.c.agent_id == owner,
            uses.c.used_at >= since,
        )
    )
    return set(connection.execute(statement).scalars())


def _find_uses_on(connection: Connection, seqs: Iterable[int]) -> set[int]:
    rows = select_in(connection, select(uses.c.seq), uses.c.thought_seq, seqs)
    return {row.seq for row in rows}


def _find_uses_by_building(connection: Connection, seqs: Iterable[int]) -> set[int]:
    """Return the uses of sources that were counted when these thoughts were built on them."""
    statement = (
        select(uses.c.seq)
        .join_from(thoughts, thought_sources, thought_sources.c.thought_seq == thoughts.c.seq)
        .join(uses, uses.c.thought_seq == thought_sources.c.source_seq)
        .where(
            uses.c.kind == UseKind.BUILT_UPON,
            uses.c.agent_id == owner_or_label(thoughts, "contributor_id"),
            or_(uses.c.used_at == thoughts.c.stored_at, uses.c.used_at == thoughts.c.created_at),
        )
    )
    return {row.seq for row in select_in(connection, statement, thoughts.c.seq, seqs)}
