"""Spaces, memberships and invitations as rows."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    Row,
    bindparam,
    delete,
    exists,
    insert,
    literal,
    select,
    update,
)

from wellworn.domain.spaces.models import (
    Invitation,
    Membership,
    Mode,
    Role,
    Space,
    read_unconfirmed_hours,
)
from wellworn.domain.spaces.store.members import build_member
from wellworn.domain.spaces.tables import (
    invitations,
    knowledge_spaces,
    members,
    space_epochs,
    space_memberships,
)
from wellworn.engines.storage.sql import Asked, build_value
from wellworn.kit.clock import from_iso as moment
from wellworn.kit.clock import to_iso


@dataclass(frozen=True, slots=True)
class MembershipSummary:
    """A membership in short: the space's mode, the member's role, and whether it has epochs."""

    mode: Mode
    role: Role
    has_keys: bool
    unconfirmed_hours: int = 0


@dataclass(frozen=True, slots=True)
class StoredInvitation:
    """The row of an invitation; sealed parts only for sealed spaces."""

    invitation: Invitation
    verifier: bytes
    made_with: str | None = None
    accepted_by: str | None = None
    revoked_at: float | None = None
    epoch: int = 0
    wrapped: bytes | None = None
    wrapped_hash: bytes | None = None
    acceptance_key: bytes | None = None
    founder: bytes | None = None
    signature: bytes | None = None

    def is_open(self, now: float) -> bool:
        """Tell whether its bearer can still join."""
        gone = self.accepted_by is not None or self.revoked_at is not None
        return not gone and self.invitation.expires_at > now


def add(connection: Connection, space: Space, key_check: bytes | None) -> None:
    connection.execute(
        insert(knowledge_spaces),
        {
            "id": space.id,
            "name": space.name,
            "created_at": to_iso(space.created_at),
            "created_by": space.created_by,
            "encryption_key_hash": None if key_check is None else key_check.hex(),
            "settings": json.dumps(dict(space.settings)),
            "mode": space.mode,
            "epoch": space.epoch,
        },
    )


def set_settings(connection: Connection, space_id: str, settings: Mapping[str, object]) -> None:
    connection.execute(
        update(knowledge_spaces)
        .where(knowledge_spaces.c.id == space_id)
        .values(settings=json.dumps(dict(settings)))
    )


def find_space(connection: Connection, space_id: str) -> Space | None:
    wanted = select(knowledge_spaces).where(knowledge_spaces.c.id == space_id)
    row = connection.execute(wanted).first()
    return None if row is None else _build_space(row)


def list_spaces(connection: Connection, member_id: str) -> list[tuple[Space, Role]]:
    rows = connection.execute(
        select(knowledge_spaces, space_memberships.c.role)
        .join(space_memberships, space_memberships.c.space_id == knowledge_spaces.c.id)
        .where(space_memberships.c.agent_id == member_id)
        .order_by(knowledge_spaces.c.created_at, knowledge_spaces.c.id)
    )
    return [(_build_space(row), Role(row.role)) for row in rows]


def list_projects(connection: Connection) -> list[Space]:
    rows = connection.execute(
        select(knowledge_spaces)
        .where(knowledge_spaces.c.id.startswith("ksp-"))
        .order_by(knowledge_spaces.c.created_at, knowledge_spaces.c.id)
    )
    return [_build_space(row) for row in rows]


_MEMBERSHIP = (
    select(
        knowledge_spaces.c.mode,
        knowledge_spaces.c.settings,
        space_memberships.c.role,
        exists().where(space_epochs.c.space_id == knowledge_spaces.c.id).label("has_keys"),
    )
    .join(space_memberships, space_memberships.c.space_id == knowledge_spaces.c.id)
    .where(
        knowledge_spaces.c.id == bindparam("space"),
        space_memberships.c.agent_id == bindparam("member"),
    )
)


def list_sealed(connection: Connection) -> list[str]:
    """Return the ids of all sealed spaces."""
    sealed = knowledge_spaces.c.mode == Mode.SEALED.value
    return list(connection.execute(select(knowledge_spaces.c.id).where(sealed)).scalars())


def find_membership(
    connection: Connection, space_id: str, member_id: str
) -> MembershipSummary | None:
    """Return what the member may open, or None when there is nothing for them."""
    row = connection.execute(_MEMBERSHIP, {"space": space_id, "member": member_id}).first()
    if row is None:
        return None
    hours = read_unconfirmed_hours(json.loads(row.settings or "{}"))
    return MembershipSummary(Mode(row.mode), Role(row.role), row.has_keys, hours)


def set_key(
    connection: Connection, space_id: str, *, mode: Mode, epoch: int, key_check: bytes
) -> None:
    connection.execute(
        update(knowledge_spaces)
        .where(knowledge_spaces.c.id == space_id)
        .values(mode=mode, epoch=epoch, encryption_key_hash=key_check.hex())
    )


def set_open(connection: Connection, space_id: str) -> None:
    connection.execute(
        update(knowledge_spaces)
        .where(knowledge_spaces.c.id == space_id)
        .values(mode=Mode.OPEN, epoch=0, encryption_key_hash=None)
    )
    connection.execute(
        update(space_memberships)
        .where(space_memberships.c.space_id == space_id)
        .values(pinned=None)
    )


def change_id(connection: Connection, space_id: str, new_id: str) -> None:
    columns = [column for column in knowledge_spaces.c if column is not knowledge_spaces.c.id]
    copied = select(literal(new_id), *columns).where(knowledge_spaces.c.id == space_id)
    connection.execute(
        insert(knowledge_spaces).from_select([knowledge_spaces.c.id, *columns], copied)
    )
    for table in (invitations, space_memberships):
        connection.execute(
            update(table).where(table.c.space_id == space_id).values(space_id=new_id)
        )
    connection.execute(delete(knowledge_spaces).where(knowledge_spaces.c.id == space_id))


def remove(connection: Connection, space_id: str) -> None:
    for table in (invitations, space_memberships):
        connection.execute(delete(table).where(table.c.space_id == space_id))
    connection.execute(delete(knowledge_spaces).where(knowledge_spaces.c.id == space_id))


def add_membership(
    connection: Connection,
    space_id: str,
    member_id: str,
    role: Role,
    *,
    granted_by: str,
    pinned: bytes | None,
    now: float,
) -> None:
    connection.execute(
        insert(space_memberships),
        {
            "space_id": space_id,
            "agent_id": member_id,
            "role": role,
            "granted_at": to_iso(now),
            "granted_by": granted_by,
            "pinned": pinned,
        },
    )


def load_pin(connection: Connection, space_id: str, member_id: str) -> bytes | None:
    pins = select(space_memberships.c.pinned).where(
        space_memberships.c.space_id == space_id, space_memberships.c.agent_id == member_id
    )
    return connection.execute(pins).scalar()


def set_pin(connection: Connection, space_id: str, member_id: str, pinned: bytes) -> None:
    connection.execute(
        update(space_memberships)
        .where(space_memberships.c.space_id == space_id, space_memberships.c.agent_id == member_id)
        .values(pinned=pinned)
    )


_NAMES = (
    select(members.c.name, members.c.id)
    .join(space_memberships, members.c.id == space_memberships.c.agent_id)
    .where(space_memberships.c.space_id == bindparam("space"))
    .order_by(space_memberships.c.granted_at, members.c.id)
)


def ask_names(space_id: str) -> Asked:
    """Ask for the name and the id of each member of a space."""
    return _NAMES, {"space": space_id}


def list_memberships(connection: Connection, space_id: str) -> list[Membership]:
    rows = connection.execute(
        select(space_memberships, members)
        .join(members, members.c.id == space_memberships.c.agent_id)
        .where(space_memberships.c.space_id == space_id)
        .order_by(space_memberships.c.granted_at, members.c.id)
    )
    return [
        Membership(
            space_id, build_member(row), Role(row.role), moment(row.granted_at), row.granted_by
        )
        for row in rows
    ]


def set_role(connection: Connection, space_id: str, member_id: str, role: Role) -> None:
    connection.execute(
        update(space_memberships)
        .where(space_memberships.c.space_id == space_id, space_memberships.c.agent_id == member_id)
        .values(role=role)
    )


def remove_membership(connection: Connection, space_id: str, member_id: str) -> None:
    connection.execute(
        delete(space_memberships).where(
            space_memberships.c.space_id == space_id, space_memberships.c.agent_id == member_id
        )
    )


def add_invitation(connection: Connection, stored: StoredInvitation) -> None:
    invitation = stored.invitation
    connection.execute(
        insert(invitations),
        {
            "id": invitation.id,
            "space_id": invitation.space,
            "epoch": stored.epoch,
            "role": invitation.role,
            "verifier": stored.verifier,
            "made_with": stored.made_with,
            "wrapped": stored.wrapped,
            "wrapped_hash": stored.wrapped_hash,
            "acceptance_key": stored.acceptance_key,
            "founder": stored.founder,
            "invited_by": invitation.invited_by,
            "created_at": invitation.created_at,
            "expires_at": invitation.expires_at,
            "signature": stored.signature,
        },
    )


def find_invitation(connection: Connection, invitation_id: str) -> StoredInvitation | None:
    wanted = select(invitations).where(invitations.c.id == invitation_id)
    row = connection.execute(wanted).first()
    return None if row is None else _build_invitation(row)


def list_invitations(connection: Connection, space_id: str) -> list[StoredInvitation]:
    """Return every invitation of the space: later grants may rest on one that was accepted."""
    rows = connection.execute(select(invitations).where(invitations.c.space_id == space_id))
    return [_build_invitation(row) for row in rows]


def list_pending(connection: Connection, space_id: str, now: float) -> list[Invitation]:
    """Return the invitations that could still be accepted."""
    rows = connection.execute(
        select(invitations)
        .where(
            invitations.c.space_id == space_id,
            invitations.c.accepted_by.is_(None),
            invitations.c.revoked_at.is_(None),
            invitations.c.expires_at > now,
        )
        .order_by(invitations.c.created_at)
    )
    return [_build_invitation(row).invitation for row in rows]


def accept(connection: Connection, invitation_id: str, member_id: str) -> None:
    connection.execute(
        update(invitations)
        .where(invitations.c.id == invitation_id)
        .values(accepted_by=member_id, wrapped=None)
    )


def withdraw(
    connection: Connection,
    space_id: str,
    invitation_id: str | None,
    now: float,
    *,
    by: str | None = None,
) -> int:
    """Take back one invitation of the space, or those of one member, or all; say how many."""
    which = () if invitation_id is None else (invitations.c.id == invitation_id,)
    which += () if by is None else (invitations.c.invited_by == by,)
    return _withdraw_open(connection, now, invitations.c.space_id == space_id, *which)


def withdraw_made_with(connection: Connection, kids: Sequence[str], now: float) -> None:
    """Take back every open invitation, of any space, that was made with one of some credentials."""
    _withdraw_open(connection, now, invitations.c.made_with.in_(kids))


def _withdraw_open(connection: Connection, now: float, *which: ColumnElement[bool]) -> int:
    done = connection.execute(
        update(invitations)
        .where(invitations.c.accepted_by.is_(None), invitations.c.revoked_at.is_(None), *which)
        .values(revoked_at=now, wrapped=None)
    )
    return done.rowcount


def _build_space(row: Row[Any]) -> Space:
    return build_value(
        Space,
        row,
        mode=Mode(row.mode),
        created_at=moment(row.created_at),
        settings=json.loads(row.settings or "{}"),
    )


def _build_invitation(row: Row[Any]) -> StoredInvitation:
    invitation = build_value(Invitation, row, space=row.space_id, role=Role(row.role))
    return build_value(StoredInvitation, row, invitation=invitation)
