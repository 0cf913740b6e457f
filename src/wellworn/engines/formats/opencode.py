"""Finds the sessions that OpenCode keeps: in a database since 1.2, in files of JSON before it.

`opencode export` writes one of them as a file, in the same form: messages, each with its parts.
Other tables of the database are not read: its tokens and shares stay where they are.

Source: what OpenCode 1.18.33 and 1.1.65 write.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any, Final, NamedTuple

from wellworn.engines.formats.foreign.files import list_columns, read_first_value, read_rows
from wellworn.engines.formats.lines import Tell, keep_inside, list_objects, to_object
from wellworn.errors import InvalidInput

_TABLES: Final = {
    "session": frozenset({"id", "parent_id", "revert", "time_created"}),
    "message": frozenset({"id", "session_id", "time_created", "data"}),
    "part": frozenset({"id", "message_id", "data"}),
}
_QUERY: Final = """
SELECT s.id, s.parent_id, s.revert, m.id, m.data, p.id, p.data
FROM session s JOIN message m ON m.session_id = s.id LEFT JOIN part p ON p.message_id = m.id
ORDER BY s.time_created, s.id, m.time_created, m.id, p.id
"""
_DATABASES: Final = "*.db"
_EXPORT: Final = ".json"
_FOLDER: Final = "storage"
LONGEST_VALUE_BYTES: Final = 10_000_000
Json = dict[str, Any]


class OpenCodeMessage(NamedTuple):
    """A message of a session; its parts are read while they are iterated.

    Attributes:
        info: `id`, `role`, `time` and, of an answer, `modelID`.
    """

    info: Json
    parts: Iterable[Json]


class OpenCodeSession(NamedTuple):
    """A session of OpenCode, without the work of sub-agents and what the user has undone."""

    name: str
    messages: Iterator[OpenCodeMessage]


class OpenCodeStore:
    """A database, an exported session, or the folder of files that older versions wrote.

    Iterating reads it message by message, and holds no more of it than one part.

    Attributes:
        bytes_read: what was read of it so far, of `total_bytes`.
    """

    def __init__(self, path: Path, tell: Tell) -> None:
        self._path = path
        self._tell = tell
        self.bytes_read = 0
        files = path.rglob(f"*{_EXPORT}") if path.is_dir() else [path]
        self.total_bytes = sum(file.stat().st_size for file in files if file.is_file())

    def __iter__(self) -> Iterator[OpenCodeSession]:
        """Yield the sessions, oldest first.

        Raises:
            InvalidInput: it cannot be read.
        """
        if self._path.is_dir():
            yield from self._read_folder()
        elif self._path.suffix == _EXPORT:
            yield from self._read_export()
        else:
            yield from self._read_database()
        self.bytes_read = self.total_bytes

    def _read_database(self) -> Iterator[OpenCodeSession]:
        rows = read_rows(self._path, _QUERY)
        for (name, parent, revert), session in groupby(rows, key=itemgetter(0, 1, 2)):
            undone = to_object(self._parse(revert, name) if revert else None)
            if not parent:
                yield _cut_undone(str(name), self._read_messages(session), undone)

    def _read_messages(self, rows: Iterable[Any]) -> Iterator[OpenCodeMessage]:
        for (name, data), parts in groupby(rows, key=itemgetter(3, 4)):
            info = to_object(self._parse(data, name))
            yield OpenCodeMessage({**info, "id": name}, self._read_parts(parts))

    def _read_parts(self, rows: Iterable[Any]) -> Iterator[Json]:
        for *_, name, data in rows:
            if name is not None:
                yield to_object(self._parse(data, name))

    def _read_export(self) -> Iterator[OpenCodeSession]:
        value = read_first_value(self._path)
        info = to_object(value["info"])
        messages = (
            OpenCodeMessage(to_object(each.get("info")), list_objects(each.get("parts")))
            for each in list_objects(value["messages"])
        )
        if not info.get("parentID"):
            yield _cut_undone(str(info.get("id")), messages, to_object(info.get("revert")))

    def _read_folder(self) -> Iterator[OpenCodeSession]:
        sessions = [
            (file.stem, to_object(self._read_file(file)))
            for file in self._list_files(self._path / "session", "*/*")
        ]
        for name, info in sorted(sessions, key=lambda each: _read_time(each[1])):
            if not info.get("parentID"):
                yield _cut_undone(name, self._list_messages(name), to_object(info.get("revert")))

    def _list_messages(self, session: str) -> Iterator[OpenCodeMessage]:
        for file in self._list_files(self._path / "message" / session):
            parts = self._list_files(self._path / "part" / file.stem)
            info = to_object(self._read_file(file))
            read = map(to_object, map(self._read_file, parts))
            yield OpenCodeMessage({**info, "id": file.stem}, read)

    def _list_files(self, folder: Path, below: str = "*") -> Iterator[Path]:
        """Yield files in the order of their names, which is that of time."""
        found = sorted(folder.glob(f"{below}{_EXPORT}"))
        return keep_inside(self._path, found, self._tell)

    def _read_file(self, file: Path) -> object:
        """Return what a file says; of one that is too long, as much is read as shows that."""
        try:
            with file.open(encoding="utf-8", errors="replace") as opened:
                return self._parse(opened.read(LONGEST_VALUE_BYTES + 1), file.name)
        except OSError:
            self._tell(f"{file.name} is missing or cannot be read; it was left out")
            return None

    def _parse(self, text: object, name: object) -> object:
        """Return what JSON says; of what is too long or no JSON, only that it was left out."""
        if not isinstance(text, str):
            self._tell(f"{self._path.name}, {name}: no text; it was left out")
            return None
        self.bytes_read += len(text)
        if len(text) > LONGEST_VALUE_BYTES:
            megabytes = LONGEST_VALUE_BYTES // 1_000_000
            self._tell(f"{self._path.name}, {name}: longer than {megabytes} MB; it was left out")
            return None
        try:
            return json.loads(text)
        except (ValueError, RecursionError):
            self._tell(f"{self._path.name}, {name}: no JSON; it was left out")
            return None


def list_opencode_stores(path: Path, tell: Tell) -> list[OpenCodeStore]:
    """Return what OpenCode keeps at a path: a database, an export, or its data folder.

    What a database has comes first: files of JSON beside it were moved into it.
    """
    if path.is_file():
        is_own = is_opencode_database(path) or _is_export(path)
        return [OpenCodeStore(path, tell)] if is_own else []
    databases = keep_inside(path, sorted(path.glob(_DATABASES)), tell)
    places = [file for file in databases if _is_readable(file, tell)]
    places += filter(_is_folder, (path, path / _FOLDER))
    return [OpenCodeStore(place, tell) for place in places]


def is_opencode_database(path: Path) -> bool:
    """Tell whether a file is a database with sessions of OpenCode."""
    return all(list_columns(path, table) >= columns for table, columns in _TABLES.items())


def _is_readable(path: Path, tell: Tell) -> bool:
    """Tell whether a file is such a database; `tell` is told of one that is broken."""
    try:
        return is_opencode_database(path)
    except InvalidInput as refusal:
        tell(f"{refusal.message}; it was left out")
        return False


def _is_folder(path: Path) -> bool:
    return all((path / name).is_dir() for name in ("session", "message", "part"))


def _is_export(path: Path) -> bool:
    if path.suffix != _EXPORT:
        return False
    value = read_first_value(path)
    return isinstance(value.get("messages"), list) and bool(to_object(value.get("info")))


def _cut_undone(name: str, messages: Iterator[OpenCodeMessage], revert: Json) -> OpenCodeSession:
    """Return a session up to the message that its user has gone back to."""
    return OpenCodeSession(name, _until(messages, revert.get("messageID")))


def _until(messages: Iterator[OpenCodeMessage], name: object) -> Iterator[OpenCodeMessage]:
    for message in messages:
        if name is not None and message.info.get("id") == name:
            return
        yield message


def _read_time(info: Json) -> float:
    created = to_object(info.get("time")).get("created")
    return float(created) if isinstance(created, int) else 0.0
