"""Finds drafts that say what a thought says, who said it again, and until when it is."""

from __future__ import annotations

from typing import Final, NamedTuple

from sqlalchemy import Connection, bindparam, exists, func, insert, select

from wellworn.domain.spaces import Access
from wellworn.domain.thoughts.drafts import ThoughtDraft
from wellworn.domain.thoughts.models import ThoughtKind
from wellworn.domain.thoughts.tables import affirmations, thought_ends, thoughts
from wellworn.engines.retrieval.text import speaks_of_self
from wellworn.engines.storage.sql import Asked, Rows, fetch, write_rows
from wellworn.kit.text import fingerprint, normalise_text


def content_key(draft: ThoughtDraft) -> str:
    """Return the key that equal drafts share: of the folded content, for a turn also its place."""
    if draft.kind is ThoughtKind.TURN:
        return fingerprint(
            "turn", draft.session or "", str(draft.position), normalise_text(draft.content)
        )
    return fingerprint(normalise_text(draft.content))


def is_of_speaker(draft: ThoughtDraft) -> bool:
    """Tell whether a note is in the first person, and so about who said it."""
    return draft.kind is ThoughtKind.THOUGHT and speaks_of_self(draft.content)


def own_content_key(draft: ThoughtDraft, owner: str | None) -> str:
    """Return the key of what somebody says of themselves, which nobody else says."""
    return fingerprint("own", owner or "", draft.contributor_id, content_key(draft))


class _Said(NamedTuple):
    seq: int
    contributor_id: str
    owner: str | None
    quarantined_at: float | None


def find_said(
    connection: Connection, access: Access, draft: ThoughtDraft, ahead: Rows | None = None
) -> tuple[str, int | None]:
    """Return the content key that a draft gets, and the seq of the thought that says the same.

    Of what is said in the first person no other speaker says the same; of what is held everybody
    does, lest it be said again until it is shown. What was read `ahead` is what `ask_said` asks.
    """
    key = content_key(draft)
    known = _read_said(ahead) if ahead is not None else _find_by_content(connection, access, key)
    if known is None or known.quarantined_at is not None or not is_of_speaker(draft):
        return key, known and known.seq
    if (known.contributor_id, known.owner) == (draft.contributor_id, access.owner):
        return key, known.seq
    key = own_content_key(draft, access.owner)
    known = _find_by_content(connection, access, key)
    return key, known and known.seq


def list_other_sayers(
    connection: Connection, seq: int, *, than: str | None
) -> list[tuple[str, str, str, float]]:
    """Return which other members said a thought again, by whose words, and when first."""
    columns = affirmations.c
    nth = func.row_number().over(
        partition_by=columns.owner, order_by=(columns.affirmed_at, columns.seq)
    )
    said = (
        select(
            columns.owner,
            columns.contributor_id,
            columns.contributor_name,
            columns.affirmed_at,
            nth.label("nth"),
        )
        .where(columns.thought_seq == seq, columns.owner.is_not(None), columns.owner != than)
        .subquery()
    )
    first = select(said).where(said.c.nth == 1).order_by(said.c.affirmed_at)
    return [
        (row.owner, row.contributor_id, row.contributor_name, row.affirmed_at)
        for row in connection.execute(first)
    ]


_BY_CONTENT = select(
    thoughts.c.seq, thoughts.c.contributor_id, thoughts.c.owner, thoughts.c.quarantined_at
).where(
    thoughts.c.knowledge_space_id == bindparam("space"),
    thoughts.c.content_key == bindparam("key"),
)


def ask_said(access: Access, draft: ThoughtDraft) -> Asked:
    """Ask who said what a draft says, in the first person or not."""
    return _BY_CONTENT, {"space": access.space, "key": content_key(draft)}


def _find_by_content(connection: Connection, access: Access, key: str) -> _Said | None:
    return _read_said(fetch(connection, _BY_CONTENT, {"space": access.space, "key": key}))


def _read_said(rows: Rows) -> _Said | None:
    return _Said(*rows[0]) if rows else None


_AFFIRM = insert(affirmations)


def affirm(
    connection: Connection,
    seq: int,
    *,
    agent_id: str,
    agent_name: str,
    owner: str | None,
    now: float,
) -> None:
    """Record that somebody said a thought again."""
    row = {
        "thought_seq": seq,
        "contributor_id": agent_id,
        "contributor_name": agent_name,
        "affirmed_at": now,
        "owner": owner,
    }
    write_rows(connection, _AFFIRM, [row])


_TOLERANCE_S: Final = 2e-6
"""What a moment loses when it is written down and read again."""


def list_ended_at(connection: Connection, access: Access, moment: float) -> list[int]:
    """Return the thoughts whose last end the caller gave at a moment."""
    later = thought_ends.alias()
    statement = (
        select(thought_ends.c.thought_seq)
        .join_from(thought_ends, thoughts, thoughts.c.seq == thought_ends.c.thought_seq)
        .where(
            thought_ends.c.given_at.between(moment - _TOLERANCE_S, moment + _TOLERANCE_S),
            thought_ends.c.owner.is_not_distinct_from(access.owner),
            thought_ends.c.expires_at.is_not(None),
            thoughts.c.knowledge_space_id == access.space,
            thoughts.c.erased_at.is_(None),
            ~exists().where(
                later.c.thought_seq == thought_ends.c.thought_seq,
                later.c.seq > thought_ends.c.seq,
            ),
        )
        .order_by(thought_ends.c.thought_seq)
    )
    return list(connection.execute(statement).scalars())


def give_end(
    connection: Connection,
    access: Access,
    seq: int,
    *,
    agent_id: str,
    expires_at: float | None,
    now: float,
) -> None:
    """Write down until when a thought is to be true; None takes back what was said before.

    A clock that ran back makes it no earlier than the last.
    """
    last = select(func.max(thought_ends.c.given_at)).where(thought_ends.c.thought_seq == seq)
    connection.execute(
        insert(thought_ends),
        {
            "thought_seq": seq,
            "contributor_id": agent_id,
            "owner": access.owner,
            "by_admin": access.is_admin_member,
            "expires_at": expires_at,
            "given_at": max(now, connection.execute(last).scalar() or now),
        },
    )
