"""HTTP with patience: a call whose connection is lost is tried again.

That is safe because reading changes nothing that repeats would count, and calls that count carry
an idempotency key. The others are sent `once`: again only when they cannot have arrived. The
environment's proxies and the credentials they know are never used.
"""

from __future__ import annotations

import json
from contextlib import aclosing, contextmanager
from dataclasses import dataclass
from functools import partial
from random import uniform
from typing import TYPE_CHECKING, Any, TypeVar, cast

import httpx2

from wellworn.client.decode import decode
from wellworn.client.errors import (
    TIMED_OUT,
    UNEXPECTED_ANSWER,
    UNREACHABLE,
    WellwornClientError,
)

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Awaitable, Callable, Generator, Mapping
    from contextlib import AbstractAsyncContextManager

Value = TypeVar("Value")

_NEVER_SENT = (httpx2.ConnectError, httpx2.ConnectTimeout)
_LOST = (httpx2.NetworkError, httpx2.RemoteProtocolError, httpx2.ConnectTimeout)
_FIRST_PAUSE_S = 0.1
_LONGEST_PAUSE_S = 5
_OVERLOADED = 503


@dataclass(frozen=True)
class Network:
    """The parts that block in one client and are awaited in the other."""

    transport: httpx2.AsyncBaseTransport | None
    pause: Callable[[float], Awaitable[None]]
    run: Callable[[Callable[[], str]], Awaitable[str]]
    finding: AbstractAsyncContextManager[object]
    """Held while the server is looked for."""


class Connection:
    """A connection to one server that answers in JSON.

    The server is at an `address`, or where a function finds it: before the first call, and again
    when it is lost, or not there any more: by then somebody else may listen there.
    """

    def __init__(
        self,
        address: str | Callable[[], str],
        network: Network,
        *,
        timeout_s: float,
        attempts: int,
        headers: Mapping[str, str],
        is_there: Callable[[str], bool] = lambda _: True,
    ) -> None:
        self.url = ""
        self.pause = network.pause
        self._find = address if callable(address) else None
        self._is_there = is_there
        self._network = network
        self._attempts = attempts
        self._timeout_s = timeout_s
        self._http = httpx2.AsyncClient(
            headers=headers,
            trust_env=False,
            # Reading the machine's certificates takes longer than a call over plain HTTP.
            verify=is_secure(address),
            transport=network.transport,
        )
        if not callable(address):
            self._move_to(address)

    async def open(self, *, lost: str = "") -> None:
        """Find the server before the first call, or again when it is `lost` at an address."""
        if self._find is None:
            return
        if self.url != lost and not self._is_there(self.url):
            lost = self.url
        if self.url == lost:
            async with self._network.finding:
                if self.url == lost:
                    self._move_to(await self._network.run(self._find))

    async def close(self) -> None:
        """Close the connections."""
        await self._http.aclose()

    def _move_to(self, url: str) -> None:
        self.url = url.rstrip("/")
        with _translate_failures(self.url):
            self._http.base_url = self.url

    async def get(self, kind: type[Value], path: str, **params: object) -> Value:
        """Read an answer; raises like `send`."""
        return await self.send(kind, "GET", path, params=params)

    async def text(self, path: str, **params: object) -> str:
        """Read an answer that is a text; raises like `send`."""
        return (await self.get(bytes, path, **params)).decode(errors="replace")

    async def send(
        self,
        kind: type[Value],
        method: str,
        path: str,
        *,
        params: Mapping[str, object] | None = None,
        body: Mapping[str, object] | bytes | None = None,
        headers: Mapping[str, str] | None = None,
        timeout_s: float | None = None,
        once: bool = False,
    ) -> Value:
        """Send a request, again when the connection is lost, and return the answer as a `kind`.

        As bytes it is returned unread. Parameters and fields that are None are left out. A `body`
        in bytes is sent as NDJSON unless `headers` say what it is, any other as JSON. With `once`
        a connection lost after the request was sent is an error: the call may have been done.

        Raises:
            WellwornClientError: refused by the server, or UNREACHABLE, TIMED_OUT,
                UNEXPECTED_ANSWER.
        """
        timeout_s = self._timeout_s if timeout_s is None else timeout_s
        build_request = await self._prepare(method, path, params or {}, body, headers, timeout_s)
        lost = _NEVER_SENT if once else _LOST
        with _translate_failures(self.url):
            response = await self._send_with_retries(build_request, lost)
        if response.is_error:
            raise _read_refusal(response)
        return cast("Value", response.content) if kind is bytes else decode(kind, response.content)

    async def stream(
        self,
        path: str,
        read: Callable[[bytes], Value],
        *,
        timeout_s: float,
        method: str = "GET",
        body: Mapping[str, object] | None = None,
        headers: Mapping[str, str] | None = None,
        **params: object,
    ) -> AsyncGenerator[Value]:
        """Stream an answer's lines, each `read`; raises like `send`.

        A connection lost on the way is an error, not a short list.
        """
        build_request = await self._prepare(method, path, params, body, headers, timeout_s)
        with _translate_failures(self.url):
            response = await self._send_with_retries(build_request, _NEVER_SENT, stream=True)
            async with aclosing(response):
                if response.is_error:
                    await response.aread()
                    raise _read_refusal(response)
                # By hand: the library ends lines at every Unicode line end; texts may hold one.
                rest = b""
                async for chunk in response.aiter_bytes():
                    *lines, rest = (rest + chunk).split(b"\n")
                    for line in filter(None, lines):
                        yield read(line)
                if rest:
                    yield read(rest)

    async def _prepare(  # noqa: PLR0917 - what a request is made of
        self,
        method: str,
        path: str,
        params: Mapping[str, object],
        body: Mapping[str, object] | bytes | None,
        headers: Mapping[str, str] | None,
        timeout_s: float,
    ) -> Callable[[], httpx2.Request]:
        """Find the server; return what makes the request, anew for every attempt."""
        content, media_type = _encode(body)
        await self.open()
        return partial(
            self._http.build_request,
            method,
            path,
            params=_drop_absent(params),
            content=content,
            headers={**media_type, **(headers or {})},
            timeout=timeout_s,
        )

    async def _send_with_retries(
        self,
        build_request: Callable[[], httpx2.Request],
        lost: tuple[type[Exception], ...],
        *,
        stream: bool = False,
    ) -> httpx2.Response:
        for attempt in range(1, self._attempts):
            url = self.url
            try:
                response = await self._http.send(build_request(), stream=stream)
                wait_s = _read_retry_after(response)
                if response.status_code != _OVERLOADED or wait_s is None:
                    return response
                await response.aclose()
                # Not all at once; what was refused was not done.
                await self.pause(min(wait_s, _LONGEST_PAUSE_S) * uniform(1, 2))  # noqa: S311 - no secret
            except lost:
                await self.pause(_FIRST_PAUSE_S * 2 ** (attempt - 1))
                await self.open(lost=url)
        return await self._http.send(build_request(), stream=stream)


