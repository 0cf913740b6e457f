"""Rows of topics: what sorting a space reads, and the tree that was made last."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from enum import StrEnum
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection, bindparam, delete, func, insert, or_, select, union

from wellworn.domain.spaces import Access
from wellworn.domain.thoughts.store.events import owner_or_label
from wellworn.domain.thoughts.store.replacements import load_standings
from wellworn.domain.thoughts.tables import (
    IS_READABLE,
    VERDICTS,
    accesses,
    features,
    feedback,
    query_log,
    replacements,
    thought_ends,
    thoughts,
    topic_changes,
    topic_trees,
    topics,
)
from wellworn.engines.storage.sql import fetch, select_in
from wellworn.kit.clock import from_iso, to_iso

Seqs = NDArray[np.int64]

MOST_CHANGES = 1_000
"""Changes of topics that a space keeps."""
_SEQ = np.dtype("<i8")


class Gist(NamedTuple):
    """The features of a thought that topics are made from."""

    seq: int
    thought_id: str
    codes: bytes
    counts: bytes


class KeptTree(NamedTuple):
    """A record of how the topics of a space were made last.

    Attributes:
        mark: of which thoughts.
        thoughts: how many.
        newest: the seq of the newest.
    """

    revision: int
    made_at: float
    mark: str
    thoughts: int
    newest: int


class KeptTopic(NamedTuple):
    """A topic as it was made last; in a tree each comes before those inside it.

    Attributes:
        x, y: its middle on the map, from that of the topic around it; None without a place.
    """

    id: str
    parent_id: str | None
    members: Seqs
    first_made_at: float
    x: float | None = None
    y: float | None = None


class TopicChangeKind(StrEnum):
    """The change of topics when they were made again; what only grew is no change."""

    SPLIT = "split"
    """A new topic came out of another."""
    MERGED = "merged"
    """A topic went into another."""
    ENDED = "ended"
    """A topic is no more, and no other has most of its thoughts."""


class TopicChange(NamedTuple):
    """A topic's change.

    Attributes:
        other_id: the topic that it came from, or went into.
        shared: thoughts that both have.
    """

    kind: TopicChangeKind
    topic_id: str
    other_id: str | None
    shared: int
    changed_at: float


def find_newest(connection: Connection) -> int:
    """Return the seq of the newest thought, 0 before the first."""
    return connection.execute(select(func.max(thoughts.c.seq))).scalar() or 0


def list_spaces(connection: Connection) -> list[str]:
    """Return the spaces that have thoughts, erased and held ones included."""
    statement = select(thoughts.c.knowledge_space_id).distinct()
    return sorted(connection.execute(statement).scalars())


def filter_existing(connection: Connection, spaces: Iterable[str]) -> set[str]:
    """Return those of the spaces that still have thoughts in this database."""
    return {
        space
        for space in spaces
        if connection.execute(
            select(thoughts.c.seq).where(thoughts.c.knowledge_space_id == space).limit(1)
        ).first()
    }


_READABLE = (
    select(thoughts.c.seq)
    .where(thoughts.c.knowledge_space_id == bindparam("space"), *IS_READABLE)
    # In the order of time a space's rows lie together: they are read six times as fast.
    .order_by(thoughts.c.created_at)
)


def list_visible(connection: Connection, space: str, *, at: float) -> Seqs:
    """Return the thoughts of topics, ascending: neither erased nor held, and still true."""
    rows = fetch(connection, _READABLE, {"space": space})
    found = np.sort(np.fromiter((seq for (seq,) in rows), np.int64, len(rows)))
    gone = list_past(connection, space, at=at)
    return found[~np.isin(found, gone)] if gone else found


def list_past(connection: Connection, space: str, *, at: float) -> list[int]:
    """Return the thoughts that are not true any more: replaced, outdated, ended or called wrong."""
    of_space = select(thoughts.c.seq).where(thoughts.c.knowledge_space_id == space)
    disputed = union(
        select(replacements.c.replaced_seq).where(
            replacements.c.withdrawn_at.is_(None), replacements.c.replaced_seq.in_(of_space)
        ),
        select(feedback.c.thought_seq).where(VERDICTS, feedback.c.thought_seq.in_(of_space)),
        select(thought_ends.c.thought_seq).where(thought_ends.c.thought_seq.in_(of_space)),
    )
    seqs = connection.execute(disputed).scalars().all()
    standings = load_standings(connection, seqs, at=at)
    return [seq for seq in seqs if not standings.find(seq).is_current]


def load_gists(connection: Connection, seqs: Collection[int], version: int) -> list[Gist]:
    """Return thoughts ordered by content key; those without features are left out."""
    statement = (
        select(
            thoughts.c.content_key,
            thoughts.c.seq,
            thoughts.c.id,
            features.c.codes,
            features.c.counts,
        )
        .join_from(thoughts, features, features.c.thought_seq == thoughts.c.seq)
        .where(features.c.maker == version)
    )
    rows = select_in(connection, statement, thoughts.c.seq, seqs)
    return [Gist(*row[1:]) for row in sorted(rows, key=lambda row: row.content_key)]


def load_ids(connection: Connection, access: Access, seqs: Sequence[int]) -> dict[int, str]:
    """Return the ids of thoughts of the space, by seq."""
    statement = select(thoughts.c.seq, thoughts.c.id).where(
        thoughts.c.knowledge_space_id == access.space
    )
    return {row.seq: row.id for row in select_in(connection, statement, thoughts.c.seq, seqs)}


def count_gists(connection: Connection, space: str, version: int) -> int:
    """Return how many thoughts of a space have features."""
    statement = (
        select(func.count())
        .select_from(features)
        .join(thoughts, thoughts.c.seq == features.c.thought_seq)
        .where(features.c.maker == version, thoughts.c.knowledge_space_id == space)
    )
    return connection.execute(statement).scalar() or 0


def load_openings(
    connection: Connection, access: Access, seqs: Sequence[int], characters: int
) -> list[str]:
    """Return the first characters of thoughts of the space."""
    statement = select(func.substr(thoughts.c.content, 1, characters)).where(
        thoughts.c.seq.in_(seqs), thoughts.c.knowledge_space_id == access.space
    )
    return list(connection.execute(statement.order_by(thoughts.c.seq)).scalars())


class TopicEvent(NamedTuple):
    """A thought that was said, or the first that a question was answered with.

    Attributes:
        by: who counts as one user.
    """

    seq: int
    at: float
    by: str


def list_said(connection: Connection, access: Access, *, since: float) -> list[TopicEvent]:
    """Return the thoughts that were said since a moment."""
    statement = select(
        thoughts.c.seq, thoughts.c.created_at, owner_or_label(thoughts, "contributor_id")
    ).where(thoughts.c.knowledge_space_id == access.space, thoughts.c.created_at >= since)
    return [TopicEvent(*row) for row in connection.execute(statement)]


def list_asked(connection: Connection, access: Access, *, since: float) -> list[TopicEvent]:
    """Return what came first of each question that was asked since a moment."""
    statement = (
        select(accesses.c.thought_seq, query_log.c.timestamp, owner_or_label(query_log, "agent_id"))
        .join_from(query_log, accesses, accesses.c.query_seq == query_log.c.seq)
        .where(
            query_log.c.knowledge_space_id == access.space,
            query_log.c.timestamp >= to_iso(since),
            accesses.c.rank == 0,
        )
    )
    return [
        TopicEvent(seq, from_iso(moment), by) for seq, moment, by in connection.execute(statement)
    ]


def find_first_said(connection: Connection, access: Access) -> float | None:
    """Return when the first thought of the space was said."""
    statement = select(func.min(thoughts.c.created_at)).where(
        thoughts.c.knowledge_space_id == access.space
    )
    return connection.execute(statement).scalar()


def find_first_asked(connection: Connection, access: Access) -> float | None:
    """Return when the first question of the space was asked of which a trace is left."""
    statement = select(query_log.c.timestamp).where(query_log.c.knowledge_space_id == access.space)
    moment = connection.execute(statement.order_by(query_log.c.seq).limit(1)).scalar()
    return None if moment is None else from_iso(moment)


def find_tree(connection: Connection, space: str) -> KeptTree | None:
    """Return how the topics of a space were made last; None before the first time."""
    columns = [topic_trees.c[name] for name in ("revision", "made_at", "mark", "thoughts")]
    statement = select(*columns, topic_trees.c.newest_seq).where(
        topic_trees.c.knowledge_space_id == space
    )
    row = connection.execute(statement).first()
    return None if row is None else KeptTree(*row)


def load_topics(connection: Connection, space: str) -> list[KeptTopic]:
    """Return the topics of a space, each before those inside it."""
    statement = (
        select(
            topics.c.id,
            topics.c.parent_id,
            topics.c.members,
            topics.c.first_made_at,
            topics.c.x,
            topics.c.y,
        )
        .where(topics.c.knowledge_space_id == space)
        .order_by(topics.c.place)
    )
    return [
        KeptTopic(row[0], row[1], np.frombuffer(row[2], _SEQ).astype(np.int64), *row[3:])
        for row in connection.execute(statement)
    ]


def save_tree(
    connection: Connection, space: str, tree: KeptTree, kept: Sequence[KeptTopic]
) -> None:
    """Write the topics of a space in place of the last ones."""
    for table in (topics, topic_trees):
        connection.execute(delete(table).where(table.c.knowledge_space_id == space))
    values = tree._asdict()
    values["newest_seq"] = values.pop("newest")
    connection.execute(insert(topic_trees), {"knowledge_space_id": space, **values})
    rows = [
        {
            "knowledge_space_id": space,
            "place": place,
            **topic._asdict(),
            "members": topic.members.astype(_SEQ).tobytes(),
        }
        for place, topic in enumerate(kept)
    ]
    if rows:
        connection.execute(insert(topics), rows)


def add_changes(connection: Connection, space: str, changes: Sequence[TopicChange]) -> None:
    """Note what became of topics; of a space's changes the last thousand are stored."""
    if not changes:
        return
    of_space = topic_changes.c.knowledge_space_id == space
    rows = [{"knowledge_space_id": space, **change._asdict()} for change in changes]
    connection.execute(insert(topic_changes), rows)
    newest_first = select(topic_changes.c.seq).where(of_space).order_by(topic_changes.c.seq.desc())
    last = connection.execute(newest_first.offset(MOST_CHANGES).limit(1)).scalar()
    if last is not None:
        connection.execute(delete(topic_changes).where(of_space, topic_changes.c.seq <= last))


def list_changes(
    connection: Connection, access: Access, topic_id: str | None = None, *, limit: int
) -> list[TopicChange]:
    """Return what became of the topics of a space, or of one of them, the newest first."""
    changed = topic_changes.c
    statement = select(
        changed.kind, changed.topic_id, changed.other_id, changed.shared, changed.changed_at
    ).where(changed.knowledge_space_id == access.space)
    if topic_id is not None:
        statement = statement.where(or_(changed.topic_id == topic_id, changed.other_id == topic_id))
    rows = connection.execute(statement.order_by(changed.seq.desc()).limit(limit))
    return [TopicChange(TopicChangeKind(row[0]), row[1], row[2], row[3], row[4]) for row in rows]


def find_successor(connection: Connection, access: Access, topic_id: str) -> str | None:
    """Return the topic that one went into, if it did."""
    statement = select(topic_changes.c.other_id).where(
        topic_changes.c.knowledge_space_id == access.space,
        topic_changes.c.topic_id == topic_id,
        topic_changes.c.kind == TopicChangeKind.MERGED,
    )
    newest_first = statement.order_by(topic_changes.c.seq.desc()).limit(1)
    return connection.execute(newest_first).scalar()
