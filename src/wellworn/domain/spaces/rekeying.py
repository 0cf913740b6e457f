"""A sealed space opened by a member's own keys, and given its next key.

Source: `docs/adr/0013-sealed-spaces.md`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping

from wellworn.domain.spaces import sealing
from wellworn.domain.spaces.credentials import Credentials
from wellworn.domain.spaces.models import Access, Mode, Role
from wellworn.domain.spaces.sealing import UnlockedSpace
from wellworn.domain.spaces.store import spaces
from wellworn.engines.crypto import Identity
from wellworn.engines.storage.sql import Transaction

Reseal = Callable[[Transaction, UnlockedSpace, UnlockedSpace], None]
"""Rewrites what a space holds, from under one key to under another."""


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
