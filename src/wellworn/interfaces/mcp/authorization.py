"""Where clients are let in by OAuth, and what they are told of it; the MCP SDK loads when needed.

Whether there is such a way in depends on how the server is called: by its public address, if the
settings name one, and otherwise only by a name of this machine.

Source: Model Context Protocol 2025-11-25, authorization; RFC 6749, 7009, 7591, 8414, 9728.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Final
from urllib.parse import quote

import anyio
from anyio import to_thread
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from wellworn.interfaces.mcp import headers
from wellworn.interfaces.mcp.headers import ENDPOINT

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from starlette.types import Receive, Scope, Send

    from wellworn.application.calls import App

    Answer = Callable[[Request, str], Awaitable[Response]]

_LOOPBACK: Final = frozenset({"127.0.0.1", "localhost", "::1", "[::1]"})
_METADATA: Final = "/.well-known/oauth-protected-resource"
_SERVER: Final = "/.well-known/oauth-authorization-server"
_LONGEST_BODY: Final = 16 * 1024


def find_site(scope: Scope, public_url: str | None) -> str | None:
    """Return how clients call this server, such as `https://memory.example.org`.

    None where they cannot be let in: tokens are not sent in the clear over a network.
    """
    if public_url is not None:
        return public_url
    url = Request(scope).url
    return f"{url.scheme}://{url.netloc}".lower() if url.hostname in _LOOPBACK else None


def name_resource(scope: Scope, public_url: str | None) -> Scope:
    """Return a request that says which tokens hold for it, and how one gets such a token."""
    challenge = 'Bearer realm="wellworn"'
    if any(name == b"authorization" for name, _ in scope["headers"]):
        challenge += ', error="invalid_token"'
    site, path = find_site(scope, public_url), quote(scope["path"].rstrip("/"))
    resource = None if site is None else site + path
    if site is not None:
        challenge += f', resource_metadata="{site}{_METADATA}{path}", scope="contributor"'
    return {**scope, headers.RESOURCE_KEY: resource, headers.CHALLENGE_KEY: challenge.encode()}


class AuthorizationEndpoint:
    """The ASGI app at `PATHS`."""

    PATHS: ClassVar = (
        *(_METADATA, _METADATA + ENDPOINT, f"{_METADATA}{ENDPOINT}/{{space}}", _SERVER),
        *("/authorize", "/token", "/register", "/revoke"),
    )

    def __init__(self, app: App) -> None:
        self._app = app
        self._loading = anyio.Lock()
        self._answers: dict[tuple[str, str], Answer] | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        response = await self._answer(Request(scope, receive))
        await response(scope, receive, send)

    async def _answer(self, request: Request) -> Response:
        site = find_site(request.scope, self._app.connections.public_url)
        if site is None:
            return _refuse(404, "no client is let in by OAuth here")
        if request.url.path.startswith(_METADATA):
            return self._describe_resource(request, site)
        answers = await self._load()
        answer = answers.get((request.method, request.url.path))
        if answer is None:
            return _refuse(405, "this endpoint takes another method")
        if request.url.path != _SERVER:
            address = request.client.host if request.client else "unknown"
            await to_thread.run_sync(self._app.admission.admit_newcomer, address)
        if len(await request.body()) > _LONGEST_BODY:
            return _refuse(413, "the request body is larger than 16 KiB")
        return await answer(request, site)

    def _describe_resource(self, request: Request, site: str) -> Response:
        """Tell where tokens for an address of the endpoint come from (RFC 9728)."""
        space: str | None = request.path_params.get("space")
        if request.method != "GET":
            return _refuse(405, "this endpoint takes GET")
        if self._app.authenticator.is_open_to_all(space):
            return _refuse(404, "no credential is needed here")
        path = ENDPOINT if space is None else f"{ENDPOINT}/{quote(space)}"
        return JSONResponse(
            {
                "resource": site + path,
                "resource_name": "wellworn",
                "authorization_servers": [site],
                "scopes_supported": ["reader", "contributor", "admin"],
                "bearer_methods_supported": ["header"],
            }
        )

    async def _load(self) -> dict[tuple[str, str], Answer]:
        async with self._loading:
            self._answers = self._answers or await to_thread.run_sync(self._build)
            return self._answers

    def _build(self) -> dict[tuple[str, str], Answer]:
        from wellworn.interfaces.mcp.oauth import OAuthServer  # noqa: PLC0415 - loads the SDK

        server = OAuthServer(self._app)
        return {
            ("GET", _SERVER): server.describe,
            ("GET", "/authorize"): server.authorize,
            ("POST", "/token"): server.issue,
            ("POST", "/register"): server.register,
            ("POST", "/revoke"): server.revoke,
        }


def _refuse(status: int, message: str) -> Response:
    body: dict[str, Any] = {"error": "invalid_request", "error_description": message}
    return JSONResponse(body, status)
