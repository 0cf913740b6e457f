"""The outline of a space over HTTP: where to look, and the text that is there."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query

from wellworn.client.models import Outline, Passage
from wellworn.domain.outline import LONGEST_PAGE, PAGE
from wellworn.interfaces.fields import NodeName
from wellworn.interfaces.http.access import Allowed, Opened
from wellworn.interfaces.http.routing import create_router
from wellworn.interfaces.http.v1.documented import failures

router = create_router("outline")

_FURTHEST = 2**31 - 1
Offset = Annotated[int, Query(ge=0, le=_FURTHEST)]


@router.get("/outline", responses=failures(400, 404))
def browse(
    app: Opened,
    access: Allowed,
    of: Annotated[NodeName | None, Query(description="Id of a node, or a name.")] = None,
    depth: Annotated[int, Query(ge=0, le=6, description="Levels below the node.")] = 1,
    offset: Offset = 0,
) -> Outline:
    """Return a node of the outline and its children; without `of`, the root of the space."""
    return Outline.of(app.outline(access, of, depth=depth, offset=offset))


@router.get("/outline/read", responses=failures(400, 404))
def read(
    node: Annotated[NodeName, Query(description="Id of a node, or a name.")],
    app: Opened,
    access: Allowed,
    offset: Offset = 0,
    limit: Annotated[int, Query(ge=1, le=LONGEST_PAGE, description="Most characters.")] = PAGE,
) -> Passage:
    """Return a page of the text that a node stands for, each passage with its source."""
    return Passage.of(app.read(access, node, offset=offset, limit=limit))
