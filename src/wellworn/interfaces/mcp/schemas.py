"""JSON schemas in few words: an agent reads all of them with every session.

What tools return has none. It would be three words in ten, nobody fills it in, and most clients do
not show it to the model; the reference describes the results.
"""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import core_schema

_LONG = 1_000
"""Characters; names, ids and tags are far shorter."""
_PROSE = ("title", "description", "examples")


class _Short(GenerateJsonSchema):
    """A model's schema without what says nothing: titles, prose, defaults."""

    def nullable_schema(self, schema: core_schema.NullableSchema) -> JsonSchemaValue:
        return self.generate_inner(schema["schema"])

    def default_schema(self, schema: core_schema.WithDefaultSchema) -> JsonSchemaValue:
        return self.generate_inner(schema["schema"])


def _shorten(schema: JsonSchemaValue) -> JsonSchemaValue:
    """Leave out names, patterns, and bounds that nobody reaches; a refusal names them."""
    dropped = {*_PROSE, "anyOf", "format", "pattern", "minLength", "maxItems"}
    if schema.get("type") == "integer" and schema.get("minimum") == 0:
        dropped.add("minimum")
    if schema.get("maxLength", 0) < _LONG:
        dropped.add("maxLength")
    if schema.get("maximum", 0) > _LONG:
        dropped.add("maximum")
    parts = {name: part for name, part in schema.items() if name not in dropped}
    if "items" in parts:
        parts["items"] = _shorten(parts["items"])
    if "properties" in parts:
        fields = parts["properties"].items()
        parts["properties"] = {name: _shorten(part) for name, part in fields}
    return parts


def short_schema(kind: type[BaseModel]) -> dict[str, Any]:
    """Return the JSON schema of what a tool takes."""
    return _shorten(kind.model_json_schema(schema_generator=_Short))