async def read_events(lines: AsyncGenerator[bytes]) -> AsyncGenerator[tuple[bytes, bytes]]:
    """Yield the name and the data of each server-sent event; raises what an `error` tells."""
    name = b""
    async with aclosing(lines):
        async for line in lines:
            field, _, value = line.partition(b": ")
            if field == b"event":
                name = value
            elif field == b"data" and name == b"error":
                raise read_refusal(value)
            elif field == b"data":
                yield name, value


def is_secure(address: str | Callable[[], str]) -> bool:
    """Tell whether certificates are needed; a server that is found is on this machine."""
    return not callable(address) and address.startswith("https:")


@contextmanager
def _translate_failures(url: str) -> Generator[None]:
    try:
        yield
    except httpx2.TimeoutException:
        raise WellwornClientError(TIMED_OUT, f"{url} did not answer in time") from None
    except (httpx2.HTTPError, httpx2.InvalidURL):
        raise WellwornClientError(UNREACHABLE, f"nobody answers at {url}") from None


def _drop_absent(values: Mapping[str, object]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None}


def _encode(body: Mapping[str, object] | bytes | None) -> tuple[bytes | None, dict[str, str]]:
    if body is None:
        return None, {}
    if isinstance(body, bytes):
        return body, {"content-type": "application/x-ndjson"}
    return json.dumps(_drop_absent(body)).encode(), {"content-type": "application/json"}


def parse_record(line: bytes) -> dict[str, Any]:
    """Return a line of NDJSON as a record."""
    try:
        record = cast("dict[str, Any]", json.loads(line))
    except ValueError as failure:
        raise WellwornClientError(UNEXPECTED_ANSWER, "the answer is not JSON") from failure
    if record.keys() == {"error"}:
        raise read_refusal(line)
    return record


def _read_refusal(response: httpx2.Response) -> WellwornClientError:
    which = f"the answer has status {response.status_code} and"
    return read_refusal(response.content, which, retry_after_s=_read_retry_after(response))


def read_refusal(
    content: bytes, which: str = "the answer", *, retry_after_s: int | None = None
) -> WellwornClientError:
    """Return the error that the server describes; `which` names an answer that does not."""
    try:
        error = cast("dict[str, Any]", json.loads(content)["error"])
        code, message = str(error["code"]), str(error["message"])
        return WellwornClientError(code, message, retry_after_s=retry_after_s)
    except (ValueError, KeyError, TypeError):
        return WellwornClientError(UNEXPECTED_ANSWER, f"{which} is not wellworn's")


def _read_retry_after(response: httpx2.Response) -> int | None:
    seconds = response.headers.get("retry-after", "")
    return int(seconds) if seconds.isascii() and seconds.isdigit() else None
