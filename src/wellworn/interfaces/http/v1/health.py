"""How the server is, and what it offers."""

from __future__ import annotations

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse

from wellworn import __version__
from wellworn.interfaces.http.access import Allowed, Opened
from wellworn.interfaces.http.replies import AliveReply, DiscoveryReply, HealthReply
from wellworn.interfaces.http.v1.documented import failures

router = APIRouter(tags=["health"])
probes = APIRouter(tags=["health"])


@router.get("/health", response_model=HealthReply, responses=failures())
def health(app: Opened, access: Allowed) -> JSONResponse:
    """Say how every part is and how much is stored."""
    state = app.health(access)
    return JSONResponse(
        {
            "status": "ok" if state.is_well else "degraded",
            "version": __version__,
            "qdrant": {"status": _word(state.index)},
            "database": {"status": _word(state.database)},
            "embedding": {"status": _word(state.embedding), "model": state.model},
            "collections": {
                "thought_space": {"points": state.thoughts},
                "best_practices": {"points": state.practices},
            },
            "unindexed": state.unindexed,
        }
    )


@router.get("/", response_model=DiscoveryReply, responses=failures())
def discover(request: Request) -> JSONResponse:
    """List the endpoints."""
    schema = request.app.openapi()
    endpoints = [
        {"method": method.upper(), "path": path, "description": operation.get("description", "")}
        for path, operations in schema["paths"].items()
        for method, operation in operations.items()
    ]
    return JSONResponse({"name": "wellworn", "version": __version__, "endpoints": endpoints})


@probes.get("/health/live", response_model=AliveReply, responses=failures())
async def live() -> JSONResponse:
    """Answer whenever the process can."""
    return JSONResponse({"status": "ok", "name": "wellworn", "version": __version__})


@probes.get("/health/ready", response_model=AliveReply, responses=failures())
async def ready() -> JSONResponse:
    """Answer once the memory is open, which is before anything is served."""
    return JSONResponse({"status": "ok", "name": "wellworn", "version": __version__})


def _word(is_well: bool) -> str:  # noqa: FBT001 - a rendering of the flag itself
    return "ok" if is_well else "error"
