"""A thought with its trace, its provenance, and summaries of contributors."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, Select, bindparam, func, select

from wellworn.domain.spaces import Access
from wellworn.domain.thoughts.models import (
    AccessEntry,
    Affirmation,
    Contributor,
    MostAccessed,
    Origin,
    ThoughtKind,
    ThoughtType,
    TracedThought,
)
from wellworn.domain.thoughts.store.confirming import load_unconfirmed
from wellworn.domain.thoughts.store.highways import list_companions
from wellworn.domain.thoughts.store.ledger import trail_from_row
from wellworn.domain.thoughts.tables import (
    accesses,
    affirmations,
    query_log,
    thought_sources,
    thoughts,
    trail_agents,
    trails,
)
from wellworn.engines.storage.sql import build_value, compare_with_list
from wellworn.kit.clock import from_iso
from wellworn.kit.text import preview

ACCESS_LOG = 100
CO_RETRIEVED = 50
MOST_ACCESSED = 10
MOST_ORIGINS = 1_000


def load_record(connection: Connection, seq: int, *, now: float) -> TracedThought:
    """Return a thought as specified in section 5.1, without what it replaces."""
    statement = (
        select(thoughts, trails)
        .join_from(thoughts, trails, trails.c.thought_seq == thoughts.c.seq)
        .where(thoughts.c.seq == seq)
    )
    row = connection.execute(statement).one()
    trail = trail_from_row(row)
    return build_value(
        TracedThought,
        row,
        thought_id=row.id,
        thought_type=ThoughtType(row.thought_type),
        source_ids=_load_source_ids(connection, row.seq),
        tags=tuple(json.loads(row.tags)),
        access_count=trail.access_count,
        last_accessed=trail.last_accessed,
        accessed_by=_load_accessed_by(connection, row.seq),
        access_log=_load_access_log(connection, row.seq),
        co_retrieved_with=tuple(list_companions(connection, row.seq, limit=CO_RETRIEVED)),
        pheromone_weight=trail.weight_at(now),
        affirmed_by=_load_affirmations(connection, row.seq),
        kind=ThoughtKind(row.kind),
        unconfirmed_until=load_unconfirmed(connection, [seq], at=now).get(seq),
    )


def _load_source_ids(connection: Connection, seq: int) -> tuple[str, ...]:
    statement = (
        select(thoughts.c.id)
        .join_from(thought_sources, thoughts, thoughts.c.seq == thought_sources.c.source_seq)
        .where(thought_sources.c.thought_seq == seq)
        .order_by(thought_sources.c.place)
    )
    return tuple(connection.execute(statement).scalars())


def _load_accessed_by(connection: Connection, seq: int) -> tuple[str, ...]:
    """Return the labels of the agents that accessed a thought, by first access."""
    by_owners = select(accesses.c.query_seq).where(
        accesses.c.thought_seq == seq, accesses.c.deposited.is_not(None)
    )
    if connection.execute(by_owners.limit(1)).first() is not None:
        return _load_agent_ids(connection, seq)
    statement = (
        select(trail_agents.c.agent_id)
        .where(trail_agents.c.thought_seq == seq, trail_agents.c.accesses > 0)
        .order_by(trail_agents.c.first_accessed.nulls_first(), trail_agents.c.agent_id)
    )
    return tuple(connection.execute(statement).scalars())


def _load_agent_ids(connection: Connection, seq: int) -> tuple[str, ...]:
    # Trails count owners, whose agents have labels of their own.
    statement = (
        select(query_log.c.agent_id)
        .join_from(accesses, query_log, query_log.c.seq == accesses.c.query_seq)
        .where(accesses.c.thought_seq == seq)
        .group_by(query_log.c.agent_id)
        .order_by(func.min(query_log.c.timestamp), query_log.c.agent_id)
    )
    return tuple(connection.execute(statement).scalars())


def _load_access_log(connection: Connection, seq: int) -> tuple[AccessEntry, ...]:
    statement = (
        select(query_log.c.agent_id, query_log.c.timestamp, query_log.c.session_id)
        .join_from(accesses, query_log, query_log.c.seq == accesses.c.query_seq)
        .where(accesses.c.thought_seq == seq)
        .order_by(accesses.c.query_seq.desc())
        .limit(ACCESS_LOG)
    )
    newest_first = connection.execute(statement).all()
    return tuple(
        AccessEntry(row.agent_id, from_iso(row.timestamp), row.session_id)
        for row in reversed(newest_first)
    )


def _load_affirmations(connection: Connection, seq: int) -> tuple[Affirmation, ...]:
    statement = (
        select(affirmations).where(affirmations.c.thought_seq == seq).order_by(affirmations.c.seq)
    )
    return tuple(
        Affirmation(row.contributor_id, row.contributor_name, row.affirmed_at)
        for row in connection.execute(statement)
    )


def load_origins(
    connection: Connection, seq: int, *, depth: int, forward: bool
) -> tuple[Origin, ...]:
    """Walk the chain of sources: back to what a thought came from, or forward to what it became.

    A thought that is reached several ways is followed once, where it is nearest, and at most 1,000
    steps are returned, as the ways multiply with every step.
    """
    steps_from: defaultdict[int, list[Any]] = defaultdict(list)
    reached_from: dict[int, int] = {seq: seq}
    frontier: list[int] = [seq]
    remaining = MOST_ORIGINS
    while frontier and depth and remaining:
        steps = connection.execute(_STEPS[forward], {"seqs": frontier, "most": remaining}).all()
        frontier = []
        for step in steps:
            steps_from[step.origin].append(step)
            if reached_from.setdefault(step.seq, step.origin) == step.origin:
                frontier.append(step.seq)
        depth, remaining = depth - 1, remaining - len(steps)
    return _build_origins(seq, steps_from, reached_from)


def _build_origins(
    seq: int, steps_from: Mapping[int, Sequence[Any]], reached_from: Mapping[int, int]
) -> tuple[Origin, ...]:
    return tuple(
        Origin(
            thought_id=step.id,
            contributor=step.contributor_name,
            thought_type=ThoughtType(step.thought_type),
            content_preview=preview(step.content),
            created_at=step.created_at,
            beyond=_build_origins(step.seq, steps_from, reached_from)
            if reached_from[step.seq] == seq
            else (),
        )
        for step in steps_from.get(seq, ())
    )


def _select_steps(*, forward: bool) -> Select[Any]:
    origin, target = thought_sources.c.thought_seq, thought_sources.c.source_seq
    if forward:
        origin, target = target, origin
    return (
        select(thoughts, origin.label("origin"))
        .join_from(thought_sources, thoughts, thoughts.c.seq == target)
        .where(compare_with_list(origin, "seqs"), thoughts.c.quarantined_at.is_(None))
        .order_by(origin, thought_sources.c.place, thoughts.c.seq)
        .limit(bindparam("most"))
    )


_STEPS = (_select_steps(forward=False), _select_steps(forward=True))


def summarize_contributor(
    connection: Connection, access: Access, contributor_id: str
) -> Contributor | None:
    """Summarize a contributor, or return None when the space has no thought of theirs."""
    contributed = (
        thoughts.c.knowledge_space_id == access.space,
        thoughts.c.contributor_id == contributor_id,
    )
    joined = thoughts.join(trails, trails.c.thought_seq == thoughts.c.seq)
    totals = connection.execute(
        select(func.count(), func.sum(trails.c.access_count))
        .select_from(joined)
        .where(*contributed)
    ).one()
    if totals[0] == 0:
        return None
    name = connection.execute(
        select(thoughts.c.contributor_name)
        .where(*contributed)
        .order_by(thoughts.c.seq.desc())
        .limit(1)
    ).scalar_one()
    most = connection.execute(
        select(thoughts.c.id, thoughts.c.content, trails.c.access_count)
        .select_from(joined)
        .where(*contributed, trails.c.access_count > 0, thoughts.c.erased_at.is_(None))
        .order_by(trails.c.access_count.desc(), thoughts.c.seq)
        .limit(MOST_ACCESSED)
    )
    return Contributor(
        contributor_id=contributor_id,
        contributor_name=name,
        thoughts_contributed=totals[0],
        accesses=totals[1],
        most_accessed=tuple(
            MostAccessed(row.id, preview(row.content), row.access_count) for row in most
        ),
    )
