"""What a unit of a data set becomes in a memory: the one mapping, for every way of measuring.

It is what an import of the same material would store: turns with speaker, session and time,
documents as thoughts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any, Final

from benchmarks.retrieval.models import Doc
from benchmarks.retrieval.moments import moment
from wellworn.kit.ids import derive_id

_LONGEST: Final = 10_000
"""Characters of a thought; what a text has beyond them is cut."""
_LONGEST_NAME: Final = 100
_DOCUMENT: Final = "document"


def records(docs: Iterable[Doc]) -> Iterator[dict[str, Any]]:
    """Yield a record for each unit, in the form that import takes; ids follow from the unit's."""
    places: Counter[str] = Counter()
    for doc in docs:
        yield _record(doc, places[doc.group])
        places[doc.group] += 1


def record_id(doc: Doc) -> str:
    """Return the id under which a unit is stored."""
    return derive_id("evals", doc.group, doc.id)


def _record(doc: Doc, place: int) -> dict[str, Any]:
    contributor = (doc.speaker or _DOCUMENT)[:_LONGEST_NAME]
    record: dict[str, Any] = {
        "record": "thought",
        "kind": "turn" if doc.speaker else "thought",
        "id": record_id(doc),
        "content": _content(doc),
        "contributor_id": contributor,
        "contributor_name": contributor,
        "session": doc.group or None,
        "position": place,
    }
    # Turns of one session often share its time; their positions keep them in order.
    told = moment(doc.time)
    return record if told is None else {**record, "created_at": told}


def _content(doc: Doc) -> str:
    # A document's heading is part of its text already; an image's caption is part of no text.
    text = f"{doc.text} [{doc.extra}]" if doc.speaker and doc.extra else doc.text
    stored = text.replace("\x00", "").encode("utf-8", "replace").decode("utf-8").strip()
    return stored[:_LONGEST] or "(nothing)"
