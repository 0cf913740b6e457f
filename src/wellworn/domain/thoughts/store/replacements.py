"""Rows of replacements, and the signals that call a thought outdated or wrong."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sqlalchemy import (
    BindParameter,
    Connection,
    bindparam,
    delete,
    func,
    or_,
    select,
    update,
)

from wellworn.domain.spaces import Access
from wellworn.domain.thoughts.models import FeedbackSignal
from wellworn.domain.thoughts.store.events import owner_or_label
from wellworn.domain.thoughts.tables import (
    affirmations,
    feedback,
    replacements,
    sessions,
    thoughts,
)
from wellworn.domain.thoughts.truth import Objection, ReplacementLink, ReplacementOrigin, Standings
from wellworn.engines.storage.sql import insert_new

_MOST_STEPS = 20
"""Steps of a chain that are followed."""

_SEQS: BindParameter[Sequence[int]] = bindparam("seqs", expanding=True)
_NEWER_LIVING = (
    thoughts.c.erased_at.is_(None),
    thoughts.c.quarantined_at.is_(None),
    replacements.c.withdrawn_at.is_(None),
)
_REPLACEMENTS = (
    select(
        replacements.c.thought_seq,
        replacements.c.replaced_seq,
        replacements.c.origin,
        replacements.c.reason,
        replacements.c.confidence,
        replacements.c.made_at,
    )
    .join_from(replacements, thoughts, thoughts.c.seq == replacements.c.thought_seq)
    .where(
        or_(replacements.c.thought_seq.in_(_SEQS), replacements.c.replaced_seq.in_(_SEQS)),
        *_NEWER_LIVING,
    )
)
_OBJECTIONS = select(feedback.c.thought_seq, feedback.c.signal, feedback.c.given_at).where(
    feedback.c.thought_seq.in_(_SEQS),
    feedback.c.signal.in_((FeedbackSignal.OUTDATED.value, FeedbackSignal.WRONG.value)),
)
_AFFIRMED = (
    select(affirmations.c.thought_seq, func.max(affirmations.c.affirmed_at))
    .where(affirmations.c.thought_seq.in_(_SEQS))
    .group_by(affirmations.c.thought_seq)
)


def load_standings(
    connection: Connection, seqs: Iterable[int], *, at: float, whole: bool = False
) -> Standings:
    """Return what replaces these thoughts and what they replace, as it was at a moment.

    Also of what surely replaced them, in any number of steps; with `whole`, of all the thoughts in
    their chains.
    """
    known: dict[tuple[int, int], ReplacementLink] = {}
    reached, frontier = set(seqs), set(seqs)
    for _ in range(_MOST_STEPS):
        if not frontier:
            break
        for row in connection.execute(_REPLACEMENTS, {"seqs": list(frontier)}).all():
            known[row[0], row[1]] = ReplacementLink(
                row[0], row[1], ReplacementOrigin(row[2]), row[3], row[4], row[5]
            )
        links = [link for link in known.values() if whole or link.is_sure]
        ends = {link.newer for link in links} | {link.older for link in links if whole}
        frontier = ends - reached
        reached |= frontier
    rows = connection.execute(_OBJECTIONS, {"seqs": list(reached)}).all()
    objections = [Objection(row[0], row[1] == FeedbackSignal.WRONG, row[2]) for row in rows]
    affirmed: dict[int, float] = {}
    if known or objections:
        rows = connection.execute(_AFFIRMED, {"seqs": list(reached)}).all()
        affirmed = {row[0]: row[1] for row in rows}
    return Standings(known.values(), objections, affirmed, at=at)


def insert_replacements(
    connection: Connection, links: Sequence[ReplacementLink], *, made_by: str
) -> None:
    """Insert links in place of inferred or withdrawn ones; who said one first has made it."""
    for link in links:
        connection.execute(
            delete(replacements).where(
                replacements.c.thought_seq == link.newer,
                replacements.c.replaced_seq == link.older,
                or_(
                    replacements.c.origin == ReplacementOrigin.INFERRED,
                    replacements.c.withdrawn_at.is_not(None),
                ),
            )
        )
    add_missing(connection, links, made_by=made_by)


def add_missing(connection: Connection, links: Sequence[ReplacementLink], *, made_by: str) -> None:
    """Insert links, except where one between the same two thoughts is there already."""
    rows = [
        {
            "thought_seq": link.newer,
            "replaced_seq": link.older,
            "origin": link.origin,
            "reason": link.reason,
            "confidence": link.confidence,
            "made_by": made_by,
            "made_at": link.since,
        }
        for link in links
    ]
    insert_new(connection, replacements, rows)


@dataclass(frozen=True, slots=True)
class StoredLink:
    """A replacement as it is stored, with who made it."""

    newer: int
    older: int
    origin: str
    made_by: str

    @property
    def is_stated(self) -> bool:
        return self.origin != ReplacementOrigin.INFERRED


def find_links(connection: Connection, *seqs: int) -> list[StoredLink]:
    """Return the links between two thoughts, in either direction, that are not withdrawn."""
    statement = select(
        replacements.c.thought_seq,
        replacements.c.replaced_seq,
        replacements.c.origin,
        replacements.c.made_by,
    ).where(
        replacements.c.thought_seq.in_(seqs),
        replacements.c.replaced_seq.in_(seqs),
        replacements.c.withdrawn_at.is_(None),
    )
    return [StoredLink(*row) for row in connection.execute(statement)]


def withdraw(connection: Connection, links: Sequence[StoredLink], *, by: str, now: float) -> None:
    """Withdraw links; they stay, so that the same is not inferred again."""
    for link in links:
        connection.execute(
            update(replacements)
            .where(
                replacements.c.thought_seq == link.newer,
                replacements.c.replaced_seq == link.older,
            )
            .values(withdrawn_by=by, withdrawn_at=now)
        )


def restore_withdrawn(connection: Connection, access: Access, user: str, *, since: float) -> None:
    """Undo what a user withdrew in a space since a moment."""
    of_space = select(thoughts.c.seq).where(thoughts.c.knowledge_space_id == access.space)
    connection.execute(
        update(replacements)
        .where(
            replacements.c.thought_seq.in_(of_space),
            replacements.c.withdrawn_by == user,
            replacements.c.withdrawn_at >= since,
        )
        .values(withdrawn_by=None, withdrawn_at=None)
    )


_OBJECTIONS_BY = (
    select(func.count())
    .select_from(feedback)
    .join(sessions, sessions.c.id == feedback.c.session_id)
    .join(thoughts, thoughts.c.seq == feedback.c.thought_seq)
    .where(
        feedback.c.signal.in_((FeedbackSignal.OUTDATED.value, FeedbackSignal.WRONG.value)),
        feedback.c.given_at >= bindparam("since"),
        sessions.c.knowledge_space_id == bindparam("space"),
        owner_or_label(sessions, "agent_id") == bindparam("user"),
        owner_or_label(thoughts, "contributor_id") != bindparam("user"),
    )
)


def count_objections(connection: Connection, access: Access, user: str, *, since: float) -> int:
    """Count the thoughts of others that a user called outdated or wrong since a moment."""
    parameters = {"since": since, "space": access.space, "user": user}
    return connection.execute(_OBJECTIONS_BY, parameters).scalar_one()
