"""Documents over HTTP: listed, read, searched."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from fastapi import Query

from wellworn.client import models as shapes
from wellworn.domain.audit import Action
from wellworn.domain.sources import Snippet as PassageFound
from wellworn.domain.sources import group_by_document
from wellworn.interfaces.fields import PromptText
from wellworn.interfaces.http.access import Allowed, Opened
from wellworn.interfaces.http.knowledge.fields import MOST_SOURCES_NAMED, DocumentId, Number, Offset
from wellworn.interfaces.http.routing import KNOWLEDGE_PREFIX, create_router
from wellworn.interfaces.http.v1.documented import failures

router = create_router("documents", prefix=KNOWLEDGE_PREFIX)

_SNIPPETS = 3
"""Passages shown of a document, as specified."""
_PASSAGES_A_DOCUMENT = 4
_LEAST_PASSAGES = 40
"""Passages looked at, for each document that is wanted and at all: one long document has many."""

_Sources = Annotated[
    list[Number], Query(max_length=MOST_SOURCES_NAMED, description="Search only these sources.")
]


@router.get("/documents", responses=failures(400, 404))
def list_documents(
    app: Opened,
    access: Allowed,
    source_id: Annotated[Number | None, Query(description="Only of this source.")] = None,
    offset: Offset = 0,
    limit: Annotated[int, Query(ge=1, le=1_000)] = 100,
) -> shapes.Documents:
    """List documents, with the reason for each that could not be read."""
    with app.call(access, Action.DOCUMENT_LISTED) as call:
        documents = call.services.sources.list_documents(
            call.access, source_id=source_id, offset=offset, limit=limit + 1
        )
    return shapes.Documents(
        documents=tuple(map(shapes.Document.of, documents[:limit])),
        next_offset=offset + limit if len(documents) > limit else None,
    )


@router.get("/documents/{document_id}", responses=failures(400, 404))
def read_document(
    document_id: DocumentId,
    app: Opened,
    access: Allowed,
    offset: Offset = 0,
    limit: Annotated[int, Query(ge=1, le=100_000, description="Most characters.")] = 20_000,
) -> shapes.DocumentPage:
    """Return a page of a document's text, exactly as it is stored."""
    with app.call(access, Action.DOCUMENT_READ, targets=[str(document_id)]) as call:
        read = call.services.sources.get_document(call.access, document_id)
    end = offset + limit
    return shapes.DocumentPage(
        document=shapes.Document.of(read.document),
        text=read.text[offset:end],
        offset=offset,
        next_offset=end if end < len(read.text) else None,
    )


@router.get("/search", responses=failures(400, 404))
def search(
    q: Annotated[PromptText, Query(description="What to look for.")],
    app: Opened,
    access: Allowed,
    limit: Annotated[int, Query(ge=1, le=50, description="Most documents.")] = 5,
    source_id: _Sources = [],  # noqa: B006 - FastAPI copies it
) -> shapes.FoundDocuments:
    """Find documents, best first, each with up to three passages."""
    wanted = max(_LEAST_PASSAGES, limit * _PASSAGES_A_DOCUMENT)
    passages = app.search_documents(access, q, limit=wanted, sources=tuple(source_id) or None)
    best = group_by_document(passages, most=_SNIPPETS)[:limit]
    return shapes.FoundDocuments(query=q, results=tuple(map(_describe, best)))


def _describe(passages: Sequence[PassageFound]) -> shapes.FoundDocument:
    """Describe a document by its passages, best first."""
    best = passages[0]
    return shapes.FoundDocument.of(
        best,
        snippets=tuple(map(shapes.Snippet.of, passages)),
        stale=best.is_stale or best.is_past,
        weak=all(passage.is_weak for passage in passages),
    )
