"""Sessions of browsers: a cookie stands for a credential, which only the server's memory holds.

They end with the process: a restart asks for the key again. Nothing of them is on any disk.
"""

from __future__ import annotations

import secrets
from collections import OrderedDict
from dataclasses import dataclass, field
from hashlib import sha256
from threading import Lock
from typing import Final

from wellworn.kit.clock import Clock

LIFETIME_S: Final = 12 * 3600
_MOST: Final = 1_000
_MOST_OF_ONE: Final = 20
"""Browsers of one credential, so that nobody signs all the others out."""


@dataclass(frozen=True, slots=True)
class BrowserSession:
    """One browser that is signed in; `id` names it in the list and opens nothing."""

    id: str
    credential: str = field(repr=False)
    browser: str
    began_at: float


class BrowserSessions:
    """All browsers that are signed in; the oldest makes room for the thousand and first."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._sessions: OrderedDict[str, BrowserSession] = OrderedDict()
        self._guard = Lock()

    def begin(self, credential: str, browser: str) -> str:
        """Return the secret of a new session, for its cookie."""
        secret = secrets.token_urlsafe(32)
        session_id = _name(secret)
        session = BrowserSession(session_id, credential, browser[:200], self._clock.now())
        with self._guard:
            for over in [each.id for each in self._sessions.values() if self._is_over(each)]:
                del self._sessions[over]
            own = [each.id for each in self._sessions.values() if each.credential == credential]
            for older in own[: -_MOST_OF_ONE + 1]:
                del self._sessions[older]
            self._sessions[session_id] = session
            if len(self._sessions) > _MOST:
                self._sessions.popitem(last=False)
        return secret

    def find(self, secret: str | None) -> BrowserSession | None:
        """Return the session of a cookie; None if it ended or never was."""
        if not secret:
            return None
        with self._guard:
            session = self._sessions.get(_name(secret))
            if session is not None and self._is_over(session):
                del self._sessions[session.id]
                return None
        return session

    def end(self, session_id: str, credential: str) -> None:
        """End a session of a credential; another's stays."""
        with self._guard:
            session = self._sessions.get(session_id)
            if session is not None and session.credential == credential:
                del self._sessions[session_id]

    def list_sessions(self, credential: str) -> list[BrowserSession]:
        """Return the sessions of a credential, the oldest first."""
        with self._guard:
            sessions = [*self._sessions.values()]
        return [
            session
            for session in sessions
            if session.credential == credential and not self._is_over(session)
        ]

    def _is_over(self, session: BrowserSession) -> bool:
        return self._clock.now() - session.began_at >= LIFETIME_S


def _name(secret: str) -> str:
    return sha256(secret.encode(errors="replace")).hexdigest()
