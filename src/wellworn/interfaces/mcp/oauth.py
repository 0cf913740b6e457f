"""The authorization server in the SDK's words: what it checks of messages, over this server's own.

The SDK's handlers check the forms of requests, the codes' verifiers and where codes are sent; what
a client is, what a member allows and what a token opens is decided in `domain.spaces`. Clients are
public: they get no secret, which a program on somebody's machine could not keep.

Source: RFC 6749, 7009, 7591, 7636, 8252, 8414, 8707, 9207; OAuth 2.1, section 2.3;
draft-ietf-oauth-client-id-metadata-document-00.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final, TypeVar
from urllib.parse import parse_qs, unquote, urlencode, urlsplit

from anyio import to_thread
from mcp.server.auth.handlers.authorize import AuthorizationHandler
from mcp.server.auth.handlers.register import RegistrationHandler
from mcp.server.auth.handlers.token import TokenHandler
from mcp.server.auth.json_response import PydanticJSONResponse
from mcp.server.auth.middleware.client_auth import AuthenticationError, ClientAuthenticator
from mcp.server.auth.provider import (
    AccessToken,
    AuthorizationCode,
    AuthorizationParams,
    AuthorizeError,
    OAuthAuthorizationServerProvider,
    RefreshToken,
    RegistrationError,
    TokenError,
)
from mcp.server.auth.settings import ClientRegistrationOptions
from mcp.shared.auth import (
    InvalidRedirectUriError,
    OAuthClientInformationFull,
    OAuthClientMetadata,
    OAuthMetadata,
    OAuthToken,
)
from pydantic import AnyHttpUrl, AnyUrl, TypeAdapter, ValidationError
from starlette.responses import JSONResponse, Response

from wellworn.domain.spaces import (
    ACCESS_S,
    LOOPBACK_HOSTS,
    ConnectionRequest,
    Connections,
    ConnectionTokens,
    RegisteredClient,
    Role,
    StoredConnection,
    is_document_address,
)
from wellworn.errors import Unauthenticated
from wellworn.interfaces.mcp.headers import ENDPOINT

if TYPE_CHECKING:
    from starlette.requests import Request

    from wellworn.application.calls import App

CONSENT: Final = "/ui/connect"
"""The page of consent, which takes a sealed request."""
_SHOWN_BY_BROWSERS: Final = frozenset(
    {
        *("about", "blob", "chrome", "data", "edge", "file", "filesystem", "ftp", "intent"),
        *("javascript", "resource", "search", "search-ms", "vbscript", "view-source", "ws", "wss"),
        *("afp", "dav", "davs", "feed", "git", "gopher", "irc", "ircs", "ldap", "ldaps", "mms"),
        *("nfs", "rtmp", "rtsp", "sftp", "smb", "ssh", "svn", "telnet", "tftp", "vnc"),
        *("webcal", "webcals"),
    }
)
"""Schemes that no program of its own answers, or one that does something else with what comes.

