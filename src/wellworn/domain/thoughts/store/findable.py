"""By what thoughts are found: their words, and their meaning once they are embedded."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Any

from sqlalchemy import Connection, bindparam, case, func, select

from wellworn.domain.spaces import Access
from wellworn.domain.thoughts.models import FindableThoughts
from wellworn.domain.thoughts.tables import features, thoughts
from wellworn.domain.thoughts.versions import FeatureVersions
from wellworn.engines.storage.sql import split_into_batches

_is_indexed = features.c.maker.in_(bindparam("usable", expanding=True))
_COUNTS = (
    select(
        func.count().label("living"),
        func.count(case((_is_indexed, 1))).label("by_words"),
        func.count(case((features.c.maker == bindparam("whole"), 1))).label("by_meaning"),
    )
    .join_from(thoughts, features, features.c.thought_seq == thoughts.c.seq, isouter=True)
    .where(thoughts.c.knowledge_space_id == bindparam("space"), thoughts.c.erased_at.is_(None))
)
_COUNTS_AMONG = _COUNTS.where(thoughts.c.seq.in_(bindparam("seqs", expanding=True)))


def count_findable(
    connection: Connection,
    access: Access,
    versions: FeatureVersions,
    *,
    among: Collection[int] | None = None,
) -> FindableThoughts:
    """Count the thoughts of the space that are not erased by what finds them.

    Args:
        connection: to read with.
        access: whose space they are in.
        versions: those of the encoder that serves.
        among: only these; None for all.
    """
    parameters = {
        "space": access.space,
        "usable": [*versions.usable],
        "whole": versions.whole,
    }
    rows = [*_count(connection, parameters, among)]
    return FindableThoughts(
        thoughts=sum(row.living for row in rows),
        by_words=sum(row.by_words for row in rows),
        by_meaning=sum(row.by_meaning for row in rows),
    )


def _count(
    connection: Connection, parameters: dict[str, Any], among: Collection[int] | None
) -> Iterator[Any]:
    if among is None:
        yield connection.execute(_COUNTS, parameters).one()
        return
    batches: Iterator[Sequence[int]] = split_into_batches(among)
    for batch in batches:
        yield connection.execute(_COUNTS_AMONG, {**parameters, "seqs": batch}).one()
