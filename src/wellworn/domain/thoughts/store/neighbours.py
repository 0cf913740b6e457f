"""Rows that tell how thoughts are tied to one: used, shown, built and said with it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from sqlalchemy import Connection, Select, exists, func, or_, select

from wellworn.domain.spaces import Access
from wellworn.domain.thoughts.models import UseKind
from wellworn.domain.thoughts.store.events import owner_or_label
from wellworn.domain.thoughts.tables import (
    accesses,
    affirmations,
    query_log,
    thought_sources,
    thoughts,
    uses,
)
from wellworn.engines.storage.sql import select_in
from wellworn.kit.clock import from_iso

MOST_CALLS: Final = 1_000
"""The newest calls that showed a thought, whose other results are counted."""
MOST: Final = 1_000
"""Neighbours of one kind that are looked at."""


@dataclass(frozen=True, slots=True)
class SharedCalls:
    """In how many calls a thought was shown beside another, to how many, from when to when."""

    seq: int
    count: int
    agents: int
    first_at: float
    last_at: float


class BuildingStep(NamedTuple):
    """A thought that another was built on, or that was built on it."""

    seq: int
    is_source: bool
    thought_type: str
    built_at: float


@dataclass(frozen=True, slots=True)
class Affirmations:
    """Times somebody stood by a thought, the first and last of them; nobody's name is None."""

    contributor: str | None
    count: int
    agents: int
    first_at: float
    last_at: float


def list_shown_with(connection: Connection, access: Access, seq: int) -> list[SharedCalls]:
    """Return what the newest calls of the space showed beside a thought, the most often first."""
    calls = (
        select(accesses.c.query_seq)
        .join_from(accesses, query_log, query_log.c.seq == accesses.c.query_seq)
        .where(accesses.c.thought_seq == seq, query_log.c.knowledge_space_id == access.space)
        .order_by(accesses.c.query_seq.desc())
        .limit(MOST_CALLS)
    )
    statement = (
        select(
            accesses.c.thought_seq,
            func.count(),
            func.count(owner_or_label(query_log, "agent_id").distinct()),
            func.min(query_log.c.timestamp),
            func.max(query_log.c.timestamp),
        )
        .join_from(accesses, query_log, query_log.c.seq == accesses.c.query_seq)
        .where(accesses.c.query_seq.in_(calls), accesses.c.thought_seq != seq)
        .group_by(accesses.c.thought_seq)
        .order_by(func.count().desc(), accesses.c.thought_seq)
        .limit(MOST)
    )
    return [
        SharedCalls(*row[:3], from_iso(row[3]), from_iso(row[4]))
        for row in connection.execute(statement)
    ]


def list_steps(connection: Connection, access: Access, seq: int) -> list[BuildingStep]:
    """Return what a thought was built on and what was built on it, in one step."""
    links, built = thought_sources.c, thoughts.c
    statement = (
        select(
            links.thought_seq,
            links.source_seq,
            built.thought_type,
            func.coalesce(built.stored_at, built.created_at),
        )
        .join_from(thought_sources, thoughts, built.seq == links.thought_seq)
        .where(
            or_(links.thought_seq == seq, links.source_seq == seq),
            built.knowledge_space_id == access.space,
        )
        .order_by(links.thought_seq.desc(), links.place)
        .limit(MOST)
    )
    return [
        BuildingStep(source if newer == seq else newer, newer == seq, how, at)
        for newer, source, how, at in connection.execute(statement)
    ]


def list_affirmations(connection: Connection, access: Access, seq: int) -> list[Affirmations]:
    """Return who said a thought of the space again, and how many found it useful."""
    is_here = exists().where(thoughts.c.seq == seq, thoughts.c.knowledge_space_id == access.space)
    by_name = (
        select(
            func.max(affirmations.c.contributor_name),
            func.count(),
            func.min(affirmations.c.affirmed_at),
            func.max(affirmations.c.affirmed_at),
        )
        .where(affirmations.c.thought_seq == seq, is_here)
        .group_by(owner_or_label(affirmations, "contributor_id"))
        .order_by(func.min(affirmations.c.seq))
        .limit(MOST)
    )
    useful = select(
        func.count(),
        func.count(uses.c.agent_id.distinct()),
        func.min(uses.c.used_at),
        func.max(uses.c.used_at),
    ).where(uses.c.thought_seq == seq, uses.c.kind == UseKind.FEEDBACK, is_here)
    found = connection.execute(useful).one()
    said = [
        Affirmations(name, count, 1, first, last)
        for name, count, first, last in connection.execute(by_name)
    ]
    return said if not found[0] else [*said, Affirmations(None, *found)]


def count_sessions(connection: Connection, access: Access) -> int:
    """Return in how many sessions of the space anything was used through a question."""
    statement = _select_used(access, func.count(uses.c.session_id.distinct()))
    return connection.execute(statement).scalar_one()


def count_sessions_using(
    connection: Connection, access: Access, seqs: Iterable[int]
) -> dict[int, int]:
    """Return in how many of them each of some thoughts was used."""
    count = func.count(uses.c.session_id.distinct())
    statement = _select_used(access, uses.c.thought_seq, count).group_by(uses.c.thought_seq)
    return {row[0]: row[1] for row in select_in(connection, statement, uses.c.thought_seq, seqs)}


def _select_used(access: Access, *columns: Any) -> Select[*tuple[Any, ...]]:
    return (
        select(*columns)
        .join_from(uses, query_log, query_log.c.seq == uses.c.query_seq)
        .where(query_log.c.knowledge_space_id == access.space)
    )
