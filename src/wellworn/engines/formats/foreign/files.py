"""Opens the files of other programs without disturbing whoever has them open, or running them."""

from __future__ import annotations

import json
import pickle
import sqlite3
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import Any, ClassVar, Final
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile

from wellworn.engines.formats.lines import Tell, read_text, to_object
from wellworn.errors import InvalidInput

_SQLITE: Final = b"SQLite format 3\x00"
_ARCHIVE: Final = ".zip"
_USES_LOG: Final = b"\x02\x02"
_LONGEST_JSON_BYTES: Final = 1_000_000_000
_LONGEST_VALUE_BYTES: Final = 100_000_000
_WAIT_S: Final = 10
_ALLOWED: Final = frozenset({sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION})


def is_database(path: Path) -> bool:
    """Tell whether a file begins like one of SQLite."""
    return read_head(path).startswith(_SQLITE)


def list_columns(path: Path, table: str) -> frozenset[str]:
    """Return the columns of a table; none where the file is no database or has no such table."""
    if not is_database(path):
        return frozenset()
    with closing(_connect(path)) as database:
        try:
            rows = database.execute("SELECT name FROM pragma_table_info(?)", (table,)).fetchall()
        except sqlite3.Error as error:
            raise _refuse(path, error) from error
        return frozenset(str(name) for (name,) in rows)


def read_rows(path: Path, query: str) -> Iterator[Sequence[Any]]:
    """Yield the rows of a query on a copy of a database, as it is committed when this begins.

    Its program may have it open: it waits no longer than a copy takes.

    Raises:
        InvalidInput: it cannot be read, or has no such tables.
    """
    # Without a name, SQLite keeps the copy in a file that nobody sees and that it removes.
    with closing(sqlite3.connect("")) as copy:
        try:
            with closing(_connect(path)) as database:
                database.backup(copy)
            _confine(copy)
            yield from copy.execute(query)
        except sqlite3.Error as error:
            raise _refuse(path, error) from error


def _connect(path: Path) -> sqlite3.Connection:
    """Open a database to read it, without a file that SQLite would leave beside it."""
    has_log = path.with_name(f"{path.name}-wal").exists()
    is_at_rest = read_head(path)[18:20] == _USES_LOG and not has_log
    mode = "immutable=1" if is_at_rest else "mode=ro"
    return sqlite3.connect(f"{path.absolute().as_uri()}?{mode}", uri=True, timeout=_WAIT_S)


def _confine(database: sqlite3.Connection) -> None:
    """Let a query read tables alone: a view can go on forever, and a column compute any size."""

    def allow(action: int, *names: str | None) -> int:
        *_, view = names
        is_allowed = view is None and action in _ALLOWED
        return sqlite3.SQLITE_OK if is_allowed else sqlite3.SQLITE_DENY

    database.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LONGEST_VALUE_BYTES)
    database.text_factory = _decode
    database.set_authorizer(allow)


def _decode(raw: bytes) -> str:
    return raw.decode("utf-8", "replace")


def _refuse(path: Path, error: sqlite3.Error) -> InvalidInput:
    return InvalidInput(f"{path.name} cannot be read as a database: {error}")


def read_head(path: Path, size: int = 100) -> bytes:
    """Return how a file begins; empty where it cannot be read."""
    try:
        with path.open("rb") as file:
            return file.read(size)
    except OSError:
        return b""


class Inert:
    """Stands for an object of any class in a pickle: it keeps a state and does nothing."""

    def __init__(self, *_: object) -> None:
        self.state: object = None

    def __setstate__(self, state: object) -> None:
        self.state = state


_SHORT_TUPLES: Final = ((1, pickle.TUPLE1), (2, pickle.TUPLE2), (3, pickle.TUPLE3))


def _load_list(reader: Any) -> None:
    held = reader.pop_mark()  # From here on, it appends to another stack.
    reader.append(held)


def _load_last(reader: Any, count: int) -> None:
    reader.stack[-count:] = [reader.stack[-count:]]


