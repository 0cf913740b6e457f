"""Removes an owner's contributions from the ledger, so that the rest can be replayed.

The order matters: referring rows are deleted first, and the affected thoughts are read before the
rows that tell them are deleted.

Source: `docs/security.md`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from sqlalchemy import Connection, delete, select, update

from wellworn.domain.spaces import Access
from wellworn.domain.thoughts.models import UseKind
from wellworn.domain.thoughts.store import ledger, tagging
from wellworn.domain.thoughts.store.events import owner_or_label
from wellworn.domain.thoughts.store.purge import delete_traces
from wellworn.domain.thoughts.store.replacements import restore_withdrawn
from wellworn.domain.thoughts.store.rollback_scope import RollbackScope
from wellworn.domain.thoughts.tables import (
    accesses,
    affirmations,
    decisions,
    feedback,
    query_log,
    replacements,
    sessions,
    sightings,
    tags,
    thought_ends,
    thoughts,
    uses,
)
from wellworn.domain.thoughts.tags import tag_key
from wellworn.engines.storage.sql import select_in, split_into_batches


def roll_back(connection: Connection, access: Access, scope: RollbackScope) -> list[int]:
    """Delete what the scope names; return the remaining thoughts that are affected."""
    touched = _find_shown(connection, scope.queries) | _find_encouraged(connection, scope.queries)
    touched |= _find_used(connection, scope.uses)
    for use_seq in scope.uses:
        ledger.remove_use(connection, use_seq)
    touched |= _revert_signals(connection, access, scope)
    touched |= _remove_from_results(connection, scope)
    _delete_queries(connection, scope)
    _delete_affirmations_and_sessions(connection, access, scope)
    restore_withdrawn(connection, access, scope.owner, since=scope.since)
    _delete_thoughts(connection, access, scope.removed_thoughts)
    return sorted(touched - scope.removed_thoughts)


def _find_shown(connection: Connection, queries: Iterable[int]) -> set[int]:
    return _select_values(connection, select(accesses.c.thought_seq), accesses.c.query_seq, queries)


def _find_encouraged(connection: Connection, queries: Iterable[int]) -> set[int]:
    encouraging = select(query_log.c.encourages).where(query_log.c.encourages.is_not(None))
    earlier = _select_values(connection, encouraging, query_log.c.seq, queries)
    return _find_shown(connection, earlier)


def _find_used(connection: Connection, use_seqs: Iterable[int]) -> set[int]:
    return _select_values(connection, select(uses.c.thought_seq), uses.c.seq, use_seqs)


def _select_values(
    connection: Connection, statement: Any, column: Any, values: Iterable[int]
) -> set[int]:
    return {row[0] for row in select_in(connection, statement, column, values)}


def _revert_signals(connection: Connection, access: Access, scope: RollbackScope) -> set[int]:
    """Restore the signals that the owner's later ones replaced; return their thoughts."""
    statement = (
        select(feedback)
        .join_from(feedback, sessions, sessions.c.id == feedback.c.session_id)
        .join(thoughts, thoughts.c.seq == feedback.c.thought_seq)
        .where(
            sessions.c.knowledge_space_id == access.space,
            thoughts.c.knowledge_space_id == access.space,
            owner_or_label(sessions, "agent_id") == scope.owner,
            feedback.c.given_at >= scope.since,
        )
    )
    rows = connection.execute(statement).all()
    for row in rows:
        history = [entry for entry in ledger.parse_history(row) if entry.given_at < scope.since]
        if history and row.thought_seq not in scope.removed_thoughts:
            _restore_signal(connection, row, history, scope.owner)
            continue
        connection.execute(
            delete(feedback).where(
                feedback.c.session_id == row.session_id, feedback.c.thought_seq == row.thought_seq
            )
        )
    return {row.thought_seq for row in rows}


def _restore_signal(
    connection: Connection, row: Any, history: Sequence[ledger.FeedbackEntry], owner: str
) -> None:
    newest, use_seq = history[-1], None
    if newest.counted:
        use_seq = ledger.add_use(
            connection,
            row.thought_seq,
            agent_id=owner,
            kind=UseKind.FEEDBACK,
            session_id=row.session_id,
            query_seq=newest.query_seq,
            now=newest.given_at,
        )
    # Its effect follows from the replay.
    ledger.replace_feedback(
        connection,
        row.session_id,
        row.thought_seq,
        history=history,
        effect=0.0,
        use_seq=use_seq,
        by_admin=row.by_admin,
    )


