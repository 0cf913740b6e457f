"""Limits how much a server may send, counted as it is on the wire: nothing compressed counts."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import cast

import httpx2


class ByteLimit:
    """The rest that a server may send; `watch` is a hook of a client, called with its responses."""

    def __init__(self, most_bytes: int) -> None:
        self._remaining = most_bytes

    def renew(self, most_bytes: int) -> None:
        """Let so many bytes come from now on, whatever came before."""
        self._remaining = most_bytes

    @property
    def is_passed(self) -> bool:
        return self._remaining < 0

    def allows(self, size: int) -> bool:
        """Count what was sent; tell whether it was not too much."""
        self._remaining -= size
        return not self.is_passed

    async def watch(self, response: httpx2.Response) -> None:
        """Count what is read of an answer.

        Raises:
            httpx2.DecodingError: it is compressed, so that nobody knows how much it is.
        """
        if response.headers.get("content-encoding", "identity") != "identity":
            raise httpx2.DecodingError("a compressed answer was not asked for")
        response.stream = _CountedStream(cast("httpx2.AsyncByteStream", response.stream), self)


class _CountedStream(httpx2.AsyncByteStream):
    def __init__(self, stream: httpx2.AsyncByteStream, limit: ByteLimit) -> None:
        self._stream = stream
        self._limit = limit

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for chunk in self._stream:
            if not self._limit.allows(len(chunk)):
                raise httpx2.ReadError("the server sends too much")
            yield chunk

    async def aclose(self) -> None:
        await self._stream.aclose()
