"""Finds thoughts that nobody but their author has confirmed yet."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import Connection, and_, bindparam, select

from wellworn.domain.spaces import Access
from wellworn.domain.thoughts.store.allies import CONFIRMS, load_allies
from wellworn.domain.thoughts.tables import thoughts, uses
from wellworn.engines.storage.sql import compare_with_list, fetch

_WAITING = (
    select(thoughts.c.seq, thoughts.c.unconfirmed_until, thoughts.c.owner, uses.c.agent_id)
    .distinct()
    .outerjoin_from(thoughts, uses, and_(uses.c.thought_seq == thoughts.c.seq, CONFIRMS))
    .where(
        compare_with_list(thoughts.c.seq, "seqs"), thoughts.c.unconfirmed_until > bindparam("at")
    )
)


def list_waiting(connection: Connection, access: Access, *, at: float) -> list[int]:
    """Return the thoughts of a space that had time to be confirmed, and have some left."""
    statement = select(thoughts.c.seq).where(
        thoughts.c.knowledge_space_id == access.space, thoughts.c.unconfirmed_until > at
    )
    return [*connection.execute(statement).scalars()]


def load_unconfirmed(connection: Connection, seqs: Sequence[int], *, at: float) -> dict[int, float]:
    """Return until when those of the thoughts are unconfirmed that are, in epoch seconds.

    An author's own word confirms nothing, nor does that of who only ever confirms the author.
    """
    waiting = [*fetch(connection, _WAITING, {"seqs": seqs, "at": at})]
    voices = {user for _, _, owner, user in waiting if user not in {None, owner}}
    allies = load_allies(connection, voices, next(iter(seqs), 0))
    confirmed = {
        seq
        for seq, _, owner, user in waiting
        if user not in {None, owner} and owner not in allies.get(user, ())
    }
    return {seq: until for seq, until, _, _ in waiting if seq not in confirmed}
