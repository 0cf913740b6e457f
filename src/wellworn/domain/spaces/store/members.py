"""Members and credentials as rows."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, bindparam, func, insert, select, update

from wellworn.domain.spaces.models import Credential, Member, MemberKind, Role
from wellworn.domain.spaces.tables import credentials, members
from wellworn.engines.crypto import PublicIdentity
from wellworn.engines.storage.sql import build_value


@dataclass(frozen=True, slots=True)
class StoredCredential:
    """The row of a credential, to recognise it and to open its member's keys."""

    credential: Credential
    verifier: bytes
    sealed_identity: bytes


def add_member(connection: Connection, member: Member, public: PublicIdentity) -> None:
    connection.execute(
        insert(members),
        {
            "id": member.id,
            "name": member.name,
            "kind": member.kind,
            "encryption_public": public.encryption,
            "signing_public": public.signing,
            "created_at": member.created_at,
            "created_by": member.created_by,
        },
    )


def find_member(connection: Connection, member_id: str) -> Member | None:
    row = connection.execute(select(members).where(members.c.id == member_id)).first()
    return None if row is None else build_member(row)


def build_member(row: Row[Any]) -> Member:
    public = PublicIdentity(row.encryption_public, row.signing_public)
    kind = MemberKind(row.kind)
    return Member(row.id, row.name, kind, public.fingerprint(), row.created_at, row.created_by)


def add_credential(connection: Connection, stored: StoredCredential) -> None:
    credential = stored.credential
    connection.execute(
        insert(credentials),
        {
            "kid": credential.kid,
            "member_id": credential.member_id,
            "parent_kid": credential.parent,
            "label": credential.label,
            "verifier": stored.verifier,
            "sealed_identity": stored.sealed_identity,
            "role": credential.role,
            "spaces": None if credential.spaces is None else json.dumps(credential.spaces),
            "created_at": credential.created_at,
            "expires_at": credential.expires_at,
            "revoked_at": credential.revoked_at,
            "last_used_at": credential.last_used_at,
        },
    )


_OF_KID = select(credentials).where(credentials.c.kid == bindparam("kid"))


def find_credential(connection: Connection, kid: str) -> StoredCredential | None:
    row = connection.execute(_OF_KID, {"kid": kid}).first()
    return None if row is None else _build_credential(row)


def list_credentials(connection: Connection, member_id: str | None) -> list[Credential]:
    """Return a member's credentials, or everybody's, oldest first."""
    wanted: Iterable[ColumnElement[bool]] = (
        () if member_id is None else (credentials.c.member_id == member_id,)
    )
    rows = connection.execute(
        select(credentials).where(*wanted).order_by(credentials.c.created_at, credentials.c.kid)
    )
    return [_build_credential(row).credential for row in rows]


def has_credentials(connection: Connection) -> bool:
    """Tell whether there is a credential that was not revoked."""
    living = select(credentials.c.kid).where(credentials.c.revoked_at.is_(None)).limit(1)
    return connection.execute(living).first() is not None


def list_descendants(connection: Connection, kid: str) -> list[str]:
    """Return the credential and all made from it, however far."""
    tree = select(credentials.c.kid).where(credentials.c.kid == kid).cte("tree", recursive=True)
    tree = tree.union(select(credentials.c.kid).join(tree, credentials.c.parent_kid == tree.c.kid))
    return list(connection.execute(select(tree.c.kid)).scalars())


def revoke(connection: Connection, kids: Iterable[str], now: float) -> None:
    connection.execute(
        update(credentials)
        .where(credentials.c.kid.in_(list(kids)), credentials.c.revoked_at.is_(None))
        # With the keys gone, undoing the revocation gains nothing.
        .values(revoked_at=now, sealed_identity=b"")
    )


def hand_over_children(connection: Connection, parent: str, successor: str) -> None:
    connection.execute(
        update(credentials)
        .where(credentials.c.parent_kid == parent, credentials.c.kid != successor)
        .values(parent_kid=successor)
    )


def change_reach(connection: Connection, space_id: str, new_id: str) -> None:
    """Let credentials that name a space name it by its new id."""
    named, renamed = json.dumps(space_id), json.dumps(new_id)
    connection.execute(
        update(credentials)
        .where(credentials.c.spaces.contains(named, autoescape=True))
        .values(spaces=func.replace(credentials.c.spaces, named, renamed))
    )


def store_uses(connection: Connection, used: Mapping[str, float]) -> None:
    rows = [{"used_kid": kid, "at": at} for kid, at in used.items()]
    statement = update(credentials).where(credentials.c.kid == bindparam("used_kid"))
    connection.execute(statement.values(last_used_at=bindparam("at")), rows)


def _build_credential(row: Row[Any]) -> StoredCredential:
    spaces = None if row.spaces is None else tuple(json.loads(row.spaces))
    role, parent = Role(row.role), row.parent_kid
    credential = build_value(Credential, row, role=role, spaces=spaces, parent=parent)
    return build_value(StoredCredential, row, credential=credential)
