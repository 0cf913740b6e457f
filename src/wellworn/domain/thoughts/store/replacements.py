"""Rows of replacements, of ends, and of signals that call a thought outdated or wrong."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from heapq import nlargest
from math import inf
from typing import Any, Final

from sqlalchemy import (
    Connection,
    Integer,
    and_,
    bindparam,
    delete,
    exists,
    false,
    func,
    literal_column,
    null,
    or_,
    select,
    union_all,
    update,
)

from wellworn.domain.spaces import Access
from wellworn.domain.thoughts.models import FeedbackSignal
from wellworn.domain.thoughts.store.allies import CONFIRMS, load_allies
from wellworn.domain.thoughts.store.events import owner_or_label
from wellworn.domain.thoughts.tables import (
    IS_READABLE,
    VERDICTS,
    affirmations,
    feedback,
    replacements,
    sessions,
    thought_ends,
    thoughts,
    uses,
)
from wellworn.domain.thoughts.truth import (
    LEAST_CONFIDENCE,
    NO_DISPUTE,
    Author,
    Confirmation,
    Corroboration,
    FoundDispute,
    GivenEnd,
    Objection,
    ReplacementLink,
    ReplacementOrigin,
    Restatement,
    Standings,
    list_due,
    select_ends,
)
from wellworn.engines.storage.sql import (
    Asked,
    Rows,
    compare_with_list,
    fetch,
    fetch_together,
    insert_new,
)

FOUND_BY: Final = "wellworn"
"""The maker of links found by comparing words in earlier versions; they are not read any more."""
_MOST_STEPS = 20
"""Steps of a chain that are followed."""
_MOST_BESIDE = 100
"""Thoughts that are followed beside those that were asked for."""
MOST_IN_HISTORY = 150
"""Thoughts whose history is told at once: inferred links can join much of a space."""

_ORIGINS: Final = {origin.value: origin for origin in ReplacementOrigin}
_NEWER_LIVING = (
    *IS_READABLE,
    replacements.c.withdrawn_at.is_(None),
)
_OLDER = thoughts.alias("older")
_REPLACEMENTS = (
    select(
        replacements.c.thought_seq,
        replacements.c.replaced_seq,
        replacements.c.origin,
        replacements.c.reason,
        replacements.c.confidence,
        replacements.c.made_at,
        thoughts.c.owner,
        thoughts.c.by_admin,
        _OLDER.c.owner,
        _OLDER.c.by_admin,
        replacements.c.by_admin,
    )
    .join_from(replacements, thoughts, thoughts.c.seq == replacements.c.thought_seq)
    .join(_OLDER, _OLDER.c.seq == replacements.c.replaced_seq)
    .where(
        or_(
            compare_with_list(replacements.c.thought_seq, "seqs"),
            compare_with_list(replacements.c.replaced_seq, "seqs"),
        ),
        replacements.c.made_by != FOUND_BY,
        *_NEWER_LIVING,
    )
)
_ZERO: Final = literal_column("0", Integer)
_SIGNALS = (
    select(
        feedback.c.thought_seq,
        feedback.c.signal == FeedbackSignal.WRONG.value,
        feedback.c.given_at,
        sessions.c.owner,
        feedback.c.by_admin,
        thoughts.c.owner,
        thoughts.c.by_admin,
        _ZERO.label("number"),
        null().label("expires_at"),
    )
    .join_from(feedback, thoughts, thoughts.c.seq == feedback.c.thought_seq)
    .join(
        sessions,
        and_(
            sessions.c.id == feedback.c.session_id,
            sessions.c.knowledge_space_id == thoughts.c.knowledge_space_id,
        ),
    )
    .where(
        compare_with_list(feedback.c.thought_seq, "seqs"),
        VERDICTS,
    )
)
_ENDS = (
    select(
        thought_ends.c.thought_seq,
        false(),
        thought_ends.c.given_at,
        thought_ends.c.owner,
        thought_ends.c.by_admin,
        thoughts.c.owner,
        thoughts.c.by_admin,
        thought_ends.c.seq,
        thought_ends.c.expires_at,
    )
    .join_from(thought_ends, thoughts, thoughts.c.seq == thought_ends.c.thought_seq)
    .where(compare_with_list(thought_ends.c.thought_seq, "seqs"))
)
_OBJECTIONS = union_all(_SIGNALS, _ENDS)
"""Both at once, as every search asks for them; the number of a signal is 0."""
_AFFIRMATIONS = select(
    affirmations.c.thought_seq, affirmations.c.owner, affirmations.c.affirmed_at
).where(compare_with_list(affirmations.c.thought_seq, "seqs"))
_SAID_AGAIN_SINCE = exists().where(
    affirmations.c.thought_seq == replacements.c.replaced_seq,
    affirmations.c.affirmed_at > replacements.c.made_at,
)
_CONFIRMATIONS = (
    select(uses.c.thought_seq, uses.c.agent_id, func.max(uses.c.used_at))
    .where(
        compare_with_list(uses.c.thought_seq, "seqs"),
        CONFIRMS,
        uses.c.used_at <= bindparam("at"),
    )
    .group_by(uses.c.thought_seq, uses.c.agent_id)
)


def ask_links(seqs: Collection[int]) -> tuple[Asked, Asked]:
    """Ask for the links of thoughts, and for what was said against them or of their ends."""
    asked = {"seqs": seqs}
    return (_REPLACEMENTS, asked), (_OBJECTIONS, asked)


def load_standings(
    connection: Connection,
    seqs: Iterable[int],
    *,
    at: float,
    is_present: bool = True,
    whole: bool = False,
    found: FoundDispute = NO_DISPUTE,
    links: Sequence[Rows] = (),
) -> Standings:
    """Return what replaces these thoughts and what they replace, as it is or was at a moment.

    Also of what surely replaced or contradicts them, in up to twenty steps; with `whole`, of the
    thoughts in their chains. Of many, the newest. What was `found` of them counts like what is
    stored, except between two of which one is stored to replace the other. `links` are the rows of
    what `ask_links` asks, of these thoughts and maybe of others, unless they are to be read.
    """
    seqs = set(seqs)
    first, rows = links or fetch_together(connection, *ask_links(seqs))
    if links:
        first = [row for row in first if row[0] in seqs or row[1] in seqs]
        rows = [row for row in rows if row[0] in seqs]
    joined, authors, reached = _load_links(connection, seqs, first, whole=whole)
    if beyond := reached - seqs:
        rows += fetch(connection, _OBJECTIONS, {"seqs": beyond})
    linked = {frozenset(link[:2]) for link in joined}
    joined += [link for link in found.links if frozenset(link[:2]) not in linked]
    authors |= found.authors
    objections: list[Objection] = []
    ends: list[tuple[float, int, GivenEnd]] = []
    for row in rows:
        seq, is_wrong, given_at, by, is_by_admin, *author, number, expires_at = row
        authors[seq] = Author(*author)
        if number:
            ends.append((given_at, number, GivenEnd(seq, expires_at, by, bool(is_by_admin))))
        else:
            objections.append(Objection(seq, is_wrong, given_at, by, is_by_admin))
    if not authors:
        return Standings(at=at)
    return _judge(
        connection,
        joined,
        objections,
        [end for given_at, _, end in sorted(ends) if is_present or given_at <= at],
        authors,
        found=found.confirmations,
        at=at,
        is_present=is_present,
    )


def _load_links(
    connection: Connection, seqs: Set[int], first: Sequence[tuple[Any, ...]], *, whole: bool
) -> tuple[list[ReplacementLink], dict[int, Author], Set[int]]:
    """Return the links of thoughts and of what they lead to, who said their ends, and all of it.

    `first` are the rows of the thoughts' own links.
    """
    known: dict[tuple[int, int], ReplacementLink] = {}
    authors: dict[int, Author] = {}
    reached, frontier = seqs, seqs
    most = MOST_IN_HISTORY if whole else len(seqs) + _MOST_BESIDE
    for step in range(_MOST_STEPS):
        if not frontier:
            break
        ends: set[int] = set()
        for row in fetch(connection, _REPLACEMENTS, {"seqs": frontier}) if step else first:
            link = _build_link(row)
            known[link[:2]] = min(link, known.get(link[:2], link), key=_order_statements)
            authors[link.newer], authors[link.older] = Author(*row[6:8]), Author(*row[8:10])
            if whole or link.is_sure:
                is_followed = whole or authors[link.newer] != authors[link.older]
                ends.update(link[:2] if is_followed else link[:1])
        frontier = set(nlargest(most - len(reached), ends - reached))
        reached |= frontier
    links = [link for link in known.values() if not whole or {*link[:2]} <= reached]
    return links, authors, reached


def _order_statements(link: ReplacementLink) -> tuple[bool, bool, float]:
    """Order links of one pair: of an admin, or else of who stated it first, is since when."""
    return not link.is_stated, not link.is_by_admin, link.since


def _build_link(row: Any) -> ReplacementLink:
    # By position, and without calling the enumeration: there are hundreds of rows a search.
    newer, older, origin, reason, confidence, since = row[:6]
    link = ReplacementLink(newer, older, _ORIGINS[origin], reason, confidence, since)
    return link._replace(is_by_admin=True) if row[10] else link


def _judge(
    connection: Connection,
    links: Sequence[ReplacementLink],
    objections: Sequence[Objection],
    ends: Sequence[GivenEnd],
    authors: Mapping[int, Author],
    *,
    found: Sequence[Confirmation],
    at: float,
    is_present: bool,
) -> Standings:
    """Let count what comes from somebody whose word does."""
    until = inf if is_present else at
    counting = select_ends(ends, authors)
    due = list_due(counting, at)
    against = [*objections, *due]
    # A confirmation decides nothing but what somebody disputes.
    is_disputed = against or any(authors[link.newer] != authors[link.older] for link in links)
    asked = {"seqs": list(authors), "at": until}
    confirming = fetch(connection, _CONFIRMATIONS, asked) if is_disputed else ()
    confirmations = [*(Confirmation(*row) for row in confirming), *found]
    again = [Restatement(*row) for row in fetch(connection, _AFFIRMATIONS, {"seqs": [*authors]})]
    voices = {
        *(confirmation.owner for confirmation in confirmations),
        *(objection.by for objection in against),
        *(restatement.owner for restatement in again),
    }
    members = filter(None, voices if is_disputed else ())
    allies = load_allies(connection, members, next(iter(authors)))
    corroboration = Corroboration(authors, confirmations, allies)
    judged = map(corroboration.mark_contested, links)
    earlier = [objection for objection in objections if objection.given_at <= until]
    return Standings(
        [link for link in judged if link.is_contested or link.confidence >= LEAST_CONFIDENCE],
        # An end is somebody's word about their own, and no voice against it.
        [*corroboration.select_objections(objections), *due],
        corroboration.date_restatements(again, links, objections),
        doubted=corroboration.find_doubted(earlier),
        expires_at={seq: end.expires_at for seq, end in counting.items() if end.expires_at},
        at=at,
        is_present=is_present,
    )


def insert_replacements(
    connection: Connection, links: Sequence[ReplacementLink], *, made_by: str
) -> None:
    """Insert the links that somebody states, in place of inferred, withdrawn or weaker ones.

    Also of one's own from before the older thought was said again, which had made it true again.
    """
    for link in links:
        connection.execute(
            delete(replacements).where(
                replacements.c.thought_seq == link.newer,
                replacements.c.replaced_seq == link.older,
                or_(
                    replacements.c.origin == ReplacementOrigin.INFERRED,
                    replacements.c.withdrawn_at.is_not(None),
                    and_(
                        replacements.c.made_by == made_by,
                        or_(
                            replacements.c.origin != link.origin,
                            replacements.c.by_admin != link.is_by_admin,
                            _SAID_AGAIN_SINCE,
                        ),
                    ),
                ),
            )
        )
    _insert(connection, links, made_by=made_by)


def find_last_words(connection: Connection, seqs: Iterable[int]) -> dict[int, float]:
    """Return when thoughts were last said again or stated to replace others, where they were."""
    words = union_all(
        select(replacements.c.thought_seq, replacements.c.made_at.label("at")).where(
            replacements.c.origin == ReplacementOrigin.STATED,
            replacements.c.withdrawn_at.is_(None),
        ),
        select(affirmations.c.thought_seq, affirmations.c.affirmed_at.label("at")),
    ).subquery()
    statement = (
        select(words.c.thought_seq, func.max(words.c.at))
        .where(words.c.thought_seq.in_(seqs))
        .group_by(words.c.thought_seq)
    )
    return {row[0]: row[1] for row in connection.execute(statement)}


def add_missing(connection: Connection, links: Sequence[ReplacementLink], *, made_by: str) -> None:
    """Insert links, except where one between the same two thoughts is there already."""
    pair = select(replacements.c.thought_seq, replacements.c.replaced_seq)
    newer = pair.where(replacements.c.thought_seq.in_({link.newer for link in links}))
    known = {tuple(row) for row in connection.execute(newer)} if links else set[Any]()
    _insert(connection, [link for link in links if link[:2] not in known], made_by=made_by)


def _insert(connection: Connection, links: Sequence[ReplacementLink], *, made_by: str) -> None:
    rows = [
        {
            "thought_seq": link.newer,
            "replaced_seq": link.older,
            "origin": link.origin,
            "reason": link.reason,
            "confidence": link.confidence,
            "made_by": made_by,
            "made_at": link.since,
            "by_admin": link.is_by_admin,
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
                replacements.c.made_by == link.made_by,
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
        VERDICTS,
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
