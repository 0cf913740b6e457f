"""Finds notes that a language model has not been asked about yet."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from sqlalchemy import Connection, bindparam, func, literal_column, select, update

from wellworn.domain.thoughts.models import ThoughtKind
from wellworn.domain.thoughts.tables import IS_READABLE, features, thoughts
from wellworn.engines.storage.sql import compare_with_list, fetch

_HAS_FEATURES: Final = (
    select(features.c.thought_seq)
    .where(features.c.thought_seq == thoughts.c.seq, features.c.maker == bindparam("version"))
    .exists()
)
_UNJUDGED: Final = (
    select(thoughts.c.seq)
    .where(
        thoughts.c.judged_at.is_(None),
        # As the index says it: SQLite uses it for no parameter.
        thoughts.c.kind == literal_column(f"'{ThoughtKind.THOUGHT.value}'"),
        _HAS_FEATURES,
        *IS_READABLE,
    )
    .order_by(thoughts.c.seq.desc())
    .limit(1)
)
_READABLE: Final = select(thoughts.c.seq).where(
    compare_with_list(thoughts.c.seq, "seqs"), *IS_READABLE
)


def find_unjudged(connection: Connection, *, version: int) -> int | None:
    """Return the newest note with features of a version that no model was asked about."""
    return connection.execute(_UNJUDGED, {"version": version}).scalar()


def filter_readable(connection: Connection, seqs: Collection[int]) -> set[int]:
    """Return those of the thoughts that are neither erased nor in quarantine."""
    return {seq for (seq,) in fetch(connection, _READABLE, {"seqs": list(seqs)})}


def count_judged(connection: Connection, *, since: float) -> int:
    """Count the notes that a model was asked about since a moment."""
    judged = select(func.count()).select_from(thoughts).where(thoughts.c.judged_at > since)
    return connection.execute(judged).scalar_one()


def mark_judged(connection: Connection, seq: int, *, now: float) -> None:
    connection.execute(update(thoughts).where(thoughts.c.seq == seq).values(judged_at=now))
