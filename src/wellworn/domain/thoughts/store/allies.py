"""Reads who confirmed whose thoughts, to tell who counts as one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache

from sqlalchemy import Connection, bindparam, or_, select

from wellworn.domain.thoughts.models import UseKind
from wellworn.domain.thoughts.tables import thoughts, uses
from wellworn.domain.thoughts.truth.allies import MOST_ALLIES, find_allies
from wellworn.engines.storage.sql import fetch

CONFIRMS = or_(uses.c.kind == UseKind.FEEDBACK, uses.c.kind == UseKind.AFFIRMED)
"""Uses that say a thought is right: it was found useful, or said again."""

_ADMIN = ""
"""Stands for any admin: who confirms one, or is one, has no allies among the others."""
_here = thoughts.alias("here")
_CONFIRMED = (
    select(thoughts.c.owner, thoughts.c.by_admin)
    .distinct()
    .join_from(uses, thoughts, thoughts.c.seq == uses.c.thought_seq)
    .join(_here, _here.c.knowledge_space_id == thoughts.c.knowledge_space_id)
    .where(
        uses.c.agent_id == bindparam("member"),
        CONFIRMS,
        _here.c.seq == bindparam("seq"),
        thoughts.c.owner.is_not(None),
        thoughts.c.owner != bindparam("member"),
    )
    .limit(MOST_ALLIES + 1)
)


def load_allies(
    connection: Connection, members: Iterable[str], seq: int
) -> Mapping[str, frozenset[str]]:
    """Return for each of the members that has allies who they are, in the space of a thought.

    No admin of the space is among them.
    """

    @cache
    def list_confirmed(member: str) -> frozenset[str]:
        rows = fetch(connection, _CONFIRMED, {"member": member, "seq": seq})
        return frozenset(_ADMIN if by_admin else owner for owner, by_admin in rows)

    return find_allies(members, list_confirmed)
