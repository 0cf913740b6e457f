"""`site_knowledge/`: what a user's visits taught about each site, one file a site.

They are the user's own files: which sites somebody visits is nobody else's business.

Source: the specification of document IO, section 7.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final, cast

from wellworn.domain.turns.files import Vault
from wellworn.domain.turns.research.store import SiteRecord
from wellworn.domain.turns.webpages import (
    EXTRACTED_DATA,
    list_cached_pages,
    read_json,
    write_json,
)
from wellworn.kit.clock import to_iso

FOLDER: Final = "site_knowledge"
_UNSAFE: Final = re.compile(r"[^a-z0-9.-]+")
_LONGEST_NAME: Final = 200


def write_site_knowledge(
    vault: Vault, folder: str, site: str, record: SiteRecord, *, unread: Sequence[str]
) -> None:
    """Write how visits to a site went, and which fields its pages have.

    Args:
        vault: of the user.
        folder: of the turn that visited it last.
        site: its name.
        record: all of the user's visits to it.
        unread: pages of it that the turn could not read.
    """
    path = _find_path(site)
    known = read_json(vault, path) or {}
    pages = [page for page in list_cached_pages(vault, folder) if page.site == site]
    fields = {
        field for page in pages for field in read_json(vault, f"{page.path}/{EXTRACTED_DATA}") or {}
    }
    knowledge: dict[str, Any] = {
        **_count(site, record),
        "page_types": _join(known.get("page_types"), {page.content_type for page in pages}),
        "fields": _join(known.get("fields"), fields),
        "unread": list(unread) or known.get("unread", []),
    }
    write_json(vault, path, knowledge)


def amend_site_knowledge(vault: Vault, site: str, record: SiteRecord) -> None:
    """Count a site's visits anew; without any, nothing is known of it."""
    path = _find_path(site)
    if record.visits == 0:
        vault.remove(path)
    elif (known := read_json(vault, path)) is not None:
        write_json(vault, path, known | _count(site, record))


def _find_path(site: str) -> str:
    return f"{FOLDER}/{_UNSAFE.sub('_', site)[:_LONGEST_NAME]}.json"


def _count(site: str, record: SiteRecord) -> dict[str, Any]:
    return {
        "site": site,
        "visits": record.visits,
        "failures": record.failures,
        "cited": record.cited,
        "reliability": record.reliability,
        "last_visited_at": to_iso(record.last_visited_at),
    }


def _join(known: object, new: set[str]) -> list[str]:
    """Return what was known and what is new; whatever people made of the file."""
    before = cast("list[object]", known) if isinstance(known, list) else []
    return sorted(new.union(map(str, before)))
