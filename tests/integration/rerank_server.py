"""A server on loopback with the usual `/rerank`, which does as a test says."""

from __future__ import annotations

import json
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from integration.embedding_server import EmbeddingServer, serving
from wellworn.engines.reading import ReadingSettings
from wellworn.testing.reader import WordReader

Rows = list[dict[str, Any]]


@dataclass
class RerankServer(EmbeddingServer):
    """Scores texts by the words of the question; answers them in the order of their scores."""

    change: Callable[[Rows], Any] = lambda rows: rows

    @property
    def sent(self) -> list[str]:
        return [text for request in self.requests for text in request["documents"]]

    def read_settings(self, **others: Any) -> ReadingSettings:
        return ReadingSettings(base_url=self.url, model="stub", **others)

    def answer(self, request: dict[str, Any]) -> bytes:
        if self.body is not None:
            return self.body
        readings = WordReader().read(request["query"], request["documents"])
        rows = [
            {"index": at, "relevance_score": reading.answers} for at, reading in enumerate(readings)
        ]
        rows.sort(key=lambda row: -row["relevance_score"])
        return json.dumps({"results": self.change(rows)}).encode()


@contextmanager
def serving_scores() -> Generator[RerankServer]:
    """Serve `/v1/rerank` until the block ends."""
    with serving(RerankServer()) as state:
        yield state
