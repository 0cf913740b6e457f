"""The fields of a source's configuration, checked one by one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from wellworn.errors import InvalidInput
from wellworn.kit.text import is_on_one_line, is_storable

_LONGEST = 2_000


def only(config: Mapping[str, Any], *names: str) -> None:
    """Refuse fields that nobody knows.

    Raises:
        InvalidInput: there is one; the message names those that are known.
    """
    if config.keys() - set(names):
        raise InvalidInput(f"unknown field in config; this kind takes {', '.join(names)}")


def line(config: Mapping[str, Any], name: str, *, default: str | None = None) -> str:
    """Return a text of one line.

    Raises:
        InvalidInput: it is missing without a default, or is no such text.
    """
    given = config.get(name, default)
    if given is None:
        raise InvalidInput(f"config.{name} is required")
    if not isinstance(given, str) or len(given) > _LONGEST or not is_on_one_line(given):
        raise InvalidInput(f"config.{name} must be a text of one line")
    if default is None and not given.strip():
        raise InvalidInput(f"config.{name} must not be empty")
    return given.strip()


def text(config: Mapping[str, Any], name: str, *, most: int) -> str:
    """Return a text of any lines.

    Raises:
        InvalidInput: it is missing, empty, too long or not storable.
    """
    given = config.get(name)
    if not isinstance(given, str) or not given.strip():
        raise InvalidInput(f"config.{name} is required and must be a non-empty text")
    if len(given) > most or not is_storable(given):
        raise InvalidInput(f"config.{name} must be at most {most} characters, without NUL")
    return given
