"""The audit trail of a space over HTTP, for its admins: shown, verified, exported."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query, Request
from fastapi.responses import StreamingResponse

from wellworn.client.calls import SpaceCalls
from wellworn.interfaces.http.access import Allowed, Caller, Opened
from wellworn.interfaces.http.gate import LINES
from wellworn.interfaces.http.routing import create_router
from wellworn.interfaces.http.serving import failures, serve
from wellworn.interfaces.http.v1.exports import A_LINE, Slots, respond_with_export

router = create_router("audit")

Of = Annotated[
    str | None,
    Query(
        min_length=1,
        max_length=100,
        description="For admins of the default space: `server`, where credentials stand, or the "
        "id of a space that is no more.",
    ),
]


@serve(router, SpaceCalls.audit)
def list_entries(app: Opened, access: Allowed, of: str | None, after: int, limit: int) -> object:
    return app.trails.show(access, of, after_seq=after, limit=limit)


@serve(router, SpaceCalls.verify_audit)
def verify(app: Opened, access: Allowed, of: str | None) -> object:
    return app.trails.verify(access, of)


@router.get(
    "/audit/export",
    response_class=StreamingResponse,
    responses={
        **failures(400, 404),
        200: {"content": {LINES: A_LINE}, "description": "The trail."},
    },
)
async def export(
    app: Opened, access: Allowed, caller: Caller, slots: Slots, of: Of = None, *, request: Request
) -> StreamingResponse:
    """Stream the audit trail with its hashes and signed checkpoints."""
    return await respond_with_export(
        request, access, slots, caller=caller, lines=lambda: app.trails.export(access, of)
    )
