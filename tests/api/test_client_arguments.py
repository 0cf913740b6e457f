"""The client can send every field that a route takes, and no other."""

from __future__ import annotations

import collections.abc
import inspect
import json
import re
from collections import defaultdict
from collections.abc import Iterator
from contextlib import suppress
from typing import Any, Literal, get_args, get_origin, get_type_hints

import httpx2
import pytest
from typing_extensions import TypeAliasType, is_typeddict

from both_clients import CLIENTS
from wellworn.client import Wellworn, WellwornClientError
from wellworn.interfaces.http import create_api

KNOWLEDGE = "/api/knowledge"
NOT_IN_CLIENT = {
    "GET /api/v1/": "the document lists the endpoints, too",
    "GET /health/live": "for the machine that watches the server",
    "GET /health/ready": "for the machine that watches the server",
    "POST /api/v1/query": "an earlier endpoint; search_knowledge finds documents",
    "POST /api/v1/ingest": "an earlier endpoint; sources bring documents",
    "POST /api/v1/think": "an inner function; remember stores a thought",
    "POST /api/v1/retrieve": "an inner function; recall retrieves",
    f"POST {KNOWLEDGE}/sources/{{source_id}}/webhook": "other services call it",
    f"GET {KNOWLEDGE}/resolve": "resolve sends the same in a body",
}
"""Routes that no method of the client calls, each with the reason."""


WAITED_FOR = {f"POST {KNOWLEDGE}/sources/{{source_id}}/sync": {"wait"}}
"""Parameters that no method sends, because it waits by itself, as long as it takes."""
SENT_IF_OTHER = {"POST /api/v1/import": {"wait"}}
"""Parameters that are sent when they are not as they are anyway."""


def sample(kind: Any) -> Any:
    """Return a value of an annotated type that is sent, so no None and nothing empty."""
    if isinstance(kind, TypeAliasType):
        [kind, *_] = get_args(kind.__value__)
    if is_typeddict(kind):
        return {name: sample(hint) for name, hint in get_type_hints(kind).items()}
    kinds = [part for part in get_args(kind) if part is not type(None)]
    if get_origin(kind) is Literal:
        return kinds[0]
    if type(None) in get_args(kind):
        return sample(kinds[0])
    origin = get_origin(kind) or kind
    by_type = {str: "x", bytes: b"x", int: 1, float: 0.5, bool: True}
    if origin in by_type:
        return by_type[origin]
    return {} if "Mapping" in str(origin) else [sample(kinds[0])]


def arguments(method: Any) -> tuple[dict[str, Any], list[str]]:
    """Return arguments that fill every parameter but callbacks, and which of them are flags."""
    names = vars(collections.abc) | {"Any": Any, "Literal": Literal}
    hints = get_type_hints(method, localns=names)
    hints.pop("return", None)
    options = hints.pop("options", None)
    if options is not None:
        hints |= get_type_hints(get_args(options)[0], localns=names)
    filled = (
        {"records": [{}]}
        if "records" in hints
        else {name: sample(kind) for name, kind in hints.items() if "Callable" not in str(kind)}
    )
    return filled, [name for name, kind in hints.items() if kind is bool]


METHODS = sorted(
    name
    for name, method in inspect.getmembers(Wellworn, inspect.isfunction)
    if not name.startswith("_") and name not in {"close", "read_all"}
)


@pytest.fixture(scope="module")
def documented():
    """The names of the fields and parameters that each route takes."""
    schema = create_api(None, documents_inner=True).openapi()
    routes = {}
    for path, operations in schema["paths"].items():
        for method, operation in operations.items():
            names = {
                parameter["name"]
                for parameter in operation.get("parameters", ())
                if parameter["in"] != "path" and parameter["name"] != "Wellworn-Space"
            }
            content = operation.get("requestBody", {}).get("content", {})
            for reference in re.findall(r"schemas/(\w+)", json.dumps(content)):
                names |= schema["components"]["schemas"][reference]["properties"].keys()
            routes[f"{method.upper()} {path}"] = names
    return routes


@pytest.fixture(scope="module", params=CLIENTS)
def sent(documented, request):
    """The names of the fields and parameters that the client's methods send to each route."""
    routes = defaultdict(set)
    patterns = {
        route: re.compile(re.sub(r"{\w+}", "[^/]+", route) + "$")
        for route in sorted(documented, key=lambda route: route.count("{"))
    }

    def answer(call: httpx2.Request) -> httpx2.Response:
        called = f"{call.method} {call.url.path}"
        route = next(route for route, pattern in patterns.items() if pattern.match(called))
        routes[route] |= call.url.params.keys()
        routes[route] |= call.headers.keys() & {"idempotency-key"}
        if call.headers.get("content-type") == "application/json":
            routes[route] |= json.loads(call.content).keys()
        return httpx2.Response(200, json=None)

    client_class = CLIENTS[request.param]
    with client_class("http://memory", transport=httpx2.MockTransport(answer)) as client:
        for name in METHODS:
            filled, flags = arguments(getattr(Wellworn, name))
            for flag in {True, not flags}:
                # An answer of nothing is none that the method can read; what it sent is enough.
                with suppress(WellwornClientError):
                    result = getattr(client, name)(**filled | dict.fromkeys(flags, flag))
                    list(result if isinstance(result, Iterator) else ())
    return routes


def test_every_route_is_called_unless_there_is_a_reason(documented, sent):
    assert documented.keys() - sent.keys() == NOT_IN_CLIENT.keys()


def test_every_field_of_a_route_can_be_sent(documented, sent):
    for route, names in sent.items():
        lacking = WAITED_FOR.get(route, set()) | SENT_IF_OTHER.get(route, set())
        assert documented[route] - lacking == names - lacking, route


@pytest.mark.parametrize("option", ["contribute", "agent_id"])
def test_what_a_method_says_by_itself_is_no_option_that_is_dropped_in_silence(option):
    with (
        Wellworn("http://127.0.0.1:9", attempts=1) as memory,
        pytest.raises(TypeError, match=option),
    ):
        memory.converse("The kiln is cold.", **{option: "never"})
