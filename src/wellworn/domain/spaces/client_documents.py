"""Descriptions that clients publish of themselves: a client's id is the https address of one.

Whoever connects names the address, so it is fetched only where an admin's setting allows that: from
public addresses alone, or the private networks that are allowed for sources, never from this
server, without following redirects. Nothing of it is kept.

Source: draft-ietf-oauth-client-id-metadata-document-00; MCP 2025-11-25, authorization.
"""

from __future__ import annotations

import json
from ssl import SSLContext
from threading import BoundedSemaphore
from typing import Any, Final, cast

from wellworn.engines.fetch import Failed, FetchSettings, Page, WebClient, web_url

MOST_BYTES: Final = 16 * 1024
DEADLINE_S: Final = 5.0
_MOST_AT_ONCE: Final = 4
_LONGEST_ADDRESS: Final = 500
_SCHEME: Final = "https://"
_CONTENT: Final = "json"


class ClientDocuments:
    """Fetches descriptions of clients; safe to share between threads.

    >>> ClientDocuments(None).fetch("https://editor.example/client.json")  # switched off
    """

    def __init__(self, settings: FetchSettings | None, *, tls: SSLContext | None = None) -> None:
        """Prepare to fetch within the limits of sources; None fetches nothing, ever.

        `tls` says whom to trust where that is not the usual authorities.
        """
        self._slots = BoundedSemaphore(_MOST_AT_ONCE)
        self._web = None if settings is None else WebClient(_narrow(settings), tls=tls)

    @property
    def is_on(self) -> bool:
        """Whether an admin allows to fetch them."""
        return self._web is not None

    def fetch(self, client_id: str) -> dict[str, Any] | None:
        """Return what a client says of itself at its id.

        None for whatever goes wrong, and for a client whose document is another's: why is not told,
        as whoever asks would learn what this server can reach.
        """
        if self._web is None or not is_document_address(client_id):
            return None
        if not self._slots.acquire(timeout=DEADLINE_S):
            return None
        try:
            page = self._web.get(client_id, headers={"accept": "application/json"})
        finally:
            self._slots.release()
        if not isinstance(page, Page) or _CONTENT not in page.media_type:
            return None
        try:
            value: object = json.loads(page.raw)
        except (ValueError, RecursionError):
            return None
        if not isinstance(value, dict):
            return None
        document = cast("dict[str, Any]", value)
        return document if document.get("client_id") == client_id else None


def is_document_address(client_id: str) -> bool:
    """Tell whether a client's id is the address of its description, and no id of this server's."""
    return find_site(client_id) != ""


def find_site(client_id: str) -> str:
    """Return the host and port of a client's address; empty for an id that is none.

    The address is https, has a path, and neither a user nor a fragment nor steps like `..`.
    """
    is_plain = client_id.isascii() and client_id.isprintable()
    is_short = len(client_id) <= _LONGEST_ADDRESS
    if not (is_plain and is_short and client_id.startswith(_SCHEME)) or set(" #\\") & set(
        client_id
    ):
        return ""
    place, _, path = client_id.removeprefix(_SCHEME).partition("/")
    steps = path.partition("?")[0].split("/")
    is_whole = any(steps) and not {".", ".."} & set(steps) and not set("?@") & set(place)
    return place if is_whole and not isinstance(web_url(client_id), Failed) else ""


def _narrow(settings: FetchSettings) -> FetchSettings:
    """Return settings for one small document that answers at once, at this address."""
    limits = {
        "most_bytes": min(settings.most_bytes, MOST_BYTES),
        "deadline_s": min(settings.deadline_s, DEADLINE_S),
        "most_redirects": 0,
        "retry_waits_s": (),
    }
    return settings.model_copy(update=limits)
