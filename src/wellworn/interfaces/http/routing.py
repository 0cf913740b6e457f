"""Routers whose routes are whole where they are declared, so that an app takes them as they are.

FastAPI makes the routes of an included router anew with the first request, and looks for the route
of a request among them twice.
"""

from __future__ import annotations

from fastapi import APIRouter, Depends

from wellworn.interfaces.http.gate import LONGEST_BODY
from wellworn.interfaces.http.parameters import refuse_unknown_parameters

PREFIX = "/api/v1"
KNOWLEDGE_PREFIX = "/api/knowledge"


def create_router(tag: str, *, prefix: str = PREFIX) -> APIRouter:
    """Return a router of one noun, whose routes refuse what a route of this API has to refuse."""
    return APIRouter(
        prefix=prefix,
        tags=[tag],
        dependencies=[Depends(refuse_unknown_parameters)],
        max_body_size=LONGEST_BODY,
    )
