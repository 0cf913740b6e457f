"""JSON schemas in few words: an agent reads all of them with every session.

What tools return has none. It would be three words in ten, nobody fills it in, and most clients do
not show it to the model; the reference describes the results.

Source: knowledge design, decision 13.
"""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import core_schema


class _Short(GenerateJsonSchema):
    """A model's schema without what says nothing: titles, prose, empty defaults."""

    def field_title_should_be_set(self, schema: Any) -> bool:
        del schema
        return False

    def nullable_schema(self, schema: core_schema.NullableSchema) -> JsonSchemaValue:
        return self.generate_inner(schema["schema"])

    def default_schema(self, schema: core_schema.WithDefaultSchema) -> JsonSchemaValue:
        parts = super().default_schema(schema)
        if not parts.get("default"):
            parts.pop("default", None)
        return parts

    def model_schema(self, schema: core_schema.ModelSchema) -> JsonSchemaValue:
        parts = super().model_schema(schema)
        return {name: part for name, part in parts.items() if name not in {"title", "description"}}


def short_schema(kind: type[BaseModel]) -> dict[str, Any]:
    """Return the JSON schema of what a tool takes."""
    return kind.model_json_schema(schema_generator=_Short)
