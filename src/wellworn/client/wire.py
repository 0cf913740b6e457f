"""HTTP with patience: a call whose connection is lost is tried again.

That is safe because reading changes nothing that repeats would count, and calls that count carry
an idempotency key. The others are sent `once`: again only when they cannot have arrived. The
environment's proxies and the credentials they know are never used.
"""

from __future__ import annotations

import json
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, cast

import httpx2

from wellworn.client.errors import (
    TIMED_OUT,
    UNEXPECTED_ANSWER,
    UNREACHABLE,
    WellwornClientError,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator, Mapping

_NEVER_SENT = (httpx2.ConnectError, httpx2.ConnectTimeout)
_LOST = (httpx2.NetworkError, httpx2.RemoteProtocolError, httpx2.ConnectTimeout)
_FIRST_PAUSE_S = 0.1


class Connection:
    """A connection to one server that answers in JSON."""

    def __init__(
        self,
        url: str,
        *,
        timeout_s: float,
        attempts: int,
        headers: Mapping[str, str] | None = None,
        transport: httpx2.BaseTransport | None = None,
        pause: Callable[[float], None] = time.sleep,
    ) -> None:
        self.url = url.rstrip("/")
        self._attempts = attempts
        self._timeout_s = timeout_s
        self._pause = pause
        # Reading the certificates of the machine takes longer than a call; plain HTTP needs none.
        secure = self.url.startswith("https:")
        with _translate_failures(self.url):
            self._http = httpx2.Client(
                base_url=self.url,
                timeout=timeout_s,
                headers=headers,
                trust_env=False,
                verify=secure,
                transport=transport,
            )

    def close(self) -> None:
        self._http.close()

    def send(
        self,
        method: str,
        path: str,
        *,
        params: Mapping[str, Any] | None = None,
        body: Mapping[str, Any] | bytes | None = None,
        headers: Mapping[str, str] | None = None,
        timeout_s: float | None = None,
        once: bool = False,
    ) -> bytes:
        """Send a request, again when the connection is lost, and return the body of the answer.

        A `body` in bytes is sent as NDJSON unless `headers` say what it is, any other as JSON.
        With `once` a connection that is lost after the request was sent is an error: the call may
        have been done.

        Raises:
            WellwornClientError: refused by the server, or UNREACHABLE, TIMED_OUT,
                UNEXPECTED_ANSWER.
        """
        content, kind = _encode(body)
        request = self._http.build_request(
            method,
            path,
            params=params,
            content=content,
            headers={**kind, **(headers or {})},
            timeout=self._timeout_s if timeout_s is None else timeout_s,
        )
        with _translate_failures(self.url):
            response = self._send_with_retries(request, _NEVER_SENT if once else _LOST)
        if response.is_error:
            raise _read_refusal(response)
        return response.content

    def text(self, path: str, *, params: Mapping[str, Any] | None = None) -> str:
        """Read an answer that is a text; raises like `send`."""
        request = self._http.build_request("GET", path, params=params)
        with _translate_failures(self.url):
            response = self._send_with_retries(request, _LOST)
            if response.is_error:
                raise _read_refusal(response)
            return response.text

    def pause(self, seconds: float) -> None:
        """Wait."""
        self._pause(seconds)

    def records(self, path: str) -> Iterator[dict[str, Any]]:
        """Stream an NDJSON answer, parsed; raises like `lines`."""
        return map(_parse, self.lines(path))

    def lines(self, path: str, *, params: Mapping[str, Any] | None = None) -> Iterator[bytes]:
        """Stream an answer's lines; a connection lost on the way is an error, not a short list."""
        with (
            _translate_failures(self.url),
            self._http.stream("GET", path, params=params) as response,
        ):
            if response.is_error:
                response.read()
                raise _read_refusal(response)
            # By hand: the library's lines end at every Unicode line end, and texts may hold one.
            rest = b""
            for chunk in response.iter_bytes():
                *lines, rest = (rest + chunk).split(b"\n")
                yield from filter(None, lines)
            if rest:
                yield rest

    def _send_with_retries(
        self, request: httpx2.Request, lost: tuple[type[Exception], ...]
    ) -> httpx2.Response:
        for attempt in range(1, self._attempts):
            try:
                return self._http.send(request)
            except lost:
                self._pause(_FIRST_PAUSE_S * 2 ** (attempt - 1))
        return self._http.send(request)


@contextmanager
def _translate_failures(url: str) -> Generator[None]:
    try:
        yield
    except httpx2.TimeoutException:
        raise WellwornClientError(TIMED_OUT, f"{url} did not answer in time") from None
    except (httpx2.HTTPError, httpx2.InvalidURL):
        raise WellwornClientError(UNREACHABLE, f"nobody answers at {url}") from None


def _encode(body: Mapping[str, Any] | bytes | None) -> tuple[bytes | None, dict[str, str]]:
    if body is None:
        return None, {}
    if isinstance(body, bytes):
        return body, {"content-type": "application/x-ndjson"}
    return json.dumps(body).encode(), {"content-type": "application/json"}


def _parse(text: str | bytes) -> Any:
    try:
        return json.loads(text)
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
