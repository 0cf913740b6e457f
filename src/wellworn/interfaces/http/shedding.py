"""Refuses calls beyond what the server can answer at once, instead of letting them wait.

A call takes a slot when all of its body is here and holds it until its answer begins: whoever sends
or reads slowly holds none. Only a credential that was let in before stands for its member; all
others are counted by address, so that made-up ones bring no share of their own. Where an address
has its share, they are looked up, one at a time.
"""

from __future__ import annotations

from collections import Counter, deque
from typing import Final

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from wellworn.application.calls import App
from wellworn.domain.spaces import parse_credential
from wellworn.engines.slots import RETRY_AFTER_S, SLOT, Slot, give_back_slot
from wellworn.errors import Overloaded, Unauthenticated
from wellworn.interfaces.http.errors import respond_to
from wellworn.interfaces.http.gate import get_longest_body

_UNCOUNTED: Final = ("/health/", "/api/v1/openapi.json")
"""Paths that ask nothing of the memory, or how it is."""
_MOST_BYTES: Final = 256 * 1024 * 1024
MOST_BYTES_OF_A_CALLER: Final = 128 * 1024 * 1024
"""Of all bodies that are taken in and not answered yet; two of the longest, so that both end."""
_SMALL: Final = 64 * 1024
"""Bytes of a body that are taken in from everybody: all that most calls send."""


class Shedding:
    """ASGI middleware."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self.lookup = _Lookup()
        self.bodies = _Bodies()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"].startswith(_UNCOUNTED):
            await self._app(scope, receive, send)
            return
        memory: App = scope["app"].state.memory_app
        call = _Call(self, memory, scope, receive, send)
        try:
            if await call.begin():
                await self._app(scope, call.receive, call.send)
        finally:
            call.end()


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


class _Bodies:
    """A count of the bytes of bodies that are held, by caller."""

    def __init__(self) -> None:
        self._held: Counter[str] = Counter()

    def add(self, caller: str, size: int, count: int) -> None:
        """Count bytes that a body of a size grew by.

        Raises:
            Overloaded: it is not small, and there is no room for it.
        """
        self._held[caller] += count
        has_room = (
            self._held[caller] <= MOST_BYTES_OF_A_CALLER and self._held.total() <= _MOST_BYTES
        )
        if size > _SMALL and not has_room:
            message = "the bodies of your calls under way are too large; wait for some to end"
            raise Overloaded(message, retry_after_s=RETRY_AFTER_S)

    def give_back(self, caller: str, count: int) -> None:
        self._held[caller] -= count
        if not self._held[caller]:
            del self._held[caller]


class _Call:
    """One call with what it takes in and gives out; refused, it is answered here and only here."""

    def __init__(
        self, shedding: Shedding, memory: App, scope: Scope, receive: Receive, send: Send
    ) -> None:
        self._lookup, self._bodies, self._memory = shedding.lookup, shedding.bodies, memory
        self._scope, self._receive, self._send = scope, receive, send
        self._shown = _read_credential(scope)
        client = scope.get("client")
        self._address = client[0] if client else "unknown"
        self._caller = memory.admission.name_caller(self._shown, self._address)[-1]
        self._pieces: deque[Message] = deque()
        self._size = 0

    async def begin(self) -> bool:
        """Take in the body and take a slot, or refuse the call; tell whether it begins."""
        try:
            if not await self._take_in():
                return False
            self._scope[SLOT] = await self._take_slot()
        except Overloaded as error:
            await respond_to(error)(self._scope, self._receive, self._send)
            return False
        return True

    async def _take_in(self) -> bool:
        """Take in the body, or what shows that it is too long; return False if the caller left."""
        headers = Headers(scope=self._scope)
        has_more = headers.get("content-length", "0") != "0" or "transfer-encoding" in headers
        while has_more and self._size <= get_longest_body(self._scope):
            message = await self._receive()
            if message["type"] != "http.request":
                return False
            self._pieces.append(message)
            count = len(message.get("body", b""))
            self._size += count
            self._bodies.add(self._caller, self._size, count)
            has_more = message.get("more_body", False)
        return True

    async def _take_slot(self) -> Slot:
        """Take a slot of the member's share, or else of the address's."""
        shown, address, admission = self._shown, self._address, self._memory.admission
        caller = admission.name_caller(shown, address)
        try:
            return await self._memory.slots.take(*caller, size=self._size)
        except Overloaded:
            if not shown or admission.recall_member(shown):
                raise
            if await self._lookup.find_member(self._memory, shown) is None:
                raise
        caller = admission.name_caller(shown, address)
        return await self._memory.slots.take(*caller, size=self._size)

    async def receive(self) -> Message:
        """Give a piece of the body to its reader."""
        return self._pieces.popleft() if self._pieces else await self._receive()

    async def send(self, message: Message) -> None:
        """Give out a piece; from the first one on the call holds no slot."""
        give_back_slot(self._scope)
        await self._send(message)

    def end(self) -> None:
        """Give back all that the call holds."""
        give_back_slot(self._scope)
        self._pieces.clear()
        self._bodies.give_back(self._caller, self._size)
