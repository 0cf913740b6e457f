"""Records as lines of canonical JSON, read with the line number of every fault."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, cast

from wellworn.errors import InvalidInput
from wellworn.kit.charset import decode
from wellworn.kit.clock import from_iso, to_iso

Tell = Callable[[str], None]
"""Is told, in a sentence, what an import leaves out, and goes on or ends it."""


def refuse(sentence: str) -> None:
    """End an import where it would leave something out.

    Raises:
        InvalidInput: always.
    """
    raise InvalidInput(sentence)


def canonical(record: Mapping[str, Any]) -> str:
    """Write a record in its one canonical form."""
    return json.dumps(record, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def read_moment(value: object) -> str:
    """Return ISO 8601 in UTC for a time that is written so, or in seconds since 1970.

    Raises:
        ValueError: it is neither.
    """
    try:
        if isinstance(value, str):
            return to_iso(from_iso(value))
        if isinstance(value, int | float) and not isinstance(value, bool):
            return to_iso(float(value))
    except (ValueError, OverflowError, OSError):
        pass
    raise ValueError("must be an ISO 8601 time or seconds since 1970")


def list_line_files(path: Path, tell: Tell = refuse) -> list[Path]:
    """Return a file, or every `.jsonl` file below a folder, in their order.

    `tell` is told of those that are left out.

    Raises:
        InvalidInput: the folder has none.
    """
    files = [*list_inside(path, is_line_file, tell)] if path.is_dir() else [path]
    if not files:
        raise InvalidInput(f"there is no .jsonl file in {path}")
    return files


def is_line_file(path: Path) -> bool:
    """Tell whether a file is called like one of JSON lines."""
    return path.suffix == ".jsonl"


def list_inside(folder: Path, is_wanted: Callable[[Path], bool], tell: Tell) -> Iterator[Path]:
    """Yield wanted files below a folder, in their order, except those that a link leads out to.

    By such a link, its maker would bring in what only its reader may read; `tell` hears of it.
    """
    yield from keep_inside(folder, filter(is_wanted, sorted(folder.rglob("*"))), tell)


def keep_inside(folder: Path, paths: Iterable[Path], tell: Tell) -> Iterator[Path]:
    """Yield those paths of a folder that are files and no links out of it."""
    root = folder.resolve()
    for path in paths:
        if path.is_file() and path.resolve().is_relative_to(root):
            yield path
        elif path.is_file():
            tell(f"{path.relative_to(folder)}: a link out of the folder; it was left out")


def read_text(raw: bytes, name: str, tell: Tell) -> str:
    """Return the text of a file in whatever encoding, with plain line ends and no NUL.

    `tell` is told what was guessed or replaced.
    """
    read = decode(raw)
    for flag in read.flags:
        tell(f"{name}: {flag}")
    return read.text.replace("\x00", "").replace("\r\n", "\n").replace("\r", "\n")


def read_lines(path: Path, tell: Tell = refuse) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the objects of a file of JSON lines, with their numbers from 1 and no blank lines.

    `tell` is told of lines that are no objects, which are left out.

    Raises:
        InvalidInput: the file cannot be read.
    """
    for number, line in number_lines(path):
        try:
            record: Any = json.loads(line)
        except (ValueError, RecursionError):
            record = None
        if isinstance(record, dict):
            yield number, cast("dict[str, Any]", record)
        else:
            tell(f"{path.name}, line {number}: must be a JSON object")


def number_lines(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the lines of a text file that are not blank, with their numbers from 1.

    Raises:
        InvalidInput: the file cannot be read or is not UTF-8.
    """
    try:
        with path.open(encoding="utf-8-sig", newline="\n") as file:
            for number, line in enumerate(file, start=1):
                if line.strip():
                    yield number, line
    except OSError:
        raise InvalidInput(f"{path.name} is missing or cannot be read") from None
    except UnicodeDecodeError:
        raise InvalidInput(f"{path.name} is not UTF-8 text") from None


def to_object(value: object) -> dict[str, Any]:
    """Return an object of JSON; an empty one for anything else."""
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def list_objects(value: object) -> list[dict[str, Any]]:
    """Return the objects of a list of JSON; none for anything else."""
    values = cast("list[object]", value) if isinstance(value, list) else []
    return [to_object(each) for each in values]
