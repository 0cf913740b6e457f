"""Which thoughts nobody but their author has confirmed yet."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import Connection, bindparam, exists, or_, select

from wellworn.domain.thoughts.models import UseKind
from wellworn.domain.thoughts.tables import thoughts, uses
from wellworn.engines.storage.sql import compare_with_list, fetch

CONFIRMS = or_(uses.c.kind == UseKind.FEEDBACK, uses.c.kind == UseKind.AFFIRMED)
"""Uses that say a thought is right: it was found useful, or said again."""

_UNCONFIRMED = select(thoughts.c.seq, thoughts.c.unconfirmed_until).where(
    compare_with_list(thoughts.c.seq, "seqs"),
    thoughts.c.unconfirmed_until > bindparam("at"),
    ~exists().where(
        uses.c.thought_seq == thoughts.c.seq,
        CONFIRMS,
        uses.c.agent_id != thoughts.c.owner,
    ),
)


def load_unconfirmed(connection: Connection, seqs: Sequence[int], *, at: float) -> dict[int, float]:
    """Return until when those of the thoughts are unconfirmed that are, in epoch seconds."""
    return dict(fetch(connection, _UNCONFIRMED, {"seqs": seqs, "at": at}))
