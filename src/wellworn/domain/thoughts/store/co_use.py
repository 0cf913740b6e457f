"""Co-uses read from single uses, as stored pair counts tell neither time nor user.

Beside them stand the verdicts of spaces' logs on co-use, numbers alone, one for each judging.

Source: `docs/concepts.md`, "Often needed next".
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any, Final, NamedTuple

import numpy as np
from sqlalchemy import Connection, Row, bindparam, delete, exists, func, insert, select

from wellworn.domain.spaces import Access
from wellworn.domain.thoughts.tables import accesses, co_use_verdicts, query_log, uses
from wellworn.engines.retrieval.co_use import CoUse, Session, Step
from wellworn.engines.storage.sql import select_in, take_greater

MOST_SESSIONS = 3_000
"""The newest sessions, which suffice to judge a space."""
MOST_USES_JUDGED = 10_000
MOST_USES_OF_A_SESSION = 100
"""The newest uses of all these sessions, and of each: every two of a session are a pair."""
MOST_USES = 200
"""The newest uses of a thought whose sessions are searched for co-uses."""

_MOST_VERDICTS: Final = 50
"""Verdicts that a space keeps."""


def find_newest_use(connection: Connection) -> int:
    """Return the seq of the newest use, 0 before the first."""
    return connection.execute(select(func.max(uses.c.seq))).scalar() or 0


def list_spaces(connection: Connection) -> list[str]:
    """Return the spaces with at least one use through a query."""
    statement = (
        select(query_log.c.knowledge_space_id)
        .distinct()
        .join_from(uses, query_log, query_log.c.seq == uses.c.query_seq)
    )
    return list(connection.execute(statement).scalars())


def load_sessions(connection: Connection, space: str) -> list[Session]:
    """Return the newest sessions with uses through two or more queries, oldest first."""
    query_count = func.count(uses.c.query_seq.distinct())
    newest = (
        select(uses.c.session_id, func.max(query_log.c.seq).label("last"))
        .join_from(uses, query_log, query_log.c.seq == uses.c.query_seq)
        .where(query_log.c.knowledge_space_id == space, query_log.c.query_vector.is_not(None))
        .group_by(uses.c.session_id)
        .having(query_count > 1)
        .order_by(func.max(query_log.c.seq).desc())
        .limit(MOST_SESSIONS)
        .subquery()
    )
    statement = (
        select(uses, query_log.c.query_vector, query_log.c.owner)
        .join_from(uses, query_log, query_log.c.seq == uses.c.query_seq)
        .join(newest, newest.c.session_id == uses.c.session_id)
        .where(query_log.c.knowledge_space_id == space, query_log.c.query_vector.is_not(None))
        .order_by(newest.c.last.desc(), query_log.c.seq.desc(), uses.c.seq.desc())
        .limit(MOST_USES_JUDGED)
    )
    rows = connection.execute(statement).all()[::-1]
    # Vectors of another embedding model cannot be compared.
    size = len(rows[-1].query_vector) if rows else 0
    rows = [row for row in rows if len(row.query_vector) == size]
    shown = _load_shown(connection, {row.query_seq for row in rows})
    by_session = groupby(rows, key=lambda row: row.session_id)
    return [
        _build_session(list(session_rows)[-MOST_USES_OF_A_SESSION:], shown)
        for _, session_rows in by_session
    ]


def _load_shown(connection: Connection, queries: Iterable[int]) -> dict[int, list[int]]:
    shown: defaultdict[int, list[int]] = defaultdict(list)
    statement = select(accesses.c.query_seq, accesses.c.thought_seq).order_by(
        accesses.c.query_seq, accesses.c.rank
    )
    for row in select_in(connection, statement, accesses.c.query_seq, queries):
        shown[row.query_seq].append(row.thought_seq)
    return shown


def _build_session(rows: Sequence[Row[Any]], shown: dict[int, list[int]]) -> Session:
    steps: list[Step] = []
    for query_seq, group in groupby(rows, key=lambda row: row.query_seq):
        query_rows = list(group)
        steps.append(
            Step(
                at=max(row.used_at for row in query_rows),
                query=np.frombuffer(query_rows[0].query_vector, dtype=np.float32),
                shown=tuple(shown.get(query_seq, ())),
                used=tuple(row.thought_seq for row in query_rows),
            )
        )
    return Session(rows[0].agent_id, rows[0].owner, tuple(steps))


_USE = (
    select(uses)
    .where(
        uses.c.thought_seq == bindparam("seq"),
        uses.c.query_seq.is_not(None),
        uses.c.session_id.is_not(None),
    )
    .order_by(uses.c.used_at.desc())
    .limit(MOST_USES)
    .subquery()
)
_OTHER_USE = uses.alias("other")


def _is_not_shown(query: Any, thought: Any) -> Any:
    return ~exists().where(accesses.c.query_seq == query, accesses.c.thought_seq == thought)


_USED_WITH = (
    select(
        _USE.c.thought_seq,
        _OTHER_USE.c.thought_seq.label("other_seq"),
        _OTHER_USE.c.agent_id,
        _OTHER_USE.c.session_id,
        query_log.c.owner,
        take_greater(_USE.c.used_at, _OTHER_USE.c.used_at).label("at"),
    )
    .join_from(_USE, _OTHER_USE, _OTHER_USE.c.session_id == _USE.c.session_id)
    .join(query_log, query_log.c.seq == _OTHER_USE.c.query_seq)
    .where(
        # Session ids are unique only within a space.
        query_log.c.knowledge_space_id == bindparam("space"),
        _OTHER_USE.c.query_seq != _USE.c.query_seq,
        _OTHER_USE.c.thought_seq != _USE.c.thought_seq,
        _is_not_shown(_USE.c.query_seq, _OTHER_USE.c.thought_seq),
        _is_not_shown(_OTHER_USE.c.query_seq, _USE.c.thought_seq),
    )
)


def find_with_sessions(
    connection: Connection, access: Access, seq: int
) -> Iterator[tuple[CoUse, str]]:
    """Yield co-uses of a thought of the space, by the rule of `iterate_co_uses`, with sessions."""
    for row in connection.execute(_USED_WITH, {"seq": seq, "space": access.space}):
        event = CoUse(row.thought_seq, row.other_seq, row.agent_id, row.owner, row.at)
        yield event, row.session_id


def find_used(connection: Connection, access: Access, session_id: str) -> set[int]:
    """Return the thoughts that a session of the space has used through its queries."""
    statement = (
        select(uses.c.thought_seq)
        .join_from(uses, query_log, query_log.c.seq == uses.c.query_seq)
        .where(uses.c.session_id == session_id, query_log.c.knowledge_space_id == access.space)
    )
    return set(connection.execute(statement).scalars())


class CoUseVerdict(NamedTuple):
    """The verdict of a space's log.

    Attributes:
        is_open: whether co-use tells more than what is known without it.
        gain: how much oftener what was needed next is among the first ten, 0 to 1.
        low, high: its 95 % interval.
        sessions: that were judged by.
        uses: how long the log was: thoughts that were used through a question.
        judged_at: in epoch seconds.
    """

    is_open: bool
    gain: float
    low: float
    high: float
    sessions: int
    uses: int
    judged_at: float


def list_verdicts(
    connection: Connection, space: str, *, limit: int = _MOST_VERDICTS
) -> list[CoUseVerdict]:
    """Return the verdicts on a space, the newest first."""
    columns = [co_use_verdicts.c[name] for name in CoUseVerdict._fields]
    statement = (
        select(*columns)
        .where(co_use_verdicts.c.knowledge_space_id == space)
        .order_by(co_use_verdicts.c.seq.desc())
        .limit(limit)
    )
    return [CoUseVerdict(*row) for row in connection.execute(statement)]


def add_verdict(connection: Connection, space: str, verdict: CoUseVerdict) -> None:
    """Store a verdict; of a space the last fifty stay."""
    connection.execute(insert(co_use_verdicts), {"knowledge_space_id": space, **verdict._asdict()})
    of_space = co_use_verdicts.c.knowledge_space_id == space
    newest_first = (
        select(co_use_verdicts.c.seq).where(of_space).order_by(co_use_verdicts.c.seq.desc())
    )
    last = connection.execute(newest_first.offset(_MOST_VERDICTS).limit(1)).scalar()
    if last is not None:
        connection.execute(delete(co_use_verdicts).where(of_space, co_use_verdicts.c.seq <= last))


def forget_verdicts(connection: Connection, access: Access) -> None:
    """Delete the verdicts on a space, whose log was changed."""
    of_space = co_use_verdicts.c.knowledge_space_id == access.space
    connection.execute(delete(co_use_verdicts).where(of_space))


def count_uses(connection: Connection, space: str) -> int:
    """Return how many thoughts were used through a question of the space."""
    statement = (
        select(func.count())
        .select_from(uses)
        .join(query_log, query_log.c.seq == uses.c.query_seq)
        .where(query_log.c.knowledge_space_id == space)
    )
    return connection.execute(statement).scalar_one()
