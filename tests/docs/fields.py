"""What the OpenAPI document says of a field, in the words that docs/reference/http.md uses."""

from __future__ import annotations

from typing import Any, cast

from wellworn.application.calls import App
from wellworn.interfaces.http import create_api

Schema = dict[str, Any]

_KINDS = {
    "boolean": "true or false",
    "integer": "whole number",
    "number": "number",
    "object": "object",
}


def openapi() -> Schema:
    """Return the whole description, the inner functions included; no memory is opened for it."""
    return create_api(cast("App", None), documents_inner=True).openapi()


def operations(document: Schema) -> dict[str, Schema]:
    """Return every operation by its heading, e.g. `POST /api/v1/memory`."""
    return {
        f"{method.upper()} {path}": operation
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
    }


def requested(document: Schema, operation: Schema) -> dict[str, tuple[str, str]]:
    """Return each parameter and body field with its form and its default, in words."""
    found = {
        one["name"].lower(): (_form(document, one["schema"]), _default(one, one["required"]))
        for one in operation.get("parameters", [])
    }
    body = operation.get("requestBody", {}).get("content", {}).get("application/json")
    return found | (_fields(document, _without_null(body["schema"])) if body else {})


def answered(document: Schema, operation: Schema) -> set[str]:
    """Return the names of all fields of the answer, at any depth."""
    responses = operation["responses"]
    answer = next(responses[status] for status in ("200", "201", "202") if status in responses)
    content = answer["content"].get("application/json", {})
    found: set[str] = set()
    _collect(document, content.get("schema", {}), found, seen=set())
    return found


def _fields(document: Schema, schema: Schema) -> dict[str, tuple[str, str]]:
    schema = _resolved(document, schema)
    required = schema.get("required", [])
    found: dict[str, tuple[str, str]] = {}
    for name, field in schema["properties"].items():
        inner = _resolved(document, _without_null(field))
        if "properties" in inner:
            nested = _fields(document, inner)
            found |= {f"{name}.{one}": words for one, words in nested.items()}
        else:
            found[name] = (_form(document, field), _default(field, name in required))
    return found


def _collect(document: Schema, schema: Schema, found: set[str], *, seen: set[str]) -> None:
    if (reference := schema.get("$ref")) in seen:
        return
    seen |= {reference} if reference else set()
    schema = _resolved(document, schema)
    for branch in schema.get("anyOf", []):
        _collect(document, branch, found, seen=seen)
    if "items" in schema:
        _collect(document, schema["items"], found, seen=seen)
    for name, field in schema.get("properties", {}).items():
        found.add(name)
        _collect(document, field, found, seen=seen)


def _default(field: Schema, required: bool) -> str:
    if required:
        return "required"
    default = field.get("default", field.get("schema", {}).get("default"))
    if default is None or default in ([], {}, ""):
        return ""
    return f"`{str(default).lower() if isinstance(default, bool) else default}`"


def _form(document: Schema, field: Schema) -> str:
    field = _resolved(document, _without_null(field))
    if "enum" in field:
        return "one of " + ", ".join(f"`{value}`" for value in field["enum"])
    if field.get("format") == "uuid":
        return "UUID"
    if any(part.get("format") == "date" for part in field.get("anyOf", ())):
        return "date or time"
    kind = field["type"]
    if kind == "array":
        return _array(document, field)
    if kind == "string":
        return _text(field)
    return _KINDS[kind] + _range(field)


def _array(document: Schema, field: Schema) -> str:
    items = _form(document, field["items"])
    least, most = field.get("minItems", 0), field["maxItems"]
    count = f"exactly {most}" if least == most else f"at most {most:,}"
    return f"list, {count}, each {items}"


def _text(field: Schema) -> str:
    least, most = field.get("minLength", 0), field.get("maxLength")
    return f"text, {least}–{most:,} characters" if most else "text"


def _range(field: Schema) -> str:
    low, high = field.get("minimum"), field.get("maximum")
    if low is None or high is None:
        return ""
    return f", {low:,.0f} to {high:,.0f}"


def _without_null(field: Schema) -> Schema:
    parts = field.get("anyOf", [])
    branches = [part for part in parts if part.get("type") != "null"]
    return branches[0] if len(branches) < len(parts) else field


def _resolved(document: Schema, schema: Schema) -> Schema:
    if "$ref" not in schema:
        return schema
    return document["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
