"""mcp-memory-service: its SQLite store, searched as its `memory_search` tool searches it."""

from __future__ import annotations

import asyncio
import os
from collections import defaultdict
from collections.abc import Sequence
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any

from benchmarks.rivals.workers.protocol import serve

_BATCH = 64


class MemoryService:
    """It keeps equal texts once, so a hit stands for every position that has its text."""

    def __init__(self, folder: Path, encoder_url: str) -> None:
        self.version = version("mcp-memory-service")
        os.environ |= {
            "MCP_MEMORY_STORAGE_BACKEND": "sqlite_vec",
            "MCP_EXTERNAL_EMBEDDING_URL": f"{encoder_url}/embeddings",
            "MCP_EXTERNAL_EMBEDDING_MODEL": "all-MiniLM-L6-v2",
        }
        package = "mcp_memory_service"
        self._memory: Any = import_module(f"{package}.models.memory").Memory
        self._hashed: Any = import_module(f"{package}.utils.hashing").generate_content_hash
        storage: Any = import_module(f"{package}.storage.sqlite_vec").SqliteVecMemoryStorage
        self._storage = storage(str(folder / "memory.db"))
        self._loop = asyncio.new_event_loop()
        self._loop.run_until_complete(self._storage.initialize())
        self._positions: defaultdict[str, list[int]] = defaultdict(list)

    def index(self, texts: Sequence[str]) -> None:
        memories: dict[str, Any] = {}
        for position, text in enumerate(texts):
            content = text or "-"
            key = self._hashed(content)
            self._positions[key].append(position)
            memories.setdefault(key, self._memory(content=content, content_hash=key))
        waiting = list(memories.values())
        for start in range(0, len(waiting), _BATCH):
            batch = waiting[start : start + _BATCH]
            stored = self._loop.run_until_complete(self._storage.store_batch(batch))
            if not all(is_stored for is_stored, _ in stored):
                raise RuntimeError(f"not stored: {stored}")

    def search(self, query: str, k: int) -> list[int]:
        is_hybrid = os.environ.get("RIVAL_STRATEGY") == "hybrid"
        retrieve = self._storage.retrieve_hybrid if is_hybrid else self._storage.retrieve
        found = self._loop.run_until_complete(retrieve(query, n_results=k))
        hashes = [hit.memory.content_hash for hit in found]
        return [position for key in hashes for position in self._positions[key]]

    def count(self) -> int:
        return self._loop.run_until_complete(self._storage.count_all_memories())


if __name__ == "__main__":
    serve(MemoryService)
