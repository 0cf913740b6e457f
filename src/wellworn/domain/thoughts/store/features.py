"""Features of a thought that ranking reads: shape, codes of word pieces, counts of words.

Rows of another model or other rules count as missing: ranking does without them, and the repair
replaces them. They also tell what finds a thought: its words, and its meaning once it is embedded.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, Final

from sqlalchemy import Connection, and_, bindparam, case, delete, func, insert, select

from wellworn.domain.spaces import Access
from wellworn.domain.thoughts.models import FindableThoughts
from wellworn.domain.thoughts.tables import features, thoughts
from wellworn.domain.thoughts.versions import FeatureVersions
from wellworn.engines.retrieval import Shape, Unit
from wellworn.engines.storage.sql import compare_with_list, fetch, write_rows

STEPS: Final = 2
"""Neighbours added to the candidates on each side. Four instead of two are a quarter more to rank
in a space of 100,000 turns and find no more: recall@10 is .866 with two and .867 with four on
LoCoMo, .552 and .546 on REALTALK, with all turns in one space."""

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


@dataclass(frozen=True, slots=True)
class Features:
    """The features of one thought.

    Attributes:
        maker: version of the model and rules that computed them.
        passages: number of its points in the index.
        asks: whether it ends with a question.
        times: number of words that tell a time, up to two.
        codes: 16 bytes for each word piece of its first passage; empty where they do not help.
        counts: 5 bytes for each word.
    """

    maker: int
    shape: Shape
    passages: int
    asks: bool
    times: int
    codes: bytes
    counts: bytes


_COLUMNS: Final = [field.name for field in fields(Features)]

_DROP = delete(features).where(features.c.thought_seq == bindparam("seq"))
_ADD = insert(features)


def save_features(connection: Connection, rows: Mapping[int, Features]) -> None:
    """Replace the features of thoughts."""
    if not rows:
        return
    write_rows(connection, _DROP, [{"seq": seq} for seq in rows])
    made = [
        {"thought_seq": seq, **{name: getattr(row, name) for name in _COLUMNS}}
        for seq, row in rows.items()
    ]
    write_rows(connection, _ADD, made)


def find_unindexed(connection: Connection, versions: Collection[int]) -> list[int]:
    """Return the living thoughts of all spaces without features of these versions, ascending."""
    current = select(features.c.thought_seq).where(features.c.maker.in_(versions))
    statement = select(thoughts.c.seq).where(
        thoughts.c.erased_at.is_(None), thoughts.c.seq.not_in(current)
    )
    return list(connection.execute(statement.order_by(thoughts.c.seq)).scalars())


_NEWEST = (
    select(features.c.thought_seq)
    .where(compare_with_list(features.c.maker, "versions"))
    .order_by(features.c.thought_seq.desc())
    .limit(bindparam("most"))
)


def list_newest(connection: Connection, versions: Collection[int], *, most: int) -> list[int]:
    """Return the thoughts of all spaces whose features are of these versions, newest first."""
    rows = fetch(connection, _NEWEST, {"versions": list(versions), "most": most})
    return [seq for (seq,) in rows]


_UNITS = (
    select(
        thoughts.c.seq,
        thoughts.c.knowledge_space_id,
        thoughts.c.kind,
        thoughts.c.session,
        thoughts.c.position,
        thoughts.c.contributor_name,
        thoughts.c.created_at,
        thoughts.c.quarantined_at,
        features.c.maker,
        features.c.shape,
        features.c.asks,
        features.c.times,
        features.c.codes,
        features.c.counts,
    )
    .join_from(thoughts, features, features.c.thought_seq == thoughts.c.seq, isouter=True)
    # By primary key alone: with a condition on the space SQLite walks all of the space instead.
    .where(
        compare_with_list(thoughts.c.seq, "seqs"),
        thoughts.c.erased_at.is_(None),
    )
)


def load_units(
    connection: Connection,
    access: Access,
    seqs: Sequence[int],
    *,
    versions: Collection[int],
    with_held: bool = False,
) -> list[Unit]:
    """Return the ranking units of those thoughts that are in this space and not erased.

    Features of other versions are left out, and so is what is in quarantine, unless `with_held`.
    """
    if not seqs:
        return []
    rows = fetch(connection, _UNITS, {"seqs": seqs})
    return [
        _build_unit(row, versions)
        for row in rows
        if row[1] == access.space and (with_held or row[7] is None)
    ]


_NEXT = (
    select(*_UNITS.selected_columns)
    .join_from(thoughts, features, features.c.thought_seq == thoughts.c.seq)
    .where(
        thoughts.c.seq > bindparam("after"),
        thoughts.c.quarantined_at.is_(None),
        features.c.maker == bindparam("maker"),
    )
    .order_by(thoughts.c.seq)
    .limit(bindparam("most"))
)


def load_next_units(
    connection: Connection, after: int, *, version: int, most: int
) -> list[tuple[str, Unit]]:
    """Return the space and unit of the next thoughts after `after` in all spaces, none held."""
    parameters = {"after": after, "maker": version, "most": most}
    rows: Sequence[Any] = connection.execute(_NEXT, parameters).all()
    return [(row[1], _build_unit(row, {version})) for row in rows]


def load_units_of_all_spaces(
    connection: Connection, seqs: Sequence[int], *, versions: Collection[int]
) -> list[tuple[str, Unit]]:
    """Return the space and unit of thoughts that are neither erased nor held."""
    rows = connection.execute(_UNITS, {"seqs": seqs}).all()
    return [(row[1], _build_unit(row, versions)) for row in rows if row[7] is None]


def find_newest(connection: Connection) -> int:
    """Return the seq of the newest thought, 0 before the first."""
    return connection.execute(select(func.max(thoughts.c.seq))).scalar() or 0


def _build_unit(row: Any, versions: Collection[int]) -> Unit:
    # Unpacked by position, which is fastest: there are hundreds of rows a call.
    seq, _, kind, session, position, speaker, created_at, _, row_maker, shape, *rest = row
    asks, times, codes, counts = rest
    place = None if session is None or position is None else (session, position)
    if row_maker not in versions:
        return Unit(seq, "turn" if kind == "turn" else "note", place, speaker, created_at)
    return Unit(seq, shape, place, speaker, created_at, codes, counts, bool(asks), times)


_neighbours = thoughts.alias("beside")
_NEIGHBOURS = (
    select(_neighbours.c.seq, features.c.passages)
    .join_from(
        thoughts,
        _neighbours,
        and_(
            _neighbours.c.knowledge_space_id == thoughts.c.knowledge_space_id,
            _neighbours.c.session == thoughts.c.session,
            _neighbours.c.position.between(
                thoughts.c.position - STEPS, thoughts.c.position + STEPS
            ),
        ),
    )
    .join(features, features.c.thought_seq == _neighbours.c.seq)
    .where(compare_with_list(thoughts.c.seq, "seqs"))
)


def find_neighbours(connection: Connection, seqs: Sequence[int]) -> dict[int, int]:
    """Return the thoughts within two places of these, with their numbers of passages."""
    return dict(fetch(connection, _NEIGHBOURS, {"seqs": seqs}))


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
