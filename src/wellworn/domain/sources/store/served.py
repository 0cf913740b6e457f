"""Served documents: what is compiled, quoted and found, for whom, where it is, and by what."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Final

from sqlalchemy import (
    ColumnElement,
    Connection,
    Select,
    bindparam,
    case,
    distinct,
    func,
    or_,
    select,
)

from wellworn.domain.sources.models import DocumentState, Findable, SourceType, format_citation
from wellworn.domain.sources.store.dates import COMMITTED_AT, DATE, FLAGS, read_doubt, read_moment
from wellworn.domain.sources.store.documents import SERVED
from wellworn.domain.sources.store.sources import is_visible_to, parse_agents
from wellworn.domain.sources.tables import knowledge_chunks as chunks
from wellworn.domain.sources.tables import knowledge_documents as documents
from wellworn.domain.sources.tables import knowledge_sources as sources
from wellworn.domain.spaces import Access
from wellworn.engines.storage.sql import compare_with_list, read_json_number
from wellworn.kit.markdown import LONGEST_FRONT_MATTER

_HOST: Final = re.compile(r"[a-z]+://(?:[^/?#@]*@)?(?P<host>\[[^\]]*\]|[^/?#:]+)", re.IGNORECASE)
_LONGEST_PLACE: Final = 255


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

_OPENINGS = select(
    documents.c.id, func.substr(documents.c.content_text, 1, LONGEST_FRONT_MATTER).label("opening")
).where(
    documents.c.knowledge_space_id == bindparam("space"),
    compare_with_list(documents.c.id, "ids"),
)


@dataclass(frozen=True, slots=True)
class VisibleDocuments:
    """The served documents that a caller may see, and whether these are all that are served."""

    documents: dict[int, ServedDocument]
    is_all: bool


@dataclass(frozen=True, slots=True)
class ServedDocument:
    """A served document without its words.

    Attributes:
        agents: the only ones it is for, None for all.
        committed_at: when a commit changed it last, in epoch seconds, if that is known.
        dated_at: its own date: of its front matter, its last commit, its file or its page.
        fetched_at: when its source was looked at last.
        encoding_note: why its characters may be others; empty where nothing was guessed.
        is_stale: whether its source has it no more.
    """

    id: int
    source_id: int
    source: str
    path: str
    title: str | None
    content_hash: str
    source_type: str
    agents: tuple[str, ...] | None
    committed_at: float | None = None
    dated_at: float | None = None
    fetched_at: float | None = None
    encoding_note: str = ""
    is_stale: bool = False

    @property
    def place(self) -> str:
        """The place of what it speaks of."""
        return find_place(self.source_type, self.source, self.path)

    @property
    def citation(self) -> str:
        """The citation of all of it."""
        return format_citation(self.source, self.path)


def find_place(source_type: str, source: str, path: str) -> str:
    """Return the place of a document: its source, or the host of a page; all notes have none."""
    if source_type == SourceType.MANUAL_NOTE:
        return ""
    host = _HOST.match(path) if source_type == SourceType.URL else None
    return (host["host"].casefold() if host else source)[:_LONGEST_PLACE]


def list_served(connection: Connection, access: Access) -> list[ServedDocument]:
    """Return every served document of the space, for whomever it is; for what is made of all."""
    return _load(connection, access, ())


def find_visible(connection: Connection, access: Access) -> VisibleDocuments:
    """Return what of the served documents the caller may see."""
    every = list_served(connection, access)
    seen = {document.id: document for document in every if is_visible_to(access, document.agents)}
    return VisibleDocuments(seen, is_all=all(document.agents is None for document in every))


def find_visible_among(
    connection: Connection, access: Access, ids: Collection[int]
) -> dict[int, ServedDocument]:
    """Return those of some documents that are served and that the caller may see."""
    served = _load(connection, access, [documents.c.id.in_(ids)])
    return {document.id: document for document in served if is_visible_to(access, document.agents)}


def find_cited(connection: Connection, access: Access, place: str) -> ServedDocument | None:
    """Return the document that a citation names, by its path or with its source before it."""
    is_cited = or_(documents.c.path == place, sources.c.name + "/" + documents.c.path == place)
    cited = _load(connection, access, [is_cited])
    return next((document for document in cited if is_visible_to(access, document.agents)), None)


def _load(
    connection: Connection, access: Access, conditions: Iterable[ColumnElement[bool]]
) -> list[ServedDocument]:
    statement = (
        select(
            documents.c.id,
            documents.c.source_id,
            sources.c.name,
            documents.c.path,
            documents.c.title,
            documents.c.content_hash,
            sources.c.source_type,
            sources.c.agents,
            read_json_number(documents.c.metadata, COMMITTED_AT).label(COMMITTED_AT),
            DATE,
            documents.c.fetched_at,
            FLAGS,
            documents.c.state,
        )
        .join_from(documents, sources, sources.c.id == documents.c.source_id)
        .where(documents.c.knowledge_space_id == access.space, documents.c.state.in_(SERVED))
        .where(*conditions)
        .order_by(documents.c.id)
    )
    rows = connection.execute(statement)
    return [
        ServedDocument(
            *row[:7],
            parse_agents(row.agents),
            read_moment(row.committed_at),
            read_moment(row.dated_at),
            row.fetched_at,
            read_doubt(row.flags),
            row.state == DocumentState.STALE,
        )
        for row in rows
    ]


def load_hashes(connection: Connection, access: Access) -> dict[int, str]:
    """Return the hash of the words of every served document of the space."""
    return {row.id: row.content_hash for row in connection.execute(select_hashes(access))}


def select_hashes(access: Access) -> Select[int, str]:
    """Return the query for the hash of the words of every served document of the space."""
    return select(documents.c.id, documents.c.content_hash).where(
        documents.c.knowledge_space_id == access.space, documents.c.state.in_(SERVED)
    )


def load_contents(connection: Connection, access: Access, ids: Collection[int]) -> dict[int, str]:
    """Return the words of served documents, for whomever they are."""
    statement = select(documents.c.id, documents.c.content_text).where(
        documents.c.knowledge_space_id == access.space, documents.c.id.in_(ids)
    )
    return {row.id: row.content_text for row in connection.execute(statement)}


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


def load_openings(connection: Connection, access: Access, ids: Collection[int]) -> dict[int, str]:
    """Return the beginnings of documents of this space, long enough for any front matter."""
    if not ids:
        return {}
    parameters = {"space": access.space, "ids": list(ids)}
    return {row.id: row.opening for row in connection.execute(_OPENINGS, parameters)}


def list_other_chunks(
    connection: Connection,
    access: Access,
    known: Collection[int],
    *,
    sources: Collection[int] | None,
    most: int,
) -> list[int]:
    """Return served chunks of the space that are of none of the known documents.

    With `sources` only of these; at most `most`, so that a search among them stays one.
    """
    others = select(documents.c.id).where(
        documents.c.knowledge_space_id == access.space,
        documents.c.state.in_(SERVED),
        documents.c.id.not_in(known),
    )
    if sources is not None:
        others = others.where(documents.c.source_id.in_(sources))
    statement = select(chunks.c.seq).where(
        chunks.c.knowledge_space_id == access.space, chunks.c.document_id.in_(others)
    )
    return list(connection.execute(statement.order_by(chunks.c.seq).limit(most)).scalars())
