"""Tells how the server is, and what it offers."""

from __future__ import annotations

from typing import Literal

from anyio import move_on_after, to_thread
from fastapi import Request
from fastapi.responses import JSONResponse

from wellworn import __version__
from wellworn.application.calls import Health, require_care
from wellworn.application.settings import list_settings, read_settings
from wellworn.client import models as shapes
from wellworn.client.calls import ThoughtCalls
from wellworn.interfaces.http.access import Allowed, Opened
from wellworn.interfaces.http.errors import response_of
from wellworn.interfaces.http.routing import create_router
from wellworn.interfaces.http.serving import failures, serve

READY_WITHIN_S = 2.0

router = create_router("health")
probes = create_router("health", prefix="")


@serve(router, ThoughtCalls.health)
def check_health(app: Opened, access: Allowed) -> object:
    state = app.health(access)
    return shapes.Health(
        status="ok" if state.is_well else "degraded",
        version=__version__,
        qdrant=shapes.PartHealth(status=_status(state.index)),
        database=shapes.PartHealth(status=_status(state.database)),
        embedding=shapes.ModelHealth(status=_status(state.embedding), model=state.model),
        reading=_describe_reader(state),
        collections=shapes.Collections(
            thought_space=shapes.PointCount(points=state.thoughts),
            best_practices=shapes.PointCount(points=state.practices),
        ),
        advice=state.advice,
        unindexed=state.unindexed,
        findable=shapes.FindableThoughts.of(state.findable),
    )


@serve(router, ThoughtCalls.workload)
def measure_workload(app: Opened, access: Allowed) -> object:
    return app.measure_workload(access)


@serve(router, ThoughtCalls.jobs)
def list_jobs(app: Opened, access: Allowed, limit: int) -> object:
    return app.list_jobs(access, limit=limit)


@serve(router, ThoughtCalls.settings)
def list_effective_settings(access: Allowed) -> object:
    require_care(access)
    return list_settings(read_settings())


@router.get("/", responses=failures())
def discover(request: Request) -> shapes.Discovery:
    """List the endpoints."""
    schema = request.app.openapi()
    endpoints = tuple(
        shapes.Endpoint(
            method=method.upper(), path=path, description=operation.get("description", "")
        )
        for path, operations in schema["paths"].items()
        for method, operation in operations.items()
    )
    return shapes.Discovery(version=__version__, endpoints=endpoints)


@probes.get("/health/live", responses=failures())
async def live() -> shapes.Alive:
    """Answer while the process runs."""
    return shapes.Alive(version=__version__)


@probes.get("/health/ready", response_model=shapes.Alive, responses=failures(503))
async def ready(app: Opened) -> shapes.Alive | JSONResponse:
    """Answer while a call would get a thread, a database connection and the indexes."""
    is_ready = False
    with move_on_after(READY_WITHIN_S):
        is_ready = await to_thread.run_sync(app.is_ready, abandon_on_cancel=True)
    if is_ready:
        return shapes.Alive(version=__version__)
    message = "the memory cannot answer now: it is too busy, or a part fails; see the health"
    return response_of("NOT_READY", message, {"Retry-After": "5"})


def _describe_reader(state: Health) -> shapes.ReaderHealth:
    if state.reader is None:
        return shapes.ReaderHealth(status="off")
    status = "error" if state.reading_failure else "ok"
    return shapes.ReaderHealth(status=status, model=state.reader)


def _status(is_well: bool) -> Literal["ok", "error"]:  # noqa: FBT001 - the flag in words
    return "ok" if is_well else "error"