Some programs call at the server in the address, which the page of consent would not say.
"""
_MOST_REDIRECTS: Final = 10
_LONGEST_REDIRECTS: Final = 2_000
_LONGEST_STATE: Final = 1_000
_CHALLENGE_LENGTH: Final = 43
_NO_STORE: Final = {"Cache-Control": "no-store", "Pragma": "no-cache"}
_HTTP_URL: Final = TypeAdapter(AnyHttpUrl)
_Value = TypeVar("_Value")


class OAuthServer:
    """The endpoints; `site` is how the server is called in each request."""

    def __init__(self, app: App) -> None:
        self._app = app

    async def describe(self, _request: Request, site: str) -> Response:
        """Tell what there is (RFC 8414)."""
        metadata = OAuthMetadata.model_validate(
            {
                "issuer": site,
                "authorization_endpoint": f"{site}/authorize",
                "token_endpoint": f"{site}/token",
                "registration_endpoint": f"{site}/register",
                "revocation_endpoint": f"{site}/revoke",
                "scopes_supported": [*Role],
                "grant_types_supported": ["authorization_code", "refresh_token"],
                "token_endpoint_auth_methods_supported": ["none"],
                "revocation_endpoint_auth_methods_supported": ["none"],
                "code_challenge_methods_supported": ["S256"],
                "authorization_response_iss_parameter_supported": True,
                "client_id_metadata_document_supported": self._app.connections.documents.is_on,
            }
        )
        return PydanticJSONResponse(metadata)

    async def register(self, request: Request, site: str) -> Response:
        """Register a client (RFC 7591)."""
        options = ClientRegistrationOptions(enabled=True)
        return await RegistrationHandler(_Provider(self._app, site), options).handle(request)

    async def authorize(self, request: Request, site: str) -> Response:
        """Lead to the page of consent, and nowhere else: anybody can register an address."""
        provider = _Provider(self._app, site, fetches=True)
        response = await AuthorizationHandler(provider).handle(request)
        to = response.headers.get("location")
        if to is None or to.startswith(f"{site}{CONSENT}?"):
            return response
        told = parse_qs(urlsplit(to).query)
        content = {name: told[name][0] for name in ("error", "error_description") if name in told}
        return JSONResponse(content, 400, _NO_STORE)

    async def issue(self, request: Request, site: str) -> Response:
        """Exchange a code or a refresh token."""
        resource = (await request.form()).get("resource")
        provider = _Provider(self._app, site, str(resource) if resource else None)
        return await TokenHandler(provider, ClientAuthenticator(provider)).handle(request)

    async def revoke(self, request: Request, site: str) -> Response:
        """End a connection by one of its tokens (RFC 7009).

        The SDK's own handler asks every client for a secret.
        """
        provider = _Provider(self._app, site)
        try:
            client = await ClientAuthenticator(provider).authenticate_request(request)
        except AuthenticationError as error:
            content = {"error": "invalid_client", "error_description": error.message}
            return JSONResponse(content, 401, _NO_STORE)
        token = str((await request.form()).get("token", ""))
        connections = self._app.connections

        def end() -> None:
            digest = _get_digest(client)
            found = connections.find_by_refresh(token, digest) or connections.find_by_access(token)
            if found is not None and found.client == digest:
                self._app.consents.end(found)

        await to_thread.run_sync(end)
        return Response(status_code=200, headers=_NO_STORE)


class _Client(OAuthClientInformationFull):
    """A client of this server: public, with any port where it listens on the same machine."""

    digest: str = ""
    site: str = ""

    def validate_redirect_uri(self, redirect_uri: AnyUrl | None) -> AnyUrl:
        """Return an address if it was registered, but for the port of a program on loopback.

        Raises:
            InvalidRedirectUriError: it was not, or there is none.
        """
        if redirect_uri is None:
            raise InvalidRedirectUriError("redirect_uri is required")
        asked = _normalise(str(redirect_uri))
        if asked not in {_normalise(str(each)) for each in self.redirect_uris or ()}:
            raise InvalidRedirectUriError("redirect_uri was not registered by this client")
        return redirect_uri

    def validate_scope(self, requested_scope: str | None) -> list[str] | None:
        """Return the roles that are asked for; other scopes are not known here, and not granted."""
        asked = (requested_scope or "").split()
        return [role for role in Role if role in asked] or None


class _Provider(OAuthAuthorizationServerProvider[AuthorizationCode, RefreshToken, AccessToken]):
    """What the SDK asks while it answers one request.

    With `fetches`, a client that is named by an address is what its document says. Later on, what
    it holds is bound to the address already, and nothing is fetched.
    """

    def __init__(
        self, app: App, site: str, resource: str | None = None, *, fetches: bool = False
    ) -> None:
        self._app = app
        self._site = site
        self._resource = resource
        self._fetches = fetches
        self._found: StoredConnection | None = None

    async def get_client(self, client_id: str) -> _Client | None:
        """Return the client that an id is of."""
        connections = self._app.connections
        if not is_document_address(client_id):
            found = connections.find_client(client_id)
            return None if found is None else _build_client(client_id, found)
        if not self._fetches:
            return _build_client(client_id, connections.name_described(client_id))
        document = await to_thread.run_sync(connections.documents.fetch, client_id)
        return None if document is None else _read_document(client_id, document, connections)

    async def register_client(self, client_info: OAuthClientInformationFull) -> None:
        """Give a client the id that says what it is; nothing is stored.

        Raises:
            RegistrationError: it wants to be led where nobody may be led to.
        """
        uris = tuple(map(str, client_info.redirect_uris or ()))
        if (fault := _find_fault(uris)) is not None:
            raise RegistrationError("invalid_redirect_uri", fault)
        connections = self._app.connections
        client_info.client_id = connections.register(client_info.client_name or "", uris)
        client_info.client_secret = client_info.client_secret_expires_at = None
        client_info.token_endpoint_auth_method = "none"  # noqa: S105 - there is none

    async def authorize(
        self, client: OAuthClientInformationFull, params: AuthorizationParams
    ) -> str:
        """Return the address of the page that asks the member.

        Raises:
            AuthorizeError: the request has no proof key, or is for something that is not here.
        """
        assert isinstance(client, _Client)  # noqa: S101 - narrows for the checker
        if len(params.code_challenge) != _CHALLENGE_LENGTH:
            raise AuthorizeError("invalid_request", "code_challenge must be a digest by S256")
        if len(params.state or "") > _LONGEST_STATE:
            raise AuthorizeError("invalid_request", "state has more than 1000 characters")
        resource = self._find_resource(params.resource)
        if resource is None:
            raise AuthorizeError("invalid_target", "this server has no such resource")
        _, _, space = resource.removeprefix(self._site + ENDPOINT).partition("/")
        request = ConnectionRequest(
            client=client.digest,
            client_name=client.client_name or "",
            redirect_uri=str(params.redirect_uri),
            state=params.state,
            challenge=params.code_challenge,
            resource=resource,
            site=self._site,
            role=Role(params.scopes[-1]) if params.scopes else None,
            space=unquote(space) or None,
            client_site=client.site,
        )
        query = urlencode({"request": self._app.connections.ask(request)})
        return f"{self._site}{CONSENT}?{query}"

    async def load_authorization_code(
        self, client: OAuthClientInformationFull, authorization_code: str
    ) -> AuthorizationCode | None:
        """Return what a code is bound to."""
        digest, find = _get_digest(client), self._app.consents.find_by_code
        self._found = found = await to_thread.run_sync(find, authorization_code, digest)
        if found is None:
            return None
        return AuthorizationCode(
            code=authorization_code,
            scopes=[found.role],
            # Its minute is counted where it is exchanged, in one step with that.
            expires_at=math.inf,
            client_id=client.client_id,
            code_challenge=found.challenge,
            redirect_uri=AnyUrl(found.redirect_uri),
            redirect_uri_provided_explicitly=True,
            resource=found.resource,
        )

    async def exchange_authorization_code(
        self, client: OAuthClientInformationFull, authorization_code: AuthorizationCode
    ) -> OAuthToken:
        """Return the first tokens.

        Raises:
            TokenError: the code is too old or was used, or the tokens are wanted for elsewhere.
        """
        del client, authorization_code
        found = self._require_found()
        return await _tell(lambda: self._app.consents.exchange(found))

    async def load_refresh_token(
        self, client: OAuthClientInformationFull, refresh_token: str
    ) -> RefreshToken | None:
        """Return what a refresh token is bound to."""
        digest, find = _get_digest(client), self._app.connections.find_by_refresh
        self._found = found = await to_thread.run_sync(find, refresh_token, digest)
        if found is None:
            return None
        return RefreshToken(
            token=refresh_token,
            client_id=client.client_id,
            # What a member grants is one role; a client may name it again, or what it asked for.
            scopes=[*Role],
            resource=found.resource,
        )

    async def exchange_refresh_token(
        self, client: OAuthClientInformationFull, refresh_token: RefreshToken, scopes: list[str]
    ) -> OAuthToken:
        """Return the next tokens.

        Raises:
            TokenError: it was used before, or the tokens are wanted for elsewhere.
        """
        del client, scopes
        found, token = self._require_found(), refresh_token.token
        return await _tell(lambda: self._app.consents.refresh(found, token))

    def _require_found(self) -> StoredConnection:
        if self._found is None:
            raise TokenError("invalid_grant")
        if self._resource and self._find_resource(self._resource) != self._found.resource:
            raise TokenError("invalid_target", "the member allowed another resource")
        return self._found

    def _find_resource(self, asked: str | None) -> str | None:
        """Return the address of an endpoint of this server; None if it is none (RFC 8707)."""
        if asked is None:
            return self._site + ENDPOINT
        try:
            url = _HTTP_URL.validate_python(asked)
        except ValidationError:
            return None
        resource = str(url).partition("?")[0].rstrip("/")
        rest = resource.removeprefix(self._site + ENDPOINT)
        is_ours = resource.startswith(self._site + ENDPOINT) and url.fragment is None
        is_one = rest == "" or (rest.startswith("/") and "/" not in rest[1:])
        return resource if is_ours and is_one else None


async def _tell(get_tokens: Callable[[], ConnectionTokens]) -> OAuthToken:
    try:
        tokens = await to_thread.run_sync(get_tokens)
    except Unauthenticated as error:
        raise TokenError("invalid_grant", error.message) from None
    return OAuthToken(
        access_token=tokens.access,
        expires_in=int(ACCESS_S),
        scope=tokens.role,
        refresh_token=tokens.refresh,
    )


def _build_client(client_id: str, found: RegisteredClient) -> _Client:
    values = {
        "client_id": client_id,
        "client_name": found.name,
        "redirect_uris": found.redirect_uris,
        "token_endpoint_auth_method": "none",
        "digest": found.digest,
        "site": found.site,
    }
    return _Client.model_validate(values)


def _read_document(
    client_id: str, document: Mapping[str, Any], connections: Connections
) -> _Client | None:
    """Return the client that a document describes; None for one that is not as we take them."""
    try:
        described = OAuthClientMetadata.model_validate(document)
    except (ValidationError, RecursionError):
        return None
    uris = tuple(map(str, described.redirect_uris or ()))
    # A client with a secret or a key of its own would have to be asked for it.
    is_public = described.token_endpoint_auth_method in {None, "none"}
    if not is_public or "client_secret" in document or _find_fault(uris) is not None:
        return None
    name = described.client_name or ""
    return _build_client(client_id, connections.name_described(client_id, name, uris))


def _find_fault(uris: tuple[str, ...]) -> str | None:
    """Return why nobody may be led to some of a client's addresses."""
    if len(uris) > _MOST_REDIRECTS or sum(map(len, uris)) > _LONGEST_REDIRECTS:
        return "at most 10 addresses, of 2000 characters together"
    if not all(map(_is_allowed, uris)):
        return (
            "an address is https, http on loopback, or a program's own scheme with //, and has "
            "neither a user nor a fragment"
        )
    return None


def _get_digest(client: OAuthClientInformationFull) -> str:
    return client.digest if isinstance(client, _Client) else ""


def _normalise(uri: str) -> str:
    """Return an address to compare: on loopback a program takes any port (RFC 8252, 7.3)."""
    parts = urlsplit(uri)
    host = _strip_port(parts.netloc, parts.port)
    if parts.scheme == "http" and host in LOOPBACK_HOSTS:
        parts = parts._replace(netloc=host)
    return parts._replace(path=parts.path or "/").geturl()


def _strip_port(netloc: str, port: int | None) -> str:
    return netloc if port is None else netloc.rpartition(":")[0]


def _is_allowed(uri: str) -> bool:
    """Tell whether somebody may be led to an address with a code."""
    try:
        parts = urlsplit(uri)
        port = parts.port
    except ValueError:
        return False
    if "#" in uri or parts.username is not None or port == 0:
        return False
    if parts.scheme == "https":
        return bool(parts.hostname)
    if parts.scheme == "http":
        return _strip_port(parts.netloc, port) in LOOPBACK_HOSTS
    is_programs = bool(parts.netloc) or "." in parts.scheme
    return is_programs and parts.scheme not in _SHOWN_BY_BROWSERS
