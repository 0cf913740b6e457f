"""The one place that decides access: from what a caller shows to what they may do.

Without a credential there is the open door: loopback, `ks-default` and projects, as those who run
the machine.
A space that is not there and one that the caller may not know of are answered alike.

Source: `docs/security.md`; `docs/adr/0012-spaces.md`.
"""

from __future__ import annotations

import threading

from wellworn.domain.spaces.models import (
    DEFAULT_SPACE,
    LOCAL,
    SEALED_PREFIX,
    UPKEEP,
    Access,
    AccessToken,
    KnownCredential,
    Mode,
    Principal,
    Role,
)
from wellworn.domain.spaces.sealing import space_locked
from wellworn.domain.spaces.store import connections, members, spaces
from wellworn.domain.spaces.store.members import StoredCredential
from wellworn.domain.spaces.store.spaces import MembershipSummary
from wellworn.engines.crypto import REFUSED, ApiKey, KeyPrefix, TokenClaims, TokenVerifier
from wellworn.engines.storage.sql import Database, Transaction
from wellworn.errors import SpaceNotFound, Tampered, Unauthenticated
from wellworn.kit.clock import Clock
from wellworn.kit.project_ids import is_project_id


def local_access(space: str = DEFAULT_SPACE) -> Access:
    """Return the access of a caller at the loopback door without a credential."""
    return Access(principal=LOCAL, space=space, role=Role.ADMIN)


def upkeep_access(space: str) -> Access:
    """Return the access of the server itself, for what it does by schedule; it opens no space."""
    return Access(principal=UPKEEP, space=space, role=Role.ADMIN)


_MOST_INVITERS = 8


class Authenticator:
    """Turns credentials into accesses; `open_door` says whether loopback needs none."""

    def __init__(
        self,
        database: Database,
        clock: Clock,
        *,
        open_door: bool,
        tokens: TokenVerifier | None = None,
    ) -> None:
        self._database = database
        self._clock = clock
        self._open_door = open_door
        self._tokens = tokens
        self._used: dict[str, float] = {}
        self._uses_lock = threading.Lock()

    def enter(self, shown: str | None, space: str | None = None) -> Access:
        """Return what a bearer may do in a space.

        `shown` is a key or a signed token, or None for none; `space` None is the only one that the
        credential reaches, or the default one, or the only one that its member belongs to.

        Raises:
            Unauthenticated: no valid credential was shown, and the open door does not do.
            SpaceNotFound: there is no such space for this caller.
            SpaceLocked: the space is sealed, and what is shown carries no key.
        """
        if shown is None:
            return self._enter_without_credential(space)
        with self._database.read() as transaction:
            principal = self._authenticate(transaction, shown)
            wanted = space or _find_only_space(principal)
            membership = spaces.find_membership(transaction, wanted, principal.member_id)
            if membership is None and space is None:
                wanted, membership = _find_only_membership(transaction, principal) or (wanted, None)
        if membership is None or not principal.reaches(wanted):
            raise no_space()
        must_be_sealed = membership.has_keys or wanted.startswith(SEALED_PREFIX)
        if membership.mode is Mode.OPEN and must_be_sealed:
            raise Tampered("the database calls a sealed space open; nothing is accepted or shown")
        if membership.mode is Mode.SEALED and principal.kek is None:
            raise space_locked()
        role = membership.role.limit_to(principal.role)
        return Access(
            principal.member_id,
            wanted,
            role,
            membership.mode,
            principal,
            membership.unconfirmed_hours,
        )

    def is_open_to_all(self, space: str | None) -> bool:
        """Tell whether no credential is needed in a space; None is the default one."""
        space = DEFAULT_SPACE if space is None else space
        return self._open_door and (space == DEFAULT_SPACE or is_project_id(space))

    def recognise(self, shown: str | None) -> Principal | None:
        """Return who shows a credential, or None at the open door.

        Raises:
            Unauthenticated: no valid credential was shown, and there is no open door.
        """
        if shown is None:
            self._enter_without_credential(None)
            return None
        with self._database.read() as transaction:
            return self._authenticate(transaction, shown)

    def confirm(self, access: Access) -> None:
        """Check that the bearer of an access may still do as much; for calls that last.

        Raises:
            Unauthenticated: the credential has ended.
            SpaceNotFound: the membership has ended, or allows less, or the space was (un)sealed.
        """
        principal = access.credential
        if principal is None:
            return
        if principal.ends_at is not None and principal.ends_at < self._clock.now():
            raise no_credential()
        with self._database.read() as transaction:
            if principal.kid is not None:
                find_living(transaction, principal.kid, self._clock.now())
            now = spaces.find_membership(transaction, access.space, principal.member_id)
        if now is None or now.mode is not access.mode or not now.role.allows(access.role):
            raise no_space()

    def trace_inviters(self, member_id: str) -> tuple[str, ...]:
        """Return whom the operator let in, whom they let in, and so on to a member.

        Of a long line the middle is left out.
        """
        line = [member_id]
        with self._database.read() as transaction:
            member = members.find_member(transaction, member_id)
            while member is not None and member.created_by not in line:
                member = members.find_member(transaction, member.created_by)
                if member is not None:
                    line.append(member.id)
        *inviters, member_id = reversed(line)
        return (*inviters[:_MOST_INVITERS], member_id)

    def is_admin(self, space_id: str, member_id: str, kid: str | None) -> bool:
        """Tell whether a member is an admin of a space, with a key that holds if one is named."""
        with self._database.read() as transaction:
            membership = spaces.find_membership(transaction, space_id, member_id)
            if kid is not None:
                try:
                    find_living(transaction, kid, self._clock.now())
                except Unauthenticated:
                    return False
        return membership is not None and membership.role.allows(Role.ADMIN)

    def _enter_without_credential(self, space: str | None) -> Access:
        space = DEFAULT_SPACE if space is None else space
        if not self.is_open_to_all(space):
            message = "this needs a credential: send Authorization: Bearer with a key"
            raise Unauthenticated(message)
        return local_access(space)

    def _authenticate(self, transaction: Transaction, shown: str) -> Principal:
        if shown.count(".") == 2:  # noqa: PLR2004 - header, claims, signature
            return self._authenticate_token(transaction, shown)
        now, kek = self._clock.now(), None
        if isinstance(shown, KnownCredential):
            known = find_living(transaction, shown, now).credential
        elif isinstance(shown, AccessToken):
            known = _find_connected(transaction, shown, now).credential
        else:
            key = ApiKey.parse(shown)
            stored = find_living(transaction, key.kid, now)
            if not key.matches(stored.verifier):
                raise no_credential()
            known, kek = stored.credential, key.kek
        self._note_use(known.kid, now)
        reach = None if known.spaces is None else frozenset(known.spaces)
        return Principal(known.member_id, known.kid, known.role, reach, kek)

    def _authenticate_token(self, transaction: Transaction, shown: str) -> Principal:
        if self._tokens is None:
            raise no_credential()
        claims = self._tokens.verify(shown, now=self._clock.now())
        if members.find_member(transaction, claims.subject) is None:
            raise no_credential()
        reach = None if claims.spaces is None else frozenset(claims.spaces)
        until = claims.accepted_until
        return Principal(claims.subject, None, _parse_role(claims), reach, ends_at=until)

    def _note_use(self, kid: str, now: float) -> None:
        with self._uses_lock:
            self._used[kid] = now

    def store_uses(self) -> None:
        """Store when credentials were last used; done in the background, it is no evidence."""
        with self._uses_lock:
            used, self._used = self._used, {}
        if used:
            with self._database.write() as transaction:
                members.store_uses(transaction, used)


