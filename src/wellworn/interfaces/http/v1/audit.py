"""The audit trail of a space over HTTP, for its admins: shown, verified, taken out."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.responses import JSONResponse, StreamingResponse
from starlette.concurrency import iterate_in_threadpool

from wellworn.domain.audit import Recorded
from wellworn.interfaces.http.access import Allowed, Opened
from wellworn.interfaces.http.belonging_replies import AuditReply, VerdictReply
from wellworn.interfaces.http.gate import LINES
from wellworn.interfaces.http.v1.documented import failures
from wellworn.kit.clock import iso

router = APIRouter(tags=["audit"])

Of = Annotated[
    str | None,
    Query(
        min_length=1,
        max_length=100,
        description="For admins of the default space: `server`, where credentials stand, or the "
        "id of a space that is no more.",
    ),
]

_A_LINE = {"schema": {"type": "string", "description": "One JSON record a line."}}


@router.get("/audit", response_model=AuditReply, responses=failures(400, 404))
def shown(
    app: Opened,
    access: Allowed,
    of: Of = None,
    after: Annotated[int, Query(ge=0, le=2**53)] = 0,
    limit: Annotated[int, Query(ge=1, le=1000)] = 100,
) -> JSONResponse:
    """Show who did what, in order; never what was said."""
    found = app.administration.trail(access, of, after_seq=after, limit=limit)
    return JSONResponse({"entries": [_entry(one) for one in found]})


@router.get("/audit/verify", response_model=VerdictReply, responses=failures(400, 404))
def verify(app: Opened, access: Allowed, of: Of = None) -> JSONResponse:
    """Check the whole trail against its chain and its checkpoints."""
    report = app.administration.verify_trail(access, of)
    return JSONResponse(
        {
            "ok": report.ok,
            "entries": report.entries,
            "checkpoints": report.checkpoints,
            "first_bad_seq": report.first_bad_seq,
            "reason": report.reason,
        }
    )


@router.get(
    "/audit/export",
    response_class=StreamingResponse,
    responses={
        **failures(400, 404),
        200: {"content": {LINES: _A_LINE}, "description": "The trail."},
    },
)
def export(app: Opened, access: Allowed, of: Of = None) -> StreamingResponse:
    """Stream the trail with its hashes and signed checkpoints."""
    lines = (line + "\n" for line in app.administration.export_trail(access, of))
    return StreamingResponse(iterate_in_threadpool(lines), media_type=LINES)


def _entry(one: Recorded) -> dict[str, object]:
    entry = one.entry
    return {
        "seq": one.seq,
        "at": iso(entry.at),
        "principal": entry.caller.principal,
        "credential": entry.caller.credential,
        "action": entry.action,
        "targets": list(entry.targets),
        "outcome": entry.outcome,
        "request_id": entry.caller.request_id,
        "details": dict(entry.details),
    }
