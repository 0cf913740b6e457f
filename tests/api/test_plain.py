"""No answer is left to a browser to guess the kind of."""

from __future__ import annotations

import pytest

from api.routes import TABLE, Nobody, call, furnished, unknown
from api.walls import MCP, founded, served


@pytest.fixture(scope="module")
def world():
    with served(raise_server_exceptions=False) as world:
        yield world


@pytest.fixture(scope="module")
def owner(world):
    return founded(world)


@pytest.fixture(scope="module")
def about(owner):
    return furnished(owner)


def is_plain(reply):
    return reply.headers.get_list("x-content-type-options") == ["nosniff"]


@pytest.mark.parametrize("route", TABLE)
def test_every_answer_and_every_refusal_says_that_its_kind_is_not_to_be_guessed(
    world, owner, about, route
):
    assert is_plain(call(owner, route, unknown(owner)))
    assert is_plain(call(Nobody(world), route, about))
    assert is_plain(call(owner, route, about, headers={"sec-fetch-site": "cross-site"}))


@pytest.mark.parametrize(
    ("method", "path", "headers"),
    [
        ("GET", "/nowhere", {}),
        ("PATCH", "/api/v1/health", {}),
        ("GET", "/api/v1/health", {"host": "evil.example"}),
        ("POST", "/api/v1/memory", {"content-type": "text/html", "content-length": "2"}),
        ("GET", "/api/knowledge/artifacts/catalog.md", {}),
        ("POST", "/mcp", MCP | {"content-type": "application/json"}),
        ("GET", "/mcp", MCP),
        ("DELETE", "/mcp/ks-default", MCP),
    ],
)
def test_so_do_files_and_what_is_refused_before_any_route(world, method, path, headers):
    assert is_plain(world.client.request(method, path, headers=headers, content=b"{}"))


def test_so_does_the_answer_to_a_fault_of_the_server(world, monkeypatch):
    def broken(*_args, **_more):
        raise RuntimeError

    monkeypatch.setattr(type(world.app.guard.pool.shared.sources), "list_sources", broken)
    reply = world.client.get("/api/knowledge/sources")
    assert reply.status_code == 500
    assert is_plain(reply)
