"""Finds where a page leads by itself: a `<meta http-equiv="refresh">` in its head.

Sites that cannot answer with a status, such as those of files alone, redirect so.

Source: HTML Living Standard, section 4.2.5.3 (pragma directives).
"""

from __future__ import annotations

import html
import re
from typing import Final

import httpx2

_HEAD: Final = 16_384
_BODY: Final = re.compile(rb"<body[\s>]", re.IGNORECASE)
_APART: Final = re.compile(
    rb"<!--.*?(?:-->|\Z)|<(noscript|template|script|style)\b.*?(?:</\1|\Z)",
    re.IGNORECASE | re.DOTALL,
)
_META: Final = re.compile(rb"<meta\b[^>]{0,2000}>", re.IGNORECASE)
_REFRESHES: Final = re.compile(rb"http-equiv\s*=\s*[\"']?\s*refresh\b", re.IGNORECASE)
_CONTENT: Final = re.compile(
    rb"content\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|(\S[^\s>]*))", re.IGNORECASE
)
_LEADS: Final = re.compile(
    r"\s*+(\d{1,3})(?:\.\d*+)?+(?:\s*+[;,]\s*+|\s++)(?:url\s*+=\s*+)?+(.+)", re.IGNORECASE
)
_SOON_S: Final = 5
"""The longest wait of a redirect; a longer one is meant for reading the page first."""


def find_refresh(url: httpx2.URL, raw: bytes) -> str | None:
    """Return where a page leads at once or soon; None where it does not, or to itself."""
    head = _APART.sub(b"", raw[:_HEAD])
    body = _BODY.search(head)
    for meta in _META.findall(head[: body.start()] if body else head):
        content = _CONTENT.search(meta) if _REFRESHES.search(meta) else None
        written = next(filter(None, content.groups()), b"") if content else b""
        leads = _LEADS.match(html.unescape(written.decode("utf-8", "replace")))
        if leads is None or int(leads[1]) > _SOON_S:
            continue
        location = leads[2].strip().strip("\"'")
        return location if _leads_on(url, location) else None
    return None


def _leads_on(url: httpx2.URL, location: str) -> bool:
    """Tell whether a location is another page: no script, and no place of this one."""
    try:
        target = url.join(location)
    except (httpx2.InvalidURL, ValueError):
        return False
    is_here = target.copy_with(fragment=None) == url.copy_with(fragment=None)
    return target.scheme in {"http", "https"} and not is_here
