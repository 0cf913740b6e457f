"""Rows of trails, accesses, uses and feedback."""

from __future__ import annotations

import heapq
import json
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from sqlalchemy import Connection, Row, bindparam, delete, func, insert, select, update

from wellworn.domain.spaces import Access
from wellworn.domain.thoughts.models import UseKind
from wellworn.domain.thoughts.pheromone import DEPOSITS_EVERY_S, Pheromone, order_key
from wellworn.domain.thoughts.tables import (
    accesses,
    feedback,
    query_log,
    trail_agents,
    trails,
    uses,
)
from wellworn.domain.thoughts.trail import Trail
from wellworn.engines.storage.sql import Asked, Rows, add_up, compare_with_list, fetch, write_rows
from wellworn.kit.clock import to_iso

STORED_TRAIL = (
    trails.c.access_count,
    trails.c.unique_users,
    trails.c.last_accessed,
    trails.c.weight,
    trails.c.frozen_until_h,
    trails.c.uses,
    trails.c.exposures,
    trails.c.counted_at,
    trails.c.use_score,
)
"""Columns that `build_trail` takes by position, as names are looked up for fifty rows a call."""


def build_trail(
    accesses: int,
    users: int,
    last_accessed: float | None,
    weight: float,
    frozen_until_h: int,
    *evidence: float,
) -> Trail:
    """Return the trail of a row of `STORED_TRAIL`."""
    return Trail(accesses, users, last_accessed, Pheromone(weight, frozen_until_h), *evidence)


def trail_from_row(row: Row[Any]) -> Trail:
    """Return the trail of a row that has the columns of `STORED_TRAIL` among others."""
    return build_trail(*(getattr(row, column.name) for column in STORED_TRAIL))


def trail_to_row(trail: Trail) -> dict[str, object]:
    return {
        "access_count": trail.access_count,
        "unique_users": trail.unique_users,
        "traffic_score": trail.traffic_score,
        "last_accessed": trail.last_accessed,
        "weight": trail.pheromone.weight,
        "frozen_until_h": trail.pheromone.frozen_until_h,
        "order_key": order_key(trail.pheromone),
        "uses": trail.uses,
        "exposures": trail.exposures,
        "counted_at": trail.counted_at,
        "use_score": trail.use_score,
    }


_TRAILS = select(trails.c.thought_seq, *STORED_TRAIL).where(
    compare_with_list(trails.c.thought_seq, "seqs")
)


def ask_trails(seqs: Sequence[int]) -> Asked:
    """Ask for trails, of which `build_trails` makes values."""
    return _TRAILS, {"seqs": seqs}


def build_trails(rows: Rows) -> dict[int, Trail]:
    """Return the trails of rows by seq."""
    return {row[0]: build_trail(*row[1:]) for row in rows}


def load_trails(connection: Connection, seqs: Sequence[int]) -> dict[int, Trail]:
    """Return the trails by seq, for the transaction that is about to change them."""
    return build_trails(fetch(connection, *ask_trails(seqs)))


_SAVE = (
    update(trails)
    .where(trails.c.thought_seq == bindparam("seq"))
    .values(
        {
            name: bindparam(name)
            for name in trail_to_row(Trail(0, 0, None, Pheromone(1.0, 0), 0, 0, 0, 0))
        }
    )
)


def save_trails(connection: Connection, changed: Mapping[int, Trail]) -> None:
    rows = [{"seq": seq, **trail_to_row(trail)} for seq, trail in changed.items()]
    write_rows(connection, _SAVE, rows)


@dataclass(frozen=True, slots=True)
class PriorAccess:
    """An agent's earlier accesses of a thought."""

    exposed_at: float | None
    deposits: int
    deposited: float


class FeedbackEntry(NamedTuple):
    """A signal in the history of a session's feedback on a thought.

    `counted`: it counted as a use; `after_query`: the newest query at that time.
    """

    signal: str
    given_at: float
    counted: bool
    query_seq: int | None
    after_query: int


