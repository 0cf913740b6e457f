"""Which types a model may be asked for: those of which every answer ends.

A model that fills in an unbounded list or text runs on until its tokens are used up, and what it
wrote is cut off and worth nothing; a small one does so seven times of ten.

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
    """Refuse a type that has no bounds somewhere.

    Raises:
        ValueError: a text has no longest, a list no most, an integer no range, or a field is of no
            one type, refers to itself or is a float; the message names the place.
    """
    schema = output_type.model_json_schema()
    named = {f"#/$defs/{name}": one for name, one in schema.get("$defs", {}).items()}
    for place in _unbounded(schema, named, output_type.__name__):
        raise ValueError(f"{place} needs bounds before a model can be asked for it")


def _unbounded(schema: Schema, named: Mapping[str, Schema], place: str) -> Iterator[str]:
    """Yield every place of a JSON schema at which an answer could run on.

    A type that is being looked at is no longer among the `named`, so that none refers to itself.
    """
    reference = schema.get("$ref")
    if reference:
        rest = {name: one for name, one in named.items() if name != reference}
        yield from _unbounded(named.get(reference, {}), rest, place)
        return
    parts = list(_parts(schema))
    for name, part in parts:
        yield from _unbounded(part, named, place + name)
    if not parts and not _is_bounded(schema):
        yield place
    if schema.get("type") == "array" and "maxItems" not in schema:
        yield place


def _parts(schema: Schema) -> Iterator[tuple[str, Schema]]:
    """Yield the schemas that another is made of, each with how its place is written."""
    for choice in ("anyOf", "oneOf", "allOf"):
        yield from (("", one) for one in schema.get(choice, ()))
    yield from ((f".{name}", one) for name, one in schema.get("properties", {}).items())
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