def _remove_from_results(connection: Connection, scope: RollbackScope) -> set[int]:
    """Remove thoughts from the results of others; return the thoughts left in those results."""
    showing = select(accesses.c.query_seq).distinct()
    queries = _select_values(connection, showing, accesses.c.thought_seq, scope.removed_thoughts)
    remaining: set[int] = set()
    for query_seq in sorted(queries.difference(scope.queries)):
        remaining |= _remove_from_result(connection, query_seq, scope.removed_thoughts)
    return remaining


def _remove_from_result(
    connection: Connection, query_seq: int, removed: frozenset[int]
) -> set[int]:
    statement = (
        select(accesses.c.thought_seq, thoughts.c.id)
        .join_from(accesses, thoughts, thoughts.c.seq == accesses.c.thought_seq)
        .where(accesses.c.query_seq == query_seq)
        .order_by(accesses.c.rank)
    )
    remaining = [row for row in connection.execute(statement) if row.thought_seq not in removed]
    for rank, row in enumerate(remaining):
        connection.execute(
            update(accesses)
            .where(accesses.c.query_seq == query_seq, accesses.c.thought_seq == row.thought_seq)
            .values(rank=rank)
        )
    connection.execute(
        update(query_log)
        .where(query_log.c.seq == query_seq)
        .values(returned_ids=json.dumps([row.id for row in remaining]), result_count=len(remaining))
    )
    return {row.thought_seq for row in remaining}


def _delete_queries(connection: Connection, scope: RollbackScope) -> None:
    for batch in split_into_batches(scope.queries):
        for table in (accesses, decisions):
            connection.execute(delete(table).where(table.c.query_seq.in_(batch)))
        connection.execute(update(uses).where(uses.c.query_seq.in_(batch)).values(query_seq=None))
        connection.execute(delete(query_log).where(query_log.c.seq.in_(batch)))


def _delete_affirmations_and_sessions(
    connection: Connection, access: Access, scope: RollbackScope
) -> None:
    """Delete the owner's affirmations, ends, sightings, replacements and sessions."""
    of_space = select(thoughts.c.seq).where(thoughts.c.knowledge_space_id == access.space)
    for table, at in ((affirmations, "affirmed_at"), (thought_ends, "given_at")):
        connection.execute(
            delete(table).where(
                table.c.thought_seq.in_(of_space),
                owner_or_label(table, "contributor_id") == scope.owner,
                table.c[at] >= scope.since,
            )
        )
    connection.execute(
        delete(sightings).where(
            sightings.c.thought_seq.in_(of_space),
            sightings.c.seen_by == scope.owner,
            sightings.c.seen_at >= scope.since,
        )
    )
    connection.execute(
        delete(replacements).where(
            replacements.c.thought_seq.in_(of_space),
            replacements.c.made_by == scope.owner,
            replacements.c.made_at >= scope.since,
        )
    )
    connection.execute(
        delete(sessions).where(
            sessions.c.knowledge_space_id == access.space,
            owner_or_label(sessions, "agent_id") == scope.owner,
            sessions.c.created_at >= scope.since,
        )
    )


def _delete_thoughts(connection: Connection, access: Access, removed: Iterable[int]) -> None:
    tag_keys: set[str] = set()
    for seq in removed:
        tag_keys |= tagging.uncount_tags(connection, access, seq)
    for batch in split_into_batches(removed):
        connection.execute(
            update(query_log)
            .where(query_log.c.contributed_seq.in_(batch))
            .values(contributed_seq=None, query_text="", context_text=None, query_vector=None)
        )
        delete_traces(connection, batch)
    for batch in split_into_batches(removed):
        connection.execute(delete(thoughts).where(thoughts.c.seq.in_(batch)))
    _update_spellings(connection, access, tag_keys)


def _update_spellings(connection: Connection, access: Access, keys: set[str]) -> None:
    """Spell tags as the oldest remaining thought that carries them."""
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
