"""Labelled queries: what users did with the results, from which weights can be learned.

A use counts once per agent and thought in 24 hours. A useful result that did not count, or that is
the user's own, gets no label: it was not rejected either.

Source: `docs/concepts.md`, "Learned weights".
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from sqlalchemy import Connection, Select, select

from wellworn.domain.spaces import Access
from wellworn.domain.thoughts.models import FeedbackSignal, RetrievalMethod
from wellworn.domain.thoughts.store.events import owner_or_label
from wellworn.domain.thoughts.store.ledger import parse_history
from wellworn.domain.thoughts.tables import (
    accesses,
    decisions,
    feedback,
    query_log,
    sessions,
    thoughts,
    uses,
)
from wellworn.engines.retrieval import POLICY_VERSION
from wellworn.engines.storage.sql import select_in
from wellworn.kit.clock import from_iso

MOST_SIGNALS: Final = 10_000
"""The newest uses, and as many signals, of a space that are read."""

USED, SHOWN, IRRELEVANT = 1.0, 0.0, -1.0


class LabelledQuery(NamedTuple):
    """A query with the grades of its results.

    Attributes:
        user: who counts as one user.
        places: how many thoughts it returned.
        grades: by seq of the thought: used, irrelevant or neither.
        query_id: of its call, which was made `at`, in epoch seconds.
    """

    seq: int
    user: str
    session: str
    text: str
    places: int
    grades: dict[int, float]
    query_id: str
    at: float


def load_labelled_queries(
    connection: Connection, access: Access, *, most: int
) -> list[LabelledQuery]:
    """Return the space's newest labelled queries that the shipped weights answered, in order.

    Left out are counter-questions, and prompts that were stored, which would find themselves.
    """
    grades = load_grades(connection, access)
    statement = _select_asked(access).where(query_log.c.policy_version == POLICY_VERSION)
    rows = select_in(connection, statement, query_log.c.seq, grades)
    return _label(connection, sorted(rows, key=lambda row: row.seq)[-most:], grades)


def load_newest_queries(
    connection: Connection, access: Access, *, owner: str | None, most: int
) -> list[LabelledQuery]:
    """Return the newest such queries of the decision log, those of an owner if one is given.

    Whether or not they are labelled, and by whatever weights they were answered, in order.
    """
    decided = _select_asked(access).join(decisions, decisions.c.query_seq == query_log.c.seq)
    statement = decided.where(query_log.c.result_count > 0)
    if owner is not None:
        statement = statement.where(query_log.c.owner == owner)
    rows = connection.execute(statement.order_by(query_log.c.seq.desc()).limit(most)).all()
    return _label(connection, rows[::-1], load_grades(connection, access))


def _select_asked(access: Access) -> Select[*tuple[Any, ...]]:
    return select(query_log).where(
        query_log.c.knowledge_space_id == access.space,
        query_log.c.retrieval_method == RetrievalMethod.HYBRID,
        query_log.c.query_text != "",
        query_log.c.offered_tags.is_(None),
        query_log.c.contributed_seq.is_(None),
    )


def _label(
    connection: Connection, rows: Sequence[Any], grades: Mapping[int, Mapping[int, float | None]]
) -> list[LabelledQuery]:
    shown = _load_shown(connection, (row.seq for row in rows))
    return [
        LabelledQuery(
            row.seq,
            row.owner or row.agent_id,
            row.session_id,
            f"{row.context_text} {row.query_text}" if row.context_text else row.query_text,
            len(shown[row.seq]),
            {
                seq: grade
                for seq, author in shown[row.seq]
                if (grade := grades.get(row.seq, {}).get(seq, SHOWN)) is not None
                and author != (row.owner or row.agent_id)
            },
            row.id,
            from_iso(row.timestamp),
        )
        for row in rows
    ]


def load_grades(connection: Connection, access: Access) -> dict[int, dict[int, float | None]]:
    """Return by query the grades of thoughts; None is useful without counting as a use."""
    grades: defaultdict[int, dict[int, float | None]] = defaultdict(dict)
    signals = (
        select(feedback)
        .join(sessions, sessions.c.id == feedback.c.session_id)
        .where(sessions.c.knowledge_space_id == access.space)
        .order_by(feedback.c.given_at.desc())
        .limit(MOST_SIGNALS)
    )
    for row in connection.execute(signals):
        query = parse_history(row)[-1].query_seq
        if query is not None:
            is_useful = row.signal == FeedbackSignal.USEFUL
            grades[query][row.thought_seq] = None if is_useful else IRRELEVANT
    used = (
        select(uses.c.query_seq, uses.c.thought_seq)
        .join(query_log, query_log.c.seq == uses.c.query_seq)
        .where(query_log.c.knowledge_space_id == access.space)
        .order_by(uses.c.seq.desc())
        .limit(MOST_SIGNALS)
    )
    for query, thought in connection.execute(used).all():
        grades[query][thought] = USED
    return grades


def _load_shown(connection: Connection, queries: Iterable[int]) -> dict[int, list[tuple[int, str]]]:
    """Return the results of queries, each thought with who counts as its author."""
    shown: defaultdict[int, list[tuple[int, str]]] = defaultdict(list)
    author = owner_or_label(thoughts, "contributor_id")
    statement = select(accesses.c.query_seq, accesses.c.thought_seq, author).join_from(
        accesses, thoughts, thoughts.c.seq == accesses.c.thought_seq
    )
    for query, thought, author_id in select_in(
        connection, statement, accesses.c.query_seq, queries
    ):
        shown[query].append((thought, author_id))
    return shown
