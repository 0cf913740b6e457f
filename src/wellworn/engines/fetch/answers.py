"""Reads one answer of a server into what it means: a page, "unchanged", a redirect or a failure.

A body is decompressed piece by piece, and cut off at the limit: a megabyte of gzip can hold
gigabytes. So nothing is inflated beyond one piece ahead of the count, and a stream that ends early
is an error, not a shorter document.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from email.message import Message
from email.utils import parsedate_to_datetime
from typing import cast

import httpcore2
import httpx2

from wellworn.engines.fetch.failures import describe_failure, describe_status
from wellworn.engines.fetch.models import Failed, Page, Unchanged, Validators
from wellworn.engines.fetch.refresh import find_refresh
from wellworn.engines.fetch.urls import host_of

_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_SUCCESSES = frozenset({200, 203})
_UNCHANGED = 304
_HTML = frozenset({"text/html", "application/xhtml+xml"})
_LONGEST_VALIDATOR = 500


@dataclass(frozen=True, slots=True)
class Redirect:
    """The server points elsewhere; where to is not checked yet."""

    location: str


def read_answer(
    url: httpx2.URL, answer: httpcore2.Response, most_bytes: int, *, conditional: bool
) -> Page | Unchanged | Redirect | Failed:
    """Read an answer; `conditional` says that validators were sent, so 304 may come.

    Raises:
        httpcore2.TimeoutException, httpcore2.NetworkError, httpcore2.ProtocolError: the body did
            not come to its end.
    """
    headers = httpx2.Headers(answer.headers)
    if answer.status == _UNCHANGED and conditional:
        return Unchanged()
    if answer.status in _REDIRECTS and "location" in headers:
        return Redirect(headers["location"])
    if answer.status not in _SUCCESSES:
        return describe_status(host_of(url), answer.status, _retry_after_s(headers))
    raw = _body(host_of(url), headers, cast("Iterable[bytes]", answer.stream), most_bytes)
    if isinstance(raw, Failed):
        return raw
    page = _page(url, headers, raw)
    location = find_refresh(url, raw) if page.media_type in _HTML else None
    return page if location is None else Redirect(location)


def _body(
    host: str, headers: httpx2.Headers, pieces: Iterable[bytes], most_bytes: int
) -> bytes | Failed:
    encoding = headers.get("content-encoding", "").strip().lower()
    if encoding not in PLAIN | GZIP:
        return describe_failure("bad_encoding", host=host)
    too_large = describe_failure("too_large", host=host, most_bytes=most_bytes)
    announced = headers.get("content-length", "")
    if announced.isdecimal() and int(announced) > most_bytes:
        return too_large
    try:
        raw = read_at_most(decompress_gzip(pieces) if encoding in GZIP else pieces, most_bytes)
    except zlib.error:
        return describe_failure("corrupt_body", host=host)
    return too_large if raw is None else raw


def _page(url: httpx2.URL, headers: httpx2.Headers, raw: bytes) -> Page:
    declared = Message()
    declared.set_default_type("application/octet-stream")
    if "content-type" in headers:
        declared["content-type"] = headers["content-type"]
    return Page(
        raw=raw,
        url=str(url),
        media_type=declared.get_content_type(),
        charset=declared.get_content_charset(),
        validators=Validators(
            etag=_validator(headers, "etag"), last_modified=_validator(headers, "last-modified")
        ),
        changed_at=_read_date(headers.get("last-modified", "")),
    )


def _validator(headers: httpx2.Headers, name: str) -> str | None:
    value = headers.get(name, "")
    return value if value.isascii() and 0 < len(value) <= _LONGEST_VALIDATOR else None


def _read_date(value: str) -> float | None:
    try:
        return parsedate_to_datetime(value).timestamp()
    except (ValueError, OverflowError):
        return None


def _retry_after_s(headers: httpx2.Headers) -> int | None:
    """Read Retry-After in either of its forms; at most a week."""
    value = headers.get("retry-after", "").strip()
    if value.isdecimal() and value.isascii():
        return min(int(value[:9]), _WEEK_S)
    try:
        moment = parsedate_to_datetime(value)
    except ValueError:
        return None
    zoned = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return max(0, min(int((zoned - datetime.now(UTC)).total_seconds()), _WEEK_S))


_WEEK_S = 7 * 24 * 3600


_PIECE = 256 * 1024
_GZIP = 31  # zlib's window bits for the gzip format alone
PLAIN = frozenset({"", "identity"})
GZIP = frozenset({"gzip", "x-gzip"})


def read_at_most(pieces: Iterable[bytes], most_bytes: int) -> bytes | None:
    """Join the pieces; None as soon as they are more than `most_bytes`."""
    whole = bytearray()
    for piece in pieces:
        whole += piece
        if len(whole) > most_bytes:
            return None
    return bytes(whole)


def decompress_gzip(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Unpack gzip, of one or several members, in pieces of at most 256 kB.

    Raises:
        zlib.error: the data is damaged or ends early.
    """
    inflater = zlib.decompressobj(_GZIP)
    begun = False
    for packed in pieces:
        rest = packed
        while rest:
            if inflater.eof:
                inflater = zlib.decompressobj(_GZIP)
            begun = True
            while piece := inflater.decompress(rest, _PIECE):
                yield piece
                rest = inflater.unconsumed_tail
            rest = inflater.unused_data
    if begun and not inflater.eof:
        raise zlib.error
