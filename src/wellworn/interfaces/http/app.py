"""The HTTP interface as one FastAPI app over an open memory."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from copy import copy
from typing import Any, cast

from fastapi import FastAPI
from fastapi.routing import APIRoute
from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from wellworn import __version__
from wellworn.application.calls import App
from wellworn.domain.spaces import LOOPBACK_HOSTS
from wellworn.engines.slots import CallerSlots
from wellworn.interfaces.http import errors, knowledge
from wellworn.interfaces.http.gate import LONGEST_BODY, Gate
from wellworn.interfaces.http.shedding import Shedding
from wellworn.interfaces.http.v1 import (
    audit,
    credentials,
    curation,
    health,
    memory,
    spaces,
    thoughts,
    traces,
    transfer,
    turns,
)

_MOST_WAITING = 64
"""Callers who wait for a sync; others are told at once that it goes on."""

_ROUTERS = (
    *(memory.router, turns.router, thoughts.router, thoughts.outline, memory.practices),
    *(
        curation.router,
        curation.digest,
        curation.context,
        curation.capture,
        curation.sleep,
        curation.bridges,
        traces.decisions,
        traces.convergence,
        traces.sessions,
        traces.events,
    ),
    *(transfer.router, spaces.router, credentials.router, audit.router, health.router),
    *knowledge.ROUTERS,
    health.probes,
)

Lifespan = Callable[[FastAPI], AbstractAsyncContextManager[None]]


def create_api(
    app: App,
    *,
    lifespan: Lifespan | None = None,
    hosts: frozenset[str] = LOOPBACK_HOSTS,
    documents_inner: bool = False,
) -> FastAPI:
    """Return the interface; `documents_inner` puts think, retrieve and highways into OpenAPI."""
    api = FastAPI(
        title="wellworn",
        version=__version__,
        summary="A shared memory for AI agents that is worn in by use.",
        license_info={"name": "Apache-2.0", "identifier": "Apache-2.0"},
        openapi_url="/api/v1/openapi.json",
        # The interactive pages load their scripts from elsewhere; nothing here does.
        docs_url=None,
        redoc_url=None,
        lifespan=lifespan,
        max_body_size=LONGEST_BODY,
        redirect_slashes=False,
    )
    api.state.memory_app = app
    api.state.export_slots = CallerSlots("exports")
    api.state.waiters = CallerSlots("waits", most=_MOST_WAITING, most_of_a_caller=_MOST_WAITING)
    for router in _ROUTERS:
        api.router.routes.extend(router.routes)
    for route in map(copy, cast("list[APIRoute]", memory.inner.routes)):
        route.include_in_schema = documents_inner
        api.router.routes.append(route)
    errors.install(api)
    _put_gate_outside(api, hosts)
    _correct_schema(api)
    return api


def _put_gate_outside(api: FastAPI, hosts: frozenset[str]) -> None:
    """Let the gate see what the framework's own limits answer; added middleware stands inside."""
    built = api.build_middleware_stack
    api.build_middleware_stack = lambda: Plain(Gate(Shedding(built()), hosts=hosts))


def _correct_schema(api: FastAPI) -> None:
    """Take out the answer that FastAPI documents and this API never gives."""
    made = api.openapi

    def openapi() -> dict[str, Any]:
        schema = made()
        for operations in schema["paths"].values():
            for operation in operations.values():
                operation["responses"].pop("422", None)
        for unused in ("HTTPValidationError", "ValidationError"):
            schema.get("components", {}).get("schemas", {}).pop(unused, None)
        return schema

    api.openapi = openapi


class Plain:
    """ASGI middleware: a browser must not guess the kind of an answer from its content.

    What documents and thoughts say was written by others; shown as a page of this server's, it
    could act in its name.

    Source: WHATWG Fetch, X-Content-Type-Options.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(raw=[*message.get("headers", ())])
                headers["x-content-type-options"] = "nosniff"
                message = {**message, "headers": headers.raw}
            await send(message)

        await self._app(scope, receive, sending)
