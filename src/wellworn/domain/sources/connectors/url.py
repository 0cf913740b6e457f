"""A web page: fetched when it may have changed, read when it has.

The server's validators can save a fetch but never force a read: a new date on the same bytes is no
change. If an address gives something else than its page, such as nothing at all, a sign-in page or
the front page of the site, the last good version stays.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from wellworn.domain.sources.connectors.fields import (
    WEB,
    name_address,
    read_line,
    reject_unknown,
)
from wellworn.domain.sources.connectors.models import (
    ConnectorContext,
    Listing,
    ListingFailed,
    NotModified,
    Recognition,
    Sign,
    SourceItem,
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
    address_beside,
    is_front_page,
    leads_back,
    web_url,
)
from wellworn.errors import InvalidInput
from wellworn.kit.ids import new_id

_PASSWORD_FIELD = re.compile(rb"<input[^>]{0,300}type\s{0,3}=\s{0,3}[\"']?password", re.IGNORECASE)
_MUCH_SMALLER = 0.1
_BLANKS = b"\xef\xbb\xbf\x00 \t\r\n\f\v"


def _recognize(what: str, _options: Collection[str]) -> Recognition | None:
    """Recognise any address on the web."""
    is_web = what.lower().startswith(WEB)
    return Recognition(Sign.SCHEME, name_address(what), what) if is_web else None


KIND = SourceKind(SourceType.URL, location="url", sign_in="header", recognize=_recognize)


class Url:
    """Reads the page of `{"url": "https://…"}`; the secret is the Authorization header."""

    kind = KIND
    is_scheduled = True

    def __init__(self, context: ConnectorContext) -> None:
        self._web = context.web

    def validate_config(self, config: Mapping[str, Any]) -> dict[str, Any]:
        reject_unknown(config, *KIND.fields)
        url = read_line(config, "url")
        parsed = web_url(url)
        if isinstance(parsed, Failed):
            raise InvalidInput(f"config.url: {parsed.message}")
        return {"url": url}

    @contextmanager
    def open_snapshot(
        self, config: Mapping[str, Any], *, secret: str | None, state: Mapping[str, Any]
    ) -> Generator[_PageSnapshot]:
        yield _PageSnapshot(self._web, config["url"], secret, state)


class _PageSnapshot:
    def __init__(
        self, web: WebClient, url: str, secret: str | None, state: Mapping[str, Any]
    ) -> None:
        self._web = web
        self._url = url
        self._secret = secret
        self._state = state
        self._raw = b""

    def list_items(self) -> Listing | NotModified | ListingFailed:
        headers = {"Authorization": self._secret} if self._secret else {}
        seen = None
        # What a page that only leads on answers says nothing of the page that it leads to.
        if self._state.get("landed", self._url) == self._url:
            seen = Validators(self._state.get("etag"), self._state.get("last_modified"))
        page = self._web.get(self._url, headers=headers, validators=seen)
        if isinstance(page, Unchanged):
            return NotModified()
        if isinstance(page, Failed):
            return self._convert_failure(page)
        if not page.raw.strip(_BLANKS):
            return ListingFailed(SyncStatus.FAILED, "the page is empty")
        if self._is_sign_in(page):
            message = "the page looks like a sign-in page now; give an auth_header, or another URL"
            return ListingFailed(SyncStatus.NEEDS_LOGIN, message)
        if self._is_front_page(page):
            message = "the address leads to another page of the site now; give the new URL"
            return ListingFailed(SyncStatus.FAILED, message)
        self._raw = page.raw
        state = {
            "etag": page.validators.etag,
            "last_modified": page.validators.last_modified,
            "bytes": len(page.raw),
            "landed": page.url,
            "asks_password": _asks_password(page),
        }
        return Listing(
            (_describe(self._url, page),),
            is_certain=True,
            state=state,
            ask_elsewhere=self._ask_elsewhere,
        )

    def _ask_elsewhere(self) -> tuple[SourceItem, bytes] | None:
        headers = {"Authorization": self._secret} if self._secret else {}
        url = address_beside(self._url, new_id())
        page = self._web.get(url, headers=headers)
        return (_describe(url, page), page.raw) if isinstance(page, Page) else None

    def _convert_failure(self, failed: Failed) -> Listing | ListingFailed:
        if failed.kind is FailureKind.GONE:
            return Listing((), (Problem(self._url, failed.message),), is_certain=True)
        return ListingFailed.from_failure(failed)

    def _is_sign_in(self, page: Page) -> bool:
        """Tell whether a page that asks who is there replaced the real one.

        A redirect that takes along where it came from comes back once somebody has signed in.
        """
        before = self._state.get("bytes", 0)
        is_another = page.url != self._state.get("landed", page.url)
        is_smaller = len(page.raw) < before * _MUCH_SMALLER
        is_new = is_another or is_smaller or not self._state.get("asks_password", True)
        return (is_new and _asks_password(page)) or leads_back(page.url, self._url)

    def _is_front_page(self, page: Page) -> bool:
        """Tell whether the front page of a site replaced the real one."""
        return is_front_page(page.url) and not is_front_page(self._state.get("landed", page.url))

    def read(self, items: Sequence[SourceItem]) -> Iterator[tuple[SourceItem, bytes | Problem]]:
        for item in items:
            yield item, self._raw


def _describe(url: str, page: Page) -> SourceItem:
    return SourceItem(
        url,
        version=hashlib.sha256(page.raw).hexdigest(),
        media_type=page.media_type,
        charset=page.charset,
        changed_at=page.changed_at,
    )


def _asks_password(page: Page) -> bool:
    return _PASSWORD_FIELD.search(page.raw) is not None


def create_connector(context: ConnectorContext) -> Url:
    return Url(context)
