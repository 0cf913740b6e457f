"""Reads what Mem0 keeps: its local Qdrant folder, and the SQLite file of its history.

The store holds what is true now, in pickles of points, and the history what was true before. Both
give the same ids, so each may be imported without the other, and in any order.

Source: mem0ai 2.2, memory/main.py and memory/storage.py; qdrant-client 1.20, local/persistence.py.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from wellworn.engines.formats.foreign.files import list_columns, read_pickle, read_rows
from wellworn.engines.formats.foreign.memories import ForeignMemory, list_texts
from wellworn.engines.formats.lines import Tell, list_inside, to_object

NAME: Final = "mem0"
_STORE: Final = "storage.sqlite"
_HISTORY: Final = frozenset({"memory_id", "old_memory", "new_memory", "event"})
_POINTS: Final = frozenset({"id", "point"})
_LONGEST_NUMBER_BITS: Final = 128
_TAGS: Final = ("tags", "categories", "category")
_NOTED: Final = ("run_id", "agent_id", "user_id", "role")


def is_mem0(path: Path) -> bool:
    """Tell whether a file is such a history, or a folder has such a store."""
    if path.is_file():
        return list_columns(path, "history") >= _HISTORY
    places = (f"collection/*/{_STORE}", f"*/collection/*/{_STORE}")
    return any(_is_store(file) for place in places for file in path.glob(place))


def _is_store(file: Path) -> bool:
    return file.name == _STORE and list_columns(file, "points") >= _POINTS


def read_mem0(path: Path, tell: Tell) -> Iterator[ForeignMemory]:
    """Yield what the stores below a folder hold, then what the histories there say of before."""
    files = [path] if path.is_file() else [*list_inside(path, Path.is_file, tell)]
    now = {memory.key: memory for file in files if _is_store(file) for memory in _read_store(file)}
    yield from now.values()
    for file in files:
        if list_columns(file, "history") >= _HISTORY:
            yield from _read_history(file, now, tell)


def _read_store(file: Path) -> Iterator[ForeignMemory]:
    for _, raw in read_rows(file, "SELECT id, point FROM points"):
        state = to_object(getattr(read_pickle(raw), "state", None))
        point = to_object(state.get("__dict__"))
        payload = to_object(point.get("payload"))
        # Beside memories, Mem0 keeps entities and numbers of its own.
        if isinstance(payload.get("data"), str) and payload.get("hash"):
            yield _build_memory(_write(point.get("id")), payload)


def _build_memory(key: str, payload: Mapping[str, Any]) -> ForeignMemory:
    by_agent = payload.get("role") == "assistant"
    speakers = ("actor_id", "agent_id", "user_id") if by_agent else ("actor_id", "user_id")
    noted = [f"{name}: {said}" for name in _NOTED if (said := _write(payload.get(name)))]
    return ForeignMemory(
        NAME,
        key,
        payload["data"],
        author=next(filter(None, (_write(payload.get(name)) for name in speakers)), ""),
        tags=tuple(tag for name in _TAGS for tag in list_texts(payload.get(name))),
        said_at=payload.get("updated_at") or payload.get("created_at"),
        ended_at=payload.get("expiration_date"),
        note=", ".join(noted),
    )


def _write(value: object) -> str:
    """Return a text or a number; empty for a list, which may hold itself many times over."""
    is_number = isinstance(value, int) and value.bit_length() <= _LONGEST_NUMBER_BITS
    return str(value) if isinstance(value, str) or is_number else ""


def _read_history(
    file: Path, now: Mapping[str, ForeignMemory], tell: Tell
) -> Iterator[ForeignMemory]:
    query = "SELECT memory_id, event, old_memory, new_memory, updated_at, created_at, actor_id"
    events: defaultdict[str, list[Sequence[Any]]] = defaultdict(list)
    for memory_id, *event in read_rows(file, f"{query} FROM history ORDER BY rowid"):
        events[str(memory_id)].append(event)
    deleted = {key for key, each in events.items() if each[-1][0] == "DELETE"}
    if deleted:
        tell(f"{file.name}: {len(deleted)} were deleted there")
    for key in events:
        if key not in deleted:
            yield from _list_versions(now.get(key, ForeignMemory(NAME, key, "")), events[key])


def _list_versions(
    memory: ForeignMemory, events: Sequence[Sequence[Any]]
) -> Iterator[ForeignMemory]:
    """Yield what a memory said one after the other, each with what it replaced."""
    versions: list[ForeignMemory] = []
    for _, old, new, updated_at, created_at, actor in events:
        author = memory.author or str(actor or "")
        first = None if versions else old  # where the event before it is lost
        for text, said_at in ((first, created_at), (new, updated_at or created_at)):
            if isinstance(text, str) and text not in {each.text for each in versions[-1:]}:
                versions.append(
                    replace(memory, text=text, author=author, said_at=said_at, ended_at=None)
                )
    # What it came back to is true since then, and was replaced by nothing.
    last = {each.text: each for each in versions}
    before: tuple[ForeignMemory, ...] = ()
    for version in versions:
        if version is last[version.text]:
            yield replace(version, replaces=before)
            before = (version,)
