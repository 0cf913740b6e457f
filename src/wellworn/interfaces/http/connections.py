"""Limits what a connection may cost before anybody is known: bytes of a head, time, a place.

A head that never ended was read into memory without limit, and anyone who opened enough
connections and sent nothing kept all others out.
"""

from __future__ import annotations

import asyncio
import os
import resource
from collections import Counter, OrderedDict
from contextlib import suppress
from typing import ClassVar, Final

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

LONGEST_HEAD: Final = 64 * 1024
"""Bytes of a request before its body."""
LONGEST_WAIT_S: Final = 15.0
"""Seconds for a head, and between two pieces of a body."""
MOST_PIPELINED: Final = 8
"""Requests that may follow one before it is answered; a kilobyte can hold a hundred, each of which
takes three in memory and a turn at being answered."""
_LEAST: Final = 16
_MOST: Final = 2_048
_TOO_LONG: Final = (
    b"HTTP/1.1 431 Request Header Fields Too Large\r\n"
    b"content-type: application/json\r\nconnection: close\r\n\r\n"
    b'{"error":{"code":"PAYLOAD_TOO_LARGE","message":"the head of the request is too large"}}'
)


def count_waiting_allowed() -> int:
    """Return how many connections may wait at once: a quarter of what the system lets us open."""
    allowed, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return max(_LEAST, min(_MOST, allowed // 4))


class BoundedConnection(HttpToolsProtocol):
    """An HTTP connection that must send what it wants soon, after a head of few bytes.

    Of those that still owe a request one makes room for others: of the address that has most of
    them the one that sent nothing for longest. An address has no limit of its own, as everybody
    behind a proxy, and everybody on this machine, has the same.
    """

    _waiting: ClassVar[OrderedDict[BoundedConnection, asyncio.TimerHandle]] = OrderedDict()
    _waiting_by_address: ClassVar[Counter[str]] = Counter()
    handed_over: ClassVar[list[int] | None] = None
    """While the server renews itself, copies of the quiet connections that it leaves open."""
    _head_bytes = 0
    _is_in_head = True
    _is_whole = True

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Give the connection a place."""
        super().connection_made(transport)
        self._wait()
        if self.handed_over is not None:
            self.shutdown()

    def data_received(self, data: bytes) -> None:
        """Read a piece of a request; end a head, or what follows a body, that goes on too long."""
        self._head_bytes += len(data)
        super().data_received(data)
        if self not in self._waiting:
            return
        if self._head_bytes > LONGEST_HEAD:
            if self._is_in_head:
                self.transport.write(_TOO_LONG)
            self.end()
        elif not self._is_in_head:
            self._wait()

    def on_message_begin(self) -> None:
        """Begin to read a head."""
        super().on_message_begin()
        self._head_bytes, self._is_in_head, self._is_whole = 0, True, False
        self._wait()

    def on_headers_complete(self) -> None:
        """Begin to read a body."""
        self._is_in_head = False
        self._wait()
        if len(self.pipeline) < MOST_PIPELINED:
            super().on_headers_complete()
        else:
            self.end()

    def on_body(self, body: bytes) -> None:
        """Read a piece of a body; what follows the last one is bounded as a head is."""
        self._head_bytes = 0
        super().on_body(body)

    def on_message_complete(self) -> None:
        """Owe nothing until the answer is out, which may be before the body is in."""
        self._is_whole = True
        if not self.cycle.response_complete:
            self._stop_waiting()
        super().on_message_complete()

    def on_response_complete(self) -> None:
        """Owe the next request, unless it is here already."""
        super().on_response_complete()
        if self.cycle.response_complete and not self.transport.is_closing():
            self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        """Give the place back."""
        self._stop_waiting()
        super().connection_lost(exc)

    def shutdown(self) -> None:
        """Close the connection after what is under way in it; keep a copy of a quiet one."""
        is_answered = not self.cycle or self.cycle.response_complete
        is_quiet = is_answered and self._is_whole and not self.transport.get_write_buffer_size()
        if self.handed_over is not None and is_quiet and not self.transport.is_closing():
            with suppress(OSError):
                self.handed_over.append(os.dup(self.transport.get_extra_info("socket").fileno()))
        super().shutdown()

    def _wait(self) -> None:
        self._stop_waiting()
        self._waiting[self] = self.loop.call_later(LONGEST_WAIT_S, self.end)
        self._waiting_by_address[self.address] += 1
        while len(self._waiting) > count_waiting_allowed():
            [(most, _)] = self._waiting_by_address.most_common(1)
            next(connection for connection in self._waiting if connection.address == most).end()

    def _stop_waiting(self) -> None:
        timer = self._waiting.pop(self, None)
        if timer is None:
            return
        timer.cancel()
        self._waiting_by_address[self.address] -= 1
        if not self._waiting_by_address[self.address]:
            del self._waiting_by_address[self.address]

    @property
    def address(self) -> str:
        """The address at the other end."""
        return self.client[0] if self.client else ""

    def end(self) -> None:
        """Close the connection."""
        self._stop_waiting()
        self.transport.close()
