"""An owner's part taken out of the ledger, row by row, so that the rest can be gone through again.

The order matters: what refers to others goes before them, and who is affected is asked before what
tells of it is gone.

Source: shared-memory threat model, rollback of an owner.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import Any

from sqlalchemy import Connection, bindparam, delete, select, update

from wellworn.domain.spaces import Access
from wellworn.domain.thoughts.models import Use
from wellworn.domain.thoughts.store import ledger, tagging
from wellworn.domain.thoughts.store.arriving import parts
from wellworn.domain.thoughts.store.events import whose
from wellworn.domain.thoughts.store.extent import Extent
from wellworn.domain.thoughts.store.purging import drop_traces
from wellworn.domain.thoughts.tables import (
    accesses,
    affirmations,
    feedback,
    pairs,
    query_log,
    sessions,
    tags,
    thoughts,
    uses,
)
from wellworn.domain.thoughts.tags import tag_key


def take_back(connection: Connection, access: Access, extent: Extent) -> list[int]:
    """Delete what is to be taken back; return what remains and was touched."""
    touched = _shown_by(connection, extent.queries) | _encouraged_by(connection, extent.queries)
    touched |= _thoughts_of(connection, extent.uses)
    for use_seq in extent.uses:
        ledger.remove_use(connection, use_seq)
    touched |= _take_back_signals(connection, access, extent)
    _unpair(connection, extent.queries)
    touched |= _close_ranks(connection, extent)
    _drop_queries(connection, extent)
    _drop_said(connection, access, extent)
    _drop_thoughts(connection, access, extent.removed)
    return sorted(touched - extent.removed)


def _shown_by(connection: Connection, queries: Iterable[int]) -> set[int]:
    return _among(connection, select(accesses.c.thought_seq), accesses.c.query_seq, queries)


def _encouraged_by(connection: Connection, queries: Iterable[int]) -> set[int]:
    encouraging = select(query_log.c.encourages).where(query_log.c.encourages.is_not(None))
    earlier = _among(connection, encouraging, query_log.c.seq, queries)
    return _shown_by(connection, earlier)


def _thoughts_of(connection: Connection, use_seqs: Iterable[int]) -> set[int]:
    return _among(connection, select(uses.c.thought_seq), uses.c.seq, use_seqs)


def _among(connection: Connection, statement: Any, column: Any, values: Iterable[int]) -> set[int]:
    found: set[int] = set()
    for part in parts(values):
        found.update(connection.execute(statement.where(column.in_(part))).scalars())
    return found


def _take_back_signals(connection: Connection, access: Access, extent: Extent) -> set[int]:
    """Put the owner's signals back to what they were before; return the thoughts judged."""
    statement = (
        select(feedback)
        .join_from(feedback, sessions, sessions.c.id == feedback.c.session_id)
        .join(thoughts, thoughts.c.seq == feedback.c.thought_seq)
        .where(
            sessions.c.knowledge_space_id == access.space,
            thoughts.c.knowledge_space_id == access.space,
            whose(sessions, "agent_id") == extent.owner,
            feedback.c.given_at >= extent.since,
        )
    )
    rows = connection.execute(statement).all()
    for row in rows:
        kept = [one for one in ledger.history_of(row) if one.given_at < extent.since]
        if kept and row.thought_seq not in extent.removed:
            _give_again(connection, row, kept, extent.owner)
            continue
        connection.execute(
            delete(feedback).where(
                feedback.c.session_id == row.session_id, feedback.c.thought_seq == row.thought_seq
            )
        )
    return {row.thought_seq for row in rows}


def _give_again(connection: Connection, row: Any, kept: Sequence[ledger.Given], owner: str) -> None:
    newest, use_seq = kept[-1], None
    if newest.counted:
        use_seq = ledger.add_use(
            connection,
            row.thought_seq,
            agent_id=owner,
            kind=Use.FEEDBACK,
            session_id=row.session_id,
            query_seq=newest.query_seq,
            now=newest.given_at,
        )
    # Its effect follows from the replay.
    ledger.replace_signal(
        connection, row.session_id, row.thought_seq, history=kept, effect=0.0, use_seq=use_seq
    )


