"""Lets clients in by OAuth and ends what they hold, with a line each in the server's trail.

Source: `docs/security.md`; RFC 6749, section 4.1.2; RFC 9700, section 4.14 (what is used twice).
"""

from __future__ import annotations

from contextlib import suppress

from wellworn.application.calls.audit_names import SERVER_TRAIL
from wellworn.domain.audit import Action, Actor, Audit
from wellworn.domain.spaces import Connections, ConnectionTokens, Credentials, StoredConnection
from wellworn.errors import CredentialNotFound, Unauthenticated


class Consents:
    """What became of members' consents. Whoever comes with something used ends the connection."""

    def __init__(self, connections: Connections, credentials: Credentials, audit: Audit) -> None:
        self._connections = connections
        self._credentials = credentials
        self._audit = audit

    def find_by_code(self, code: str, client: str) -> StoredConnection | None:
        """Return what a code stands for that was not used yet."""
        found = self._connections.find_by_code(code, client)
        if found is not None and found.access_verifier is not None:
            self.end(found)
            return None
        return found

    def exchange(self, pending: StoredConnection) -> ConnectionTokens:
        """Return the first tokens of a connection.

        Raises:
            Unauthenticated: the code is too old or was used, or who allowed it has gone.
        """
        tokens = self._connections.exchange(pending)
        if tokens is None:
            # Another who came at the same time may have used it.
            self.end(pending)
            raise Unauthenticated("the code was used, or is older than a minute")
        self._note(pending, Action.CREDENTIAL_CREATED)
        return tokens

    def refresh(self, connection: StoredConnection, token: str) -> ConnectionTokens:
        """Return the next tokens of a connection.

        Raises:
            Unauthenticated: the token was used before, which ends the connection, or has ended.
        """
        tokens = self._connections.refresh(token)
        if tokens is None:
            self.end(connection)
            raise Unauthenticated("the refresh token was used before; connect again")
        return tokens

    def end(self, connection: StoredConnection) -> None:
        """End a connection and its tokens; nothing happens to one that has ended."""
        with suppress(CredentialNotFound):
            self._credentials.revoke(None, connection.kid)
            self._note(connection, Action.CREDENTIAL_REVOKED)
            self._connections.forget(connection.kid)

    def _note(self, connection: StoredConnection, action: Action) -> None:
        member = connection.member_id
        by = Actor(member, credential=connection.holder, owner=member)
        self._audit.note(SERVER_TRAIL, action, by=by, targets=[connection.kid])
