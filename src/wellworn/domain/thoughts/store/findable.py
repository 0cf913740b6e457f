"""Counts thoughts by what finds them: their words, and their meaning once they are embedded."""

from __future__ import annotations

from collections.abc import Collection

from sqlalchemy import Connection, bindparam, case, func, select

from wellworn.domain.spaces import Access
from wellworn.domain.thoughts.models import FindableThoughts
from wellworn.domain.thoughts.tables import features, thoughts
from wellworn.domain.thoughts.versions import FeatureVersions
from wellworn.engines.storage.sql import compare_with_list

_is_indexed = compare_with_list(features.c.maker, "usable")
_COUNTS = (
    select(
        func.count().label("living"),
        func.count(case((_is_indexed, 1))).label("by_words"),
        func.count(case((features.c.maker == bindparam("whole"), 1))).label("by_meaning"),
    )
    .join_from(thoughts, features, features.c.thought_seq == thoughts.c.seq, isouter=True)
    .where(thoughts.c.knowledge_space_id == bindparam("space"), thoughts.c.erased_at.is_(None))
)
_COUNTS_AMONG = _COUNTS.where(compare_with_list(thoughts.c.seq, "seqs"))


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
    parameters = {"space": access.space, "usable": versions.usable, "whole": versions.whole}
    statement = _COUNTS if among is None else _COUNTS_AMONG
    row = connection.execute(statement, {**parameters, "seqs": among}).one()
    return FindableThoughts(row.living, row.by_words, row.by_meaning)