def parse_credential(authorization: str | None, *, api_key: str | None) -> str | None:
    """Return the credential that two headers show, or None.

    Raises:
        Unauthenticated: they show two that differ, or the first has another scheme than Bearer.
    """
    if authorization is None:
        return api_key
    scheme, _, shown = authorization.strip().partition(" ")
    shown = shown.strip()
    if scheme.lower() != "bearer" or not shown or api_key not in {None, shown}:
        message = "send one credential, as Authorization: Bearer or as X-API-Key"
        raise Unauthenticated(message)
    return shown


def find_living(transaction: Transaction, kid: str, now: float) -> StoredCredential:
    """Return what is stored of a credential.

    Raises:
        Unauthenticated: there is none, it was revoked, or it has ended.
    """
    stored = members.find_credential(transaction, kid)
    if stored is None or stored.credential.revoked_at is not None:
        raise no_credential()
    if (stored.credential.expires_at or now + 1) <= now:
        raise no_credential()
    return stored


def _find_connected(transaction: Transaction, token: AccessToken, now: float) -> StoredCredential:
    key = ApiKey.parse(token, KeyPrefix.ACCESS)
    found = connections.find(transaction, key.kid)
    is_it = key.matches(found and found.access_verifier)
    if found is None or not is_it or found.resource != token.resource:
        raise no_credential()
    if (found.access_ends_at or now) <= now:
        raise no_credential()
    return find_living(transaction, key.kid, now)


def no_space() -> SpaceNotFound:
    return SpaceNotFound("no space has this id")


def no_credential() -> Unauthenticated:
    return Unauthenticated(REFUSED)


def _parse_role(claims: TokenClaims) -> Role:
    """Return the greatest role that a token's scope names; without one it may only read."""
    named = [role for role in Role if role in claims.scope]
    return named[-1] if named else Role.READER


def _find_only_space(principal: Principal) -> str:
    reached = principal.spaces or frozenset()
    return next(iter(reached)) if len(reached) == 1 else DEFAULT_SPACE


def _find_only_membership(
    transaction: Transaction, principal: Principal
) -> tuple[str, MembershipSummary] | None:
    reached = [
        space.id
        for space, _ in spaces.list_spaces(transaction, principal.member_id)
        if principal.reaches(space.id)
    ]
    if len(reached) != 1:
        return None
    membership = spaces.find_membership(transaction, reached[0], principal.member_id)
    return None if membership is None else (reached[0], membership)
