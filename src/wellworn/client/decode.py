"""JSON into frozen dataclasses, by their annotations.

Fields that a newer server adds are passed over; a field that is missing or of another type means
that something else than wellworn answered. Written by hand because the alternatives take longer
to import than a command of the command line takes to run.
"""

from __future__ import annotations

from dataclasses import MISSING, Field, fields, is_dataclass
from functools import cache
from types import UnionType
from typing import Any, TypeVar, cast, get_args, get_origin, get_type_hints

from wellworn.client.errors import UNEXPECTED_ANSWER, WellwornClientError

T = TypeVar("T")


def decode(kind: type[T], data: object) -> T:
    """Return `data`, as parsed from JSON, as a `kind`.

    Raises:
        WellwornClientError: UNEXPECTED_ANSWER, naming the field that does not fit.
    """
    return cast("T", _value(kind, data, kind.__name__))


def decode_all(kind: type[T], data: object) -> tuple[T, ...]:
    """Return a JSON array as a tuple of `kind`; raises like `decode`."""
    return tuple(decode(kind, each) for each in _items(data, f"list of {kind.__name__}"))


def decode_listed(kind: type[T], data: object, name: str) -> tuple[T, ...]:
    """Return the array `name` of a JSON object as a tuple of `kind`; raises like `decode`."""
    if not isinstance(data, dict):
        raise _unexpected(name)
    return decode_all(kind, cast("dict[str, object]", data).get(name))


def _value(kind: Any, data: object, place: str) -> object:
    if kind is Any:
        return data
    if isinstance(kind, UnionType):
        return None if data is None else _value(get_args(kind)[0], data, place)
    if is_dataclass(kind):
        return _record(cast("type[Any]", kind), data, place)
    origin = get_origin(kind)
    if origin is tuple:
        return tuple(_value(get_args(kind)[0], each, place) for each in _items(data, place))
    return _plain(origin or kind, data, place)


def _plain(kind: type[Any], data: object, place: str) -> object:
    if kind is float and isinstance(data, int) and not isinstance(data, bool):
        return float(data)
    if not isinstance(data, kind) or (kind is int and isinstance(data, bool)):
        raise _unexpected(place)
    return data


def _items(data: object, place: str) -> list[Any]:
    if not isinstance(data, list):
        raise _unexpected(place)
    return cast("list[Any]", data)


def _record(kind: type[Any], data: object, place: str) -> object:
    if not isinstance(data, dict):
        raise _unexpected(place)
    given = cast("dict[str, Any]", data)
    values: dict[str, object] = {}
    for field, hint in _shape(kind):
        if field.name in given:
            values[field.name] = _value(hint, given[field.name], f"{place}.{field.name}")
        elif field.default is MISSING:
            raise _unexpected(f"{place}.{field.name}")
    return kind(**values)


@cache
def _shape(kind: type[Any]) -> tuple[tuple[Field[Any], Any], ...]:
    hints = get_type_hints(kind)
    return tuple((field, hints[field.name]) for field in fields(kind))


def _unexpected(place: str) -> WellwornClientError:
    return WellwornClientError(UNEXPECTED_ANSWER, f"the answer is not wellworn's: {place}")
