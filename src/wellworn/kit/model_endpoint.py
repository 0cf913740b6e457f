"""ModelEndpoint: one address of a server of models, what is posted to it, and what it answers.

Nothing else is connected to: no redirect is followed, and a server on this machine is reached past
any proxy. An answer is read no further than its caller says that one can reach, nor unpacked: a
megabyte of gzip can hold gigabytes.
"""

from __future__ import annotations

import json
import weakref
from collections.abc import Callable, Mapping
from ipaddress import ip_address
from typing import Any, Final

import httpx2

from wellworn.kit.child_environment import choose_variables
from wellworn.kit.fetch_mark import MARKED

_SLOW_DOWN: Final = 429
_NOT_FOUND: Final = 404
_PASSING: Final = frozenset((408, _SLOW_DOWN, 500, 502, 503, 504))
_UNUSABLE_KEY: Final = frozenset((401, 403))


class EndpointFailure(Exception):
    """Why there is no answer, in the words of a sentence; whether there may be one later."""

    def __init__(self, message: str, *, is_passing: bool = False, retry_after: str = "0") -> None:
        super().__init__(message)
        self.message = message
        self.is_passing = is_passing
        self.retry_after = retry_after


class ModelEndpoint:
    """Posts JSON to one address; every method may be called by several threads at once.

    Args:
        name: what it is called in messages, such as "the embedding endpoint".
        base_url, route: the address of the server, and what is asked there, such as "/embeddings".
        key: the environment variable with the key; None for a server that wants none.
        key_setting: the setting that names the variable.
        clock: tells seconds.
    """

    def __init__(
        self,
        name: str,
        base_url: str,
        route: str,
        *,
        key: str | None,
        key_setting: str,
        timeout_s: float,
        clock: Callable[[], float],
    ) -> None:
        self._name, self._route = name, route
        self._key, self._key_setting = key, key_setting
        self._timeout_s, self._clock = timeout_s, clock
        self._url = f"{base_url.rstrip('/')}{route}"
        self._client = httpx2.Client(
            timeout=timeout_s,
            trust_env=not _is_loopback(httpx2.URL(self._url).host),
            follow_redirects=False,
        )
        weakref.finalize(self, self._client.close)

    def post(
        self, body: Mapping[str, Any], *, most_bytes: int, timeout_s: float | None = None
    ) -> Any:
        """Return what the answer to a request holds.

        Raises:
            EndpointFailure: there is none in time, or it is longer or other than it can be.
        """
        timeout_s = timeout_s or self._timeout_s
        headers, until = self._build_headers(), self._clock() + timeout_s
        # Escaped, as a lone surrogate cannot be sent otherwise.
        content = json.dumps(body).encode()
        try:
            with self._client.stream(
                "POST", self._url, content=content, headers=headers, timeout=timeout_s
            ) as answer:
                if not answer.is_success:
                    raise self._describe(answer)
                return json.loads(self._read(answer, most_bytes, until))
        except httpx2.TimeoutException as error:
            raise self.fail(f"did not answer within {timeout_s:g} s") from error
        except httpx2.HTTPError as error:
            raise self.fail("cannot be reached", is_passing=True) from error
        except (ValueError, RecursionError) as error:
            raise self.fail("gave an answer that is not JSON") from error

    def fail(
        self, what: str, *, is_passing: bool = False, retry_after: str = "0"
    ) -> EndpointFailure:
        """Return a failure that says what the endpoint did."""
        return EndpointFailure(
            f"{self._name} {what}", is_passing=is_passing, retry_after=retry_after
        )

    def _read(self, answer: httpx2.Response, most_bytes: int, until: float) -> bytes:
        if answer.headers.get("Content-Encoding", "identity") != "identity":
            raise self.fail("packed its answer, although it was asked not to")
        raw = bytearray()
        for piece in answer.iter_raw():
            raw += piece
            if len(raw) > most_bytes:
                raise self.fail("gave an answer that is longer than it can be")
            if self._clock() > until:
                raise httpx2.ReadTimeout("it sends, but does not come to an end")
        return bytes(raw)

    def _build_headers(self) -> Mapping[str, str]:
        plain = {"Accept-Encoding": "identity", "Content-Type": "application/json", **MARKED}
        if self._key is None:
            return plain
        if not (key := choose_variables(self._key).get(self._key)):
            raise EndpointFailure(f"the variable {self._key} with the endpoint's key is not set")
        return {**plain, "Authorization": f"Bearer {key}"}

    def _describe(self, answer: httpx2.Response) -> EndpointFailure:
        status = answer.status_code
        if status in _UNUSABLE_KEY:
            return self.fail(f"refused the key; see {self._key_setting}")
        if status == _NOT_FOUND:
            return self.fail(f"knows no such model, or has no {self._route} at this address")
        if answer.is_redirect:
            return self.fail("sends elsewhere, which is not followed; set its new address")
        what = f"failed with status {status}"
        if status == _SLOW_DOWN:
            what = "asks to slow down for longer than the settings wait"
        retry_after = answer.headers.get("Retry-After", "0")
        return self.fail(what, is_passing=status in _PASSING, retry_after=retry_after)


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
