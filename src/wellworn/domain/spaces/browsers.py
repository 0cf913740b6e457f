"""Sessions of browsers: a cookie stands for a credential that was shown once.

Stored are the digest of the cookie and the number of the credential, so that a restart signs nobody
out. The key itself is in memory alone: after a restart a browser may do what its credential allows
without it, and sees nothing of a sealed space until the key is shown again.
"""

from __future__ import annotations

import secrets
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from threading import Lock
from typing import Final

from wellworn.domain.spaces.models import KnownCredential
from wellworn.domain.spaces.store import browsers as store
from wellworn.domain.spaces.store.browsers import StoredSession
from wellworn.engines.storage.disk import LEAST_FREE_BYTES
from wellworn.engines.storage.sql import Database, Transaction
from wellworn.kit.clock import Clock

SESSION_S: Final = 12 * 3600
_MOST: Final = 1_000
_MOST_OF_ONE: Final = 20
"""Browsers of one credential, so that nobody signs all the others out."""
_LONGEST_NAME: Final = 200
_LEAST_FREE_BYTES: Final = LEAST_FREE_BYTES // 4
"""On a disk that is too full for anything else, one can sign in all the same."""


@dataclass(frozen=True, slots=True)
class BrowserSession:
    """One browser that is signed in.

    Attributes:
        id: what names it in the list; it opens nothing.
        holder: what it stands for, the number of a credential or the digest of a signed token.
        credential: what to show; of a `KnownCredential` the key was not shown since the start.
    """

    id: str
    holder: str
    browser: str
    began_at: float
    credential: str = field(repr=False)


class BrowserSessions:
    """All browsers that are signed in; the oldest makes room for the thousand and first."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock
        self._keys: dict[str, str] = {}
        self._guard = Lock()

    def begin(self, credential: str, kid: str | None, browser: str) -> str:
        """Return the secret of a new session, for its cookie.

        `kid` is the number of the credential; None for a signed token, whose session ends with the
        process.

        Raises:
            StorageUnavailable: nothing can be written.
        """
        secret, now = secrets.token_urlsafe(32), self._clock.now()
        holder = _digest(credential) if kid is None else kid
        made = StoredSession(_digest(secret), holder, browser[:_LONGEST_NAME], now)
        with self._changing(_LEAST_FREE_BYTES) as transaction:
            store.delete_all(transaction, store.list_ended(transaction, now - SESSION_S, now))
            store.add(transaction, made)
            store.delete_beyond(transaction, _MOST_OF_ONE, holder=holder)
            store.delete_beyond(transaction, _MOST)
            self._keys[made.id] = credential
        return secret

    def find(self, secret: str | None) -> BrowserSession | None:
        """Return the session of a cookie; None if it ended or never was."""
        if not secret:
            return None
        with self._database.read() as transaction:
            stored = store.find(transaction, _digest(secret))
        return None if stored is None or self._is_over(stored) else self._tell(stored)

    def end(self, session_id: str, holder: str) -> None:
        """End a session of a credential; another's stays."""
        with self._changing() as transaction:
            store.delete_one(transaction, session_id, holder)

    def drop_ended(self) -> None:
        """Delete what is kept of sessions that are over, or whose credential has ended."""
        now = self._clock.now()
        with self._database.read() as transaction:
            ended = store.list_ended(transaction, now - SESSION_S, now)
        if ended:
            with self._changing() as transaction:
                store.delete_all(transaction, ended)

    def list_sessions(self, holder: str) -> list[BrowserSession]:
        """Return the sessions of a credential, the oldest first."""
        with self._database.read() as transaction:
            stored = store.list_of(transaction, holder)
        return [self._tell(each) for each in stored if not self._is_over(each)]

    @contextmanager
    def _changing(self, least_free_bytes: int = 0) -> Generator[Transaction]:
        """Yield a write, one at a time; of what is gone after it the keys are forgotten."""
        with self._guard:
            with self._database.share_write(least_free_bytes=least_free_bytes) as transaction:
                yield transaction
                living = store.list_ids(transaction)
            self._keys = {each: key for each, key in self._keys.items() if each in living}

    def _tell(self, stored: StoredSession) -> BrowserSession:
        key = self._keys.get(stored.id)
        return BrowserSession(*stored, KnownCredential(stored.holder) if key is None else key)

    def _is_over(self, stored: StoredSession) -> bool:
        return self._clock.now() - stored.began_at >= SESSION_S


def _digest(secret: str) -> str:
    return sha256(secret.encode(errors="replace")).hexdigest()
