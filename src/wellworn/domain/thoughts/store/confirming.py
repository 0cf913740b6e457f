"""Finds thoughts that nobody but their author has confirmed yet."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from sqlalchemy import Connection, and_, bindparam, select

from wellworn.domain.spaces import Access
from wellworn.domain.thoughts.models import UseKind
from wellworn.domain.thoughts.store import rows, sightings
from wellworn.domain.thoughts.store.allies import CONFIRMS, load_allies
from wellworn.domain.thoughts.tables import thoughts, uses
from wellworn.engines.storage.sql import Asked, Rows, compare_with_list, fetch

_WAITING = (
    select(
        thoughts.c.seq, thoughts.c.unconfirmed_until, thoughts.c.owner, uses.c.agent_id, uses.c.kind
    )
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
    Whoever says it again confirms it if they found it independently: an echo is no second witness.
    """
    return judge_unconfirmed(connection, fetch(connection, *ask_waiting(seqs, at=at)))


def ask_waiting(seqs: Sequence[int], *, at: float) -> Asked:
    """Ask for what `judge_unconfirmed` wants."""
    return _WAITING, {"seqs": seqs, "at": at}


def judge_unconfirmed(connection: Connection, waiting: Rows) -> dict[int, float]:
    """Return what `load_unconfirmed` does, of the rows that `ask_waiting` asks for."""
    if not waiting:
        return {}
    said_again = {(seq, user) for seq, _, _, user, kind in waiting if kind == UseKind.AFFIRMED}
    echoes = said_again - _filter_independent(connection, {seq for seq, _ in said_again})
    witnesses = [
        (seq, owner, user)
        for seq, _, owner, user, kind in waiting
        if user not in {None, owner} and not (kind == UseKind.AFFIRMED and (seq, user) in echoes)
    ]
    allies = load_allies(connection, {user for _, _, user in witnesses}, waiting[0][0])
    confirmed = {seq for seq, owner, user in witnesses if owner not in allies.get(user, ())}
    return {seq: until for seq, until, *_ in waiting if seq not in confirmed}


def _filter_independent(connection: Connection, seqs: Collection[int]) -> set[tuple[int, str]]:
    """Return who said thoughts again that no door had shown to them, nor to somebody unknown.

    Only of those that were written down to be seen from when they were stored.
    """
    if not seqs:
        return set()
    seen, shown = (
        load(connection, seqs) for load in (sightings.load_sightings, sightings.load_showings)
    )
    authors = {seq: each.author for seq, each in rows.load_authorships(connection, [*seqs]).items()}
    return {
        (seq, user)
        for seq, user, at in sightings.list_repeats_of(connection, seqs)
        if authors[seq] in seen[seq]
        and not any(
            time is not None and time < at
            for time in (
                *(seen[seq].get(user), seen[seq].get(sightings.NOBODY)),
                shown[seq].get(user),
            )
        )
    }
