"""The outline of a space over HTTP: where to look, and the text that is there.

Source: issue 4, point 6.
"""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.responses import JSONResponse

from wellworn.domain.outline import LONGEST_PAGE, PAGE
from wellworn.interfaces.http import outline_replies as replies
from wellworn.interfaces.http.access import Allowed, Opened
from wellworn.interfaces.http.fields import NodeName
from wellworn.interfaces.http.v1.documented import failures

router = APIRouter(tags=["outline"])

_FURTHEST = 2**31 - 1
Offset = Annotated[int, Query(ge=0, le=_FURTHEST)]


@router.get("/outline", response_model=replies.OutlineReply, responses=failures(400, 404))
def outline(
    app: Opened,
    access: Allowed,
    of: Annotated[NodeName | None, Query(description="Id of a node, or a name.")] = None,
    depth: Annotated[int, Query(ge=0, le=6, description="Levels below the node.")] = 1,
    offset: Offset = 0,
) -> JSONResponse:
    """Return a node of the outline and what is below it; without `of`, the whole space."""
    return JSONResponse(replies.outlined(app.outline(access, of, depth=depth, offset=offset)))


@router.get("/outline/read", response_model=replies.PassageReply, responses=failures(400, 404))
def read(
    node: Annotated[NodeName, Query(description="Id of a node, or a name.")],
    app: Opened,
    access: Allowed,
    offset: Offset = 0,
    limit: Annotated[int, Query(ge=1, le=LONGEST_PAGE, description="Most characters.")] = PAGE,
) -> JSONResponse:
    """Return a page of the text that a node stands for, each stretch with its source."""
    return JSONResponse(replies.passage(app.read(access, node, offset=offset, limit=limit)))
