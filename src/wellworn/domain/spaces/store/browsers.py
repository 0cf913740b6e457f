"""Sessions of browsers as rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from sqlalchemy import Connection, delete, insert, or_, select

from wellworn.domain.spaces.tables import browser_sessions, credentials


class StoredSession(NamedTuple):
    """The row of a session: the digest of its cookie, and what that stands for."""

    id: str
    holder: str
    browser: str
    began_at: float


_table = browser_sessions.c
_SESSIONS = select(_table.id, _table.holder, _table.browser, _table.began_at)
_oldest_first = (_table.began_at, _table.id)


def add(connection: Connection, session: StoredSession) -> None:
    connection.execute(insert(browser_sessions), session._asdict())


def find(connection: Connection, session_id: str) -> StoredSession | None:
    row = connection.execute(_SESSIONS.where(_table.id == session_id)).first()
    return None if row is None else StoredSession(*row)


def list_of(connection: Connection, holder: str) -> list[StoredSession]:
    """Return the sessions of a holder, the oldest first."""
    statement = _SESSIONS.where(_table.holder == holder).order_by(*_oldest_first)
    return [StoredSession(*row) for row in connection.execute(statement)]


def list_ids(connection: Connection) -> set[str]:
    return {*connection.execute(select(_table.id)).scalars()}


def delete_one(connection: Connection, session_id: str, holder: str) -> None:
    """Delete a session of a holder; another's stays."""
    mine = (_table.id == session_id, _table.holder == holder)
    connection.execute(delete(browser_sessions).where(*mine))


def list_ended(connection: Connection, began_by: float, now: float) -> list[str]:
    """Return the sessions that began by a moment, and those whose credential has ended."""
    key = credentials.c
    gone = select(key.kid).where(or_(key.revoked_at.is_not(None), key.expires_at <= now))
    ended = or_(_table.began_at <= began_by, _table.holder.in_(gone))
    return [*connection.execute(select(_table.id).where(ended)).scalars()]


def delete_all(connection: Connection, session_ids: Sequence[str]) -> None:
    connection.execute(delete(browser_sessions).where(_table.id.in_(session_ids)))


def delete_beyond(connection: Connection, most: int, *, holder: str | None = None) -> None:
    """Delete the oldest sessions, of a holder or of all, so that so many are left."""
    kept = select(_table.id).order_by(*(column.desc() for column in _oldest_first)).limit(most)
    mine = () if holder is None else (_table.holder == holder,)
    newest = connection.execute(kept.where(*mine)).scalars().all()
    connection.execute(delete(browser_sessions).where(_table.id.not_in(newest), *mine))