MOST_SIGNALS: Final = 16
"""A rollback restores the signal that was in force at a time; more changes of mind are dropped."""
_ADD_ACCESSES = insert(accesses)
_PRIOR_ACCESSES = select(
    trail_agents.c.thought_seq,
    trail_agents.c.exposed_at,
    trail_agents.c.deposits,
    trail_agents.c.deposited,
).where(
    trail_agents.c.agent_id == bindparam("agent"),
    compare_with_list(trail_agents.c.thought_seq, "seqs"),
    trail_agents.c.accesses > 0,
)
_RECENT_DEPOSITS = (
    select(accesses.c.thought_seq)
    .join_from(accesses, query_log, query_log.c.seq == accesses.c.query_seq)
    .where(
        query_log.c.session_id == bindparam("session"),
        query_log.c.timestamp > bindparam("since"),
        compare_with_list(accesses.c.thought_seq, "seqs"),
        accesses.c.deposited > 0.0,
    )
)
_NEWEST_QUERY = select(func.max(query_log.c.seq))


def ask_prior_accesses(agent_id: str, seqs: Sequence[int]) -> Asked:
    """Ask for the agent's earlier accesses, of which `build_prior_accesses` makes values."""
    return _PRIOR_ACCESSES, {"agent": agent_id, "seqs": seqs}


def build_prior_accesses(rows: Rows) -> dict[int, PriorAccess]:
    """Return the accesses of rows by seq."""
    return {row[0]: PriorAccess(*row[1:]) for row in rows}


def load_prior_accesses(
    connection: Connection, agent_id: str, seqs: Sequence[int]
) -> dict[int, PriorAccess]:
    """Return the agent's earlier accesses by seq; thoughts it never accessed are left out."""
    return build_prior_accesses(fetch(connection, *ask_prior_accesses(agent_id, seqs)))


def ask_recent_deposits(session_id: str, seqs: Sequence[int], *, now: float) -> Asked:
    """Ask for those of the thoughts on which the session deposited in the last ten minutes."""
    since = to_iso(now - DEPOSITS_EVERY_S)
    return _RECENT_DEPOSITS, {"session": session_id, "since": since, "seqs": seqs}


def add_deposits(connection: Connection, agent_id: str, added: Mapping[int, float]) -> None:
    """Add up what an owner's signals and bonuses added to weights."""
    rows = [
        {"thought_seq": seq, "agent_id": agent_id, "deposited": amount}
        for seq, amount in added.items()
    ]
    add_up(connection, trail_agents, rows, "deposited")


def find_newest_query(connection: Connection) -> int:
    """Return the seq of the newest query, 0 before the first."""
    return connection.execute(_NEWEST_QUERY).scalar() or 0


def add_accesses(
    connection: Connection,
    query_seq: int,
    seqs: Sequence[int],
    *,
    agent_id: str,
    counting: Set[int],
    deposits: Mapping[int, float],
    now: float,
) -> None:
    """Insert an access for each result, with its rank.

    `counting` are the seqs that count as exposure; `deposits` is what an owner adds to each weight,
    empty without credentials.
    """
    write_rows(
        connection,
        _ADD_ACCESSES,
        [
            {
                "query_seq": query_seq,
                "thought_seq": seq,
                "rank": rank,
                "deposited": deposits.get(seq),
            }
            for rank, seq in enumerate(seqs)
        ],
    )
    agents = [
        {
            "thought_seq": seq,
            "agent_id": agent_id,
            "accesses": 1,
            "uses": 0,
            "first_accessed": now,
            "exposed_at": now if seq in counting else None,
            "deposits": int(deposits.get(seq, 0.0) > 0.0),
            "deposited": deposits.get(seq, 0.0),
        }
        for seq in seqs
    ]
    add_up(
        connection,
        trail_agents,
        agents,
        "accesses",
        "deposits",
        "deposited",
        latest=("exposed_at",),
        earliest=("first_accessed",),
    )


def find_last_use(connection: Connection, seq: int, agent_id: str) -> float | None:
    """Return when the agent last used the thought, or None."""
    statement = select(func.max(uses.c.used_at)).where(
        uses.c.thought_seq == seq, uses.c.agent_id == agent_id
    )
    return connection.execute(statement).scalar()


