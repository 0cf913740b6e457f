"""Counts documents by what finds them: their words, and their meaning once they are embedded."""

from __future__ import annotations

from collections.abc import Collection

from sqlalchemy import Connection, bindparam, case, distinct, func, select

from wellworn.domain.sources.models import Findable
from wellworn.domain.sources.store.documents import SERVED
from wellworn.domain.sources.tables import knowledge_chunks, knowledge_documents
from wellworn.domain.spaces import Access
from wellworn.engines.storage.sql import compare_with_list

chunks, documents = knowledge_chunks, knowledge_documents

# Made once: a value that is compared while another thread first imports the library's ORM, as the
# jobs do, was seen to fail.
_OF_SOURCES = (
    documents.c.knowledge_space_id == bindparam("space"),
    compare_with_list(documents.c.source_id, "sources"),
    documents.c.state.in_(SERVED),
)
_DOCUMENTS = select(func.count()).select_from(documents).where(*_OF_SOURCES)
_lacks_words = ~compare_with_list(chunks.c.maker, "usable")
_lacks_vector = chunks.c.maker != bindparam("embedded")
_PASSAGES = (
    select(
        func.count().label("passages"),
        func.count(case((_lacks_vector, 1))).label("waiting"),
        func.count(distinct(case((_lacks_words, documents.c.id)))).label("without_words"),
        func.count(distinct(case((_lacks_vector, documents.c.id)))).label("without_vector"),
    )
    .join_from(chunks, documents, documents.c.id == chunks.c.document_id)
    .where(*_OF_SOURCES)
)


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
    where = {"space": access.space, "sources": source_ids}
    versions = {"embedded": embedded, "usable": usable}
    readable = connection.execute(_DOCUMENTS, where).scalar_one()
    row = connection.execute(_PASSAGES, where | versions).one()
    return Findable(
        readable=readable,
        by_words=readable - row.without_words,
        by_meaning=readable - row.without_vector,
        passages=row.passages,
        waiting=row.waiting,
    )
