"""Webhooks: callers who know a source's secret may start a sync of it, and can do nothing else.

A delivery is signed as GitHub does it, by an HMAC-SHA256 of its body, or shows the secret itself as
GitLab does. Nothing in it is read: it only says that something has changed. A signed body counts
once, so a recorded one is of no use; a sync too many would cost little, but it is not theirs
to start. No time is signed, so what was accepted is remembered for as long as the secret holds.

Whether there is a source, or a webhook, is told to nobody: what is missing is answered like a wrong
signature, and after the same work.
"""

from __future__ import annotations

import hmac
from collections.abc import Callable
from dataclasses import replace
from secrets import token_urlsafe
from typing import Final

from wellworn.domain.sources.models import Source, Webhook
from wellworn.domain.sources.schedule import make_wanted_slot
from wellworn.domain.sources.store import sources as store
from wellworn.domain.sources.validation import reject_built_in, reject_triggers_in_sealed
from wellworn.domain.spaces import Access
from wellworn.engines.crypto import KeyProvider
from wellworn.engines.storage.sql import Database, Transaction
from wellworn.errors import SourceNotFound, Unauthenticated
from wellworn.kit.clock import Clock

_SECRET_BYTES: Final = 32
_SCHEME: Final = "sha256="
_MARK_BYTES: Final = 16
_NOWHERE: Final = "webhook/nowhere"
_REFUSED: Final = "this delivery is not signed with the secret of a webhook here"


class Webhooks:
    """The webhooks of the sources in one database."""

    def __init__(self, database: Database, key: KeyProvider, clock: Clock) -> None:
        self._database = database
        self._key = key
        self._clock = clock
        self._decoy: bytes | None = None

    def renew(self, access: Access, source_id: int) -> str:
        """Give a source a webhook, or its webhook another secret; return the secret, once.

        Raises:
            SourceNotFound: there is none, or not for this caller.
            InvalidInput: the space is sealed, or the source is built in.
        """
        reject_triggers_in_sealed(access)
        secret = token_urlsafe(_SECRET_BYTES)
        made_with = access.credential and access.credential.kid
        webhook = Webhook(self._clock.now(), made_by=access.owner, made_with=made_with)
        with self._database.write() as transaction:
            source = self._find(transaction, access, source_id)
            wrapped = self._key.wrap(secret.encode(), context=_context(access.space, source.id))
            store.set_webhook(transaction, source.id, wrapped, webhook)
        return secret

    def remove(self, access: Access, source_id: int) -> bool:
        """Take the webhook from a source; tell whether there was one.

        Raises:
            SourceNotFound: there is none, or not for this caller.
        """
        with self._database.write() as transaction:
            source = self._find(transaction, access, source_id)
            store.set_webhook(transaction, source.id, None, None)
        return source.webhook is not None

    def _find(self, transaction: Transaction, access: Access, source_id: int) -> Source:
        source = store.find(transaction, access, source_id)
        if source is None:
            raise SourceNotFound("no source has this id")
        reject_built_in(source)
        return source

    def drop(
        self, source_id: int, may_keep: Callable[[str, str, str | None], bool]
    ) -> tuple[str, str] | None:
        """Take a webhook whose maker may make none any more; return the space and the maker.

        Args:
            source_id: whose webhook it is.
            may_keep: tells of a space, a member and the key of its making whether the member may
                make webhooks there, and the key still holds.
        """
        with self._database.read() as transaction:
            stored = store.find_webhook(transaction, source_id)
        webhook = stored and stored[2].webhook
        if stored is None or webhook is None or webhook.made_by is None:
            return None
        maker = webhook.made_by
        if may_keep(stored[0], maker, webhook.made_with):
            return None
        with self._database.write() as transaction:
            if store.find_webhook(transaction, source_id) != stored:
                return None  # Somebody made another one meanwhile.
            store.set_webhook(transaction, source_id, None, None)
        return stored[0], maker

    def check(
        self, source_id: int, body: bytes, *, signature: str | None, token: str | None
    ) -> bytes:
        """Return the mark of a genuine delivery; empty without a signature.

        Args:
            source_id: whose webhook is called, if it is one.
            body: as it was sent.
            signature: `sha256=` and hexadecimal digits, as in `X-Hub-Signature-256`.
            token: the secret itself, as in `X-Gitlab-Token`; ignored beside a signature.

        Raises:
            Unauthenticated: it is not genuine, or there is no such webhook.
        """
        with self._database.read() as transaction:
            stored = store.find_webhook(transaction, source_id)
        if stored is None:
            secret = self._key.unwrap(self._wrap_decoy(), context=_NOWHERE)
        else:
            space, wrapped, source = stored
            secret = self._key.unwrap(wrapped, context=_context(space, source.id))
        digest = hmac.digest(secret, body, "sha256")
        if signature is not None:
            is_genuine = _is_equal(signature, _SCHEME + digest.hex())
        else:
            is_genuine = _is_equal(token or "", secret.decode())
        if stored is None or not is_genuine:
            raise Unauthenticated(_REFUSED)
        return b"" if signature is None else digest[:_MARK_BYTES]

    def _wrap_decoy(self) -> bytes:
        if self._decoy is None:
            secret = token_urlsafe(_SECRET_BYTES).encode()
            self._decoy = self._key.wrap(secret, context=_NOWHERE)
        return self._decoy

    def take(self, source_id: int, mark: bytes) -> bool:
        """Ask for a sync on a genuine delivery; tell whether it is the first with its mark.

        Raises:
            Unauthenticated: the webhook was removed since it was checked.
        """
        with self._database.write() as transaction:
            stored = store.find_webhook(transaction, source_id)
            webhook = stored and stored[2].webhook
            if webhook is None:
                raise Unauthenticated(_REFUSED)
            if mark and not store.add_mark(transaction, source_id, mark):
                return False
            now = self._clock.now()
            store.update_webhook(transaction, source_id, replace(webhook, last_delivery_at=now))
            # Together: after a kill, a delivery that is accepted is one that has its sync.
            store.want_sync(transaction, source_id, make_wanted_slot("webhook"), now)
        return True


def _context(space: str, source_id: int) -> str:
    return f"webhook/{space}/{source_id}"


def _is_equal(shown: str, expected: str) -> bool:
    """Compare two texts in a time that tells nothing of where they differ."""
    return hmac.compare_digest(shown.encode(errors="replace"), expected.encode())
