"""What one owner did in a space since a moment, and what came of it.

Source: shared-memory threat model, rollback of an owner.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from sqlalchemy import Connection, func, or_, select

from wellworn.domain.spaces import Access
from wellworn.domain.thoughts.models import Use
from wellworn.domain.thoughts.store.arriving import parts
from wellworn.domain.thoughts.store.events import whose
from wellworn.domain.thoughts.tables import query_log, thought_sources, thoughts, uses
from wellworn.kit.clock import iso


@dataclass(frozen=True, slots=True)
class Extent:
    """What is to be taken back, by seq.

    Attributes:
        own: the thoughts that the owner contributed.
        removed: these and all that was built on them, by anybody.
        uses: on remaining thoughts, newest first.
        lost_uses: how many uses removed thoughts have.
    """

    owner: str
    since: float
    own: frozenset[int]
    removed: frozenset[int]
    queries: tuple[int, ...]
    uses: tuple[int, ...]
    lost_uses: int


def extent(connection: Connection, access: Access, owner: str, since: float) -> Extent:
    own = _own_thoughts(connection, access, owner, since)
    removed = _with_derived(connection, own)
    wanted = select(query_log.c.seq).where(
        query_log.c.knowledge_space_id == access.space,
        whose(query_log, "agent_id") == owner,
        query_log.c.timestamp >= iso(since),
    )
    found = _uses_of(connection, access, owner, since) | _uses_by(connection, removed)
    lost = _uses_on(connection, removed)
    return Extent(
        owner=owner,
        since=since,
        own=frozenset(own),
        removed=frozenset(removed),
        queries=tuple(connection.execute(wanted.order_by(query_log.c.seq)).scalars()),
        uses=tuple(sorted(found - lost, reverse=True)),
        lost_uses=len(lost),
    )


def _own_thoughts(connection: Connection, access: Access, owner: str, since: float) -> set[int]:
    arrived = func.coalesce(thoughts.c.stored_at, thoughts.c.created_at)
    statement = select(thoughts.c.seq).where(
        thoughts.c.knowledge_space_id == access.space,
        whose(thoughts, "contributor_id") == owner,
        arrived >= since,
    )
    return set(connection.execute(statement).scalars())


def _with_derived(connection: Connection, seqs: Iterable[int]) -> set[int]:
    found = set(seqs)
    newest = found
    while newest:
        built: set[int] = set()
        for part in parts(newest):
            statement = select(thought_sources.c.thought_seq).where(
                thought_sources.c.source_seq.in_(part)
            )
            built.update(connection.execute(statement).scalars())
        newest = built - found
        found |= newest
    return found


def _uses_of(connection: Connection, access: Access, owner: str, since: float) -> set[int]:
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


def _uses_on(connection: Connection, seqs: Iterable[int]) -> set[int]:
    found: set[int] = set()
    for part in parts(seqs):
        statement = select(uses.c.seq).where(uses.c.thought_seq.in_(part))
        found.update(connection.execute(statement).scalars())
    return found


def _uses_by(connection: Connection, seqs: Iterable[int]) -> set[int]:
    """Return the uses that thoughts stand for, which were built on others."""
    found: set[int] = set()
    for part in parts(seqs):
        statement = (
            select(uses.c.seq)
            .join_from(thoughts, thought_sources, thought_sources.c.thought_seq == thoughts.c.seq)
            .join(uses, uses.c.thought_seq == thought_sources.c.source_seq)
            .where(
                thoughts.c.seq.in_(part),
                uses.c.kind == Use.BUILT_UPON,
                uses.c.agent_id == whose(thoughts, "contributor_id"),
                or_(
                    uses.c.used_at == thoughts.c.stored_at,
                    uses.c.used_at == thoughts.c.created_at,
                ),
            )
        )
        found.update(connection.execute(statement).scalars())
    return found
