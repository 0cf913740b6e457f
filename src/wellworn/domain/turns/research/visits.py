"""Which pages a turn tried to read, and whether its answer cites them, by its journal. Pure."""

from __future__ import annotations

from wellworn.domain.turns.journal import CallEntry, TurnJournal
from wellworn.domain.turns.models import EvidenceKind, Response
from wellworn.domain.turns.research.store import VisitRecord
from wellworn.domain.turns.webpages import find_site


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
