"""The events of the ledger: trails are rebuilt from them, and they tell whose thoughts were used.

Source: `docs/security.md`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any, Final, NamedTuple

from sqlalchemy import (
    ColumnElement,
    Connection,
    Row,
    Table,
    and_,
    delete,
    func,
    insert,
    select,
    update,
)

from wellworn.domain.spaces import Access
from wellworn.domain.thoughts.models import FeedbackSignal, UseKind
from wellworn.domain.thoughts.replay import (
    BonusEvent,
    RetrievalEvent,
    SignalEvent,
    TrailEvent,
    TrailReplay,
    UseEvent,
    replay,
)
from wellworn.domain.thoughts.store.ledger import parse_history, save_trails
from wellworn.domain.thoughts.tables import (
    IS_READABLE,
    accesses,
    feedback,
    query_log,
    sessions,
    thoughts,
    trail_agents,
    uses,
)
from wellworn.kit.clock import from_iso

_MOST_USES: Final = 100_000
"""Thoughts and their users that are read, those used last first."""


def replay_trails(connection: Connection, seqs: Sequence[int]) -> None:
    """Rebuild the trails of thoughts from what is left in the ledger."""
    events: defaultdict[int, list[TrailEvent]] = defaultdict(list)
    for read in (_read_retrievals, _read_bonuses, _read_signals, _read_uses):
        for seq, event in read(connection, seqs):
            events[seq].append(event)
    replays = {
        row.seq: replay(row.owner or row.contributor_id, row.created_at, events[row.seq])
        for row in connection.execute(select(thoughts).where(thoughts.c.seq.in_(seqs))).all()
    }
    save_trails(connection, {seq: result.trail for seq, result in replays.items()})
    _save_activity(connection, replays)
    for seq, result in replays.items():
        for session_id, (effect, _) in result.signals.items():
            connection.execute(
                update(feedback)
                .where(feedback.c.session_id == session_id, feedback.c.thought_seq == seq)
                .values(effect=effect.change)
            )


def _save_activity(connection: Connection, replays: dict[int, TrailReplay]) -> None:
    connection.execute(delete(trail_agents).where(trail_agents.c.thought_seq.in_(replays)))
    rows = [
        {
            "thought_seq": seq,
            "agent_id": agent,
            **asdict(activity),
        }
        for seq, result in replays.items()
        for agent, activity in result.activity.items()
    ]
    if rows:
        connection.execute(insert(trail_agents), rows)


def _read_retrievals(
    connection: Connection, seqs: Sequence[int]
) -> Iterator[tuple[int, TrailEvent]]:
    statement = (
        select(accesses, query_log.c.timestamp, query_log.c.owner, query_log.c.agent_id)
        .join_from(accesses, query_log, query_log.c.seq == accesses.c.query_seq)
        .where(accesses.c.thought_seq.in_(seqs))
    )
    for row in connection.execute(statement):
        at, agent = from_iso(row.timestamp), row.owner or row.agent_id
        yield row.thought_seq, RetrievalEvent(at, row.query_seq, agent, row.rank, row.deposited)


def _read_bonuses(connection: Connection, seqs: Sequence[int]) -> Iterator[tuple[int, TrailEvent]]:
    statement = (
        select(
            accesses.c.thought_seq,
            query_log.c.seq,
            query_log.c.timestamp,
            query_log.c.owner,
            query_log.c.agent_id,
        )
        .join_from(query_log, accesses, accesses.c.query_seq == query_log.c.encourages)
        .where(accesses.c.thought_seq.in_(seqs))
    )
    for row in connection.execute(statement):
        agent, owned = row.owner or row.agent_id, row.owner is not None
        yield row.thought_seq, BonusEvent(from_iso(row.timestamp), row.seq, agent, owned)


def _is_same_session(thought: Table, row: Table) -> ColumnElement[bool]:
    """Match a row's session within the space of the thought, where its id is unique."""
    return and_(
        sessions.c.id == row.c.session_id,
        sessions.c.knowledge_space_id == thought.c.knowledge_space_id,
    )


def _read_signals(connection: Connection, seqs: Sequence[int]) -> Iterator[tuple[int, TrailEvent]]:
    statement = (
        select(feedback, sessions.c.owner, sessions.c.agent_id)
        .join_from(feedback, thoughts, thoughts.c.seq == feedback.c.thought_seq)
        .join(sessions, _is_same_session(thoughts, feedback))
        .where(feedback.c.thought_seq.in_(seqs))
    )
    for row in connection.execute(statement):
        for event in _to_events(row):
            yield row.thought_seq, event


def _to_events(row: Row[Any]) -> Iterator[TrailEvent]:
    for entry in parse_history(row):
        yield SignalEvent(
            at=entry.given_at,
            place=entry.after_query,
            agent=row.owner or row.agent_id,
            owned=row.owner is not None,
            session_id=row.session_id,
            signal=FeedbackSignal(entry.signal),
            counted=entry.counted,
        )


def _read_uses(connection: Connection, seqs: Sequence[int]) -> Iterator[tuple[int, TrailEvent]]:
    # A use by feedback is replayed with its signal, unless an import lost the signal.
    by_signal = select(feedback.c.use_seq).where(
        feedback.c.thought_seq == uses.c.thought_seq, feedback.c.use_seq == uses.c.seq
    )
    statement = select(uses).where(
        uses.c.thought_seq.in_(seqs), (uses.c.kind != UseKind.FEEDBACK) | ~by_signal.exists()
    )
    for row in connection.execute(statement):
        yield row.thought_seq, UseEvent(row.used_at, 0, row.agent_id)


def owner_or_label(table: Any, label: str) -> Any:
    """Return the expression for who counts as one user: the owner, or else the agent's label."""
    return func.coalesce(table.c.owner, table.c[label])


class Use(NamedTuple):
    """Uses of a thought by somebody who did not say it, and when the last was."""

    seq: int
    giver: str
    name: str
    user: str
    times: int
    last_at: float


def list_uses(connection: Connection, access: Access, *, since: float) -> list[Use]:
    """Return who used whose thoughts since a moment; nothing that was erased or is held."""
    giver = owner_or_label(thoughts, "contributor_id")
    last = func.max(uses.c.used_at)
    statement = (
        select(
            thoughts.c.seq,
            giver,
            thoughts.c.contributor_name,
            uses.c.agent_id,
            func.count(),
            last,
        )
        .join_from(uses, thoughts, thoughts.c.seq == uses.c.thought_seq)
        .where(
            thoughts.c.knowledge_space_id == access.space,
            *IS_READABLE,
            uses.c.agent_id != giver,
            uses.c.used_at >= since,
        )
        .group_by(thoughts.c.seq, uses.c.agent_id)
        .order_by(last.desc(), thoughts.c.seq)
        .limit(_MOST_USES)
    )
    return [Use(*row) for row in connection.execute(statement)]
