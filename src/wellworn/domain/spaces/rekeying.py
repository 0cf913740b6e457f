"""A sealed space opened by a member's own keys: given its next key, or turned into an open one.

A space that was founded sealed says so in its id, and nobody takes it for an open one whatever the
database says. So when it is unsealed it gets another id, and its members go along.

Source: `docs/adr/0013-sealed-spaces.md`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace

from wellworn.domain.spaces import sealing
from wellworn.domain.spaces.credentials import Credentials
from wellworn.domain.spaces.models import SEALED_PREFIX, Access, Mode, Role
from wellworn.domain.spaces.sealing import UnlockedSpace
from wellworn.domain.spaces.store import members, spaces
from wellworn.engines.crypto import Identity
from wellworn.engines.storage.sql import Transaction
from wellworn.errors import Forbidden

Reseal = Callable[[Transaction, UnlockedSpace, UnlockedSpace], None]
"""Rewrites what a space holds, from under one key to under another."""

MoveOut = Callable[[Transaction, Access], None]
"""Stores what the space held where the access leads."""


def open_keys(
    transaction: Transaction, access: Access, credentials: Credentials
) -> tuple[Identity, UnlockedSpace]:
    """Open the caller's keys and, with their own grant, the space's.

    Raises:
        SpaceLocked: the caller's credential cannot unlock it.
        Tampered: the space's epochs or grants are not as their authors wrote them.
    """
    if access.credential is None or access.credential.kek is None:
        raise sealing.space_locked()
    identity = credentials.open_identity(transaction, access.credential)
    return identity, sealing.unlock(transaction, access.space, access.principal, identity)


def rotate_key(
    transaction: Transaction,
    access: Access,
    credentials: Credentials,
    staying: Collection[str],
    *,
    appointed: Mapping[str, Role],
    now: float,
) -> tuple[UnlockedSpace, UnlockedSpace]:
    """Give the space a new key for those who stay; return the old one and the new.

    `appointed` are new roles; all others keep theirs. Open invitations end.

    Raises:
        SpaceLocked, Tampered: see `opened`.
    """
    identity, old = open_keys(transaction, access, credentials)
    spaces.withdraw(transaction, access.space, None, now)
    fresh = sealing.rotate(
        transaction, old, access.principal, identity, staying, appointed=appointed, now=now
    )
    spaces.set_key(
        transaction,
        access.space,
        mode=Mode.SEALED,
        epoch=fresh.epoch,
        key_check=fresh.key_check,
    )
    return old, fresh


def unseal_space(
    transaction: Transaction, access: Access, credentials: Credentials, *, then: MoveOut, now: float
) -> Access:
    """Open a space up; return the access to what it is now.

    Roles are those that were signed, and who has none is no member any more: as long as the space
    was sealed, what else the table said counted for nothing.

    Raises:
        Forbidden: the caller's signed role is not that of an admin.
        SpaceLocked, Tampered: see `open_keys`.
    """
    _, unlocked = open_keys(transaction, access, credentials)
    unlocked.data_key.wipe()
    if unlocked.role is not Role.ADMIN:
        raise Forbidden("only an admin of the space can unseal it")
    roles = sealing.list_roles(transaction, unlocked)
    for membership in spaces.list_memberships(transaction, access.space):
        member_id = membership.member.id
        if member_id in roles:
            spaces.set_role(transaction, access.space, member_id, roles[member_id])
        else:
            spaces.remove_membership(transaction, access.space, member_id)
    spaces.withdraw(transaction, access.space, None, now)
    sealing.forget(transaction, access.space)
    open_id = _name_opened(access.space)
    if open_id != access.space:
        spaces.change_id(transaction, access.space, open_id)
        members.change_reach(transaction, access.space, open_id)
    spaces.set_open(transaction, open_id)
    opened = replace(access, space=open_id, mode=Mode.OPEN)
    then(transaction, opened)
    return opened


def list_sealed_names(transaction: Transaction) -> list[str]:
    """Return the ids of all sealed spaces, and those that they get when they are unsealed."""
    sealed = spaces.list_sealed(transaction)
    return [name for space in sealed for name in dict.fromkeys((space, _name_opened(space)))]


def _name_opened(space: str) -> str:
    return f"ks-{space.removeprefix(SEALED_PREFIX)}" if space.startswith(SEALED_PREFIX) else space
