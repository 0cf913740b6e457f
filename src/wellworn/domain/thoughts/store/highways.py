"""Highways: thoughts that several agents return to, read from indexed columns.

By use, a highway is a road to an answer: questions of several agents had it among their first
results. What is shown with a contribution, or far down a list, wears no road.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import islice
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    Row,
    Select,
    and_,
    bindparam,
    func,
    select,
)

from wellworn.domain.spaces import Access
from wellworn.domain.thoughts.models import Companion, Highway, HighwayOrder
from wellworn.domain.thoughts.pheromone import hour_of
from wellworn.domain.thoughts.store.events import owner_or_label
from wellworn.domain.thoughts.store.ledger import trail_from_row
from wellworn.domain.thoughts.tables import IS_READABLE, accesses, query_log, thoughts, trails
from wellworn.domain.thoughts.trail import HIGHWAY_ACCESSES, HIGHWAY_AGENTS
from wellworn.engines.storage.sql import (
    Asked,
    Rows,
    compare_with_list,
    fetch_together,
    split_into_batches,
)
from wellworn.kit.text import preview

COMPANIONS = 5
"""Co-retrieved thoughts named with a highway."""

_ANSWERING_RANKS = 3
_LATEST_ANSWERS = 100
_LATEST_CALLS = 1_000
"""Of a thought, whose results are read for its companions: 4 ms."""

_answers = (
    select(owner_or_label(query_log, "agent_id").label("asker"))
    .join_from(accesses, query_log, accesses.c.query_seq == query_log.c.seq)
    .where(
        accesses.c.thought_seq == thoughts.c.seq,
        accesses.c.rank < _ANSWERING_RANKS,
        query_log.c.contributed_seq.is_(None),
    )
    .order_by(accesses.c.query_seq.desc())
    .limit(_LATEST_ANSWERS)
    .correlate(thoughts)
    .subquery()
)


def _require_answers(least: int, agents: int) -> ColumnElement[bool]:
    """Return the condition that a thought answered so many questions, of so many agents."""
    return (
        select(
            and_(
                func.count() >= min(least, _LATEST_ANSWERS),
                func.count(_answers.c.asker.distinct()) >= agents,
            )
        )
        .select_from(_answers)
        .correlate(thoughts)
        .scalar_subquery()
    )


_ORDER: dict[HighwayOrder, tuple[ColumnElement[Any], ...]] = {
    HighwayOrder.TRAFFIC: (trails.c.traffic_score.desc(),),
    HighwayOrder.RECENT: (trails.c.last_accessed.desc().nulls_last(),),
    HighwayOrder.USE: (trails.c.use_score.desc(), trails.c.traffic_score.desc()),
}

_HIGHWAYS = select(thoughts.c.seq).where(
    compare_with_list(thoughts.c.seq, "seqs"), _require_answers(HIGHWAY_ACCESSES, HIGHWAY_AGENTS)
)


def list_highways(
    connection: Connection,
    access: Access,
    *,
    min_access: int,
    min_users: int,
    limit: int,
    sort_by: HighwayOrder,
    now: float,
) -> list[Highway]:
    """Return the first `limit` highways of the space in the chosen order."""
    worn = (
        select(trails)
        .add_columns(thoughts.c.id, thoughts.c.content, thoughts.c.tags)
        .join_from(trails, thoughts, trails.c.thought_seq == thoughts.c.seq)
        .where(
            trails.c.knowledge_space_id == access.space,
            trails.c.access_count >= min_access,
            trails.c.unique_users >= min_users,
            *IS_READABLE,
        )
    )
    if sort_by is HighwayOrder.TRAFFIC:
        # Implied by the conditions above, but lets the index that gives the order stop early.
        worn = worn.where(trails.c.traffic_score >= min_access * min_users)
    if sort_by is HighwayOrder.USE:
        worn = worn.where(_require_answers(min_access, min_users))
    if sort_by is HighwayOrder.PHEROMONE:
        rows = _list_by_weight(connection, worn, limit=limit, now=now)
    else:
        ordered = worn.order_by(*_ORDER[sort_by], trails.c.thought_seq)
        rows = list(connection.execute(ordered.limit(limit)))
    return [_build_highway(connection, row, now) for row in rows]


def find_highways(
    connection: Connection, seqs: Sequence[int], *, most: int, beside: Sequence[Asked] = ()
) -> tuple[list[int], list[Rows]]:
    """Return the first `most` of the thoughts that are highways by use, in their order.

    And the rows of what is asked `beside` it.
    """
    highways: list[int] = []
    # In steps: for each of them the questions are read that it answered.
    steps = [*split_into_batches(seqs, 2 * most)]
    asked = ((_HIGHWAYS, {"seqs": step}) for step in steps)
    found = fetch_together(connection, *beside, *asked)
    others = [*islice(found, len(beside))]
    for step, rows in zip(steps, found, strict=True):
        worn = {seq for (seq,) in rows}
        highways += [seq for seq in step if seq in worn]
        if len(highways) >= most:
            break
    return highways[:most], others


def _list_by_weight(
    connection: Connection, worn: Select[Any], *, limit: int, now: float
) -> list[Row[Any]]:
    # A weight fades only after its grace hour: the stored key orders the fading trails, the stored
    # weight the frozen ones, and the best of both lists contain the best of all.
    hour = hour_of(now)
    fading = worn.where(trails.c.frozen_until_h <= hour).order_by(trails.c.order_key.desc())
    frozen = worn.where(trails.c.frozen_until_h > hour).order_by(trails.c.weight.desc())
    rows = [
        row for statement in (fading, frozen) for row in connection.execute(statement.limit(limit))
    ]
    rows.sort(key=lambda row: (-trail_from_row(row).weight_at(now), row.thought_seq))
    return rows[:limit]


def _build_highway(connection: Connection, row: Row[Any], now: float) -> Highway:
    trail = trail_from_row(row)
    return Highway(
        thought_id=row.id,
        content_preview=preview(row.content),
        access_count=trail.access_count,
        unique_users=trail.unique_users,
        traffic_score=trail.traffic_score,
        pheromone_weight=trail.weight_at(now),
        tags=tuple(json.loads(row.tags)),
        last_accessed=trail.last_accessed,
        use_score=trail.use_score,
        co_retrieved=tuple(list_companions(connection, row.thought_seq, limit=COMPANIONS)),
    )


def list_companions(connection: Connection, seq: int, *, limit: int) -> Sequence[Companion]:
    """Return the thoughts most often retrieved together with one, strongest first."""
    rows = connection.execute(_COMPANIONS, {"seq": seq, "most": limit})
    return [Companion(row.id, row.together, preview(row.content)) for row in rows]


_calls = (
    select(accesses.c.query_seq)
    .where(accesses.c.thought_seq == bindparam("seq"))
    .order_by(accesses.c.query_seq.desc())
    .limit(_LATEST_CALLS)
)
_together = func.count().label("together")
# Limited before contents are read: a frequent thought has thousands of companions.
_strongest = (
    select(accesses.c.thought_seq, _together)
    .where(accesses.c.query_seq.in_(_calls), accesses.c.thought_seq != bindparam("seq"))
    .group_by(accesses.c.thought_seq)
    .order_by(_together.desc(), accesses.c.thought_seq)
    .limit(bindparam("most"))
    .subquery()
)
_COMPANIONS = (
    select(thoughts.c.id, thoughts.c.content, _strongest.c.together)
    .join_from(_strongest, thoughts, thoughts.c.seq == _strongest.c.thought_seq)
    .order_by(_strongest.c.together.desc(), _strongest.c.thought_seq)
)
