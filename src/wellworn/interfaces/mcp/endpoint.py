"""Streamable HTTP at `/mcp`: an ASGI app that keeps no sessions, so that any process can answer.

The MCP SDK loads with the first message: a server whose agents use plain HTTP never pays for it.

Source: Model Context Protocol, transports (streamable HTTP, security).
"""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from http import HTTPStatus
from typing import TYPE_CHECKING, Final

import anyio
from anyio import to_thread
from starlette.requests import ClientDisconnect

from wellworn.interfaces.event_stream import EVENTS, format_event
from wellworn.interfaces.mcp.authorization import AuthorizationEndpoint, name_resource
from wellworn.interfaces.mcp.bodies import answer_body, read_body

if TYPE_CHECKING:
    from anyio.abc import TaskGroup, TaskStatus
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
    from starlette.types import Message, Receive, Scope, Send

    from wellworn.application.calls import App


LOOPBACK_HOSTS = ("127.0.0.1", "localhost", "[::1]")
_EVENTS: Final = EVENTS.encode()
_JSON: Final = (b"application/json", b"application/*", b"*/*")
_OF_BODY: Final = frozenset({b"content-type", b"content-length"})
_ONLY_POST = {
    "error": {
        "code": "METHOD_NOT_ALLOWED",
        "message": "this endpoint takes POST with a JSON-RPC message",
    }
}


class McpEndpoint:
    """The ASGI app; the lifespan of the app that mounts it must enter `running()`."""

    def __init__(self, app: App, *, version: str, hosts: tuple[str, ...]) -> None:
        self._app = app
        self._version = version
        self._hosts = hosts
        self._loading = anyio.Lock()
        self._tasks: TaskGroup | None = None
        self._manager: StreamableHTTPSessionManager | None = None

    @asynccontextmanager
    async def running(self) -> AsyncGenerator[None]:
        """Answer messages while entered; what is under way at the end is cancelled."""
        async with anyio.create_task_group() as tasks:
            self._tasks = tasks
            try:
                yield
            finally:
                self._tasks = self._manager = None
                tasks.cancel_scope.cancel()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one HTTP request.

        Raises:
            RuntimeError: `running()` was not entered.
        """
        if scope["method"] != "POST":
            await _refuse(send)
            return
        manager = await self._load()
        try:
            body = await read_body(receive)
        except ClientDisconnect:
            return
        if _takes_events_only(scope):
            scope, send = _accept(scope, b"application/json"), _send_as_event(send)
        scope = name_resource(scope, self._app.connections.public_url)
        await answer_body(manager.handle_request, _accept_anything(scope), body, receive, send)

    async def _load(self) -> StreamableHTTPSessionManager:
        async with self._loading:
            if self._tasks is None:
                raise RuntimeError("enter McpEndpoint.running() in the lifespan of the app")
            manager = self._manager or await self._tasks.start(self._host)
            self._manager = manager
            return manager

    async def _host(self, *, task_status: TaskStatus[StreamableHTTPSessionManager]) -> None:
        manager = await to_thread.run_sync(self._build)
        async with manager.run():
            task_status.started(manager)
            await anyio.sleep_forever()

    def _build(self) -> StreamableHTTPSessionManager:
        from wellworn.interfaces.mcp.protocol import session_manager  # noqa: PLC0415 - loads the SDK

        return session_manager(self._app, version=self._version, hosts=self._hosts)


def mcp_app(app: App, *, version: str, hosts: tuple[str, ...] = LOOPBACK_HOSTS) -> McpEndpoint:
    """Return the endpoint to mount at `/mcp`.

    Args:
        app: the memory; called in worker threads.
        version: of wellworn, told to clients.
        hosts: names by which the server may be addressed, each with any port. Others are refused,
            as are pages of other origins: a web page must not reach a memory on loopback.
    """
    return McpEndpoint(app, version=version, hosts=hosts)


def authorization_app(app: App) -> AuthorizationEndpoint:
    """Return what lets clients in by OAuth, for `AuthorizationEndpoint.PATHS`."""
    return AuthorizationEndpoint(app)


def _accept_anything(scope: Scope) -> Scope:
    """Return a request that takes any answer where it does not say what it takes (RFC 9110)."""
    is_said = any(name == b"accept" for name, _ in scope["headers"])
    return scope if is_said else _accept(scope, b"*/*")


def _accept(scope: Scope, kind: bytes) -> Scope:
    others = [pair for pair in scope["headers"] if pair[0] != b"accept"]
    return {**scope, "headers": [*others, (b"accept", kind)]}


def _takes_events_only(scope: Scope) -> bool:
    """Tell whether a client takes no JSON, but a stream of events: some send that alone."""
    kinds = b",".join(value for name, value in scope["headers"] if name == b"accept").lower()
    return _EVENTS in kinds and not any(each in kinds for each in _JSON)


def _send_as_event(send: Send) -> Send:
    """Return what sends an answer as the one event of a stream; errors stay as they are."""
    pieces: list[bytes] | None = None

    async def send_event(message: Message) -> None:
        nonlocal pieces
        if message["type"] == "http.response.start" and message["status"] == HTTPStatus.OK:
            pieces = []
            others = [pair for pair in message["headers"] if pair[0].lower() not in _OF_BODY]
            message = {**message, "headers": [*others, (b"content-type", _EVENTS)]}
        elif pieces is not None and message["type"] == "http.response.body":
            pieces.append(message.get("body", b""))
            if message.get("more_body"):
                return
            event = format_event(b"".join(pieces).decode(), name="message")
            message = {**message, "body": event.encode()}
        await send(message)

    return send_event


async def _refuse(send: Send) -> None:
    body = json.dumps(_ONLY_POST).encode()
    pairs = [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(body)).encode()),
        (b"allow", b"POST"),
    ]
    await send({"type": "http.response.start", "status": 405, "headers": pairs})
    await send({"type": "http.response.body", "body": body})
