"""Which thoughts nobody but their author has confirmed yet."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import Connection, bindparam, exists, select

from wellworn.domain.thoughts.models import UseKind
from wellworn.domain.thoughts.tables import thoughts, uses
from wellworn.engines.storage.sql import compare_with_list

CONFIRMING = (UseKind.FEEDBACK, UseKind.AFFIRMED)
"""Uses that say a thought is right: it was found useful, or said again."""

_UNCONFIRMED = select(thoughts.c.seq, thoughts.c.unconfirmed_until).where(
    compare_with_list(thoughts.c.seq, "seqs"),
    thoughts.c.unconfirmed_until > bindparam("at"),
    ~exists().where(
        uses.c.thought_seq == thoughts.c.seq,
        uses.c.kind.in_(CONFIRMING),
        uses.c.agent_id != thoughts.c.owner,
    ),
)


def load_unconfirmed(connection: Connection, seqs: Sequence[int], *, at: float) -> dict[int, float]:
    """Return until when those of the thoughts are unconfirmed that are, in epoch seconds."""
    rows = connection.execute(_UNCONFIRMED, {"seqs": list(seqs), "at": at})
    return {row[0]: row[1] for row in rows}
