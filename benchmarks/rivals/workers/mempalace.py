"""MemPalace: drawers in its default backend, filed and searched by its MCP tools' own functions."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Sequence
from importlib import import_module
from importlib.metadata import version
from pathlib import Path

from benchmarks.rivals.workers.protocol import serve

_LONGEST = 100_000  # characters that one call of its tool takes


class Palace:
    """Texts become drawers; `source_file`, which comes back with a hit, names the first position.

    It keeps equal texts once, so a hit stands for every position that has its text.
    """

    def __init__(self, folder: Path, encoder_url: str) -> None:
        self.version = version("mempalace")
        self._path = str(folder / "palace")
        os.environ |= {
            "MEMPALACE_PALACE_PATH": self._path,
            "MEMPALACE_EMBEDDING_MODEL": "openai-compat",
            "MEMPALACE_EMBEDDING_API_URL": encoder_url,
            "MEMPALACE_EMBEDDING_API_MODEL": "all-MiniLM-L6-v2",
        }
        self._positions: defaultdict[str, list[int]] = defaultdict(list)
        self._equal: dict[int, list[int]] = {}
        self._tools = import_module("mempalace.mcp_server")
        self._searcher = import_module("mempalace.searcher")

    def index(self, texts: Sequence[str]) -> None:
        for position, text in enumerate(texts):
            positions = self._positions[text]
            positions.append(position)
            if len(positions) == 1:
                self._equal[position] = positions
                self._file_parts(text, str(position))

    def _file_parts(self, text: str, source: str) -> None:
        for start in range(0, len(text) or 1, _LONGEST):
            self._file(text[start : start + _LONGEST] or "-", source)

    def _file(self, text: str, source: str) -> None:
        filed = self._tools.tool_add_drawer("bench", "units", text, source)
        if not filed.get("success"):
            raise RuntimeError(f"not filed: {filed}")

    def search(self, query: str, k: int) -> list[int]:
        found = self._searcher.search_memories(query, self._path, n_results=k)
        firsts = [int(hit["source_path"]) for hit in found["results"]]
        return [position for first in firsts for position in self._equal[first]]

    def count(self) -> int:
        return import_module("mempalace.palace").get_collection(self._path).count()


if __name__ == "__main__":
    serve(Palace)
