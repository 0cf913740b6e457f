"""Texts become the arguments that a tool's schema asks for, whatever the schema is."""

from __future__ import annotations

import pytest

from wellworn.engines.tool_servers import ServerFailure, list_parameters, list_values
from wellworn.engines.tool_servers.arguments import read_arguments


def schema_of(**parameters):
    return {"type": "object", "properties": parameters}


@pytest.mark.parametrize(
    ("parameter", "text", "value"),
    [
        ({"type": "string"}, "5", "5"),
        ({"type": "integer"}, "5", 5),
        ({"type": "number"}, "5", 5),
        ({"type": "number"}, "0.5", 0.5),
        ({"type": "boolean"}, "True", True),
        ({"type": "array"}, '["a"]', ["a"]),
        ({"type": "object"}, '{"a": 1}', {"a": 1}),
        ({"anyOf": [{"type": "integer"}, {"type": "null"}]}, "null", None),
        ({"type": ["string", "null"]}, "null", "null"),
        ({"$ref": "#/$defs/Ticket"}, '{"id": 1}', {"id": 1}),
        ({}, "OPS-77", "OPS-77"),
    ],
)
def test_a_text_becomes_what_its_schema_says(parameter, text, value):
    assert read_arguments(schema_of(it=parameter), {"it": text}) == {"it": value}


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("integer", "five"),
        ("integer", "true"),
        ("integer", "5.5"),
        ("array", "{}"),
        ("object", "x"),
    ],
)
def test_a_text_of_another_type_is_named(kind, text):
    answer = read_arguments(schema_of(it={"type": kind}), {"it": text})
    assert answer == ServerFailure("its argument it has to be of another type")


def test_what_is_missing_is_named():
    schema = {**schema_of(ticket={"type": "string"}), "required": ["ticket"]}
    assert read_arguments(schema, {}) == ServerFailure("it needs the argument ticket")


@pytest.mark.parametrize(
    "schema",
    [
        {"properties": 5, "required": 5},
        {"properties": {"it": 5}, "required": [5]},
        {"properties": {"it": {"type": 5, "anyOf": 5, "enum": 5}}},
        {"properties": {"it": {"type": [5], "anyOf": [5, {"oneOf": None}]}}},
    ],
)
def test_a_schema_that_is_none_asks_for_nothing(schema):
    assert read_arguments(schema, {"it": "a"}) == {"it": "a"}
    assert list(list_values(schema)) == []
    assert [*list_parameters(schema)] in ([], ["it"])


def test_values_that_a_schema_names_are_listed():
    schema = schema_of(
        state={"enum": ["open", "closed"], "default": "open"},
        limit={"type": "integer"},
        whole={"type": "boolean"},
        text={"type": "string"},
    )
    values = set(list_values(schema))
    assert {"open", "closed", "true", "false", "0", "100"} <= values
    assert not {"101", "4711"} & values
