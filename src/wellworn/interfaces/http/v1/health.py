"""How the server is, and what it offers."""

from __future__ import annotations

from typing import Literal

from fastapi import APIRouter, Request

from wellworn import __version__
from wellworn.client.models import (
    Alive,
    Collections,
    Discovery,
    Endpoint,
    Health,
    ModelHealth,
    PartHealth,
    PointCount,
)
from wellworn.interfaces.http.access import Allowed, Opened
from wellworn.interfaces.http.v1.documented import failures

router = APIRouter(tags=["health"])
probes = APIRouter(tags=["health"])


@router.get("/health", responses=failures())
def check_health(app: Opened, access: Allowed) -> Health:
    """Say how every part is and how much is stored."""
    state = app.health(access)
    return Health(
        status="ok" if state.is_well else "degraded",
        version=__version__,
        qdrant=PartHealth(status=_status(state.index)),
        database=PartHealth(status=_status(state.database)),
        embedding=ModelHealth(status=_status(state.embedding), model=state.model),
        collections=Collections(
            thought_space=PointCount(points=state.thoughts),
            best_practices=PointCount(points=state.practices),
        ),
        advice=state.advice,
        unindexed=state.unindexed,
    )


@router.get("/", responses=failures())
def discover(request: Request) -> Discovery:
    """List the endpoints."""
    schema = request.app.openapi()
    endpoints = tuple(
        Endpoint(method=method.upper(), path=path, description=operation.get("description", ""))
        for path, operations in schema["paths"].items()
        for method, operation in operations.items()
    )
    return Discovery(version=__version__, endpoints=endpoints)


@probes.get("/health/live", responses=failures())
async def live() -> Alive:
    """Answer whenever the process can."""
    return Alive(version=__version__)


@probes.get("/health/ready", responses=failures())
async def ready() -> Alive:
    """Answer once the memory is open, which is before anything is served."""
    return Alive(version=__version__)


def _status(is_well: bool) -> Literal["ok", "error"]:  # noqa: FBT001 - the flag in words
    return "ok" if is_well else "error"
