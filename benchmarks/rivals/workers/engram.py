"""engram-search: its retrieval pipeline (vectors, BM25, names and quotes, fused by rank)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

from benchmarks.rivals.workers.protocol import serve

_BATCH = 64


class Encoder:
    """The pipeline's own seam for an encoder; its ready-made ones load models from a hub."""

    dimension = 384

    def __init__(self, url: str) -> None:
        self._url = f"{url}/embeddings"

    def encode_query(self, text: str) -> list[float]:
        return self.encode_documents([text])[0]

    def encode_documents(self, texts: Sequence[str]) -> list[list[float]]:
        body = json.dumps({"input": list(texts)}).encode()
        with urlopen(Request(self._url, body)) as reply:  # noqa: S310 - the encoder, on loopback
            return [row["embedding"] for row in json.load(reply)["data"]]


class Engram:
    """Documents in a list, as the pipeline takes them; a document's id is its position."""

    def __init__(self, folder: Path, encoder_url: str) -> None:
        del folder
        self.version = version("engram-search")
        self._encoder = Encoder(encoder_url)
        pipeline: Any = import_module("engram.retrieval.pipeline")
        self._document: Any = pipeline.Document
        self._pipeline = pipeline.RetrievalPipeline(embedder=self._encoder, use_reranker=False)
        self._documents: list[Any] = []

    def index(self, texts: Sequence[str]) -> None:
        for start in range(0, len(texts), _BATCH):
            batch = texts[start : start + _BATCH]
            vectors = self._encoder.encode_documents(batch)
            for position, (text, vector) in enumerate(zip(batch, vectors, strict=True), start):
                kept = self._document(id=str(position), text=text, embedding=vector)
                self._documents.append(kept)

    def search(self, query: str, k: int) -> list[int]:
        found = self._pipeline.search(query, self._documents, top_k=k)
        return [int(document.id) for document in found]

    def count(self) -> int:
        return len(self._documents)


if __name__ == "__main__":
    serve(Engram)
