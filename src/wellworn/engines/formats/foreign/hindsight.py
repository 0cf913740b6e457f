"""Reads the archive that Hindsight exports of a bank: a ZIP with its documents and their facts.

Source: hindsight-api 1.1, engine/transfer/schema.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final
from zipfile import is_zipfile

from wellworn.engines.formats.foreign.files import read_archive
from wellworn.engines.formats.foreign.memories import ForeignMemory, list_texts
from wellworn.engines.formats.lines import Tell, list_objects, to_object

NAME: Final = "hindsight"
_MANIFEST: Final = "manifest.json"


def is_hindsight(path: Path) -> bool:
    """Tell whether a file is such an archive."""
    if not is_zipfile(path):
        return False
    manifests = read_archive(path, lambda name: name == _MANIFEST, lambda _: None)
    return any("source_bank_id" in to_object(value) for _, value in manifests)


def read_hindsight(path: Path, tell: Tell) -> Iterator[ForeignMemory]:
    """Yield each fact of each document, and each observation where the archive has them."""
    for name, value in read_archive(path, _is_read, tell):
        document = to_object(value)
        key, tags = str(document.get("id") or name), tuple(list_texts(document.get("tags")))
        facts = list_objects(document.get("facts") if document else value)
        for number, fact in enumerate(facts):
            yield _build(f"{key}/{number}", fact, tags)


def _is_read(name: str) -> bool:
    return name == "observations.json" or name.startswith("documents/")


def _build(key: str, fact: dict[str, Any], tags: tuple[str, ...]) -> ForeignMemory:
    times = ("mentioned_at", "occurred_start", "event_date", "created_at")
    context = fact.get("context")
    return ForeignMemory(
        NAME,
        str(fact.get("source_id") or key),
        str(fact.get("text") or ""),
        tags=(*tags, *list_texts(fact.get("tags")), *list_texts(fact.get("entities"))),
        said_at=next(filter(None, (fact.get(name) for name in times)), None),
        note=context if isinstance(context, str) else "",
    )