def count_uses(connection: Connection, seq: int, agent_id: str) -> int:
    statement = select(trail_agents.c.uses).where(
        trail_agents.c.thought_seq == seq, trail_agents.c.agent_id == agent_id
    )
    return connection.execute(statement).scalar() or 0


def add_use(
    connection: Connection,
    seq: int,
    *,
    agent_id: str,
    kind: UseKind,
    session_id: str | None,
    query_seq: int | None,
    now: float,
) -> int:
    """Insert a use; return its seq."""
    row = connection.execute(
        insert(uses).returning(uses.c.seq),
        {
            "thought_seq": seq,
            "agent_id": agent_id,
            "kind": kind,
            "session_id": session_id,
            "query_seq": query_seq,
            "used_at": now,
        },
    ).one()
    count = {"thought_seq": seq, "agent_id": agent_id, "accesses": 0, "uses": 1}
    add_up(connection, trail_agents, [count], "uses")
    return int(row.seq)


def remove_use(connection: Connection, use_seq: int) -> tuple[str, float] | None:
    """Delete a use; return its agent and time, or None when there is none."""
    row = connection.execute(delete(uses).where(uses.c.seq == use_seq).returning(uses)).first()
    if row is None:
        return None
    count = {"thought_seq": row.thought_seq, "agent_id": row.agent_id, "accesses": 0, "uses": -1}
    add_up(connection, trail_agents, [count], "uses")
    return str(row.agent_id), float(row.used_at)


def find_feedback(connection: Connection, session_id: str, seq: int) -> Row[Any] | None:
    statement = select(feedback).where(
        feedback.c.session_id == session_id, feedback.c.thought_seq == seq
    )
    return connection.execute(statement).first()


def replace_feedback(
    connection: Connection,
    session_id: str,
    seq: int,
    *,
    history: Sequence[FeedbackEntry],
    effect: float,
    use_seq: int | None,
    by_admin: bool,
) -> None:
    """Replace a session's feedback on a thought; the last entry of `history` is in force.

    Of a long history are forgotten the signals that were in force for the shortest times.
    """
    newest = history[-1]
    connection.execute(
        delete(feedback).where(feedback.c.session_id == session_id, feedback.c.thought_seq == seq)
    )
    connection.execute(
        insert(feedback),
        {
            "session_id": session_id,
            "thought_seq": seq,
            "signal": newest.signal,
            "effect": effect,
            "given_at": newest.given_at,
            "use_seq": use_seq,
            "history": json.dumps(_shorten_history(history)),
            "by_admin": by_admin,
        },
    )


def _shorten_history(history: Sequence[FeedbackEntry]) -> Sequence[FeedbackEntry]:
    """Return the first signal, the last, and of those between the ones that held longest."""
    if len(history) <= MOST_SIGNALS:
        return history

    def hold_time(number: int) -> float:
        return history[number + 1].given_at - history[number].given_at

    last = len(history) - 1
    longest = heapq.nlargest(MOST_SIGNALS - 2, range(1, last), hold_time)
    return [history[number] for number in sorted((0, *longest, last))]


def parse_history(row: Row[Any]) -> list[FeedbackEntry]:
    """Return all signals of a feedback row, oldest first; an imported row has only the last."""
    if row.history is not None:
        return [FeedbackEntry(*entry) for entry in json.loads(row.history)]
    return [FeedbackEntry(row.signal, row.given_at, row.use_seq is not None, None, 0)]


def load_trail_page(
    connection: Connection, access: Access, *, after_seq: int, limit: int
) -> dict[int, Trail]:
    """Return up to `limit` trails of the space with a seq above `after_seq`, ascending."""
    statement = select(trails).where(
        trails.c.knowledge_space_id == access.space, trails.c.thought_seq > after_seq
    )
    rows = connection.execute(statement.order_by(trails.c.thought_seq).limit(limit))
    return {row.thought_seq: trail_from_row(row) for row in rows}
