"""HTTP with patience: every call may be repeated, so a lost connection is tried again.

That is safe because reading changes nothing that repeats would count, and calls that count carry
an idempotency key. The environment's proxies and credentials are never used.
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

_LOST = (httpx2.NetworkError, httpx2.RemoteProtocolError, httpx2.ConnectTimeout)
_FIRST_PAUSE_S = 0.1


class Wire:
    """A connection to one server that answers in JSON."""

    def __init__(
        self,
        url: str,
        *,
        timeout_s: float,
        attempts: int,
        transport: httpx2.BaseTransport | None = None,
        pause: Callable[[float], None] = time.sleep,
    ) -> None:
        self.url = url.rstrip("/")
        self._attempts = attempts
        self._timeout_s = timeout_s
        self._pause = pause
        # Reading the certificates of the machine takes longer than a call; plain HTTP needs none.
        secure = self.url.startswith("https:")
        with _named_failures(self.url):
            self._http = httpx2.Client(
                base_url=self.url,
                timeout=timeout_s,
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
    ) -> Any:
        """Send a request, again when the connection is lost, and return the JSON of the answer.

        A `body` in bytes is sent as NDJSON, any other as JSON.

        Raises:
            WellwornClientError: refused by the server, or UNREACHABLE, TIMED_OUT,
                UNEXPECTED_ANSWER.
        """
        content, kind = _encoded(body)
        request = self._http.build_request(
            method,
            path,
            params=params,
            content=content,
            headers={**(headers or {}), **kind},
            timeout=self._timeout_s if timeout_s is None else timeout_s,
        )
        with _named_failures(self.url):
            return _answer(self._patiently(request))

    def lines(self, path: str) -> Iterator[dict[str, Any]]:
        """Stream an NDJSON answer; a connection lost on the way is an error, not a short list."""
        with _named_failures(self.url), self._http.stream("GET", path) as response:
            if response.is_error:
                response.read()
                raise _refusal(response)
            # By hand: the library's lines end at every Unicode line end, and texts may hold one.
            rest = b""
            for chunk in response.iter_bytes():
                *lines, rest = (rest + chunk).split(b"\n")
                yield from map(_parsed, filter(None, lines))
            if rest:
                yield _parsed(rest)

    def _patiently(self, request: httpx2.Request) -> httpx2.Response:
        for attempt in range(1, self._attempts):
            try:
                return self._http.send(request)
            except _LOST:
                self._pause(_FIRST_PAUSE_S * 2 ** (attempt - 1))
        return self._http.send(request)


@contextmanager
def _named_failures(url: str) -> Generator[None]:
    try:
        yield
    except httpx2.TimeoutException as failure:
        raise WellwornClientError(TIMED_OUT, f"{url} did not answer in time") from failure
    except (httpx2.HTTPError, httpx2.InvalidURL) as failure:
        raise WellwornClientError(UNREACHABLE, f"nobody answers at {url}") from failure


def _encoded(body: Mapping[str, Any] | bytes | None) -> tuple[bytes | None, dict[str, str]]:
    if body is None:
        return None, {}
    if isinstance(body, bytes):
        return body, {"content-type": "application/x-ndjson"}
    return json.dumps(body).encode(), {"content-type": "application/json"}


def _answer(response: httpx2.Response) -> Any:
    if response.is_error:
        raise _refusal(response)
    return _parsed(response.text)


def _parsed(text: str | bytes) -> Any:
    try:
        return json.loads(text)
    except ValueError as failure:
        raise WellwornClientError(UNEXPECTED_ANSWER, "the answer is not JSON") from failure


def _refusal(response: httpx2.Response) -> WellwornClientError:
    try:
        error = cast("dict[str, Any]", json.loads(response.text)["error"])
        return WellwornClientError(str(error["code"]), str(error["message"]))
    except (ValueError, KeyError, TypeError):
        return WellwornClientError(
            UNEXPECTED_ANSWER, f"the answer has status {response.status_code} and is not wellworn's"
        )
