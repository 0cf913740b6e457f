"""Defines what a format of configuration files can do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from wellworn.errors import WellwornError

if TYPE_CHECKING:
    from collections.abc import Callable

Steps: TypeAlias = tuple[str | int, ...]
"""Names of members, and places in lists."""


class ConfigBroken(WellwornError):
    """A text is not of its format, or is written in a way that cannot be edited in place."""

    code = "CONFIG_BROKEN"


@dataclass(frozen=True, slots=True)
class Format:
    """The reader and editor of one format.

    Attributes:
        read: returns the value of a text; an empty text is an empty mapping. Raises ConfigBroken.
        put: returns the text with a value at a path, where there is none: a member of a mapping, or
            with the length of a list as its last step, one more item. Mappings and lists on the way
            are made.
        drop: returns the text without what is at a path.
        write: returns a value as a text of its own.
    """

    read: Callable[[str], dict[str, Any]]
    put: Callable[[str, Steps, object], str]
    drop: Callable[[str, Steps], str]
    write: Callable[[object], str]


def get(value: object, path: Steps) -> Any:
    """Return what a value has at a path, None if nothing."""
    for step in path:
        if isinstance(value, Mapping):
            value = cast("Mapping[str | int, Any]", value).get(step)
        elif isinstance(value, Sequence) and not isinstance(value, str) and isinstance(step, int):
            items = cast("Sequence[Any]", value)
            value = items[step] if step < len(items) else None
        else:
            return None
    return value


def nest(path: Steps, value: object) -> object:
    """Return a value with the mappings and lists above it that a path names."""
    for step in reversed(path):
        value = [value] if isinstance(step, int) else {step: value}
    return value
