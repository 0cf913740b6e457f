"""Co-uses read from the uses themselves: a count of pairs cannot say when, by whom and how.

Source: `docs/concepts.md`, "Often needed next".
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any

import numpy as np
from sqlalchemy import Connection, Row, bindparam, exists, func, select

from wellworn.domain.spaces import Access
from wellworn.domain.thoughts.store.arriving import parts
from wellworn.domain.thoughts.tables import accesses, query_log, uses
from wellworn.engines.retrieval import CoUse, Session, Step

MOST_SESSIONS = 3_000
"""The newest, which are judged; more would hardly say more."""
MOST_USES = 200
"""The newest uses of a thought, whose sessions are looked at when it is found."""


def newest_use(connection: Connection) -> int:
    """Return the seq of the newest use, 0 before the first."""
    return connection.execute(select(func.max(uses.c.seq))).scalar() or 0


def spaces(connection: Connection) -> list[str]:
    """Return every space in which something was used through a query."""
    statement = (
        select(query_log.c.knowledge_space_id)
        .distinct()
        .join_from(uses, query_log, query_log.c.seq == uses.c.query_seq)
    )
    return list(connection.execute(statement).scalars())


def sessions_of(connection: Connection, space: str) -> list[Session]:
    """Return the space's newest sessions that used something through two queries, oldest first."""
    through = func.count(uses.c.query_seq.distinct())
    newest = (
        select(uses.c.session_id, func.max(query_log.c.seq).label("last"))
        .join_from(uses, query_log, query_log.c.seq == uses.c.query_seq)
        .where(query_log.c.knowledge_space_id == space, query_log.c.query_vector.is_not(None))
        .group_by(uses.c.session_id)
        .having(through > 1)
        .order_by(func.max(query_log.c.seq).desc())
        .limit(MOST_SESSIONS)
        .subquery()
    )
    statement = (
        select(uses, query_log.c.query_vector, query_log.c.owner)
        .join_from(uses, query_log, query_log.c.seq == uses.c.query_seq)
        .join(newest, newest.c.session_id == uses.c.session_id)
        .where(query_log.c.knowledge_space_id == space, query_log.c.query_vector.is_not(None))
        .order_by(newest.c.last, query_log.c.seq, uses.c.seq)
    )
    rows = connection.execute(statement).all()
    # What another model embedded lies in another space of meaning.
    size = len(rows[-1].query_vector) if rows else 0
    rows = [row for row in rows if len(row.query_vector) == size]
    shown = _shown(connection, {row.query_seq for row in rows})
    by_session = groupby(rows, key=lambda row: row.session_id)
    return [_session(list(its), shown) for _, its in by_session]


def _shown(connection: Connection, queries: Iterable[int]) -> dict[int, list[int]]:
    found: defaultdict[int, list[int]] = defaultdict(list)
    for part in parts(queries):
        statement = select(accesses.c.query_seq, accesses.c.thought_seq).where(
            accesses.c.query_seq.in_(part)
        )
        for row in connection.execute(statement.order_by(accesses.c.query_seq, accesses.c.rank)):
            found[row.query_seq].append(row.thought_seq)
    return found


def _session(rows: Sequence[Row[Any]], shown: dict[int, list[int]]) -> Session:
    steps: list[Step] = []
    for query_seq, of_query in groupby(rows, key=lambda row: row.query_seq):
        found = list(of_query)
        steps.append(
            Step(
                at=max(row.used_at for row in found),
                query=np.frombuffer(found[0].query_vector, dtype=np.float32),
                shown=tuple(shown.get(query_seq, ())),
                used=tuple(row.thought_seq for row in found),
            )
        )
    return Session(rows[0].agent_id, rows[0].owner, tuple(steps))


_ONE = (
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
_OTHER = uses.alias("other")


def _did_not_show(query: Any, thought: Any) -> Any:
    return ~exists().where(accesses.c.query_seq == query, accesses.c.thought_seq == thought)


_USED_WITH = (
    select(
        _ONE.c.thought_seq,
        _OTHER.c.thought_seq.label("other_seq"),
        _OTHER.c.agent_id,
        query_log.c.owner,
        func.max(_ONE.c.used_at, _OTHER.c.used_at).label("at"),
    )
    .join_from(_ONE, _OTHER, _OTHER.c.session_id == _ONE.c.session_id)
    .join(query_log, query_log.c.seq == _OTHER.c.query_seq)
    .where(
        # A session's number is one's own only within a space.
        query_log.c.knowledge_space_id == bindparam("space"),
        _OTHER.c.query_seq != _ONE.c.query_seq,
        _OTHER.c.thought_seq != _ONE.c.thought_seq,
        _did_not_show(_ONE.c.query_seq, _OTHER.c.thought_seq),
        _did_not_show(_OTHER.c.query_seq, _ONE.c.thought_seq),
    )
)


def used_with(connection: Connection, access: Access, seqs: Sequence[int]) -> Iterator[CoUse]:
    """Yield the co-uses of thoughts of the space, by the rule of `retrieval.co_uses`."""
    for seq in seqs:
        for row in connection.execute(_USED_WITH, {"seq": seq, "space": access.space}):
            yield CoUse(row.thought_seq, row.other_seq, row.agent_id, row.owner, row.at)


def used_in(connection: Connection, access: Access, session_id: str) -> set[int]:
    """Return what a session of the space has used through its queries."""
    statement = (
        select(uses.c.thought_seq)
        .join_from(uses, query_log, query_log.c.seq == uses.c.query_seq)
        .where(uses.c.session_id == session_id, query_log.c.knowledge_space_id == access.space)
    )
    return set(connection.execute(statement).scalars())
