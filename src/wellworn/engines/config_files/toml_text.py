"""TOML edited in place, by tomlkit, which keeps comments, order and blanks."""

from __future__ import annotations

from typing import Any, Final

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
    document: Any = _parse(text)
    place = document
    for step in path[:-1]:
        if step not in place:
            place[step] = tomlkit.table(is_super_table=True)
        place = place[step]
    place[path[-1]] = value
    return tomlkit.dumps(document)


def _drop(text: str, path: Steps) -> str:
    document: Any = _parse(text)
    place = document
    for step in path[:-1]:
        place = place.get(step, {})
    if path[-1] not in place:
        return text
    del place[path[-1]]
    written = tomlkit.dumps(document)
    # A table at the end was set off by a blank line.
    return f"{written.rstrip()}\n" if written.strip() else ""


def _write(value: object) -> str:
    return tomlkit.dumps(value)  # type: ignore[arg-type]


TOML_TEXT: Final = Format(_read, _put, _drop, _write)
