"""What laying out the topics of a space reads: which thoughts are shown, and what they are about.

Source: issue 4, point 6.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection, func, select

from wellworn.domain.spaces import Access
from wellworn.domain.thoughts.store.arriving import parts
from wellworn.domain.thoughts.tables import features, thoughts

Seqs = NDArray[np.int64]


class Gist(NamedTuple):
    """What a thought is about, as ranking keeps it."""

    seq: int
    thought_id: str
    codes: bytes
    counts: bytes


def newest(connection: Connection) -> int:
    """Return the seq of the newest thought, 0 before the first."""
    return connection.execute(select(func.max(thoughts.c.seq))).scalar() or 0


def sizes(connection: Connection) -> dict[str, int]:
    """Return how many thoughts each space has, erased and held ones among them."""
    statement = select(thoughts.c.knowledge_space_id, func.count()).group_by(
        thoughts.c.knowledge_space_id
    )
    return {row[0]: row[1] for row in connection.execute(statement)}


def remaining(connection: Connection, spaces: Iterable[str]) -> set[str]:
    """Return those of the spaces that this database still has thoughts of."""
    return {
        space
        for space in spaces
        if connection.execute(
            select(thoughts.c.seq).where(thoughts.c.knowledge_space_id == space).limit(1)
        ).first()
    }


def shown(connection: Connection, space: str) -> Seqs:
    """Return the thoughts that are neither erased nor held, ascending."""
    statement = select(thoughts.c.seq).where(
        thoughts.c.knowledge_space_id == space,
        thoughts.c.erased_at.is_(None),
        thoughts.c.quarantined_at.is_(None),
    )
    return np.sort(np.array(connection.execute(statement).scalars().all(), np.int64))


def gists(connection: Connection, seqs: Collection[int], maker: int) -> list[Gist]:
    """Return thoughts in the order of their words' keys; those without features are left out."""
    found: list[tuple[str, Gist]] = []
    for part in parts(seqs):
        statement = (
            select(
                thoughts.c.content_key,
                thoughts.c.seq,
                thoughts.c.id,
                features.c.codes,
                features.c.counts,
            )
            .join_from(thoughts, features, features.c.thought_seq == thoughts.c.seq)
            .where(thoughts.c.seq.in_(part), features.c.maker == maker)
        )
        found += [(key, Gist(*row)) for key, *row in connection.execute(statement)]
    return [gist for _, gist in sorted(found, key=lambda one: one[0])]


def texts(
    connection: Connection, access: Access, seqs: Sequence[int], characters: int
) -> list[str]:
    """Return how thoughts of the space begin."""
    statement = select(func.substr(thoughts.c.content, 1, characters)).where(
        thoughts.c.seq.in_(seqs), thoughts.c.knowledge_space_id == access.space
    )
    return list(connection.execute(statement.order_by(thoughts.c.seq)).scalars())