# The reader in C can be told to fill all memory; the one in Python cannot.
class _PickleReader(pickle._Unpickler):  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]
    """Reads a pickle in which every class is inert, so that nothing in it is ever called.

    Tuples and frozen sets become lists: to hash one takes twice as long with each that it holds
    twice.
    """

    dispatch: ClassVar[dict[int, Callable[[Any], None]]] = {
        **pickle._Unpickler.dispatch,  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]
        **{code[0]: _load_list for code in (pickle.TUPLE, pickle.FROZENSET)},
        **{code[0]: partial(_load_last, count=count) for count, code in _SHORT_TUPLES},
    }

    def find_class(self, module: str, name: str) -> type[Inert]:
        del module, name
        return Inert


def read_pickle(raw: bytes) -> Any:
    """Return what a pickle holds, every object of a class as `Inert`; None for a broken one."""
    try:
        return _PickleReader(BytesIO(raw)).load()
    except (
        *(pickle.UnpicklingError, ArithmeticError, AttributeError, EOFError, LookupError),
        *(MemoryError, RecursionError, TypeError, ValueError),
    ):
        return None


def read_json_items(path: Path, tell: Tell, name: str = "") -> Iterator[Any]:
    """Yield the values of a list of JSON, or of one in a ZIP archive under `name`.

    Anything else than a list is its only value. Of a file that is cut off, `tell` is told.

    Raises:
        InvalidInput: it cannot be read.
    """
    text = _read_document(path, tell, name).lstrip()
    decoder, is_list = json.JSONDecoder(), text.startswith("[")
    at, end = (1, len(text)) if is_list else (0, min(len(text), 1))
    while at < end:
        if text[at] in " \t\n,":
            at += 1
            continue
        if text[at] == "]":
            return
        try:
            value, at = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            tell(f"{path.name}: broken or cut off after {at} characters; the rest was left out")
            return
        yield value


def _read_document(path: Path, tell: Tell, name: str) -> str:
    if name and path.suffix.casefold() == _ARCHIVE:
        return next(_read_members(path, lambda each: Path(each).name == name, tell), ("", ""))[1]
    try:
        if path.stat().st_size > _LONGEST_JSON_BYTES:
            raise InvalidInput(f"{path.name} is larger than 1 GB")
        return read_text(path.read_bytes(), path.name, tell)
    except OSError:
        raise InvalidInput(f"{path.name} is missing or cannot be read") from None


def read_archive(
    path: Path, is_wanted: Callable[[str], bool], tell: Tell
) -> Iterator[tuple[str, object]]:
    """Yield the names and values of those files of JSON in a ZIP archive that are wanted.

    Raises:
        InvalidInput: it cannot be read.
    """
    for name, text in _read_members(path, is_wanted, tell):
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            tell(f"{path.name}: {name} is broken; it was left out")
            continue
        yield name, value


def _read_members(
    path: Path, is_wanted: Callable[[str], bool], tell: Tell
) -> Iterator[tuple[str, str]]:
    room = _LONGEST_JSON_BYTES
    try:
        with ZipFile(path) as archive:
            for member in archive.infolist():
                if not is_wanted(member.filename):
                    continue
                if member.file_size > room:
                    tell(f"{path.name}: {member.filename} goes beyond 1 GB; it was left out")
                    continue
                if member.compress_type not in {ZIP_STORED, ZIP_DEFLATED}:
                    tell(f"{path.name}: {member.filename} is packed unusually; it was left out")
                    continue
                room -= member.file_size
                with archive.open(member) as file:
                    raw = file.read(member.file_size)
                yield member.filename, read_text(raw, member.filename, tell)
    except (EOFError, OSError, BadZipFile, NotImplementedError, RuntimeError, zlib.error):
        raise InvalidInput(f"{path.name} is missing, encrypted, or no whole archive") from None


def read_first_value(path: Path, name: str = "") -> dict[str, Any]:
    """Return the object that a file of JSON or JSON lines is or begins with; else an empty one.

    Of a ZIP archive that is the file `name` in it.
    """
    try:
        return to_object(next(read_json_items(path, lambda _: None, name), None))
    except InvalidInput:
        return {}
