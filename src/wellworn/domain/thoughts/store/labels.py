"""What was said of what queries showed: labels from which weights can be learned.

A use counts as often as everywhere, once for an agent and thought in 24 hours. What is useful and
did not count, and what is the asker's own, is no label at all: it was not found wanting either.

Source: `docs/concepts.md`, "Learned weights".
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import Final, NamedTuple

from sqlalchemy import Connection, func, select

from wellworn.domain.spaces import Access
from wellworn.domain.thoughts.models import Method, Signal
from wellworn.domain.thoughts.store.arriving import parts
from wellworn.domain.thoughts.store.ledger import history_of
from wellworn.domain.thoughts.tables import accesses, feedback, query_log, sessions, thoughts, uses
from wellworn.engines.retrieval import POLICY_VERSION

MOST_SIGNALS: Final = 10_000
"""The newest uses and signals of a space that are looked at."""

USED, SHOWN, IRRELEVANT = 1.0, 0.0, -1.0


class Asked(NamedTuple):
    """A query that something was said of.

    Attributes:
        user: who counts as one user.
        text: what was searched for.
        places: how many thoughts it showed.
        grades: of each shown thought by seq: used, irrelevant or neither.
    """

    seq: int
    user: str
    session: str
    text: str
    places: int
    grades: dict[int, float]


def labelled(connection: Connection, access: Access, *, most: int) -> list[Asked]:
    """Return the space's newest labelled queries that were answered by shipped weights, in order.

    Left out is what asked for anything but its words: counter-questions, and what was stored, which
    would find itself.
    """
    said = _said(connection, access)
    rows = [
        row
        for part in parts(said)
        for row in connection.execute(
            select(query_log).where(
                query_log.c.seq.in_(part),
                query_log.c.knowledge_space_id == access.space,
                query_log.c.retrieval_method == Method.HYBRID,
                query_log.c.policy_version == POLICY_VERSION,
                query_log.c.query_text != "",
                query_log.c.offered_tags.is_(None),
                query_log.c.contributed_seq.is_(None),
            )
        )
    ]
    rows = sorted(rows, key=lambda row: row.seq)[-most:]
    shown = _shown(connection, (row.seq for row in rows))
    return [
        Asked(
            row.seq,
            row.owner or row.agent_id,
            row.session_id,
            f"{row.context_text} {row.query_text}" if row.context_text else row.query_text,
            len(shown[row.seq]),
            {
                seq: grade
                for seq, author in shown[row.seq]
                if (grade := said[row.seq].get(seq, SHOWN)) is not None
                and author != (row.owner or row.agent_id)
            },
        )
        for row in rows
    ]


def _said(connection: Connection, access: Access) -> dict[int, dict[int, float | None]]:
    """Return by query what was said of thoughts; None: useful, without counting as a use."""
    said: defaultdict[int, dict[int, float | None]] = defaultdict(dict)
    signals = (
        select(feedback)
        .join(sessions, sessions.c.id == feedback.c.session_id)
        .where(sessions.c.knowledge_space_id == access.space)
        .order_by(feedback.c.given_at.desc())
        .limit(MOST_SIGNALS)
    )
    for row in connection.execute(signals):
        query = history_of(row)[-1].query_seq
        if query is not None:
            is_useful = row.signal == Signal.USEFUL
            said[query][row.thought_seq] = None if is_useful else IRRELEVANT
    used = (
        select(uses.c.query_seq, uses.c.thought_seq)
        .join(query_log, query_log.c.seq == uses.c.query_seq)
        .where(query_log.c.knowledge_space_id == access.space)
        .order_by(uses.c.seq.desc())
        .limit(MOST_SIGNALS)
    )
    for query, thought in connection.execute(used).all():
        said[query][thought] = USED
    return said


def _shown(connection: Connection, queries: Iterable[int]) -> dict[int, list[tuple[int, str]]]:
    """Return the thoughts that queries showed, each with who counts as its author."""
    found: defaultdict[int, list[tuple[int, str]]] = defaultdict(list)
    author = func.coalesce(thoughts.c.owner, thoughts.c.contributor_id)
    for part in parts(queries):
        statement = (
            select(accesses.c.query_seq, accesses.c.thought_seq, author)
            .join_from(accesses, thoughts, thoughts.c.seq == accesses.c.thought_seq)
            .where(accesses.c.query_seq.in_(part))
        )
        for query, thought, by in connection.execute(statement).all():
            found[query].append((thought, by))
    return found
