"""wellworn as a system under measure: a server on an empty data folder for each corpus.

It is filled through import and asked through the one endpoint that agents use, with the traces
that leaves. Questions are never stored.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path
from typing import Final, Literal, Self

from benchmarks.retrieval.models import Doc
from benchmarks.retrieval.records import record_id, records
from wellworn.client import Wellworn

Method = Literal["hybrid", "vector"]
Host = Callable[[Path], AbstractContextManager[str]]
"""Runs a server on a data folder for the length of a block and gives its address."""

MOST: Final = 50
"""Results that one answer holds at most."""


def _ignored(_: int) -> None:
    """Do nothing with a number of units."""


class ServedMemory:
    """One memory at a time, behind a server that `host` runs.

    Args:
        host: runs the servers.
        method: how to search; the server's own default when absent.
        on_batch: told how many units each batch of an import held.
        settle: called with the number of units once all are in, before the first question.

    Raises:
        WellwornClientError: the server refused something or did not answer.
    """

    def __init__(
        self,
        host: Host,
        *,
        method: Method | None = None,
        on_batch: Callable[[int], None] = _ignored,
        settle: Callable[[int], None] = _ignored,
    ) -> None:
        self._host = host
        self._method: Method | None = method
        self._on_batch = on_batch
        self._settle = settle
        self._open = ExitStack()
        self._fresh: Wellworn | None = None
        self._memory: Wellworn | None = None
        self._ids: dict[str, str] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the server and delete its data."""
        self._fresh = self._memory = None
        self._open.close()

    def renew(self) -> None:
        """Start an empty memory ahead of `index`, so that this is no part of the indexing time."""
        self._fresh = self._started()

    def index(self, docs: Sequence[Doc]) -> None:
        """Forget everything, then import the units."""
        self._memory, self._fresh = self._fresh or self._started(), None
        self._ids = {record_id(doc): doc.id for doc in docs}
        self._memory.import_records(records(docs), on_batch=self._on_batch, wait="embedded")
        self._settle(len(docs))

    def search(self, query: str, k: int, *, asked_at: str = "") -> list[str]:
        """Return ids, best first, however far; at most 50, which is the most an answer holds."""
        del asked_at  # memory answers as of now
        if self._memory is None:
            return []
        reply = self._memory.recall(
            query,
            limit=min(k, MOST),
            retrieval_method=self._method,
            min_relevance=0.0,
            explain=False,
        )
        return [self._ids[source.thought_id] for source in reply.sources]

    def _started(self) -> Wellworn:
        self.close()
        folder = self._open.enter_context(tempfile.TemporaryDirectory(prefix="wellworn-bench-"))
        url = self._open.enter_context(self._host(Path(folder) / "home"))
        return self._open.enter_context(Wellworn(url, agent_id="bench", key="", space=""))
