"""docs/reference/http.md and errors.md against the OpenAPI document and the table of errors."""

from __future__ import annotations

import re

from docs.fields import answered, operations, requested
from docs.pages import rows, sections, text_of
from wellworn.client import errors
from wellworn.engines.daemon import DaemonFailed
from wellworn.interfaces.http.errors import STATUS_OF_CODE

HTTP = "docs/reference/http.md"
ERRORS = "docs/reference/errors.md"


def _told_fields(section: str) -> dict[str, tuple[str, str]]:
    return {cells[0].strip("`"): (cells[1], cells[2]) for cells in rows(section)}


def test_every_route_has_a_section_and_every_section_a_route(description):
    assert set(sections(HTTP)) == set(operations(description))


def test_every_field_is_told_with_its_limits_and_default(description):
    told = {route: _told_fields(section) for route, section in sections(HTTP).items()}
    real = {
        route: requested(description, operation)
        for route, operation in operations(description).items()
    }
    assert told == real


def test_every_field_of_an_answer_is_named(description):
    told = sections(HTTP)
    missing = {
        route: sorted(
            field
            for field in answered(description, operation)
            if f"`{field}`" not in tell_answer(told, route)
        )
        for route, operation in operations(description).items()
    }
    assert {route: fields for route, fields in missing.items() if fields} == {}


def tell_answer(told, route):
    """Return what is told of an answer, with what the one says that it is like."""
    text = told[route].partition("Answer:")[2]
    like = re.match(r" as from \[`([^`]+)`\]\(#[^)]*\)\.\n", text)
    return text + tell_answer(told, like[1]) if like else text


def test_every_status_of_a_failure_is_told(description):
    told = {
        route: set(re.findall(r"\d{3}", section.partition("Errors:")[2].partition(".")[0]))
        for route, section in sections(HTTP).items()
    }
    real = {
        route: {status for status in operation["responses"] if status >= "400"}
        for route, operation in operations(description).items()
    }
    assert told == real


def test_every_code_is_told_with_its_status():
    table = sections(ERRORS, "## ")["Codes over HTTP and MCP"]
    assert {cells[0].strip("`"): int(cells[1]) for cells in rows(table)} == STATUS_OF_CODE


def test_every_code_of_the_clients_is_told():
    table = sections(ERRORS, "## ")["Codes of the client and the command line"]
    own = {value for name, value in vars(errors).items() if name == value}
    assert {cells[0].strip("`") for cells in rows(table)} == own | {DaemonFailed.code}


def test_the_page_names_the_door_that_openapi_does_not_know():
    assert "`POST /mcp`" in text_of(HTTP)
