"""Connections: clients that a member lets in by OAuth, each with a credential that carries no key.

Such a credential is a child of the one that the member signed in with: it ends with it, is listed
and revoked like any other, and opens no sealed space. Its tokens hold at one resource alone.

What strangers send is kept nowhere: a registration and a request for consent are sealed under the
server's key, and carried by whoever made them. The first row is written when a member allows.

Source: RFC 6749, 7009, 7591, 7636, 8707, 9700; `docs/adr/0027-oauth.md`.
"""

from __future__ import annotations

import json
import secrets
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from hashlib import sha256
from typing import Any, Final

from wellworn.domain.spaces.authentication import find_living, no_credential, no_space
from wellworn.domain.spaces.client_documents import ClientDocuments, find_site
from wellworn.domain.spaces.credentials import add_without_keys
from wellworn.domain.spaces.models import SEALED_PREFIX, Mode, Principal, Role
from wellworn.domain.spaces.store import connections as store
from wellworn.domain.spaces.store import spaces
from wellworn.domain.spaces.store.connections import StoredConnection
from wellworn.engines.crypto import ApiKey, KeyPrefix, KeyProvider
from wellworn.engines.storage.sql import Database, Transaction
from wellworn.errors import Forbidden, InvalidInput, Tampered, Unauthenticated
from wellworn.kit.clock import Clock
from wellworn.kit.text import LONGEST_NAME, LONGEST_SHOWN_NAME, is_blank, shorten

CODE_S: Final = 60.0
ACCESS_S: Final = 3_600.0
REQUEST_S: Final = 600.0
CONNECTION_S: Final = 90 * 86_400.0
MOST_CONNECTIONS: Final = 50
"""Of one credential, so that its list stays one that somebody reads."""
_MOST_PENDING: Final = 20
_LONGEST_SEALED: Final = 8_192
_FAMILY_BYTES: Final = 16
_NAMELESS: Final = "a client without a name"


@dataclass(frozen=True, slots=True)
class RegisteredClient:
    """A client as it described itself.

    Attributes:
        digest: names it in rows; its id is this description, sealed, or the address of it.
        site: the host of that address; empty for a client that registered.
    """

    name: str
    redirect_uris: tuple[str, ...]
    digest: str = ""
    site: str = ""


@dataclass(frozen=True, slots=True)
class ConnectionRequest:
    """A request that waits for a member's consent.

    Attributes:
        client: the digest of the client's id.
        client_site: the host that describes the client; empty for one that registered.
        role: the greatest that the client asks for; None if it names none.
        space: the space that the resource names; None where the member chooses.
        site: how the server is called, such as `https://memory.example.org`.
    """

    client: str
    client_name: str
    redirect_uri: str
    state: str | None
    challenge: str
    resource: str
    site: str
    role: Role | None = None
    space: str | None = None
    client_site: str = ""
    ends_at: float = 0.0


@dataclass(frozen=True, slots=True)
class ConnectionTokens:
    """What a client holds from now on, told this once."""

    kid: str
    role: Role
    access: str = field(repr=False)
    refresh: str = field(repr=False)


