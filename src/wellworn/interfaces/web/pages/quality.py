"""Quality: how often the memory answers, how fast, and what it could not do."""

from __future__ import annotations

from collections import Counter
from itertools import chain
from typing import Final

from wellworn.client import models as shapes
from wellworn.domain.audit import Action
from wellworn.errors import Forbidden
from wellworn.interfaces.web.requests import PageRequest, PageTable, Screen

table = PageTable()

_MOST_DECISIONS: Final = 100


@table.get("/quality")
def show_quality(request: PageRequest) -> Screen:
    """Return the shares of what was answered, of names and of questions, and the server's times."""
    access = request.access
    with request.app.call(access, Action.KNOWLEDGE_READ) as call:
        quality = shapes.Quality.of(call.services.discovery.quality(call.access))
    with request.app.call(access, Action.THOUGHT_LISTED) as call:
        found = call.services.thoughts.decisions.list_decisions(call.access, limit=_MOST_DECISIONS)
        shown = Counter(each.thought_id for one in found.decisions for each in one.shown)
        judged = (chain(each.shown, each.withheld) for each in found.decisions)
        call.touch(each.thought_id for each in chain.from_iterable(judged))
    searched = [each for each in found.decisions if each.ranked is not None]
    answered = Counter(each.answered for each in searched)
    try:
        workload = shapes.Workload.of(request.app.measure_workload(access))
    except Forbidden:
        workload = None
    return Screen(
        "quality.html",
        {
            "quality": quality,
            "names": [
                ("Answered", quality.resolved),
                ("Asked back", quality.ambiguous),
                ("Not stated", quality.not_stated),
                ("Unknown", quality.unknown),
            ],
            "questions": [
                ("Answered", answered[True]),
                ("Not judged", answered[None]),
                ("Nothing shown answers", answered[False]),
            ],
            "searched": len(searched),
            "shown": shown.total(),
            "distinct": len(shown),
            "workload": workload,
        },
        command="wellworn knowledge quality",
        call="GET /api/knowledge/quality",
    )
