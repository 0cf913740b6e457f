"""`site_knowledge/`: what a user's visits taught about each site, one file a site.

They are the user's own files: which sites somebody visits is nobody else's business.

Source: the specification of document IO, section 7.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final, cast

from wellworn.domain.turns.files import Vault
from wellworn.domain.turns.journal import CallEntry, TurnJournal
from wellworn.domain.turns.models import EvidenceKind, Response
from wellworn.domain.turns.research.store import SiteRecord, VisitRecord
from wellworn.domain.turns.webpages import (
    EXTRACTED_DATA,
    find_site,
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
    """Count a site's visits again; forget the site if none is left."""
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


def list_visits(journal: TurnJournal, *, is_answered: bool) -> list[VisitRecord]:
    """Return a turn's visits, the last one of each page.

    Args:
        journal: of the turn.
        is_answered: whether its answer was given.
    """
    cited = _list_cited(journal) if is_answered else frozenset[str]()
    calls = [entry.call for entry in journal.entries if isinstance(entry, CallEntry)]
    visits: dict[str, VisitRecord] = {}
    for call in calls:
        read = [item for item in call.result.evidence if find_site(item.source)]
        own = {item.source for item in read if item.kind is EvidenceKind.PAGE}
        urls = [item.source for item in read]
        for url in (*urls, *filter(find_site, call.result.unread)):
            visits[url] = VisitRecord(
                url,
                find_site(url),
                is_own=url in own or url not in urls,
                is_ok=url in urls,
                is_cited=url in cited,
                visited_at=call.started_at,
            )
    return list(visits.values())


def _list_cited(journal: TurnJournal) -> frozenset[str]:
    outputs = [entry.output for entry in journal.phases]
    answers = [output for output in outputs if isinstance(output, Response)]
    numbers = {claim.evidence for answer in answers[-1:] for claim in answer.claims}
    return frozenset(item.source for item in journal.list_evidence() if item.number in numbers)
