"""Which pages a turn tried to read, and whether its answer cites them, by its journal. Pure."""

from __future__ import annotations

from wellworn.domain.turns.journal import CallEntry, TurnJournal
from wellworn.domain.turns.models import Response
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
        read = [item.source for item in call.result.evidence if find_site(item.source)]
        for url in (*read, *filter(find_site, call.result.unread)):
            is_ok, is_cited = url in read, url in cited
            visits[url] = VisitRecord(url, find_site(url), is_ok, is_cited, call.started_at)
    return list(visits.values())


def _list_cited(journal: TurnJournal) -> frozenset[str]:
    outputs = [entry.output for entry in journal.phases]
    answers = [output for output in outputs if isinstance(output, Response)]
    numbers = {claim.evidence for answer in answers[-1:] for claim in answer.claims}
    return frozenset(item.source for item in journal.list_evidence() if item.number in numbers)
