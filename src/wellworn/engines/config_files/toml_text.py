"""TOML edited in place: a table is written behind all others, and its lines are taken out again.

What is not a table of its own, such as a member of an inline table, is left to tomlkit, which
keeps comments, order and blanks, but moves a comment that stands behind a table along with it.
"""

from __future__ import annotations

import tomllib
from typing import Any, Final, cast

import tomlkit
from tomlkit.exceptions import TOMLKitError

from wellworn.engines.config_files.format import ConfigBroken, Format, Steps


def _parse(text: str) -> tomlkit.TOMLDocument:
    try:
        return tomlkit.parse(text)
    except TOMLKitError as failure:
        raise ConfigBroken(f"it is not TOML: {failure}") from failure


def _read(text: str) -> dict[str, Any]:
    return _parse(text).unwrap()


def _put(text: str, path: Steps, value: object) -> str:
    table = _put_member("", path, value)
    appended = f"{text.rstrip()}\n\n{table}" if text.strip() else table
    try:
        tomllib.loads(appended)
    except tomllib.TOMLDecodeError:
        return _put_member(text, path, value)  # What is above it is written in one line.
    return appended


def _put_member(text: str, path: Steps, value: object) -> str:
    document: Any = _parse(text)
    place = document
    for step in path[:-1]:
        if step not in place:
            place[step] = tomlkit.table(is_super_table=True)
        place = place[step]
    place[path[-1]] = value
    return tomlkit.dumps(document)


def _drop(text: str, path: Steps) -> str:
    lines = text.splitlines(keepends=True)
    headers = [(at, header) for at, line in enumerate(lines) if (header := _read_header(line))]
    own = [at for at, header in headers if header[: len(path)] == path]
    if not own:
        return _drop_member(text, path)
    gone = set[int]()
    for header_at in own:
        start = header_at
        end = next((at for at, _ in headers if at > start), len(lines))
        while not lines[end - 1].strip() or lines[end - 1].lstrip().startswith("#"):
            end -= 1  # A comment behind a table is not the table's.
        is_set_off = start > 0 and not lines[start - 1].strip()
        if is_set_off and not "".join(lines[end : end + 1]).strip():
            start -= 1
        gone.update(range(start, end))
    return "".join(line for at, line in enumerate(lines) if at not in gone)


def _drop_member(text: str, path: Steps) -> str:
    document: Any = _parse(text)
    place = document
    for step in path[:-1]:
        place = place.get(step, {})
    if path[-1] not in place:
        return text
    del place[path[-1]]
    written = tomlkit.dumps(document)
    return f"{written.rstrip()}\n" if written.strip() else ""


def _read_header(line: str) -> Steps:
    """Return the path of the table that a line begins; empty where it begins none."""
    if not line.lstrip().startswith("["):
        return ()
    try:
        value: Any = tomllib.loads(line)
    except tomllib.TOMLDecodeError:
        return ()
    path: Steps = ()
    while value:
        if isinstance(value, list):
            (value,) = cast("list[Any]", value)
            continue
        ((step, value),) = cast("dict[str, Any]", value).items()
        path = (*path, step)
    return path


def _write(value: object) -> str:
    return tomlkit.dumps(value)  # type: ignore[arg-type]


TOML_TEXT: Final = Format(_read, _put, _drop, _write)
