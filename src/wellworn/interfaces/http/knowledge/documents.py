"""Documents over HTTP: listed, read, searched."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.responses import JSONResponse

from wellworn.domain.sources import best_by_document
from wellworn.interfaces.http.access import Allowed, Opened
from wellworn.interfaces.http.fields import PromptText
from wellworn.interfaces.http.knowledge import source_replies as replies
from wellworn.interfaces.http.knowledge.fields import MOST_SOURCES_NAMED, DocumentId, Number, Offset
from wellworn.interfaces.http.v1.documented import failures

router = APIRouter(tags=["documents"])

_SNIPPETS = 3
"""Passages shown of a document, as specified."""
_PASSAGES_A_DOCUMENT = 4
_LEAST_PASSAGES = 40
"""Passages looked at, for each document that is wanted and at all: one long document has many."""

_Sources = Annotated[
    list[Number], Query(max_length=MOST_SOURCES_NAMED, description="Search only these sources.")
]


@router.get("/documents", response_model=replies.DocumentsReply, responses=failures(400, 404))
def listed(
    app: Opened,
    access: Allowed,
    source_id: Annotated[Number | None, Query(description="Only of this source.")] = None,
    offset: Offset = 0,
    limit: Annotated[int, Query(ge=1, le=1_000)] = 100,
) -> JSONResponse:
    """List documents, those that could not be read with the reason."""
    found = app.knowing.documents(access, source_id=source_id, offset=offset, limit=limit + 1)
    shown = [replies.document(one) for one in found[:limit]]
    more = offset + limit if len(found) > limit else None
    return JSONResponse({"documents": shown, "next_offset": more})


@router.get(
    "/documents/{document_id}", response_model=replies.TextReply, responses=failures(400, 404)
)
def shown(
    document_id: DocumentId,
    app: Opened,
    access: Allowed,
    offset: Offset = 0,
    limit: Annotated[int, Query(ge=1, le=100_000, description="Most characters.")] = 20_000,
) -> JSONResponse:
    """Return a page of a document's text, character for character as it is stored."""
    found = app.knowing.document(access, document_id)
    return JSONResponse(replies.page(found, offset=offset, limit=limit))


@router.get("/search", response_model=replies.SearchedReply, responses=failures(400, 404))
def search(
    q: Annotated[PromptText, Query(description="What to look for.")],
    app: Opened,
    access: Allowed,
    limit: Annotated[int, Query(ge=1, le=50, description="Most documents.")] = 5,
    source_id: _Sources = [],  # noqa: B006 - FastAPI copies it
) -> JSONResponse:
    """Find documents, the best first, each with at most three of its passages."""
    wanted = max(_LEAST_PASSAGES, limit * _PASSAGES_A_DOCUMENT)
    passages = app.knowing.search(access, q, limit=wanted, sources=tuple(source_id) or None)
    best = best_by_document(passages, most=_SNIPPETS)[:limit]
    return JSONResponse({"query": q, "results": [replies.found(each) for each in best]})
