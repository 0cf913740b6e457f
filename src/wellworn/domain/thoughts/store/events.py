"""What happened to thoughts, read from the ledger in the form that a replay takes, and its result.

Source: shared-memory threat model, rollback of an owner.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

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

from wellworn.domain.thoughts.models import Signal, Use
from wellworn.domain.thoughts.replaying import (
    Encouraged,
    Event,
    Judged,
    Replay,
    Shown,
    Used,
    replayed,
)
from wellworn.domain.thoughts.store.ledger import history_of, save_trails
from wellworn.domain.thoughts.tables import (
    accesses,
    feedback,
    query_log,
    sessions,
    thoughts,
    trail_agents,
    uses,
)
from wellworn.kit.clock import epoch


def replay(connection: Connection, seqs: Sequence[int]) -> None:
    """Make the trails of thoughts anew from what the ledger still says of them."""
    events: defaultdict[int, list[Event]] = defaultdict(list)
    for read in (_shown, _encouraged, _judged, _used):
        for seq, event in read(connection, seqs):
            events[seq].append(event)
    made = {
        row.seq: replayed(row.owner or row.contributor_id, row.created_at, events[row.seq])
        for row in connection.execute(select(thoughts).where(thoughts.c.seq.in_(seqs))).all()
    }
    save_trails(connection, {seq: one.trail for seq, one in made.items()})
    _save_visitors(connection, made)
    for seq, one in made.items():
        for session_id, (effect, _) in one.signals.items():
            connection.execute(
                update(feedback)
                .where(feedback.c.session_id == session_id, feedback.c.thought_seq == seq)
                .values(effect=effect.change)
            )


def _save_visitors(connection: Connection, made: dict[int, Replay]) -> None:
    connection.execute(delete(trail_agents).where(trail_agents.c.thought_seq.in_(made)))
    rows = [
        {
            "thought_seq": seq,
            "agent_id": agent,
            "accesses": visitor.accesses,
            "uses": visitor.uses,
            "first_accessed": visitor.first_accessed,
            "exposed_at": visitor.exposed_at,
            "deposits": visitor.deposits,
            "deposited": visitor.deposited,
        }
        for seq, one in made.items()
        for agent, visitor in one.visitors.items()
    ]
    if rows:
        connection.execute(insert(trail_agents), rows)


def _shown(connection: Connection, seqs: Sequence[int]) -> Iterator[tuple[int, Event]]:
    statement = (
        select(accesses, query_log.c.timestamp, query_log.c.owner, query_log.c.agent_id)
        .join_from(accesses, query_log, query_log.c.seq == accesses.c.query_seq)
        .where(accesses.c.thought_seq.in_(seqs))
    )
    for row in connection.execute(statement):
        at, agent = epoch(row.timestamp), row.owner or row.agent_id
        yield row.thought_seq, Shown(at, row.query_seq, agent, row.rank, row.deposited)


def _encouraged(connection: Connection, seqs: Sequence[int]) -> Iterator[tuple[int, Event]]:
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
        yield row.thought_seq, Encouraged(epoch(row.timestamp), row.seq, agent, owned)


def _session_of(thought: Table, row: Table) -> ColumnElement[bool]:
    """Match a row's session: its number is one's own only within the space of the thought."""
    return and_(
        sessions.c.id == row.c.session_id,
        sessions.c.knowledge_space_id == thought.c.knowledge_space_id,
    )


def _judged(connection: Connection, seqs: Sequence[int]) -> Iterator[tuple[int, Event]]:
    statement = (
        select(feedback, sessions.c.owner, sessions.c.agent_id)
        .join_from(feedback, thoughts, thoughts.c.seq == feedback.c.thought_seq)
        .join(sessions, _session_of(thoughts, feedback))
        .where(feedback.c.thought_seq.in_(seqs))
    )
    for row in connection.execute(statement):
        for event in _signals(row):
            yield row.thought_seq, event


def _signals(row: Row[Any]) -> Iterator[Event]:
    for given in history_of(row):
        yield Judged(
            at=given.given_at,
            place=given.after_query,
            agent=row.owner or row.agent_id,
            owned=row.owner is not None,
            session_id=row.session_id,
            signal=Signal(given.signal),
            counted=given.counted,
        )


def _used(connection: Connection, seqs: Sequence[int]) -> Iterator[tuple[int, Event]]:
    # A use by feedback is in the history of its signal, unless an import lost the signal.
    by_signal = select(feedback.c.use_seq).where(
        feedback.c.thought_seq == uses.c.thought_seq, feedback.c.use_seq == uses.c.seq
    )
    statement = select(uses).where(
        uses.c.thought_seq.in_(seqs), (uses.c.kind != Use.FEEDBACK) | ~by_signal.exists()
    )
    for row in connection.execute(statement):
        yield row.thought_seq, Used(row.used_at, 0, row.agent_id)


def whose(table: Any, label: str) -> Any:
    """Return the column that says who counts: the owner, or else the agent's label."""
    return func.coalesce(table.c.owner, table.c[label])
