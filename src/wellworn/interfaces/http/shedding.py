"""Calls beyond what the server can answer are refused at once instead of kept waiting.

A call takes a slot when all of its body is here and holds it until its answer begins: whoever sends
or reads slowly holds none. Only a credential that was let in before stands for its member; all
others are counted by address, so that made-up ones bring no share of their own. Where an address
has its share, they are looked up, one at a time.
"""

from __future__ import annotations

from typing import Final

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from wellworn.application.calls import App
from wellworn.domain.spaces import parse_credential
from wellworn.engines.slots import SLOT, Slot, give_back_slot
from wellworn.errors import Overloaded, Unauthenticated
from wellworn.interfaces.http.errors import respond_to

_UNCOUNTED: Final = ("/health/", "/api/v1/openapi.json")
"""What asks nothing of the memory, or how it is."""


class Shedding:
    """ASGI middleware."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._lookup = _Lookup()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"].startswith(_UNCOUNTED):
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        memory: App = scope["app"].state.memory_app
        call = _Call(self._lookup, memory, scope, receive, send)
        try:
            if headers.get("content-length", "0") != "0" or "transfer-encoding" in headers:
                await self._app(scope, call.receive, call.send)
            elif await call.begin():
                await self._app(scope, receive, call.send)
        finally:
            give_back_slot(scope)


def _read_credential(scope: Scope) -> str | None:
    headers = Headers(scope=scope)
    try:
        return parse_credential(headers.get("authorization"), api_key=headers.get("x-api-key"))
    except Unauthenticated:
        return None


class _Lookup:
    """Looks up whose credentials are; of a crowd that makes some up, one at a time is looked up."""

    def __init__(self) -> None:
        self._is_busy = False

    async def find_member(self, memory: App, shown: str) -> tuple[str, ...] | None:
        """Return whose a credential is, if there is time to see."""
        if self._is_busy:
            return None
        self._is_busy = True
        try:
            return await run_in_threadpool(memory.admission.find_member, shown)
        finally:
            self._is_busy = False


class _Call:
    """One call with what it takes in and gives out; refused, it is answered here and only here."""

    def __init__(
        self, lookup: _Lookup, memory: App, scope: Scope, receive: Receive, send: Send
    ) -> None:
        self._lookup, self._memory = lookup, memory
        self._scope, self._receive, self._send = scope, receive, send
        self._is_refused = False

    async def begin(self) -> bool:
        """Take a slot, or refuse the call; tell which."""
        try:
            self._scope[SLOT] = await self._take_slot()
        except Overloaded as error:
            self._is_refused = True
            await respond_to(error)(self._scope, self._receive, self._send)
        return not self._is_refused

    async def _take_slot(self) -> Slot:
        """Take a slot of the member's share, or else of the address's."""
        shown, admission = _read_credential(self._scope), self._memory.admission
        client = self._scope.get("client")
        address = client[0] if client else "unknown"
        caller = admission.name_caller(shown, address)
        try:
            return await self._memory.slots.take(*caller)
        except Overloaded:
            if not shown or admission.recall_member(shown):
                raise
            if await self._lookup.find_member(self._memory, shown) is None:
                raise
        return await self._memory.slots.take(*admission.name_caller(shown, address))

    async def receive(self) -> Message:
        """Take in a piece; with the last one the call begins."""
        message = await self._receive()
        is_whole = message["type"] == "http.request" and not message.get("more_body")
        if is_whole and SLOT not in self._scope and not await self.begin():
            return {"type": "http.disconnect"}
        return message

    async def send(self, message: Message) -> None:
        """Give out a piece; from the first one on the call holds no slot."""
        give_back_slot(self._scope)
        if not self._is_refused:
            await self._send(message)
