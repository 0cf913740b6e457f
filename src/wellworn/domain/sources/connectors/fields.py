"""Validation of the fields of a source's configuration."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from wellworn.errors import InvalidInput
from wellworn.kit.text import is_on_one_line, is_storable

_LONGEST = 2_000
WEB = ("http://", "https://")
"""Beginnings of addresses on the web."""


def reject_unknown(config: Mapping[str, Any], *names: str) -> None:
    """Reject fields that the kind does not have.

    Raises:
        InvalidInput: a field is unknown; the message names the known ones.
    """
    if config.keys() - set(names):
        raise InvalidInput(f"unknown field in config; this kind takes {', '.join(names)}")


def read_line(config: Mapping[str, Any], name: str, *, default: str | None = None) -> str:
    """Return a field that must be text on a single line.

    Raises:
        InvalidInput: the field is missing and has no default, or is not such a text.
    """
    value = config.get(name, default)
    if value is None:
        raise InvalidInput(f"config.{name} is required")
    if not isinstance(value, str) or len(value) > _LONGEST or not is_on_one_line(value):
        raise InvalidInput(f"config.{name} must be a text of one line")
    if default is None and not value.strip():
        raise InvalidInput(f"config.{name} must not be empty")
    return value.strip()


def read_text(config: Mapping[str, Any], name: str, *, most: int) -> str:
    """Return a field that may be text over several lines.

    Raises:
        InvalidInput: the field is missing, empty, too long or not storable.
    """
    value = config.get(name)
    if not isinstance(value, str) or not value.strip():
        raise InvalidInput(f"config.{name} is required and must be a non-empty text")
    if len(value) > most or not is_storable(value):
        raise InvalidInput(f"config.{name} must be at most {most} characters, without NUL")
    return value


def name_address(address: str) -> str:
    """Return the last part of an address, to call a source by."""
    rest = address.partition("://")[2] or address.rpartition(":")[2]
    plain = rest.partition("?")[0].partition("#")[0].rstrip("/")
    # What stands before an @ may be a password.
    return plain.rpartition("/")[2].rpartition("@")[2]


def read_switch(config: Mapping[str, Any], name: str) -> bool:
    """Return a field that is on or off; off when it is left out.

    Raises:
        InvalidInput: the field is neither true nor false.
    """
    value = config.get(name, False)
    if not isinstance(value, bool):
        raise InvalidInput(f"config.{name} must be true or false")
    return value
