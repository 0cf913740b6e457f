"""Sources and their documents as they are browsed: named in lists, words only of what is read.

A row holds a document's words, so a list asks the indexes first, which have names and states, and
looks into the rows of the few that it shows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from sqlalchemy import ColumnElement, Connection, case, func, select

from wellworn.domain.sources.models import SourceType, format_citation
from wellworn.domain.sources.store.dates import DATE, read_moment
from wellworn.domain.sources.store.documents import SERVED
from wellworn.domain.sources.store.sources import is_visible_to, parse_agents
from wellworn.domain.sources.tables import knowledge_chunks as chunks
from wellworn.domain.sources.tables import knowledge_documents as documents
from wellworn.domain.sources.tables import knowledge_sources as sources
from wellworn.domain.spaces import Access

_OPENING = 200
_served = documents.alias("kept")


@dataclass(frozen=True, slots=True)
class BrowsedSource:
    """A source and how many documents of it are served."""

    id: int
    name: str
    documents: int


@dataclass(frozen=True, slots=True)
class BrowsedDocument:
    """A served document without its words.

    Attributes:
        opening: its title, or how its words begin.
        dated_at: its own date, or else when its source was looked at last; in epoch seconds.
    """

    id: int
    source: str
    path: str
    opening: str
    dated_at: float

    @property
    def citation(self) -> str:
        return format_citation(self.source, self.path)


class Library:
    """The sources of a space that the caller may see, but for the built-in one, at one moment."""

    def __init__(self, connection: Connection, access: Access) -> None:
        self._connection = connection
        self._access = access

    @cached_property
    def _source_names(self) -> dict[int, str]:
        """Return the names of the sources by their numbers, oldest first."""
        statement = select(sources.c.id, sources.c.name, sources.c.agents).where(
            sources.c.knowledge_space_id == self._access.space,
            sources.c.source_type != SourceType.HANDBOOK,
        )
        return {
            row.id: row.name
            for row in self._connection.execute(statement.order_by(sources.c.id))
            if is_visible_to(self._access, parse_agents(row.agents))
        }

    @cached_property
    def sources(self) -> list[BrowsedSource]:
        """Return every source, oldest first."""
        statement = (
            select(documents.c.source_id, func.count().label("number"))
            .where(*self._visible())
            .group_by(documents.c.source_id)
        )
        counts = {row.source_id: row.number for row in self._connection.execute(statement)}
        return [
            BrowsedSource(id_, name, counts.get(id_, 0)) for id_, name in self._source_names.items()
        ]

    def list_documents(self, source_id: int, *, offset: int, limit: int) -> list[BrowsedDocument]:
        """Return documents of a source, by their paths."""
        page = (
            select(documents.c.id)
            .where(*self._visible(), documents.c.source_id == source_id)
            .order_by(documents.c.path)
            .offset(offset)
            .limit(limit)
        )
        return self.find_documents(list(self._connection.execute(page).scalars()))

    def find_documents(self, ids: Sequence[int]) -> list[BrowsedDocument]:
        """Return those of the documents that are served to the caller, in this order."""
        is_untitled = func.coalesce(documents.c.title, "") == ""
        beginning = func.substr(documents.c.content_text, 1, _OPENING)
        statement = select(
            documents.c.id,
            documents.c.source_id,
            documents.c.path,
            case((is_untitled, beginning), else_=documents.c.title).label("opening"),
            documents.c.fetched_at,
            DATE,
        ).where(
            documents.c.id.in_(ids),
            documents.c.knowledge_space_id == self._access.space,
            documents.c.state.in_(SERVED),
        )
        rows = {row.id: row for row in self._connection.execute(statement)}
        return [
            BrowsedDocument(
                row.id,
                self._source_names[row.source_id],
                row.path,
                row.opening,
                row.fetched_at if (date := read_moment(row.dated_at)) is None else date,
            )
            for row in (rows[id_] for id_ in ids if id_ in rows)
            if row.source_id in self._source_names
        ]

    def list_citations(self) -> list[tuple[int, str]]:
        """Return number and citation of every document, by source and path."""
        statement = select(documents.c.id, documents.c.source_id, documents.c.path).where(
            *self._visible()
        )
        rows = self._connection.execute(statement.order_by(documents.c.source_id, documents.c.path))
        return [
            (number, format_citation(self._source_names[source], path))
            for number, source, path in rows
        ]

    def read_text(self, document: BrowsedDocument) -> str:
        """Return the words of a document."""
        statement = select(documents.c.content_text).where(documents.c.id == document.id)
        return self._connection.execute(statement).scalar_one()

    def find_anchor(self, document: BrowsedDocument, anchor: str) -> int | None:
        """Return where the passage begins that searches cite by an anchor; None without one."""
        statement = select(func.min(chunks.c.start)).where(
            chunks.c.document_id == document.id, chunks.c.anchor == anchor
        )
        return self._connection.execute(statement).scalar()

    def _visible(self) -> list[ColumnElement[bool]]:
        """Return what is true of the documents that the caller may see; indexes answer it."""
        served = select(_served.c.id).where(
            _served.c.knowledge_space_id == self._access.space, _served.c.state.in_(SERVED)
        )
        return [documents.c.id.in_(served), documents.c.source_id.in_(self._source_names)]
