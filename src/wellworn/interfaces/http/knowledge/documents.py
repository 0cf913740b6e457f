"""Documents over HTTP: listed, read, searched."""

from __future__ import annotations

from collections.abc import Sequence

from wellworn.application.calls import CallContext
from wellworn.client import models as shapes
from wellworn.client.calls import KnowledgeCalls
from wellworn.domain.audit import Action
from wellworn.domain.sources import Snippet as PassageFound
from wellworn.domain.sources import group_by_document
from wellworn.interfaces.http.access import Allowed, Opened
from wellworn.interfaces.http.routing import KNOWLEDGE_PREFIX, create_router
from wellworn.interfaces.http.serving import serve

router = create_router("documents", prefix=KNOWLEDGE_PREFIX)

_SNIPPETS = 3
"""Passages shown of a document, as specified."""
_PASSAGES_A_DOCUMENT = 4
_LEAST_PASSAGES = 40
"""Passages looked at, for each document that is wanted and at all: one long document has many."""


@serve(router, KnowledgeCalls.documents, Action.DOCUMENT_LISTED)
def list_documents(call: CallContext, source_id: int | None, offset: int, limit: int) -> object:
    documents = call.services.sources.list_documents(
        call.access, source_id=source_id, offset=offset, limit=limit + 1
    )
    return {
        "documents": documents[:limit],
        "next_offset": offset + limit if len(documents) > limit else None,
    }


@serve(router, KnowledgeCalls.document, Action.DOCUMENT_READ, about="document_id")
def read_document(call: CallContext, document_id: int, offset: int, limit: int) -> object:
    read = call.services.sources.get_document(call.access, document_id)
    end = offset + limit
    return {
        "document": read.document,
        "text": read.text[offset:end],
        "offset": offset,
        "next_offset": end if end < len(read.text) else None,
    }


@serve(router, KnowledgeCalls.search_knowledge)
def search(
    app: Opened, access: Allowed, query: str, limit: int, source_ids: Sequence[int]
) -> object:
    wanted = max(_LEAST_PASSAGES, limit * _PASSAGES_A_DOCUMENT)
    passages = app.search_documents(access, query, limit=wanted, sources=tuple(source_ids) or None)
    best = group_by_document(passages, most=_SNIPPETS)[:limit]
    return {"query": query, "results": list(map(_describe, best))}


def _describe(passages: Sequence[PassageFound]) -> shapes.FoundDocument:
    """Describe a document by its passages, best first."""
    best = passages[0]
    return shapes.FoundDocument.of(
        best,
        snippets=tuple(map(shapes.Snippet.of, passages)),
        stale=best.is_stale or best.is_past,
        weak=all(passage.is_weak for passage in passages),
    )
