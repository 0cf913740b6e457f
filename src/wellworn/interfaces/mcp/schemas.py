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


class _Short(GenerateJsonSchema):
    """A model's schema without what says nothing: titles, prose, defaults."""

    def field_title_should_be_set(self, schema: Any) -> bool:
        del schema
        return False

    def nullable_schema(self, schema: core_schema.NullableSchema) -> JsonSchemaValue:
        return self.generate_inner(schema["schema"])

    def str_schema(self, schema: core_schema.StringSchema) -> JsonSchemaValue:
        return _drop_wide_bounds(super().str_schema(schema))

    def list_schema(self, schema: core_schema.ListSchema) -> JsonSchemaValue:
        return _drop_wide_bounds(super().list_schema(schema))

    def int_schema(self, schema: core_schema.IntSchema) -> JsonSchemaValue:
        return _drop_wide_bounds(super().int_schema(schema))

    def default_schema(self, schema: core_schema.WithDefaultSchema) -> JsonSchemaValue:
        return self.generate_inner(schema["schema"])

    def model_schema(self, schema: core_schema.ModelSchema) -> JsonSchemaValue:
        parts = super().model_schema(schema)
        return {name: part for name, part in parts.items() if name not in {"title", "description"}}


def _drop_wide_bounds(parts: JsonSchemaValue) -> JsonSchemaValue:
    """Leave out bounds that nobody reaches; a refusal names them."""
    unreached = {"minLength", "maxItems"}
    if parts.get("minimum") == 0:
        unreached.add("minimum")
    if parts.get("maxLength", 0) < _LONG:
        unreached.add("maxLength")
    if parts.get("maximum", 0) > _LONG:
        unreached.add("maximum")
    return {name: part for name, part in parts.items() if name not in unreached}


def short_schema(kind: type[BaseModel]) -> dict[str, Any]:
    """Return the JSON schema of what a tool takes."""
    return kind.model_json_schema(schema_generator=_Short)
