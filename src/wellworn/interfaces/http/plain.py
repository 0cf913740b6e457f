"""Every answer is what it says it is: a browser must not guess its kind from its content.

What documents and thoughts say was written by others; shown as a page of this server's, it could
act in its name.

Source: WHATWG Fetch, X-Content-Type-Options.
"""

from __future__ import annotations

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send


class Plain:
    """ASGI middleware; stands outside of all that answers."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(raw=[*message.get("headers", ())])
                headers["x-content-type-options"] = "nosniff"
                message = {**message, "headers": headers.raw}
            await send(message)

        await self._app(scope, receive, sending)
