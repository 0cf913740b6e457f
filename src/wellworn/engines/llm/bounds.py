"""Check that an output type is bounded, so that every answer ends.

A model that fills in an unbounded list or text often runs on until its tokens are used up, and the
truncated answer is worthless.

Source: measured with a 135M model behind a grammar: 40 of 40 bounded answers valid, 3 of 10 others.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from pydantic import BaseModel

Schema = Mapping[str, Any]

_BOUNDED = frozenset(("boolean", "null", "string"))


@cache
def check_bounded(output_type: type[BaseModel]) -> None:
    """Refuse an output type that is not bounded everywhere.

    Raises:
        ValueError: a text or list has no maximum length, an integer no range, or a field is
            untyped, recursive or a float; the message names the field.
    """
    schema = output_type.model_json_schema()
    named = {f"#/$defs/{name}": part for name, part in schema.get("$defs", {}).items()}
    for place in _find_unbounded(schema, named, output_type.__name__):
        raise ValueError(f"{place} needs bounds before a model can be asked for it")


def _find_unbounded(schema: Schema, named: Mapping[str, Schema], place: str) -> Iterator[str]:
    """Yield every place of a JSON schema at which an answer could run on.

    The type being visited is removed from `named`, so recursive types count as unbounded.
    """
    reference = schema.get("$ref")
    if reference:
        rest = {name: part for name, part in named.items() if name != reference}
        yield from _find_unbounded(named.get(reference, {}), rest, place)
        return
    parts = list(_split_schema(schema))
    for name, part in parts:
        yield from _find_unbounded(part, named, place + name)
    if not parts and not _is_bounded(schema):
        yield place
    if schema.get("type") == "array" and "maxItems" not in schema:
        yield place


def _split_schema(schema: Schema) -> Iterator[tuple[str, Schema]]:
    """Yield the parts of a schema, each with its path relative to the schema."""
    for choice in ("anyOf", "oneOf", "allOf"):
        yield from (("", part) for part in schema.get(choice, ()))
    yield from ((f".{name}", part) for name, part in schema.get("properties", {}).items())
    if "items" in schema:
        yield "[]", schema["items"]
    if schema.get("additionalProperties"):
        yield ".*", {}


def _is_bounded(schema: Schema) -> bool:
    kind = schema.get("type")
    if kind == "string" and "maxLength" not in schema:
        return "enum" in schema or "const" in schema
    if kind == "integer":
        return {"minimum", "maximum"} <= schema.keys()
    return kind in _BOUNDED or "enum" in schema or "const" in schema
