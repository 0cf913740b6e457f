"""A membership changed or ended, and the key of a sealed space with it.

Only an admin changes roles, and none is above theirs: so nobody raises themselves. A credential
does the least of what it and its member may, so every one of a member's follows at once.

Source: `docs/security.md`, `docs/adr/0012-spaces.md`, `docs/adr/0013-sealed-spaces.md`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from wellworn.domain.spaces import sealing
from wellworn.domain.spaces.credentials import Credentials
from wellworn.domain.spaces.models import Access, Membership, Mode, Role
from wellworn.domain.spaces.rekeying import Reseal, open_keys, rotate_key
from wellworn.domain.spaces.store import spaces
from wellworn.engines.storage.sql import Transaction
from wellworn.errors import CredentialNotFound, Forbidden


@dataclass(frozen=True, slots=True)
class Appointment:
    """A membership with its new role, and the ids of the invitations that ended by it."""

    membership: Membership
    ended_invitations: tuple[str, ...] = ()


def appoint_member(
    transaction: Transaction,
    access: Access,
    credentials: Credentials,
    member_id: str,
    role: Role,
    *,
    reseal: Reseal,
    now: float,
) -> Appointment:
    """Give a member another role.

    A greater role is signed under the present key of a sealed space. A lesser one takes a new key:
    under the present one a writer to the database could put the old grant back. The new key
    cannot be wrapped for open invitations, as only their tokens open them; so they end.

    Raises:
        Forbidden, CredentialNotFound: see `roles.require_appointable`.
    """
    belonging = spaces.list_memberships(transaction, access.space)
    require_appointable(access, belonging, member_id, role)
    before = find_membership(belonging, member_id)
    if before.role is role:
        return Appointment(before)
    pending = _list_invitations(transaction, access, now)
    if before.role is Role.ADMIN:
        spaces.withdraw(transaction, access.space, None, now, by=member_id)
    spaces.set_role(transaction, access.space, member_id, role)
    if access.mode is Mode.SEALED:
        identity, unlocked = open_keys(transaction, access, credentials)
        by = (access.principal, identity)
        if not sealing.raise_role(transaction, unlocked, member_id, role, by=by):
            staying = {membership.member.id for membership in belonging}
            keys = rotate_key(
                transaction, access, credentials, staying, appointed={member_id: role}, now=now
            )
            reseal(transaction, *keys)
    open_now = _list_invitations(transaction, access, now)
    ended = tuple(invitation for invitation in pending if invitation not in open_now)
    return Appointment(replace(before, role=role), ended)


def end_membership(
    transaction: Transaction,
    access: Access,
    credentials: Credentials,
    member_id: str,
    *,
    reseal: Reseal,
    now: float,
) -> bool:
    """End a membership; tell whether a sealed space has a new data key by that.

    Only an admin can make the next key: when anybody else leaves, their grant goes, the key stays.

    Raises:
        Forbidden: the last admin would go.
        CredentialNotFound: no such member.
    """
    belonging = spaces.list_memberships(transaction, access.space)
    find_membership(belonging, member_id)
    require_another_admin(belonging, member_id)
    # One of theirs would be a way back in.
    spaces.withdraw(transaction, access.space, None, now, by=member_id)
    is_renewed = access.mode is Mode.SEALED and access.role.allows(Role.ADMIN)
    if is_renewed:
        staying = {membership.member.id for membership in belonging} - {member_id}
        keys = rotate_key(transaction, access, credentials, staying, appointed={}, now=now)
        reseal(transaction, *keys)
    elif access.mode is Mode.SEALED:
        sealing.drop_grant(transaction, access.space, member_id)
    # Last, because who goes alone makes the next key for the others.
    spaces.remove_membership(transaction, access.space, member_id)
    return is_renewed


def _list_invitations(transaction: Transaction, access: Access, now: float) -> list[str]:
    pending = spaces.list_pending(transaction, access.space, now)
    return [invitation.id for invitation in pending]


def find_membership(belonging: Sequence[Membership], member_id: str) -> Membership:
    """Return one membership.

    Raises:
        CredentialNotFound: there is none.
    """
    for membership in belonging:
        if membership.member.id == member_id:
            return membership
    raise CredentialNotFound("no member of this space has this id")


def require_another_admin(belonging: Sequence[Membership], member_id: str) -> None:
    """Refuse to take the last admin away.

    Raises:
        Forbidden: the member is it.
    """
    admins = {membership.member.id for membership in belonging if membership.role is Role.ADMIN}
    if admins == {member_id}:
        message = "the last admin cannot leave: appoint another first, or delete the space"
        raise Forbidden(message)


def require_appointable(
    access: Access, belonging: Sequence[Membership], member_id: str, role: Role
) -> None:
    """Refuse a role that cannot be given.

    Raises:
        Forbidden: the caller is no admin; the last admin would be lowered; or an admin of a sealed
            space lowers themselves, who as the author of its next key would stay one.
        CredentialNotFound: no such member.
    """
    access.require(Role.ADMIN)
    before = find_membership(belonging, member_id)
    if role.allows(before.role):
        return
    require_another_admin(belonging, member_id)
    if access.mode is Mode.SEALED and member_id == access.principal:
        raise Forbidden("in a sealed space, another admin must lower your role")
