"""Rows that tell when a thought was first seen by whom, and by whom else its words were said.

The one who stored a thought saw it first; a thought without that row came by an import, or is from
before there were such rows, and who was shown it earlier is not known.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Final, NamedTuple

from sqlalchemy import Connection, bindparam, func, select

from wellworn.domain.spaces import Access
from wellworn.domain.thoughts.models import ThoughtKind
from wellworn.domain.thoughts.store.events import owner_or_label
from wellworn.domain.thoughts.tables import (
    IS_READABLE,
    affirmations,
    sightings,
    thoughts,
    trail_agents,
)
from wellworn.engines.storage.sql import Asked, compare_with_list, fetch, insert_new, select_in

NOBODY: Final = ""
"""The viewer of a thought where nobody said who they are."""
_SEEN = select(sightings.c.thought_seq).where(
    sightings.c.seen_by == bindparam("user"), compare_with_list(sightings.c.thought_seq, "seqs")
)

_USER = owner_or_label(affirmations, "contributor_id")
_ALL_REPEATS = (
    select(affirmations.c.thought_seq, _USER, func.min(affirmations.c.affirmed_at))
    .join_from(affirmations, thoughts, thoughts.c.seq == affirmations.c.thought_seq)
    .where(
        thoughts.c.kind == ThoughtKind.THOUGHT,
        *IS_READABLE,
        owner_or_label(thoughts, "contributor_id") != _USER,
    )
    .group_by(affirmations.c.thought_seq, _USER)
)
_REPEATS = _ALL_REPEATS.where(thoughts.c.knowledge_space_id == bindparam("space"))
_REPEATS_OF = _ALL_REPEATS.where(compare_with_list(affirmations.c.thought_seq, "seqs"))


class Repeat(NamedTuple):
    """Somebody said a thought again; `user` is who counts as one."""

    seq: int
    user: str
    at: float


def filter_unseen(connection: Connection, seqs: Collection[int], user: str) -> list[int]:
    """Return those of some thoughts of which it is not written down that somebody saw them."""
    seen = {seq for (seq,) in fetch(connection, _SEEN, {"user": user, "seqs": [*seqs]})}
    return [seq for seq in seqs if seq not in seen]


def save(connection: Connection, seqs: Iterable[int], user: str, *, now: float) -> None:
    """Write down that somebody sees thoughts, unless it is written that they did before."""
    rows = [{"thought_seq": seq, "seen_by": user, "seen_at": now} for seq in seqs]
    insert_new(connection, sightings, rows)


def list_repeats_of(connection: Connection, seqs: Collection[int]) -> list[Repeat]:
    """Return by whom some thoughts were said again word for word."""
    return [Repeat(*row) for row in fetch(connection, *ask_repeats(seqs))]


def ask_repeats(seqs: Collection[int]) -> Asked:
    """Ask for the fields of each `Repeat` of some thoughts."""
    return _REPEATS_OF, {"seqs": [*seqs]}


def list_repeats(connection: Connection, access: Access, *, most: int) -> list[Repeat]:
    """Return by whom notes were said again word for word, the newest first."""
    statement = _REPEATS.order_by(func.max(affirmations.c.seq).desc()).limit(most)
    return [Repeat(*row) for row in connection.execute(statement, {"space": access.space})]


def load_sightings(connection: Connection, seqs: Collection[int]) -> dict[int, dict[str, float]]:
    """Return by thought and user when they first saw it, by any door that wrote it down."""
    seen: dict[int, dict[str, float]] = {seq: {} for seq in seqs}
    statement = select(sightings.c.thought_seq, sightings.c.seen_by, sightings.c.seen_at)
    for seq, user, at in select_in(connection, statement, sightings.c.thought_seq, seqs):
        seen[seq][user] = at
    return seen


def load_showings(connection: Connection, seqs: Collection[int]) -> dict[int, dict[str, float]]:
    """Return by thought and user when the query log first showed it to them."""
    shown: dict[int, dict[str, float]] = {seq: {} for seq in seqs}
    statement = select(
        trail_agents.c.thought_seq, trail_agents.c.agent_id, trail_agents.c.first_accessed
    ).where(trail_agents.c.first_accessed.is_not(None))
    for seq, user, at in select_in(connection, statement, trail_agents.c.thought_seq, seqs):
        shown[seq][user] = at
    return shown
