"""What the OpenAPI document says is what the server does, whatever is sent: schemathesis asks.

The inner routes are kept out of the document that agents read; here they are documented and asked
as well.
"""

from __future__ import annotations

from functools import cache
from typing import cast

import pytest
import schemathesis
from fastapi import FastAPI
from hypothesis import HealthCheck, Phase, settings
from schemathesis.checks import load_all_checks
from schemathesis.generation.feedback import FeedbackSources
from schemathesis.pytest._test_builder import build_operation_test
from schemathesis.python._constants.orchestrator import make_constants_value_source
from schemathesis.schemas import BaseSchema
from schemathesis.specs.openapi.checks import positive_data_acceptance
from sqlalchemy import delete

from api.routes import PROBES, TABLE
from wellworn.application.calls import App
from wellworn.domain.memory.tables import answers
from wellworn.domain.turns.tables import turns
from wellworn.interfaces.http import create_api

# What schemathesis calls the server; foreign names are refused, which has tests of its own.
HOST = frozenset({"testserver"})


@schemathesis.hook
def before_load_schema(_context, document):
    """Leave out how long a vector may be: thousands of numbers, drawn one by one, take minutes.

    `test_validation` tests that bound. A stream of events has no end unless one asks for it;
    `test_events` tests it.
    """
    del document["paths"]["/api/v1/events"]
    request = document["components"]["schemas"]["RetrieveRequest"]
    vector, _ = request["properties"]["query_embedding"]["anyOf"]
    del vector["maxItems"]


KNOWLEDGE = "/api/knowledge"
UNTOLD = {
    # No schema can say what the lines of a text are: most texts are no records.
    ("POST", "/api/v1/import"),
    # What a configuration holds is its connector's business, and a schedule is a language.
    ("POST", f"{KNOWLEDGE}/sources"),
    ("PUT", f"{KNOWLEDGE}/sources/{{source_id}}"),
    # Only sources of uploads take files, and a conflict only its own values.
    ("PUT", f"{KNOWLEDGE}/sources/{{source_id}}/files/{{path}}"),
    ("POST", f"{KNOWLEDGE}/conflicts/{{conflict_id}}/decision"),
    ("POST", f"{KNOWLEDGE}/aliases"),
    # Of two moments the second must be the later one.
    ("POST", "/api/v1/memory"),
    ("GET", "/api/v1/thoughts"),
    ("GET", "/api/v1/search"),
    # An end must be later than what it ends.
    ("POST", "/api/v1/think"),
    ("PUT", "/api/v1/thoughts/{thought_id}/end"),
    # Each action goes with fields of its own, and what happened needs a time that is over.
    ("POST", "/api/v1/curation"),
    ("POST", "/api/v1/curation/matching"),
    ("GET", "/api/v1/digest"),
    # Nothing can be tried before weights were learned.
    ("POST", "/api/v1/policy/try"),
    # How long a vector is depends on the encoder.
    ("POST", "/api/v1/retrieve"),
}
"""Where data that fits the schema may be refused all the same."""


@schemathesis.serializer("application/x-ndjson")
def as_lines(_context, value):
    return value.encode("utf-8", "surrogatepass") if isinstance(value, str) else b"null"


@pytest.fixture(autouse=True)
def memory(lasting_world):
    lasting_world.know("Role boundaries prevent coordination collapse.")
    lasting_world.ask("role boundaries?")
    read_document()[0].state.memory_app = lasting_world.app
    return lasting_world


@cache
def read_document() -> tuple[FastAPI, BaseSchema, FeedbackSources]:
    """Return the API, its document, and the constants of its code, which may be drawn."""
    load_all_checks()
    # The document is the same whatever is in memory, so it can be read before there is one.
    api = create_api(cast("App", None), hosts=HOST, documents_inner=True)
    document = schemathesis.openapi.from_asgi("/api/v1/openapi.json", api)
    return (
        api,
        document,
        FeedbackSources(constants_value_source=make_constants_value_source(document)),
    )


@settings(
    max_examples=15,
    deadline=None,
    derandomize=True,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=[*HealthCheck],
)
def keep_to_the_document(case, memory):
    # A key that an earlier example used with another body would be refused, and rightly so.
    with memory.app.database.write() as transaction:
        transaction.execute(delete(answers))
        transaction.execute(delete(turns))
    untold = [positive_data_acceptance] if (case.method, case.path) in UNTOLD else []
    case.call_and_validate(excluded_checks=untold)


@pytest.mark.parametrize("route", sorted({*TABLE, *PROBES} - {"GET events"}))
def test_the_server_keeps_to_its_document(memory, route):
    method, _, path = route.partition(" ")
    _, document, feedback = read_document()
    # `document.parametrize()` does the same for every operation while tests are collected, which
    # takes half a minute of each worker.
    ask = build_operation_test(
        config=document.config,
        operation=document[path if path.startswith("/") else f"/api/v1/{path}"][method],
        test_func=keep_to_the_document,
        given_kwargs={},
        feedback=feedback,
    )
    ask(memory=memory)
