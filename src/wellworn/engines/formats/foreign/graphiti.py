"""Reads facts of Graphiti: its edges as JSON, as `EntityEdge.model_dump(mode="json")` writes them.

Graphiti has no export of its own; docs/how-to/import-your-notes.md has the lines that make one.

Source: graphiti-core 0.31, edges.py.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import Any, Final

from wellworn.engines.formats.foreign.files import read_json_items
from wellworn.engines.formats.foreign.memories import ForeignMemory
from wellworn.engines.formats.lines import Tell, list_objects, to_object

NAME: Final = "graphiti"
_NEEDED: Final = frozenset({"uuid", "fact", "source_node_uuid", "target_node_uuid"})


def is_graphiti(value: Mapping[str, Any]) -> bool:
    """Tell whether a value is an edge, or an object with a list of edges."""
    return value.keys() >= _NEEDED or any(map(is_graphiti, list_objects(value.get("edges"))))


def read_graphiti(path: Path, tell: Tell) -> Iterator[ForeignMemory]:
    """Yield each fact, from when it was true on and, where it is over, until when."""
    values = map(to_object, read_json_items(path, tell))
    edges = chain.from_iterable(list_objects(value.get("edges")) or [value] for value in values)
    for number, edge in enumerate(edges, start=1):
        if not is_graphiti(edge):
            tell(f"{path.name}: item {number} is no edge with a fact")
            continue
        yield ForeignMemory(
            NAME,
            str(edge["uuid"]),
            str(edge["fact"]),
            author=str(edge.get("group_id") or ""),
            tags=(str(edge["name"]).replace("_", " ").lower(),) if edge.get("name") else (),
            said_at=edge.get("valid_at") or edge.get("created_at"),
            ended_at=edge.get("invalid_at") or edge.get("expired_at"),
        )