class Connections:
    """Clients let in by OAuth. `public_url` is how the world calls the server; None for nowhere."""

    def __init__(
        self,
        database: Database,
        clock: Clock,
        key: KeyProvider,
        *,
        public_url: str | None,
        documents: ClientDocuments,
    ) -> None:
        self._database = database
        self._clock = clock
        self._key = key
        self.public_url = public_url
        self.documents = documents

    def register(self, name: str, redirect_uris: tuple[str, ...]) -> str:
        """Return the id of a client; what it says of itself is in it, and nowhere else."""
        return self._seal("client", {"name": _shorten_name(name), "redirect_uris": redirect_uris})

    def find_client(self, client_id: str) -> RegisteredClient | None:
        """Return the client of an id, or None if this server gave no such id."""
        values = self._unseal("client", client_id)
        if values is None:
            return None
        uris = tuple(values["redirect_uris"])
        return RegisteredClient(values["name"], uris, _digest(client_id))

    @staticmethod
    def name_described(
        client_id: str, name: str = "", redirect_uris: tuple[str, ...] = ()
    ) -> RegisteredClient:
        """Return the client of an id that is an address, with what its document says of it."""
        site, digest = find_site(client_id), _digest(client_id)
        return RegisteredClient(_shorten_name(name), redirect_uris, digest, site)

    def ask(self, request: ConnectionRequest) -> str:
        """Return what the page of consent reads a request from, for ten minutes."""
        ends_at = self._clock.now() + REQUEST_S
        return self._seal("request", asdict(replace(request, ends_at=ends_at)))

    def read_request(self, sealed: str) -> ConnectionRequest:
        """Return a request for consent.

        Raises:
            InvalidInput: it is none, or too old.
        """
        values = self._unseal("request", sealed)
        if values is None or values["ends_at"] <= self._clock.now():
            raise InvalidInput(
                "this request to connect is not valid, or older than ten minutes; begin again in "
                "the program that asked for it"
            )
        role = values.pop("role")
        return ConnectionRequest(**values, role=None if role is None else Role(role))

    def allow(
        self, principal: Principal, request: ConnectionRequest, space: str, role: Role
    ) -> str:
        """Return the code with which the client fetches its tokens within a minute.

        Raises:
            Forbidden: it would reach further than the member or the client may.
            SpaceNotFound: there is no such space for this member.
            InvalidInput: the credential has let in too many already.
            Unauthenticated: the credential has ended, or is a signed token.
        """
        now, code = self._clock.now(), ApiKey.new(KeyPrefix.CODE)
        if principal.kid is None:
            raise Forbidden("a signed token ends within minutes; sign in with a key to connect")
        with self._database.write() as transaction:
            find_living(transaction, principal.kid, now)
            _require_grantable(transaction, principal, request, space, role)
            if store.count_living(transaction, principal.kid, now) >= MOST_CONNECTIONS:
                raise InvalidInput(
                    f"this key has {MOST_CONNECTIONS} connected programs; revoke one of them first"
                )
            place = request.redirect_uri.partition("?")[0].rstrip("/")
            made = StoredConnection(
                kid=code.kid,
                holder=principal.kid,
                member_id=principal.member_id,
                label=f"{request.client_name} ({place})"[:LONGEST_NAME],
                client=request.client,
                space_id=space,
                role=role,
                redirect_uri=request.redirect_uri,
                challenge=request.challenge,
                resource=request.resource,
                made_at=now,
                code_verifier=code.verifier,
            )
            store.add(transaction, made)
            store.delete_all(transaction, store.list_ended(transaction, now - CODE_S, now))
            store.delete_pending_beyond(transaction, principal.kid, _MOST_PENDING)
        return code.text

    def find_by_code(self, code: str, client: str) -> StoredConnection | None:
        """Return what a code stands for; used or not, see `exchange`. None if it is not one."""
        key = _parse(code, KeyPrefix.CODE)
        if key is None:
            return None
        with self._database.read() as transaction:
            found = store.find(transaction, key.kid)
        is_it = key.matches(found and found.code_verifier)
        return found if found and is_it and found.client == client else None

    def exchange(self, pending: StoredConnection) -> ConnectionTokens | None:
        """Return the first tokens of a connection; None if its code was used or is too old.

        Raises:
            Unauthenticated: the credential that let it in has ended.
        """
        now = self._clock.now()
        with self._database.write() as transaction:
            found = store.find(transaction, pending.kid)
            if found is None or found.access_verifier or found.made_at + CODE_S <= now:
                return None
            add_without_keys(
                transaction,
                found.holder,
                kid=found.kid,
                label=found.label,
                role=found.role,
                space=found.space_id,
                ends_at=now + CONNECTION_S,
                now=now,
            )
            return self._issue(transaction, found, secrets.token_bytes(_FAMILY_BYTES))

    def find_by_refresh(self, token: str, client: str) -> StoredConnection | None:
        """Return the living connection that a refresh token is of, be it the newest or not."""
        key = _parse(token, KeyPrefix.REFRESH)
        if key is None:
            return None
        with self._database.read() as transaction:
            found = store.find(transaction, key.kid)
            if found is None or not _find_family(key).matches(found.family_verifier):
                return None
            if found.client != client or not self._is_living(transaction, found.kid):
                return None
        return found

    def refresh(self, token: str) -> ConnectionTokens | None:
        """Return the next tokens of a connection; None if this one was used before.

        Raises:
            Unauthenticated: it is none.
        """
        key = _parse(token, KeyPrefix.REFRESH)
        if key is None:
            raise no_credential()
        with self._database.write() as transaction:
            found = store.find(transaction, key.kid)
            if found is None or not self._is_living(transaction, key.kid):
                raise no_credential()
            if not key.matches(found.refresh_verifier):
                return None
            return self._issue(transaction, found, key.secret[:_FAMILY_BYTES])

    def find_by_access(self, token: str) -> StoredConnection | None:
        """Return the connection of an access token, wherever it holds."""
        key = _parse(token, KeyPrefix.ACCESS)
        if key is None:
            return None
        with self._database.read() as transaction:
            found = store.find(transaction, key.kid)
        return found if found and key.matches(found.access_verifier) else None

    def forget(self, kid: str) -> None:
        """Delete a connection; its credential is another's to end."""
        with self._database.write() as transaction:
            store.delete_all(transaction, [kid])

    def drop_ended(self) -> None:
        """Delete what is kept of connections that have ended, or that nobody fetched."""
        now = self._clock.now()
        with self._database.read() as transaction:
            ended = store.list_ended(transaction, now - CODE_S, now)
        if ended:
            with self._database.share_write() as transaction:
                store.delete_all(transaction, ended)

    def _is_living(self, transaction: Transaction, kid: str) -> bool:
        try:
            find_living(transaction, kid, self._clock.now())
        except Unauthenticated:
            return False
        return True

    def _issue(
        self, transaction: Transaction, connection: StoredConnection, family: bytes
    ) -> ConnectionTokens:
        access = replace(ApiKey.new(KeyPrefix.ACCESS), kid=connection.kid)
        once = secrets.token_bytes(len(access.secret) - _FAMILY_BYTES)
        refresh = ApiKey(connection.kid, family + once, KeyPrefix.REFRESH)
        store.change(
            transaction,
            connection.kid,
            access_verifier=access.verifier,
            access_ends_at=self._clock.now() + ACCESS_S,
            refresh_verifier=refresh.verifier,
            family_verifier=_find_family(refresh).verifier,
        )
        return ConnectionTokens(connection.kid, connection.role, access.text, refresh.text)

    def _seal(self, purpose: str, values: Mapping[str, Any]) -> str:
        blob = self._key.wrap(json.dumps(values).encode(), context=f"oauth/{purpose}")
        return urlsafe_b64encode(blob).decode().rstrip("=")

    def _unseal(self, purpose: str, sealed: str) -> dict[str, Any] | None:
        if len(sealed) > _LONGEST_SEALED or not sealed.isascii():
            return None
        try:
            blob = urlsafe_b64decode(sealed + "=" * (-len(sealed) % 4))
            return json.loads(self._key.unwrap(blob, context=f"oauth/{purpose}"))
        except (Tampered, ValueError):
            return None


