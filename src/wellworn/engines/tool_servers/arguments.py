"""Turns the texts that a model fills in into the arguments of a tool's schema. Pure.

Schemas are a server's words: whatever in them is no schema counts as not being there.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final, cast

from wellworn.engines.tool_servers.models import ServerFailure

_CHOICES: Final = ("anyOf", "oneOf", "allOf")
_TYPES: Final[Mapping[type, frozenset[str]]] = {
    bool: frozenset(("boolean",)),
    int: frozenset(("integer", "number")),
    float: frozenset(("number",)),
    str: frozenset(("string",)),
    list: frozenset(("array",)),
    dict: frozenset(("object",)),
    type(None): frozenset(("null",)),
}
_FEW: Final = 100
"""A whole number up to this tells nobody a secret."""


def list_parameters(schema: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """Return the schema of each argument, by its name."""
    properties = _read_mapping(schema.get("properties"))
    return {name: _read_mapping(parameter) for name, parameter in properties.items()}


def list_required(schema: Mapping[str, Any]) -> list[str]:
    """Return the names of the arguments without which a tool cannot be called."""
    return [name for name in _read_list(schema.get("required")) if isinstance(name, str)]


def read_arguments(
    schema: Mapping[str, Any], texts: Mapping[str, str]
) -> dict[str, Any] | ServerFailure:
    """Return the values that texts stand for, or what is wrong with them."""
    parameters = list_parameters(schema)
    missing = [name for name in list_required(schema) if name not in texts]
    if missing:
        return ServerFailure(f"it needs the argument {missing[0]}")
    values: dict[str, Any] = {}
    for name, text in texts.items():
        try:
            values[name] = _read_value(parameters.get(name, {}), text)
        except ValueError:
            return ServerFailure(f"its argument {name} has to be of another type")
    return values


def _read_value(schema: Mapping[str, Any], text: str) -> Any:
    """Return what a text stands for.

    Raises:
        ValueError: it is of no type that the schema allows.
    """
    kinds = set(_list_kinds(schema))
    if "string" in kinds:
        return text
    try:
        value = json.loads(text.lower() if "boolean" in kinds else text)
    except ValueError:
        if kinds:
            raise
        return text
    if kinds and kinds.isdisjoint(_TYPES[type(value)]):
        raise ValueError(text)
    return value


def list_values(schema: Mapping[str, Any]) -> Iterator[str]:
    """Yield what a tool names itself, or what is one of few: to be told it tells a tool little."""
    for parameter in list_parameters(schema).values():
        kinds = set(_list_kinds(parameter))
        if "boolean" in kinds:
            yield from ("true", "false")
        if kinds & {"integer", "number"}:
            yield from map(str, range(_FEW + 1))
        named = [*_read_list(parameter.get("enum")), parameter.get("default")]
        yield from (value for value in named if isinstance(value, str))


def _list_kinds(schema: Mapping[str, Any]) -> Iterator[str]:
    """Yield the types that a schema allows; none where it does not say."""
    kind = schema.get("type")
    yield from (each for each in [kind, *_read_list(kind)] if isinstance(each, str))
    for choice in _CHOICES:
        for part in _read_list(schema.get(choice)):
            yield from _list_kinds(_read_mapping(part))


def _read_mapping(value: object) -> Mapping[str, Any]:
    return cast("Mapping[str, Any]", value) if isinstance(value, Mapping) else {}


def _read_list(value: object) -> list[Any]:
    return cast("list[Any]", value) if isinstance(value, list) else []
