"""SQLite's file format, read without SQLite: for a database that it cannot read any more.

Pages are those of the last transaction, its write-ahead log included. Nothing is ever written.

Source: https://www.sqlite.org/fileformat2.html.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from contextlib import suppress
from io import SEEK_END, BytesIO
from pathlib import Path
from typing import IO, Final, NamedTuple

Value = int | float | str | bytes | None

_MAGIC: Final = b"SQLite format 3\x00"
_SIZE: Final = 4096
"""Of the pages of every database that wellworn makes."""
_LARGEST_SIZE: Final = 65_536
_SIZES: Final = {2**power for power in range(9, 17)}
_HEADER_BYTES: Final = 100
_LOG_HEADER: Final = struct.Struct(">8I")
_LOG_ORDERS: Final = {0x377F0682: "<II", 0x377F0683: ">II"}
"""Orders of the numbers for the sums of a log, by how it begins."""
_FRAME_HEADER: Final = struct.Struct(">6I")
_LEAF_INDEX, _LEAF_TABLE = 10, 13
_INTERIOR: Final = {2: _LEAF_INDEX, 5: _LEAF_TABLE}
_INTEGER_BYTES: Final = (0, 1, 2, 3, 4, 6, 8)
_FLOAT, _ZERO, _ONE, _BLOB = 7, 8, 9, 12
_LARGEST_VARINT: Final = 9


class FileRow(NamedTuple):
    """A row of a table, or an entry of an index, whose last value is the number of its row."""

    rowid: int
    values: tuple[Value, ...]


class PageCells(NamedTuple):
    """The cells of a page: rows, how many more cannot be read, and the pages below it."""

    kind: int
    rows: list[FileRow]
    damaged: int
    below: list[int]


class PageFile:
    """The pages of a database: of a file with its log, or of an image whose holes are zeros."""

    def __init__(self, source: Path | bytes | bytearray, size: int = _SIZE) -> None:
        self._file = source.open("rb") if isinstance(source, Path) else BytesIO(source)
        header = self._file.read(_HEADER_BYTES)
        stated = int.from_bytes(header[16:18])
        stated = _LARGEST_SIZE if stated == 1 else stated
        is_whole = header.startswith(_MAGIC) and stated in _SIZES
        self._size = stated if is_whole else size
        self._usable = self._size - header[20] if is_whole else size
        self._log: IO[bytes] = BytesIO()
        self._newer: dict[int, int] = {}
        if isinstance(source, Path):
            log = source.with_name(f"{source.name}-wal")
            self._log, self._newer = _open_log(log, self._size)
        pages = self._file.seek(0, SEEK_END) // self._size
        self.count = max(pages, max(self._newer, default=0))

    def close(self) -> None:
        self._file.close()
        self._log.close()

    def read(self, number: int) -> bytes:
        """Return a page; pages are numbered from 1.

        Raises:
            ValueError: there is no such page.
        """
        if not 1 <= number <= self.count:
            raise ValueError("no such page")
        if number in self._newer:
            self._log.seek(self._newer[number])
            return self._log.read(self._size)
        self._file.seek((number - 1) * self._size)
        return self._file.read(self._size)

    def list_free(self) -> set[int]:
        """Return the pages that are in no use."""
        free: set[int] = set()
        trunk = int.from_bytes(self.read(1)[32:36])
        while 1 <= trunk <= self.count and trunk not in free:
            page = self.read(trunk)
            leaves = min(int.from_bytes(page[4:8]), self._usable // 4 - 2)
            free |= {trunk, *struct.unpack_from(f">{leaves}I", page, 8)}
            trunk = int.from_bytes(page[:4])
        return free

    def read_cells(self, number: int) -> PageCells:
        """Return what stands on a page of a table or an index.

        Raises:
            ValueError: it is no such page.
        """
        page = self.read(number)
        start = _HEADER_BYTES if number == 1 else 0
        kind, _free, count = struct.unpack_from(">BHH", page, start)
        leaf = _INTERIOR.get(kind, kind)
        if leaf not in {_LEAF_INDEX, _LEAF_TABLE}:
            raise ValueError("no page of a tree")
        first = start + (8 if kind == leaf else 12)
        if first + 2 * count > self._usable:
            raise ValueError("more cells than there is room")
        below = [] if kind == leaf else [int.from_bytes(page[start + 8 : start + 12])]
        rows: list[FileRow] = []
        damaged = 0
        for place in struct.unpack_from(f">{count}H", page, first):
            try:
                rows += self._read_cell(page, place, kind, below)
            except (ValueError, IndexError, struct.error):
                damaged += 1
        return PageCells(leaf, rows, damaged, below)

    def _read_cell(self, page: bytes, place: int, kind: int, below: list[int]) -> list[FileRow]:
        if kind in _INTERIOR:
            below.append(int.from_bytes(page[place : place + 4]))
            place += 4
        if kind == 5:  # noqa: PLR2004 - an inner page of a table holds no rows
            return []
        length, place = _read_varint(page, place)
        rowid = 0
        if kind == _LEAF_TABLE:
            rowid, place = _read_varint(page, place)
        values = _read_values(self._read_payload(page, place, length, kind))
        if kind != _LEAF_TABLE:
            rowid = values[-1] if isinstance(values[-1], int) else 0
        return [FileRow(rowid, values)]

    def _read_payload(self, page: bytes, place: int, length: int, kind: int) -> bytes:
        usable = self._usable
        most = usable - 35 if kind == _LEAF_TABLE else (usable - 12) * 64 // 255 - 23
        if length <= most:
            payload = page[place : place + length]
        else:
            least = (usable - 12) * 32 // 255 - 23
            local = least + (length - least) % (usable - 4)
            local = local if local <= most else least
            following = int.from_bytes(page[place + local : place + local + 4])
            payload = page[place : place + local] + self._read_rest(following, length - local)
        if len(payload) != length:
            raise ValueError("a value is cut off")
        return payload

    def _read_rest(self, number: int, length: int) -> bytes:
        parts: list[bytes] = []
        while length > 0:
            page = self.read(number)
            if not any(page):
                raise ValueError("an empty page")
            number = int.from_bytes(page[:4])
            parts.append(page[4 : min(self._usable, 4 + length)])
            length -= len(parts[-1])
        if number:
            raise ValueError("a value goes on behind its end")
        return b"".join(parts)


def _open_log(path: Path, size: int) -> tuple[IO[bytes], dict[int, int]]:
    """Return the write-ahead log, and where it has newer pages up to its last full transaction."""
    log: IO[bytes] = path.open("rb") if path.exists() else BytesIO()
    header = log.read(_LOG_HEADER.size)
    places: dict[int, int] = {}
    if len(header) < _LOG_HEADER.size:
        return log, places
    magic, _, page_size, _, *salts, _, _ = _LOG_HEADER.unpack(header)
    order = _LOG_ORDERS.get(magic)
    if order is None or page_size != size:
        return log, places
    sums = _add_up(header[:24], (0, 0), order)
    pending: dict[int, int] = {}
    while len(frame := log.read(_FRAME_HEADER.size + size)) == _FRAME_HEADER.size + size:
        number, committed, *rest = _FRAME_HEADER.unpack_from(frame)
        sums = _add_up(frame[_FRAME_HEADER.size :], _add_up(frame[:8], sums, order), order)
        if rest != [*salts, *sums]:
            break
        pending[number] = log.tell() - size
        if committed:
            places |= pending
            pending = {}
    return log, places


def _add_up(content: bytes, sums: tuple[int, int], order: str) -> tuple[int, int]:
    first, second = sums
    for left, right in struct.iter_unpack(order, content):
        first = (first + left + second) & 0xFFFFFFFF
        second = (second + right + first) & 0xFFFFFFFF
    return first, second


def _read_varint(content: bytes, place: int) -> tuple[int, int]:
    value = 0
    for count in range(1, _LARGEST_VARINT):
        byte = content[place]
        place += 1
        value = value << 7 | byte & 0x7F
        if byte < 0x80:  # noqa: PLR2004 - the last byte
            return value, place
        if count == _LARGEST_VARINT - 1:
            value = value << 8 | content[place]
            place += 1
    return value - (1 << 64) if value >> 63 else value, place


def _read_values(payload: bytes) -> tuple[Value, ...]:
    end, place = _read_varint(payload, 0)
    types: list[int] = []
    while place < end:
        kind, place = _read_varint(payload, place)
        types.append(kind)
    values: list[Value] = []
    for kind in types:
        value, place = _read_value(payload, place, kind)
        values.append(value)
    if place != len(payload):
        raise ValueError("a row is longer than its values")
    return tuple(values)


def _read_value(payload: bytes, place: int, kind: int) -> tuple[Value, int]:
    if kind in {_ZERO, _ONE}:
        return kind - _ZERO, place
    if kind == _FLOAT:
        return struct.unpack_from(">d", payload, place)[0], place + 8
    if kind < _FLOAT:
        end = place + _INTEGER_BYTES[kind]
        return int.from_bytes(payload[place:end], signed=True) if kind else None, end
    if kind < _BLOB:
        raise ValueError("no kind of value")
    end = place + (kind - _BLOB) // 2
    content = payload[place:end]
    if len(content) != end - place:
        raise ValueError("a value is cut off")
    if kind % 2 == 0:
        return content, end
    text = content.decode()
    if "\x00" in text:
        raise ValueError("no text")  # nothing that wellworn stores has this character
    return text, end


def walk(file: PageFile, root: int, seen: set[int]) -> Iterator[tuple[int, PageCells | None]]:
    """Yield the pages of a tree with rows, in no order; None for those that cannot be read."""
    kind = 0
    waiting = [root]
    while waiting:
        number = waiting.pop()
        cells: PageCells | None = None
        with suppress(ValueError, struct.error):
            cells = file.read_cells(number)
        # A page of another tree is one that a damaged page leads to.
        if cells is None or number in seen or kind not in {0, cells.kind}:
            yield number, None
            continue
        kind = cells.kind
        seen.add(number)
        waiting += cells.below
        yield number, cells


def is_leaf_of_table(cells: PageCells) -> bool:
    """Tell whether a page that no tree leads to may hold rows of a table, all of them complete."""
    rowids = [row.rowid for row in cells.rows]
    is_leaf = cells.kind == _LEAF_TABLE and not cells.below and not cells.damaged
    return is_leaf and bool(rowids) and rowids == sorted(set(rowids))
