"""The earlier endpoints, unchanged: query and ingest best practices.

Source: thought tracing v0.2.0, section 2.
"""

from __future__ import annotations

from fastapi import APIRouter
from fastapi.responses import JSONResponse

from wellworn.domain.knowledge import Practice
from wellworn.interfaces.http import rendering
from wellworn.interfaces.http.access import Allowed, Opened
from wellworn.interfaces.http.replies import IngestReply, QueryReply
from wellworn.interfaces.http.v1.documented import failures
from wellworn.interfaces.http.wire import IngestRequest, QueryRequest

router = APIRouter(tags=["best practices"])


@router.post("/query", response_model=QueryReply, responses=failures(400, 413, 415))
def query(body: QueryRequest, app: Opened, access: Allowed) -> JSONResponse:
    """Return the five best practices nearest in meaning."""
    found = app.query(access, body.query, domain=body.domain)
    return JSONResponse(rendering.practices(body.query, found))


@router.post("/ingest", response_model=IngestReply, responses=failures(400, 413, 415))
def ingest(body: IngestRequest, app: Opened, access: Allowed) -> JSONResponse:
    """Store a best practice; the same one is stored once."""
    metadata = body.metadata
    practice = Practice(
        content=body.content,
        domain=(metadata.domain if metadata else None) or "",
        source=(metadata.source if metadata else None) or "",
    )
    practice_id, new = app.ingest(access, practice)
    return JSONResponse({"id": practice_id, "status": "ingested" if new else "known"})
