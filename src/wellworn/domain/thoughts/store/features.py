"""What ranking reads of a thought's words: shape, codes of word pieces, counts of words.

A row is written with its thought and goes with it. Rows that another model, or other rules, made
are as good as none: ranking does without, and the repair writes them anew.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

from sqlalchemy import Connection, and_, bindparam, delete, func, insert, select

from wellworn.domain.spaces import Access
from wellworn.domain.thoughts.tables import features, thoughts
from wellworn.engines.retrieval import Shape, Unit

STEPS: Final = 2
"""Neighbours that are brought along on each side; those further away only lend their words, where
they are candidates anyway. Four on each side were a quarter more to rank in a space of 100,000
turns, and found no more: with all turns in one space recall@10 is .866 with two and .867 with four
of LoCoMo's, .552 and .546 of REALTALK's."""


@dataclass(frozen=True, slots=True)
class Features:
    """A thought's row.

    Attributes:
        maker: number of the model and rules that made it.
        passages: how many points its index has of it.
        asks: whether it ends with a question.
        times: how many words tell a time, up to two.
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


def put(connection: Connection, rows: Mapping[int, Features]) -> None:
    """Write the features of thoughts in place of those they had."""
    if not rows:
        return
    connection.execute(delete(features).where(features.c.thought_seq.in_(rows)))
    connection.execute(
        insert(features), [{"thought_seq": seq, **asdict(row)} for seq, row in rows.items()]
    )


def lacking(connection: Connection, maker: int) -> list[int]:
    """Return the living thoughts of all spaces without features of this maker, ascending."""
    made = select(features.c.thought_seq).where(features.c.maker == maker)
    statement = select(thoughts.c.seq).where(
        thoughts.c.erased_at.is_(None), thoughts.c.seq.not_in(made)
    )
    return list(connection.execute(statement.order_by(thoughts.c.seq)).scalars())


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
    # By primary key alone: with a condition on the space SQLite walks the whole space instead.
    .where(
        thoughts.c.seq.in_(bindparam("seqs", expanding=True)),
        thoughts.c.erased_at.is_(None),
    )
)


def units(
    connection: Connection,
    access: Access,
    seqs: Sequence[int],
    *,
    maker: int,
    with_held: bool = False,
) -> list[Unit]:
    """Return what ranking needs of those thoughts that are in this space and not erased.

    Features of another maker are left out, and so are thoughts in quarantine but `with_held`.
    """
    if not seqs:
        return []
    rows = connection.execute(_UNITS, {"seqs": seqs}).all()
    return [
        _unit(row, maker)
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


def following(
    connection: Connection, after: int, *, maker: int, most: int
) -> list[tuple[str, Unit]]:
    """Return the next thoughts after this one, of all spaces, each with its space; none held."""
    asked = {"after": after, "maker": maker, "most": most}
    rows: Sequence[Any] = connection.execute(_NEXT, asked).all()
    return [(row[1], _unit(row, maker)) for row in rows]


def newest(connection: Connection) -> int:
    """Return the number of the thought that was stored last; 0 before there is one."""
    return connection.execute(select(func.max(thoughts.c.seq))).scalar() or 0


def _unit(row: Any, maker: int) -> Unit:
    # By place, not by name: there are hundreds of rows a call.
    seq, _, kind, session, position, speaker, created_at, _, known, shape, *rest = row
    asks, times, codes, counts = rest
    place = None if session is None or position is None else (session, position)
    if known != maker:
        return Unit(seq, "turn" if kind == "turn" else "note", None, place, speaker, created_at)
    return Unit(seq, shape, None, place, speaker, created_at, codes, counts, asks, times)


_beside = thoughts.alias("beside")
_BESIDE = (
    select(_beside.c.seq, features.c.passages)
    .join_from(
        thoughts,
        _beside,
        and_(
            _beside.c.knowledge_space_id == thoughts.c.knowledge_space_id,
            _beside.c.session == thoughts.c.session,
            _beside.c.position.between(thoughts.c.position - STEPS, thoughts.c.position + STEPS),
        ),
    )
    .join(features, features.c.thought_seq == _beside.c.seq)
    .where(thoughts.c.seq.in_(bindparam("seqs", expanding=True)))
)


def beside(connection: Connection, seqs: Sequence[int]) -> dict[int, int]:
    """Return the thoughts up to two places before or after these, with their passages."""
    rows = connection.execute(_BESIDE, {"seqs": list(seqs)}).all()
    return {row[0]: row[1] for row in rows}
