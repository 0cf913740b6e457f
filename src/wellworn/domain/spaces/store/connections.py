"""Connections by OAuth as rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

from sqlalchemy import Connection, and_, delete, func, insert, or_, select, update

from wellworn.domain.spaces.models import Role
from wellworn.domain.spaces.tables import credentials, oauth_connections
from wellworn.engines.storage.sql import build_value

_table: Final = oauth_connections.c


@dataclass(frozen=True, slots=True)
class StoredConnection:
    """The row of a connection; of its code and tokens there are verifiers alone."""

    kid: str
    holder: str
    member_id: str
    label: str
    client: str
    space_id: str
    role: Role
    redirect_uri: str
    challenge: str
    resource: str
    made_at: float
    code_verifier: bytes
    access_verifier: bytes | None = None
    access_ends_at: float | None = None
    refresh_verifier: bytes | None = None
    family_verifier: bytes | None = None


def add(connection: Connection, made: StoredConnection) -> None:
    connection.execute(insert(oauth_connections), asdict(made))


def find(connection: Connection, kid: str) -> StoredConnection | None:
    row = connection.execute(select(oauth_connections).where(_table.kid == kid)).first()
    return None if row is None else build_value(StoredConnection, row, role=Role(row.role))


def change(connection: Connection, kid: str, **values: Any) -> None:
    connection.execute(update(oauth_connections).where(_table.kid == kid).values(**values))


def count_living(connection: Connection, holder: str, now: float) -> int:
    """Return how many connections hold that were let in by a credential."""
    key = credentials.c
    made = (
        select(func.count()).select_from(oauth_connections).join(credentials, key.kid == _table.kid)
    )
    holds = (key.revoked_at.is_(None), or_(key.expires_at.is_(None), key.expires_at > now))
    return connection.execute(made.where(key.parent_kid == holder, *holds)).scalar_one()


def delete_pending_beyond(connection: Connection, holder: str, most: int) -> None:
    """Delete the oldest that a credential allowed and nobody fetched, so that so many are left."""
    waits = (_table.access_verifier.is_(None), _table.holder == holder)
    newest = select(_table.kid).where(*waits).order_by(_table.made_at.desc(), _table.kid)
    kept = connection.execute(newest.limit(most)).scalars().all()
    connection.execute(delete(oauth_connections).where(*waits, _table.kid.not_in(kept)))


def list_ended(connection: Connection, made_by: float, now: float) -> list[str]:
    """Return what was allowed by a moment and never fetched, and those whose credential ended."""
    key = credentials.c
    gone = select(key.kid).where(or_(key.revoked_at.is_not(None), key.expires_at <= now))
    unused = and_(_table.access_verifier.is_(None), _table.made_at <= made_by)
    ended = select(_table.kid).where(or_(unused, _table.kid.in_(gone)))
    return [*connection.execute(ended).scalars()]


def delete_all(connection: Connection, kids: Sequence[str]) -> None:
    connection.execute(delete(oauth_connections).where(_table.kid.in_(kids)))
