"""A page of the web: fetched when it may have changed, read when it has.

What the server says of its page may spare the work and never forces it: a new date on the same
bytes is no change. A page that turned into a sign-in page leaves the last good one in place.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from wellworn.domain.sources.connectors.fields import line, only
from wellworn.domain.sources.connectors.models import (
    Item,
    Listing,
    Means,
    Same,
    Setback,
    SourceKind,
)
from wellworn.domain.sources.models import Problem, SourceType, SyncStatus
from wellworn.engines.fetch import (
    Failed,
    FailureKind,
    Page,
    Unchanged,
    Validators,
    WebClient,
    web_url,
)
from wellworn.errors import InvalidInput

_PASSWORD_FIELD = re.compile(rb"<input[^>]{0,300}type\s{0,3}=\s{0,3}[\"']?password", re.IGNORECASE)
_MUCH_SMALLER = 0.1
KIND = SourceKind(SourceType.URL, location="url", sign_in="header")


class Url:
    """Fills the port for `{"url": "https://…"}`; the secret is the Authorization header."""

    source_type = KIND.name
    is_scheduled = True

    def __init__(self, means: Means) -> None:
        self._web = means.web

    def checked(self, config: Mapping[str, Any]) -> dict[str, Any]:
        only(config, *KIND.fields)
        url = line(config, "url")
        found = web_url(url)
        if isinstance(found, Failed):
            raise InvalidInput(f"config.url: {found.message}")
        return {"url": url}

    @contextmanager
    def visit(
        self, config: Mapping[str, Any], *, secret: str | None, state: Mapping[str, Any]
    ) -> Generator[_Look]:
        yield _Look(self._web, config["url"], secret, state)


class _Look:
    def __init__(
        self, web: WebClient, url: str, secret: str | None, state: Mapping[str, Any]
    ) -> None:
        self._web = web
        self._url = url
        self._secret = secret
        self._state = state
        self._raw = b""

    def listing(self) -> Listing | Same | Setback:
        headers = {"Authorization": self._secret} if self._secret else {}
        seen = Validators(self._state.get("etag"), self._state.get("last_modified"))
        found = self._web.get(self._url, headers=headers, validators=seen)
        if isinstance(found, Unchanged):
            return Same()
        if isinstance(found, Failed):
            return self._failed(found)
        if self._is_sign_in(found):
            message = "the page looks like a sign-in page now; give an auth_header, or another URL"
            return Setback(SyncStatus.NEEDS_LOGIN, message)
        self._raw = found.raw
        version = hashlib.sha256(found.raw).hexdigest()
        item = Item(self._url, version, media_type=found.media_type, charset=found.charset)
        state = {
            "etag": found.validators.etag,
            "last_modified": found.validators.last_modified,
            "bytes": len(found.raw),
            "landed": found.url,
        }
        return Listing((item,), is_certain=True, state=state)

    def _failed(self, failed: Failed) -> Listing | Setback:
        if failed.kind is FailureKind.GONE:
            return Listing((), (Problem(self._url, failed.message),), is_certain=True)
        return Setback.of(failed)

    def _is_sign_in(self, page: Page) -> bool:
        """Tell whether a page that asks for a password came in the place of another."""
        before = self._state.get("bytes", 0)
        is_another = page.url != self._state.get("landed", page.url)
        is_smaller = len(page.raw) < before * _MUCH_SMALLER
        return (is_another or is_smaller) and _PASSWORD_FIELD.search(page.raw) is not None

    def read(self, items: Sequence[Item]) -> Iterator[tuple[Item, bytes | Problem]]:
        for item in items:
            yield item, self._raw


def connector(means: Means) -> Url:
    return Url(means)
