"""A secret in any text that any route takes is nowhere in the data folder afterwards."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from api.routes import IN_A_SPACE, TABLE, furnished
from api.walls import founded, served
from wellworn.interfaces.http import create_api

SECRET = "ghp_" + "Zq3xV7bN" * 4 + "{:04}"
KEPT_FOR_WHO_SAID_IT = {
    # A secret for a site is encrypted with the server's key, and shown by nobody.
    "POST /api/knowledge/sources": {"secret"},
    "PUT /api/knowledge/sources/{source_id}": {"secret"},
}


@pytest.fixture(scope="module")
def schema():
    return create_api(None, documents_inner=True).openapi()


def resolve(schema: Any, part: Any) -> Any:
    """Return a part of a schema, with references and unions of null resolved."""
    while "$ref" in part:
        part = schema["components"]["schemas"][part["$ref"].rpartition("/")[2]]
    for choice in ("anyOf", "oneOf"):
        if choice in part:
            kinds = [each for each in part[choice] if each.get("type") != "null"]
            return resolve(schema, kinds[0])
    return part


def fill(schema: Any, part: Any, secret: str) -> Iterator[Any]:
    """Yield values of a part of a schema, each with the secret in one of its texts."""
    part = resolve(schema, part)
    kind = part.get("type")
    if kind == "string" and "enum" not in part and "const" not in part:
        yield secret
    elif kind == "array":
        yield from ([value] for value in fill(schema, part.get("items", {}), secret))
    elif kind == "object":
        yield from fill_object(schema, part, secret)


def fill_object(schema: Any, part: Any, secret: str) -> Iterator[Any]:
    fields = part.get("properties", {})
    base = {name: sample(schema, fields[name]) for name in part.get("required", ())}
    for name, inner in fields.items():
        for value in fill(schema, inner, secret):
            yield base | {name: value}
    if not fields:
        yield {"what": secret}
        yield {secret: "what"}


def sample(schema: Any, part: Any) -> Any:
    part = resolve(schema, part)
    if "enum" in part:
        return part["enum"][0]
    by_type = {"string": "word", "integer": 1, "number": 0.5, "boolean": True, "array": []}
    return by_type.get(part.get("type"), {})


def find_body(schema: Any, route: str) -> Any:
    method, _, path = route.partition(" ")
    path = path if path.startswith("/") else f"/api/v1/{path}"
    operation = schema["paths"].get(path, {}).get(method.lower(), {})
    content = operation.get("requestBody", {}).get("content", {})
    return content.get("application/json", {}).get("schema")


ENDS_THE_REST = {"POST spaces/{space}/rollback", "DELETE thoughts/{thought_id}"}
WITH_BODY = sorted(
    (route for route in IN_A_SPACE if TABLE[route].body is not None and route != "POST import"),
    key=lambda route: route in ENDS_THE_REST,
)


@pytest.fixture(scope="module")
def known():
    with served() as world:
        yield furnished(founded(world))


@pytest.mark.parametrize("route", WITH_BODY)
def test_no_text_of_a_body_leaves_a_secret_in_the_data_folder(schema, known, route):
    body, caller = find_body(schema, route), known.caller
    secret, spared = SECRET.format(WITH_BODY.index(route)), KEPT_FOR_WHO_SAID_IT.get(route, set())
    method, _, path = route.partition(" ")
    statuses = {}
    for change in fill(schema, body, secret):
        changed = TABLE[route].body(known) | change
        [name] = [name for name, value in changed.items() if secret in str(value)]
        if name not in spared:
            answer = caller.send(method, path.format_map(vars(known)), changed)
            statuses[name] = answer.status_code
    caller.world.app.embedding.finish()
    left = [
        str(file.relative_to(caller.world.home))
        for file in caller.world.home.rglob("*")
        if file.is_file() and secret.encode() in file.read_bytes()
    ]
    assert not left, statuses
