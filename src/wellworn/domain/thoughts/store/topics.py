"""Rows that sorting a space into topics reads: the visible thoughts and their features."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection, func, select

from wellworn.domain.spaces import Access
from wellworn.domain.thoughts.tables import features, thoughts
from wellworn.engines.storage.sql import select_in

Seqs = NDArray[np.int64]


class Gist(NamedTuple):
    """The features of a thought that topics are made from."""

    seq: int
    thought_id: str
    codes: bytes
    counts: bytes


def find_newest(connection: Connection) -> int:
    """Return the seq of the newest thought, 0 before the first."""
    return connection.execute(select(func.max(thoughts.c.seq))).scalar() or 0


def count_thoughts(connection: Connection) -> dict[str, int]:
    """Return the number of thoughts of each space, erased and held ones included."""
    statement = select(thoughts.c.knowledge_space_id, func.count()).group_by(
        thoughts.c.knowledge_space_id
    )
    return {row[0]: row[1] for row in connection.execute(statement)}


def filter_existing(connection: Connection, spaces: Iterable[str]) -> set[str]:
    """Return those of the spaces that still have thoughts in this database."""
    return {
        space
        for space in spaces
        if connection.execute(
            select(thoughts.c.seq).where(thoughts.c.knowledge_space_id == space).limit(1)
        ).first()
    }


def list_visible(connection: Connection, space: str) -> Seqs:
    """Return the thoughts that are neither erased nor held, ascending."""
    statement = select(thoughts.c.seq).where(
        thoughts.c.knowledge_space_id == space,
        thoughts.c.erased_at.is_(None),
        thoughts.c.quarantined_at.is_(None),
    )
    return np.sort(np.array(connection.execute(statement).scalars().all(), np.int64))


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


def load_openings(
    connection: Connection, access: Access, seqs: Sequence[int], characters: int
) -> list[str]:
    """Return the first characters of thoughts of the space."""
    statement = select(func.substr(thoughts.c.content, 1, characters)).where(
        thoughts.c.seq.in_(seqs), thoughts.c.knowledge_space_id == access.space
    )
    return list(connection.execute(statement.order_by(thoughts.c.seq)).scalars())
