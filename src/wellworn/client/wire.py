"""HTTP with patience: a call whose connection is lost is tried again.

That is safe because reading changes nothing that repeats would count, and calls that count carry
an idempotency key. The others are sent `once`: again only when they cannot have arrived. The
environment's proxies and the credentials they know are never used.
"""

from __future__ import annotations

import json
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar, cast

import anyio
import httpx2
from anyio import to_thread

from wellworn.client.decode import decode
from wellworn.client.environment import ensure_server
from wellworn.client.errors import (
    TIMED_OUT,
    UNEXPECTED_ANSWER,
    UNREACHABLE,
    WellwornClientError,
)

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Awaitable, Callable, Generator, Mapping

Value = TypeVar("Value")

_NEVER_SENT = (httpx2.ConnectError, httpx2.ConnectTimeout)
_LOST = (httpx2.NetworkError, httpx2.RemoteProtocolError, httpx2.ConnectTimeout)
_FIRST_PAUSE_S = 0.1


class Connection:
    """A connection to one server that answers in JSON.

    Without a `url` the server of the data folder is found or started for the first call, in a
    thread of its own.
    """

    def __init__(
        self,
        url: str | None,
        transport: httpx2.AsyncBaseTransport | None,
        pause: Callable[[float], Awaitable[None]],
        *,
        timeout_s: float,
        attempts: int,
        headers: Mapping[str, str],
    ) -> None:
        self.url = ""
        self.pause = pause
        self._attempts = attempts
        self._timeout_s = timeout_s
        self._headers = headers
        self._transport = transport
        self._finding = anyio.Lock()
        self._http = None if url is None else self._connect(url)

    async def open(self) -> httpx2.AsyncClient:
        """Return the HTTP client, for which the server is found if need be; raises like `send`."""
        if self._http is None:
            async with self._finding:
                if self._http is None:
                    url = await to_thread.run_sync(ensure_server, abandon_on_cancel=True)
                    self._http = self._connect(url)
        return self._http

    async def close(self) -> None:
        """Close the connections."""
        if self._http is not None:
            await self._http.aclose()

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
        a connection that is lost after the request was sent is an error: the call may have been
        done.

        Raises:
            WellwornClientError: refused by the server, or UNREACHABLE, TIMED_OUT,
                UNEXPECTED_ANSWER.
        """
        content, media_type = _encode(body)
        http = await self.open()
        request = http.build_request(
            method,
            path,
            params=_drop_absent(params or {}),
            content=content,
            headers={**media_type, **(headers or {})},
            timeout=self._timeout_s if timeout_s is None else timeout_s,
        )
        with _translate_failures(self.url):
            response = await self._send_with_retries(http, request, _NEVER_SENT if once else _LOST)
        if response.is_error:
            raise _read_refusal(response)
        return cast("Value", response.content) if kind is bytes else decode(kind, response.content)

    async def stream(
        self, path: str, read: Callable[[bytes], Value], **params: object
    ) -> AsyncGenerator[Value]:
        """Stream an answer's lines, each `read`; raises like `send`.

        A connection lost on the way is an error, not a short list.
        """
        http = await self.open()
        with _translate_failures(self.url):
            async with http.stream("GET", path, params=_drop_absent(params)) as response:
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

    def _connect(self, url: str) -> httpx2.AsyncClient:
        self.url = url.rstrip("/")
        with _translate_failures(self.url):
            return httpx2.AsyncClient(
                base_url=self.url,
                timeout=self._timeout_s,
                headers=self._headers,
                trust_env=False,
                verify=is_secure(url),
                transport=self._transport,
            )

    async def _send_with_retries(
        self, http: httpx2.AsyncClient, request: httpx2.Request, lost: tuple[type[Exception], ...]
    ) -> httpx2.Response:
        for attempt in range(1, self._attempts):
            try:
                return await http.send(request)
            except lost:
                await self.pause(_FIRST_PAUSE_S * 2 ** (attempt - 1))
        return await http.send(request)


def is_secure(url: str) -> bool:
    """Tell whether certificates are needed: reading the machine's takes longer than a call."""
    return url.startswith("https:")


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
        return cast("dict[str, Any]", json.loads(line))
    except ValueError as failure:
        raise WellwornClientError(UNEXPECTED_ANSWER, "the answer is not JSON") from failure


def _read_refusal(response: httpx2.Response) -> WellwornClientError:
    try:
        error = cast("dict[str, Any]", json.loads(response.text)["error"])
        code, message = str(error["code"]), str(error["message"])
        return WellwornClientError(code, message, retry_after_s=_read_retry_after(response))
    except (ValueError, KeyError, TypeError):
        return WellwornClientError(
            UNEXPECTED_ANSWER, f"the answer has status {response.status_code} and is not wellworn's"
        )


def _read_retry_after(response: httpx2.Response) -> int | None:
    seconds = response.headers.get("retry-after", "")
    return int(seconds) if seconds.isascii() and seconds.isdigit() else None
