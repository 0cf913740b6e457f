"""Reads the database of mcp-memory-service, whose table `memories` also holds what was superseded.

Source: doobidoo/mcp-memory-service 12.4, storage/mixins/migrations.py; the columns before version
10 are enough.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from wellworn.engines.formats.foreign.files import list_columns, read_rows
from wellworn.engines.formats.foreign.memories import ForeignMemory
from wellworn.engines.formats.lines import Tell, to_object

NAME: Final = "mcp-memory-service"
_NEEDED: Final = frozenset({"content_hash", "content", "tags", "memory_type", "metadata"})
_UNTAGGED: Final = "untagged"


def is_mcp_memory_service(path: Path) -> bool:
    """Tell whether a file is such a database."""
    return list_columns(path, "memories") >= _NEEDED


def read_mcp_memory_service(path: Path, tell: Tell) -> Iterator[ForeignMemory]:
    """Yield every memory, with what it superseded; `tell` is told how many are deleted there."""
    columns = list_columns(path, "memories")
    wanted = ("content_hash", "content", "tags", "memory_type", "metadata", "created_at")
    more = [name if name in columns else "NULL" for name in ("superseded_by", "deleted_at")]
    query = f"SELECT {', '.join((*wanted, *more))} FROM memories ORDER BY id"  # noqa: S608 - names of ours
    rows = list(read_rows(path, query))
    memories = {row[0]: _build_memory(row) for row in rows if row[-1] is None}
    if deleted := len(rows) - len(memories):
        tell(f"{path.name}: {deleted} were deleted there")
    older: defaultdict[str, list[ForeignMemory]] = defaultdict(list)
    for key, *_, newer, _ in rows:
        if key in memories and newer:
            older[newer].append(memories[key])
    for key, memory in memories.items():
        yield replace(memory, replaces=tuple(older[key]))


def _build_memory(row: Any) -> ForeignMemory:
    key, text, tags, kind, metadata, created_at, *_ = row
    said = _read_object(metadata)
    named = [tag.strip() for tag in (tags or "").split(",")]
    return ForeignMemory(
        NAME,
        str(key),
        str(text),
        author=str(said.get("agent_id") or said.get("hostname") or ""),
        tags=tuple(tag for tag in (*named, kind or "") if tag and tag != _UNTAGGED),
        said_at=created_at,
    )


def _read_object(text: object) -> dict[str, Any]:
    try:
        return to_object(json.loads(text)) if isinstance(text, str) else {}
    except (ValueError, RecursionError):
        return {}