def _require_grantable(
    transaction: Transaction,
    principal: Principal,
    request: ConnectionRequest,
    space: str,
    role: Role,
) -> None:
    membership = spaces.find_membership(transaction, space, principal.member_id)
    if membership is None or not principal.reaches(space) or request.space not in {None, space}:
        raise no_space()
    is_sealed = membership.mode is Mode.SEALED or space.startswith(SEALED_PREFIX)
    if is_sealed or membership.has_keys:
        raise Forbidden(NO_SEALED_SPACE)
    is_within = membership.role.limit_to(principal.role).allows(role)
    if not is_within or (request.role is not None and not request.role.allows(role)):
        raise Forbidden("a connected program can do no more than you, and than it asks for")


NO_SEALED_SPACE: Final = (
    "a sealed space opens only with a member's key, which a program that connects this way does "
    "not get: give the program a key of its own"
)


def _shorten_name(name: str) -> str:
    plain = "".join(character for character in name if character.isprintable())
    return _NAMELESS if is_blank(plain) else shorten(plain, LONGEST_SHOWN_NAME)


def _digest(client_id: str) -> str:
    return sha256(client_id.encode()).hexdigest()


def _find_family(key: ApiKey) -> ApiKey:
    """Return what all refresh tokens of a connection share."""
    family = key.secret[:_FAMILY_BYTES]
    return replace(key, secret=family + bytes(len(key.secret) - _FAMILY_BYTES))


def _parse(text: str, prefix: KeyPrefix) -> ApiKey | None:
    try:
        return ApiKey.parse(text, prefix)
    except Unauthenticated:
        return None
