"""By what documents are found: their words, and their meaning once they are embedded."""

from __future__ import annotations

from collections.abc import Collection

from sqlalchemy import Connection, Select, case, distinct, func, select

from wellworn.domain.sources.models import Findable
from wellworn.domain.sources.store.documents import SERVED
from wellworn.domain.sources.tables import knowledge_chunks, knowledge_documents
from wellworn.domain.spaces import Access

chunks, documents = knowledge_chunks, knowledge_documents


def count_findable(
    connection: Connection,
    access: Access,
    source_ids: Collection[int],
    *,
    embedded: int,
    usable: Collection[int],
) -> Findable:
    """Count the served documents of sources by what finds them.

    Args:
        connection: to read with.
        access: whose space the sources are in.
        source_ids: the sources.
        embedded: the version of chunks that have a vector.
        usable: the versions of chunks whose words are read, that one included.
    """
    lacking_words = chunks.c.maker.not_in(usable)
    lacking_vector = chunks.c.maker != embedded
    counted = _select(access, source_ids).with_only_columns(
        func.count().label("passages"),
        func.sum(case((lacking_vector, 1), else_=0)).label("waiting"),
        func.count(distinct(case((lacking_words, documents.c.id)))).label("without_words"),
        func.count(distinct(case((lacking_vector, documents.c.id)))).label("without_vector"),
    )
    row = connection.execute(counted).one()
    served = select(func.count()).where(
        documents.c.knowledge_space_id == access.space,
        documents.c.source_id.in_(source_ids),
        documents.c.state.in_(SERVED),
    )
    readable = connection.execute(served).scalar_one()
    return Findable(
        readable=readable,
        by_words=readable - row.without_words,
        by_meaning=readable - row.without_vector,
        passages=row.passages,
        waiting=row.waiting or 0,
    )


def _select(access: Access, source_ids: Collection[int]) -> Select[int]:
    return (
        select(chunks.c.seq)
        .join_from(chunks, documents, documents.c.id == chunks.c.document_id)
        .where(
            chunks.c.knowledge_space_id == access.space,
            documents.c.source_id.in_(source_ids),
            documents.c.state.in_(SERVED),
        )
    )
