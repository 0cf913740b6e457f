"""wellworn for the memorybench harness, which judges memory systems side by side.

    python -m memorybench.run --system benchmarks.memorybench:make --tasks locomo --split dev

Each corpus gets a fresh server; a system there is two methods, `index` and `search`.
"""

from __future__ import annotations

import atexit
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Protocol
from uuid import NAMESPACE_URL, uuid5

from rich.console import Console

from benchmarks.filling import filled, settled
from benchmarks.processes import serving
from benchmarks.run import Run
from benchmarks.wire import Caller

_MOST = 50


class Doc(Protocol):
    """What the harness gives: a text, and who said it where and when, apart from one another."""

    id: str
    text: str
    group: str
    speaker: str
    position: int
    extra: str


class Wellworn:
    """One memory at a time, behind a real server."""

    def __init__(self, method: str = "hybrid") -> None:
        self._method = method
        self._open = ExitStack()
        self._ids: dict[str, str] = {}
        atexit.register(self._open.close)

    def index(self, docs: Sequence[Doc]) -> None:
        """Forget everything, then take in the documents."""
        self._open.close()
        folder = Path(self._open.enter_context(tempfile.TemporaryDirectory(prefix="wellworn-")))
        server = self._open.enter_context(serving(folder / "home"))
        records = list(_records(docs))
        self._ids = {record["id"]: doc.id for record, doc in zip(records, docs, strict=True)}
        run = Run(folder=folder, console=Console(stderr=True), sizes=())
        filled(run, server, records, len(records))
        settled(server, len(records))
        self._caller = self._open.enter_context(Caller(server.port))

    def search(self, query: str, k: int, *, asked_at: str = "") -> list[str]:
        """Return ids, best first; at most 50, which is the most an answer holds."""
        del asked_at
        limit = min(k, _MOST)
        _, reply = self._caller.asked(query, limit=limit, retrieval_method=self._method)
        return [self._ids[source["thought_id"]] for source in reply["result"]["sources"]]


def make() -> Wellworn:
    """Return wellworn as shipped."""
    return Wellworn()


def make_vector() -> Wellworn:
    """Return wellworn by vectors alone."""
    return Wellworn("vector")


def _records(docs: Sequence[Doc]) -> Iterator[dict[str, Any]]:
    for doc in docs:
        author = doc.speaker or doc.group or "document"
        content = f"{doc.text} [{doc.extra}]" if doc.speaker and doc.extra else doc.text
        yield {
            "record": "thought",
            "kind": "turn" if doc.speaker else "thought",
            "id": str(uuid5(NAMESPACE_URL, f"{doc.group}\x1f{doc.position}\x1f{doc.id}")),
            "content": content[:10_000] or "(nothing)",
            "contributor_id": author[:100],
            "contributor_name": author[:100],
            "session": doc.group or None,
            "position": doc.position,
        }
