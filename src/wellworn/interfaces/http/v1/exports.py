"""Exports: made whole and kept packed in memory, so that no reader, however slow, holds a database.

A stream from an open transaction is as long as its reader likes: ninety that nobody reads took all
connections, and one kept erased words in the database's log.
"""

from __future__ import annotations

import zlib
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from threading import Lock
from typing import Annotated, Final

from fastapi import Depends, Request
from fastapi.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

from wellworn.errors import RateLimited
from wellworn.interfaces.http.gate import LINES

MOST: Final = 16
"""Exports that are made or read at once, as each is kept in memory until it is read."""
MOST_OF_A_CALLER: Final = 4
_LINES_IN_A_BLOCK: Final = 200
_FASTEST: Final = 1
_RETRY_AFTER_S: Final = 10


class ExportSlots:
    """How many exports each caller has under way."""

    def __init__(self) -> None:
        self._taken: Counter[str] = Counter()
        self._guard = Lock()

    def take(self, caller: str) -> None:
        """Take a slot.

        Raises:
            RateLimited: the caller has too many, or all callers together.
        """
        with self._guard:
            if self._taken[caller] >= MOST_OF_A_CALLER or self._taken.total() >= MOST:
                message = f"at most {MOST_OF_A_CALLER} exports at once; read or end one first"
                raise RateLimited(message, retry_after_s=_RETRY_AFTER_S, limit=MOST_OF_A_CALLER)
            self._taken[caller] += 1

    def give_back(self, caller: str) -> None:
        """Free a slot."""
        with self._guard:
            self._taken[caller] -= 1
            self._taken += Counter()


def get_slots(request: Request) -> ExportSlots:
    """Return the slots of the app."""
    return request.app.state.export_slots


Slots = Annotated[ExportSlots, Depends(get_slots)]


def respond_with_export(
    slots: ExportSlots, caller: str, lines: Callable[[], Iterable[str]]
) -> StreamingResponse:
    """Return all lines as a stream, made before it begins.

    Raises:
        RateLimited: as `ExportSlots.take`.
        WellwornError: what making the lines raises.
    """
    slots.take(caller)
    try:
        packed = _pack(lines())
    except BaseException:
        slots.give_back(caller)
        raise
    return _ExportResponse(packed, lambda: slots.give_back(caller))


class _ExportResponse(StreamingResponse):
    def __init__(self, packed: deque[bytes], on_end: Callable[[], None]) -> None:
        super().__init__(_unpack(packed), media_type=LINES)
        self._on_end = on_end

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._on_end()


def _pack(lines: Iterable[str]) -> deque[bytes]:
    packed: deque[bytes] = deque()
    left = iter(lines)
    while block := list(islice(left, _LINES_IN_A_BLOCK)):
        packed.append(zlib.compress("".join(line + "\n" for line in block).encode(), _FASTEST))
    return packed


def _unpack(packed: deque[bytes]) -> Iterator[bytes]:
    while packed:
        yield zlib.decompress(packed.popleft())
