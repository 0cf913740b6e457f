"""Rows that tell which thoughts may have had their day, and what was said and changed lately."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from sqlalchemy import (
    ColumnElement,
    Connection,
    Select,
    and_,
    exists,
    func,
    select,
    union,
)

from wellworn.domain.spaces import Access
from wellworn.domain.thoughts.decisions import ANSWERED_AT, Answered
from wellworn.domain.thoughts.models import RetrievalMethod, ThoughtKind
from wellworn.domain.thoughts.store.replacements import FOUND_BY
from wellworn.domain.thoughts.tables import (
    IS_READABLE,
    VERDICTS,
    affirmations,
    decisions,
    feedback,
    query_log,
    replacements,
    thought_ends,
    thought_sources,
    thoughts,
    trails,
    uses,
)
from wellworn.domain.thoughts.truth import ReplacementOrigin
from wellworn.engines.storage.sql import select_in
from wellworn.kit.clock import to_iso

MOST: Final = 2_000
"""Thoughts that are looked at for one reason."""
_arrived = func.coalesce(thoughts.c.stored_at, thoughts.c.created_at)
_was_judged_unanswered = func.substr(decisions.c.packed, ANSWERED_AT, 1) == bytes([Answered.NO])
_searches = query_log.c.retrieval_method.in_([method.value for method in RetrievalMethod])


class Saying(NamedTuple):
    """A note's content, its speaker, and how much it was used."""

    seq: int
    content: str
    contributor_id: str
    owner: str | None
    wear: tuple[float, int]


class UnansweredQuestion(NamedTuple):
    """A question that was asked and not answered: how often, and by how many."""

    text: str
    times: int
    askers: int


def _is_visible(access: Access) -> ColumnElement[bool]:
    return and_(
        thoughts.c.knowledge_space_id == access.space,
        *IS_READABLE,
    )


def list_unneeded(connection: Connection, access: Access, *, before: float) -> list[int]:
    """Return notes that were stored before a moment and never shown, said again or built upon.

    The oldest first.
    """
    statement = (
        select(thoughts.c.seq)
        .join_from(thoughts, trails, trails.c.thought_seq == thoughts.c.seq)
        .where(
            _is_visible(access),
            thoughts.c.kind == ThoughtKind.THOUGHT,
            _arrived < before,
            trails.c.access_count == 0,
            ~exists().where(uses.c.thought_seq == thoughts.c.seq),
            ~exists().where(affirmations.c.thought_seq == thoughts.c.seq),
            ~exists().where(thought_sources.c.source_seq == thoughts.c.seq),
        )
        .order_by(_arrived, thoughts.c.seq)
        .limit(MOST)
    )
    return list(connection.execute(statement).scalars())


def count_questions(connection: Connection, access: Access, *, since: float) -> int:
    """Return how many questions were searched for since a moment."""
    statement = select(func.count()).where(
        query_log.c.knowledge_space_id == access.space,
        query_log.c.timestamp >= to_iso(since),
        query_log.c.contributed_seq.is_(None),
        _searches,
    )
    return connection.execute(statement).scalar_one()


def list_ended(connection: Connection, access: Access) -> list[int]:
    """Return the thoughts that were given an end, the newest first."""
    return _list_newest(connection, access, select(thought_ends.c.thought_seq))


def list_disputed(connection: Connection, access: Access) -> list[int]:
    """Return the thoughts that somebody judged, ended, or stated to replace or be replaced."""
    stated = and_(replacements.c.made_by != FOUND_BY, replacements.c.withdrawn_at.is_(None))
    told = union(
        select(feedback.c.thought_seq).where(VERDICTS),
        select(thought_ends.c.thought_seq),
        select(replacements.c.thought_seq).where(stated),
        select(replacements.c.replaced_seq).where(stated),
    ).subquery()
    return _list_newest(connection, access, select(told.c.thought_seq))


def list_changing(connection: Connection, access: Access, *, since: float) -> list[int]:
    """Return what was said to replace another since a moment, the newest first."""
    changing = select(replacements.c.thought_seq).where(
        replacements.c.made_by != FOUND_BY,
        replacements.c.withdrawn_at.is_(None),
        replacements.c.origin != ReplacementOrigin.REFINED,
        replacements.c.made_at >= since,
    )
    return _list_newest(connection, access, changing)


def _list_newest(connection: Connection, access: Access, among: Select[int]) -> list[int]:
    statement = select(thoughts.c.seq).where(_is_visible(access), thoughts.c.seq.in_(among))
    newest = statement.order_by(thoughts.c.seq.desc()).limit(MOST)
    return list(connection.execute(newest).scalars())


def list_notes(connection: Connection, access: Access, *, longest: int, most: int) -> list[int]:
    """Return the newest notes of at most so many characters."""
    statement = (
        select(thoughts.c.seq)
        .where(
            _is_visible(access),
            thoughts.c.kind == ThoughtKind.THOUGHT,
            func.length(thoughts.c.content) <= longest,
        )
        .order_by(thoughts.c.seq.desc())
        .limit(most)
    )
    return list(connection.execute(statement).scalars())


def load_sayings(connection: Connection, access: Access, seqs: Iterable[int]) -> list[Saying]:
    """Return notes with what tells which of them is used, the newest first."""
    statement = (
        select(
            thoughts.c.seq,
            thoughts.c.content,
            thoughts.c.contributor_id,
            thoughts.c.owner,
            trails.c.use_score,
            trails.c.access_count,
        )
        .join_from(thoughts, trails, trails.c.thought_seq == thoughts.c.seq)
        .where(_is_visible(access))
    )
    found = select_in(connection, statement, thoughts.c.seq, seqs)
    sayings = [
        Saying(seq, content, contributor_id, owner, (score, count))
        for seq, content, contributor_id, owner, score, count in found
    ]
    return sorted(sayings, key=lambda saying: -saying.seq)


def list_learned(connection: Connection, access: Access, *, since: float) -> list[int]:
    """Return the notes that arrived since a moment, what helped and was asked for most first."""
    statement = (
        select(thoughts.c.seq)
        .join_from(thoughts, trails, trails.c.thought_seq == thoughts.c.seq)
        .where(_is_visible(access), thoughts.c.kind == ThoughtKind.THOUGHT, _arrived >= since)
        .order_by(
            trails.c.use_score.desc(),
            trails.c.unique_users.desc(),
            _arrived.desc(),
            thoughts.c.seq.desc(),
        )
        .limit(MOST)
    )
    return list(connection.execute(statement).scalars())


def list_unanswered(
    connection: Connection, access: Access, *, since: float
) -> Sequence[UnansweredQuestion]:
    """Return the questions that were not answered since a moment, the most asked first.

    For them nothing was shown, or nothing that had to do with them, as far as that was judged.
    """
    last = func.max(query_log.c.seq)
    asker = func.coalesce(query_log.c.owner, query_log.c.agent_id)
    statement = (
        select(
            func.min(query_log.c.query_text),
            func.count(),
            func.count(asker.distinct()),
        )
        .where(
            query_log.c.knowledge_space_id == access.space,
            query_log.c.timestamp >= to_iso(since),
            (query_log.c.result_count == 0) | _was_judged_unanswered,
            query_log.c.contributed_seq.is_(None),
            query_log.c.query_text != "",
            _searches,
        )
        .outerjoin_from(query_log, decisions, decisions.c.query_seq == query_log.c.seq)
        .group_by(func.lower(query_log.c.query_text))
        .order_by(func.count().desc(), last.desc())
        .limit(MOST)
    )
    return [UnansweredQuestion(*row) for row in connection.execute(statement)]