def _unpair(connection: Connection, queries: Sequence[int]) -> None:
    """Take back the pairs of results that the queries had made."""
    together: Counter[tuple[int, int]] = Counter()
    for part in parts(queries):
        statement = select(accesses.c.query_seq, accesses.c.thought_seq).where(
            accesses.c.query_seq.in_(part)
        )
        shown: dict[int, list[int]] = {}
        for row in connection.execute(statement):
            shown.setdefault(row.query_seq, []).append(row.thought_seq)
        for seqs in shown.values():
            together.update(combinations(sorted(seqs), 2))
    if not together:
        return
    fewer = [{"low": low, "high": high, "times": n} for (low, high), n in together.items()]
    connection.execute(_FEWER_TOGETHER, fewer)
    connection.execute(delete(pairs).where(pairs.c.together <= 0))


_FEWER_TOGETHER = (
    update(pairs)
    .where(pairs.c.low_seq == bindparam("low"), pairs.c.high_seq == bindparam("high"))
    .values(together=pairs.c.together - bindparam("times"))
)


def _close_ranks(connection: Connection, extent: Extent) -> set[int]:
    """Take removed thoughts out of the others' results; return who stood beside them."""
    showing = select(accesses.c.query_seq).distinct()
    queries = _among(connection, showing, accesses.c.thought_seq, extent.removed)
    beside: set[int] = set()
    for query_seq in sorted(queries.difference(extent.queries)):
        beside |= _close_ranks_of(connection, query_seq, extent.removed)
    return beside


def _close_ranks_of(connection: Connection, query_seq: int, removed: frozenset[int]) -> set[int]:
    statement = (
        select(accesses.c.thought_seq, thoughts.c.id)
        .join_from(accesses, thoughts, thoughts.c.seq == accesses.c.thought_seq)
        .where(accesses.c.query_seq == query_seq)
        .order_by(accesses.c.rank)
    )
    left = [row for row in connection.execute(statement) if row.thought_seq not in removed]
    for rank, row in enumerate(left):
        connection.execute(
            update(accesses)
            .where(accesses.c.query_seq == query_seq, accesses.c.thought_seq == row.thought_seq)
            .values(rank=rank)
        )
    connection.execute(
        update(query_log)
        .where(query_log.c.seq == query_seq)
        .values(returned_ids=json.dumps([row.id for row in left]), result_count=len(left))
    )
    return {row.thought_seq for row in left}


def _drop_queries(connection: Connection, extent: Extent) -> None:
    for part in parts(extent.queries):
        connection.execute(delete(accesses).where(accesses.c.query_seq.in_(part)))
        connection.execute(update(uses).where(uses.c.query_seq.in_(part)).values(query_seq=None))
        connection.execute(delete(query_log).where(query_log.c.seq.in_(part)))


def _drop_said(connection: Connection, access: Access, extent: Extent) -> None:
    """Delete the owner's affirmations and sessions."""
    ours = select(thoughts.c.seq).where(thoughts.c.knowledge_space_id == access.space)
    connection.execute(
        delete(affirmations).where(
            affirmations.c.thought_seq.in_(ours),
            whose(affirmations, "contributor_id") == extent.owner,
            affirmations.c.affirmed_at >= extent.since,
        )
    )
    connection.execute(
        delete(sessions).where(
            sessions.c.knowledge_space_id == access.space,
            whose(sessions, "agent_id") == extent.owner,
            sessions.c.created_at >= extent.since,
        )
    )


def _drop_thoughts(connection: Connection, access: Access, removed: Iterable[int]) -> None:
    lost: set[str] = set()
    for seq in removed:
        lost |= tagging.uncount_tags(connection, access, seq)
    for part in parts(removed):
        connection.execute(
            update(query_log)
            .where(query_log.c.contributed_seq.in_(part))
            .values(contributed_seq=None)
        )
        drop_traces(connection, part)
    for part in parts(removed):
        connection.execute(delete(thoughts).where(thoughts.c.seq.in_(part)))
    _respell(connection, access, lost)


def _respell(connection: Connection, access: Access, keys: set[str]) -> None:
    """Spell tags as the first of the remaining thoughts that have them does."""
    statement = select(thoughts.c.tags).where(
        thoughts.c.knowledge_space_id == access.space, thoughts.c.tags != "[]"
    )
    for row in connection.execute(statement.order_by(thoughts.c.seq)).all() if keys else ():
        for tag in json.loads(row.tags):
            if (key := tag_key(tag)) in keys:
                keys.discard(key)
                connection.execute(
                    update(tags)
                    .where(tags.c.knowledge_space_id == access.space, tags.c.tag_key == key)
                    .values(tag=tag)
                )
