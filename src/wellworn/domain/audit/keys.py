"""The key pairs of sealed trails: made, renewed with the space's key, opened, given up.

A writer to the database must not get entries sealed for a key of their own, or not sealed
at all. So each row has a MAC of the server's; a member's key, when it opens the space, must open
the present pair; and from then on this process knows which that is.
"""

from __future__ import annotations

import hmac
import logging
from collections.abc import Callable
from dataclasses import replace

from wellworn.domain.audit import store
from wellworn.domain.audit.sealing import KeyState, Pen, TrailKey
from wellworn.engines.crypto import DataKey, Identity, PublicIdentity
from wellworn.engines.storage.sql import Transaction
from wellworn.errors import SpaceLocked, Tampered

_log = logging.getLogger(__name__)

MustSeal = Callable[[Transaction, str], bool]
"""Tells whether a space is sealed, whatever its trail's keys say."""


class TrailKeys:
    """The keys that seal the trails of sealed spaces, and open them."""

    def __init__(self, chain_key: Callable[[str], bytes], must_seal: MustSeal) -> None:
        self._chain_key = chain_key
        self._must_seal = must_seal
        # Only writers to the database use it, and they come one after the other.
        self._pens: dict[str, Pen] = {}
        self._known: dict[str, PublicIdentity] = {}

    def seal(
        self, transaction: Transaction, space: str, seq: int, entry: bytes, *, after_sealed: bool
    ) -> bytes:
        """Return an entry as it is to be stored: sealed, if the trail is.

        Raises:
            Tampered: the trail was sealed before, and its key is not as it was written.
        """
        pen = self._pens.get(space)
        # Asked each time: the transaction that stored the pen may have been undone.
        key, has_pen = store.find_newest_key(transaction, space, pen.stored.id if pen else "")
        known = self._known.get(space)
        if known is not None and (key is None or key.public != known):
            raise _tampering_error()
        if key is not None and key.state is KeyState.PRESENT:
            if not self._wrote(key):
                raise _tampering_error()
            if pen is None or not has_pen or not pen.is_for(key):
                pen = self._take_pen(transaction, key)
            return pen.write(seq, entry)
        may_be_clear = self._may_be_clear(key, after_sealed=after_sealed)
        if not may_be_clear and self._must_seal(transaction, space):
            raise _tampering_error()
        return entry

    def renew(
        self, transaction: Transaction, space: str, fresh: DataKey, *, old: DataKey | None
    ) -> PublicIdentity:
        """Seal for a new key pair from now on, and what opens earlier entries under a new key.

        `old` is the space's key so far, None of a space that was open.
        """
        self._known.pop(space, None)
        for key in store.list_keys(transaction, space):
            self._move(transaction, key, KeyState.PAST, from_under=old, to_under=fresh)
        number = store.find_highest_number(transaction, space) + 1
        identity = Identity.new()
        key = TrailKey(space, number, KeyState.PRESENT, identity.public, None, b"")
        store.add_key(transaction, self._close(key, identity, fresh))
        return identity.public

    def confirm(self, transaction: Transaction, space: str, data_key: DataKey) -> PublicIdentity:
        """Return the present pair's public half, once the space's key has opened it.

        A trail that has none, from before they were or because a damaged row was lost, gets one.

        Raises:
            Tampered: it is not as it was written.
        """
        key, _ = store.find_newest_key(transaction, space)
        if key is None or key.state is KeyState.PAST:
            _log.warning("the audit trail of %s is sealed with a new key from now on", space)
            return self.renew(transaction, space, data_key, old=data_key)
        if key.state is not KeyState.PRESENT:
            raise _tampering_error()
        if self.open_key(key, data_key).public != key.public:
            raise _tampering_error()
        if not self._wrote(key):
            # The memory was restored beside another key of the server's.
            store.set_key(transaction, self._sign(key))
        return key.public

    def remember(self, space: str, public: PublicIdentity) -> None:
        """Seal for nothing but this pair until the space gets another key."""
        self._known[space] = public

    def release(self, transaction: Transaction, space: str, data_key: DataKey) -> None:
        """Let the server open all entries, and seal no more: the space is being unsealed."""
        self._known.pop(space, None)
        for key in store.list_keys(transaction, space):
            self._move(transaction, key, KeyState.OPEN, from_under=data_key, to_under=None)

    def forget(self, transaction: Transaction, space: str) -> None:
        """Delete what opens the entries: they stay closed for good."""
        self._known.pop(space, None)
        for key in store.list_keys(transaction, space):
            store.set_key(transaction, self._give_up(key))

    def open_key(self, key: TrailKey, data_key: DataKey | None) -> Identity:
        """Return a key pair.

        Raises:
            Tampered: another key sealed it, it is gone, or it was changed.
            SpaceLocked: it needs the space's key.
        """
        if key.wrapped is None:
            raise _tampering_error()
        if key.state is KeyState.OPEN:
            data_key = None
        elif data_key is None:
            raise SpaceLocked("the audit trail of a sealed space opens only with a member's key")
        kek = self._kek(key.space, data_key)
        return Identity.unseal(key.wrapped, kek, bound_to=_place(key))

    def _take_pen(self, transaction: Transaction, key: TrailKey) -> Pen:
        pen = self._pens[key.space] = Pen(key)
        store.add_pen(transaction, key.space, pen.stored)
        return pen

    def _may_be_clear(self, key: TrailKey | None, *, after_sealed: bool) -> bool:
        if key is None:
            return not after_sealed
        return key.state is not KeyState.PAST and self._wrote(key)

    def _move(
        self,
        transaction: Transaction,
        key: TrailKey,
        state: KeyState,
        *,
        from_under: DataKey | None,
        to_under: DataKey | None,
    ) -> None:
        if key.wrapped is None:
            return
        try:
            identity = self.open_key(key, from_under)
        except (SpaceLocked, Tampered):
            # A new key for the space must not fail for that: it may shut somebody out.
            _log.exception("a key of the audit trail of %s is damaged and lost", key.space)
            store.set_key(transaction, self._give_up(key))
            return
        store.set_key(transaction, self._close(replace(key, state=state), identity, to_under))

    def _close(self, key: TrailKey, identity: Identity, data_key: DataKey | None) -> TrailKey:
        kek = self._kek(key.space, data_key)
        return self._sign(replace(key, wrapped=identity.seal(kek, bound_to=_place(key))))

    def _give_up(self, key: TrailKey) -> TrailKey:
        return self._sign(replace(key, state=KeyState.GONE, wrapped=None))

    def _kek(self, space: str, data_key: DataKey | None) -> bytes:
        if data_key is not None:
            return data_key.derive_key("audit trail")
        purpose = b"wellworn unsealed trail 1\n" + space.encode()
        return hmac.digest(self._chain_key(space), purpose, "sha256")

    def _sign(self, key: TrailKey) -> TrailKey:
        return replace(key, mac=self._mac(key))

    def _wrote(self, key: TrailKey) -> bool:
        return hmac.compare_digest(key.mac, self._mac(key))

    def _mac(self, key: TrailKey) -> bytes:
        statement = f"wellworn trail key 1\n{key.space}\n{key.number!r}\n{key.state}\n"
        halves = key.public.encryption + key.public.signing
        return hmac.digest(self._chain_key(key.space), statement.encode() + halves, "sha256")


def _place(key: TrailKey) -> str:
    return f"audit trail\n{key.space}\n{key.number}\n{key.state}"


def _tampering_error() -> Tampered:
    return Tampered("the key that seals the audit trail is not as it was written")
