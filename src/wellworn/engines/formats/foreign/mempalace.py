"""Reads a palace of MemPalace: its drawers in Chroma's SQLite file, and its knowledge graph.

Source: mempalace 3.11, mcp_server/tools_write.py and knowledge_graph.py; chromadb 1.5.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any, Final

from wellworn.engines.formats.foreign.files import list_columns, read_rows
from wellworn.engines.formats.foreign.memories import ForeignMemory
from wellworn.engines.formats.lines import Tell, list_inside

NAME: Final = "mempalace"
_DRAWERS, _GRAPH = "chroma.sqlite3", "knowledge_graph.sqlite3"
_TRIPLES: Final = frozenset({"subject", "predicate", "object", "valid_from", "valid_to"})
_READ_DRAWERS: Final = """
SELECT e.embedding_id, m.key, coalesce(m.string_value, m.int_value)
FROM collections c JOIN segments s ON s.collection = c.id JOIN embeddings e ON e.segment_id = s.id
JOIN embedding_metadata m ON m.id = e.id WHERE c.name = 'mempalace_drawers' ORDER BY e.id
"""
_READ_TRIPLES: Final = """
SELECT t.id, coalesce(s.name, t.subject), t.predicate, coalesce(o.name, t.object),
coalesce(t.valid_from, t.extracted_at), t.valid_to
FROM triples t LEFT JOIN entities s ON s.id = t.subject LEFT JOIN entities o ON o.id = t.object
"""


def is_mempalace(path: Path) -> bool:
    """Tell whether a file or folder is a palace, or what the program keeps one in."""
    if path.is_dir():
        return any(is_mempalace(path / each) for each in (_DRAWERS, f"palace/{_DRAWERS}", _GRAPH))
    if list_columns(path, "triples") >= _TRIPLES:
        return True
    query = "SELECT 1 FROM collections WHERE name = 'mempalace_drawers'"
    return bool(list_columns(path, "embedding_metadata")) and any(read_rows(path, query))


def read_mempalace(path: Path, tell: Tell) -> Iterator[ForeignMemory]:
    """Yield each drawer, or each piece of a long one, then each fact of the graph."""
    files = [path] if path.is_file() else [*list_inside(path, _is_read, tell)]
    for file in files:
        if list_columns(file, "embedding_metadata"):
            rows = groupby(read_rows(file, _READ_DRAWERS), key=itemgetter(0))
            for key, fields in rows:
                yield _build_drawer(str(key), {name: value for _, name, value in fields})
        elif list_columns(file, "triples") >= _TRIPLES:
            for key, subject, predicate, thing, since, until in read_rows(file, _READ_TRIPLES):
                text = f"{subject} {str(predicate).replace('_', ' ')} {thing}"
                yield ForeignMemory(NAME, str(key), text, said_at=since, ended_at=until)


def _is_read(file: Path) -> bool:
    return file.name in {_DRAWERS, _GRAPH}


def _build_drawer(key: str, fields: Mapping[str, Any]) -> ForeignMemory:
    place = fields.get("chunk_index")
    return ForeignMemory(
        NAME,
        key,
        str(fields.get("chroma:document") or ""),
        author=str(fields.get("added_by") or fields.get("agent") or ""),
        tags=tuple(str(fields[name]) for name in ("wing", "room", "topic") if fields.get(name)),
        said_at=fields.get("last_modified") or fields.get("filed_at"),
        session=fields.get("parent_drawer_id"),
        position=place if "parent_drawer_id" in fields and isinstance(place, int) else None,
        note=str(fields.get("source_file") or ""),
    )
