"""The HTTP client: one page an address, however the server behaves.

Redirects are followed here, hop by hop, so that each goes through the guard again and no header
meant for one site reaches another. Nothing is remembered between two fetches: no cookies, no
cache, no open connections.

Source: `docs/security.md`; RFC 9110.
"""

from __future__ import annotations

import ssl
import time
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

import httpcore2
import httpx2

from wellworn.engines.fetch.answers import Redirect, read_answer
from wellworn.engines.fetch.connection import Connector, is_about_certificates
from wellworn.engines.fetch.deadline import Deadline
from wellworn.engines.fetch.egress import Egress, Resolver, system_resolver
from wellworn.engines.fetch.failures import describe_failure
from wellworn.engines.fetch.models import Failed, FailureKind, Page, Unchanged, Validators
from wellworn.engines.fetch.settings import FetchSettings
from wellworn.engines.fetch.urls import check_url, host_of, keeps_credentials, port_of, web_url
from wellworn.kit.fetch_mark import MARKED

_WORTH_RETRYING = frozenset({FailureKind.UNREACHABLE, FailureKind.SERVER_ERROR})
_FRAMING = ("accept-encoding", "connection", "content-length", "host", "te", "transfer-encoding")
_BROKEN = (httpcore2.TimeoutException, httpcore2.NetworkError, httpcore2.ProtocolError)
_NONE: Mapping[str, str] = MappingProxyType({})


class WebClient:
    """Fetches pages; safe to share between threads."""

    def __init__(
        self,
        settings: FetchSettings,
        *,
        resolver: Resolver = system_resolver,
        wait: Callable[[float], None] = time.sleep,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        """Prepare a client; `tls` says whom to trust where that is not the usual authorities."""
        self._settings = settings
        self._egress = Egress(settings, resolver)
        self._connector = Connector(settings.connect_timeout_s, tls)
        self._wait = wait

    def get(
        self,
        url: str,
        *,
        headers: Mapping[str, str] = _NONE,
        validators: Validators | None = None,
    ) -> Page | Unchanged | Failed:
        """Fetch a page, trying again where that can help and time is left.

        `headers` (a credential, say) go to the site of `url` only, not to where it redirects.
        """
        target = web_url(url)
        if isinstance(target, Failed):
            return target
        if not _are_sendable(headers):
            return describe_failure("bad_header", host=host_of(target))
        fetch = _Fetch(self._settings, self._egress, self._connector, headers, validators)
        for wait_s in self._settings.retry_waits_s:
            outcome = fetch.run(target)
            pause_s = self._pause_s(outcome, wait_s)
            if pause_s is None or pause_s >= fetch.deadline.remaining_s():
                return outcome
            self._wait(pause_s)
        return fetch.run(target)

    def _pause_s(self, outcome: Page | Unchanged | Failed, wait_s: float) -> float | None:
        """Give the seconds until the next try; None where trying again would not help."""
        if not isinstance(outcome, Failed) or outcome.kind not in _WORTH_RETRYING:
            return None
        asked_s = outcome.retry_after_s or 0
        return None if asked_s > self._settings.longest_retry_after_s else max(wait_s, asked_s)


class _Fetch:
    """One fetch with all of its tries and redirects, under one deadline."""

    def __init__(
        self,
        settings: FetchSettings,
        egress: Egress,
        connector: Connector,
        headers: Mapping[str, str],
        validators: Validators | None,
    ) -> None:
        self.deadline = Deadline(settings.deadline_s)
        self._settings = settings
        self._egress = egress
        self._connector = connector
        self._headers = headers
        self._conditions = _conditions(validators)

    def run(self, start: httpx2.URL) -> Page | Unchanged | Failed:
        """Go from `start` to the end of its redirects."""
        hops = [start]
        headers = self._headers
        while True:
            answer = self._hop(hops[-1], headers)
            if not isinstance(answer, Redirect):
                return answer
            following = self._following(hops, answer)
            if isinstance(following, Failed):
                return following
            if not keeps_credentials(hops[-1], following):
                headers = _NONE
            hops.append(following)

    def _hop(
        self, url: httpx2.URL, extra: Mapping[str, str]
    ) -> Page | Unchanged | Redirect | Failed:
        host = host_of(url)
        resolved = self._egress.resolve(host, port_of(url), self.deadline)
        if isinstance(resolved, Failed):
            return resolved
        headers = self._request_headers(extra)
        conditional = bool(self._conditions)
        try:
            with self._connector.answer(url, headers, resolved.addresses, self.deadline) as answer:
                return read_answer(url, answer, self._settings.most_bytes, conditional=conditional)
        except _BROKEN as error:
            return self._to_failure(host, error)

    def _to_failure(self, host: str, error: Exception) -> Failed:
        if isinstance(error, httpcore2.ProtocolError):
            return describe_failure("bad_answer", host=host)
        if is_about_certificates(error):
            return describe_failure("bad_certificate", host=host)
        if not self.deadline.remaining_s():
            return describe_failure("timeout", host=host, seconds=self._settings.deadline_s)
        if isinstance(error, httpcore2.ConnectError | httpcore2.TimeoutException):
            return describe_failure("no_answer", host=host)
        return describe_failure("broken_connection", host=host)

    def _request_headers(self, extra: Mapping[str, str]) -> httpx2.Headers:
        headers = httpx2.Headers({"accept": "*/*"})
        headers.update(extra)
        headers.update(self._conditions)
        for name in _FRAMING:
            headers.pop(name, None)
        headers.update(MARKED)
        headers["accept-encoding"] = "gzip"
        headers["connection"] = "close"
        headers["user-agent"] = self._settings.user_agent
        return headers

    def _following(self, hops: list[httpx2.URL], redirect: Redirect) -> httpx2.URL | Failed:
        """Judge where a redirect leads."""
        way = [host_of(hop) for hop in hops]
        try:
            joined = hops[-1].join(redirect.location)
        except (httpx2.InvalidURL, ValueError):
            return _refuse_redirect(way, "to something that is no web address")
        target = check_url(joined)
        if isinstance(target, Failed):
            return _refuse_redirect(way, "to an address of a kind that is not fetched")
        way.append(host_of(target))
        if (hops[-1].scheme, target.scheme) == ("https", "http"):
            return _refuse_redirect(way, "from https to http")
        if target in hops:
            return _refuse_redirect(way, "in a circle")
        if len(hops) > self._settings.most_redirects:
            return _refuse_redirect(way, "on and on")
        return target


def _refuse_redirect(way: Sequence[str], where: str) -> Failed:
    return describe_failure("bad_redirect", way=" → ".join(way), where=where)


def _conditions(validators: Validators | None) -> dict[str, str]:
    asked = validators or Validators()
    pairs = {"if-none-match": asked.etag, "if-modified-since": asked.last_modified}
    return {name: value for name, value in pairs.items() if value and _are_sendable({name: value})}


def _are_sendable(headers: Mapping[str, str]) -> bool:
    return all(
        name.isascii()
        and name.replace("-", "").replace("_", "").isalnum()
        and value.isascii()
        and value.isprintable()
        for name, value in headers.items()
    )
