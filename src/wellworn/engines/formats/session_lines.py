"""The lines of session files, one at a time: files of any size, lines of any length.

Whatever cannot be read is left out, with a sentence that says so, and the rest is read.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, BinaryIO, Final

from wellworn.errors import InvalidInput

LONGEST_LINE_BYTES: Final = 10_000_000
_AT_ONCE_BYTES: Final = 1_000_000
_BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"


class SessionLines:
    """Reads files of JSON lines and counts their bytes; `tell` is told of every line left out."""

    def __init__(self, tell: Callable[[str], None]) -> None:
        self._tell = tell
        self.bytes_read = 0

    def read(self, file: Path) -> Iterator[Any]:
        """Yield what each line of a file says.

        A line that is no JSON, or too long to be read whole, is left out. So is a last line that a
        session which goes on has not ended yet; nobody is told of it, for it is read next time.

        Raises:
            InvalidInput: the file cannot be read.
        """
        try:
            with file.open("rb") as opened:
                yield from self._read_values(file.name, opened)
        except OSError:
            raise InvalidInput(f"{file.name} is missing or cannot be read") from None

    def _read_values(self, name: str, opened: BinaryIO) -> Iterator[Any]:
        number = 0
        while line := self._read_line(opened):
            number += 1
            place = f"{name}, line {number}"
            if len(line) > LONGEST_LINE_BYTES:
                megabytes = LONGEST_LINE_BYTES // 1_000_000
                self._tell(f"{place}: longer than {megabytes} MB; it was left out")
                continue
            if not line.strip():
                continue
            try:
                yield json.loads(line.removeprefix(_BYTE_ORDER_MARK))
            except (ValueError, RecursionError):
                if line.endswith(b"\n"):
                    self._tell(f"{place}: no JSON; it was left out")

    def _read_line(self, opened: BinaryIO) -> bytes:
        """Return the next line, or of one that is too long its beginning; empty at the end."""
        line = opened.readline(LONGEST_LINE_BYTES + 1)
        self.bytes_read += len(line)
        rest = line
        while len(line) > LONGEST_LINE_BYTES and rest and not rest.endswith(b"\n"):
            rest = opened.readline(_AT_ONCE_BYTES)
            self.bytes_read += len(rest)
        return line
