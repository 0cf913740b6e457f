"""The earlier endpoints, unchanged: query and ingest best practices."""

from __future__ import annotations

from dataclasses import asdict

from wellworn.client.models import FoundPractice, FoundPractices, Ingested
from wellworn.domain.audit import Action
from wellworn.domain.knowledge import Practice
from wellworn.domain.spaces import Role
from wellworn.interfaces.http.access import Allowed, Opened
from wellworn.interfaces.http.routing import create_router
from wellworn.interfaces.http.serving import failures
from wellworn.interfaces.http.wire import IngestRequest, QueryRequest

router = create_router("best practices")


@router.post("/query", responses=failures(400, 413, 415))
def find_practices(body: QueryRequest, app: Opened, access: Allowed) -> FoundPractices:
    """Return the five best practices nearest in meaning."""
    with app.call(access, Action.PRACTICE_FOUND) as call:
        practices = call.services.knowledge.query(call.access, body.query, domain=body.domain)
    results = tuple(FoundPractice.of(hit, **asdict(hit.practice)) for hit in practices)
    return FoundPractices(query=body.query, count=len(results), results=results)


@router.post("/ingest", responses=failures(400, 413, 415))
def ingest(body: IngestRequest, app: Opened, access: Allowed) -> Ingested:
    """Store a best practice, once however often it is sent."""
    metadata = body.metadata
    practice = Practice(
        content=body.content,
        domain=(metadata.domain if metadata else None) or "",
        source=(metadata.source if metadata else None) or "",
    )
    with app.call(access, Action.PRACTICE_STORED, Role.CONTRIBUTOR) as call:
        practice_id, is_new = call.services.knowledge.ingest(call.access, practice)
    return Ingested(id=practice_id, status="ingested" if is_new else "known")
