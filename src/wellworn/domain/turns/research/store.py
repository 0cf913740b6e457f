"""The only SQL of research: the index of its documents, and the pages that turns visited."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

from sqlalchemy import (
    ColumnElement,
    Connection,
    case,
    delete,
    func,
    insert,
    or_,
    select,
    true,
)

from wellworn.domain.spaces import Access
from wellworn.domain.turns.models import Intent
from wellworn.domain.turns.research.documents import Research, ResearchScope
from wellworn.domain.turns.tables import page_visits, research_documents


@dataclass(frozen=True, slots=True)
class IndexedResearch:
    """A research document as it is listed; times in epoch seconds.

    Attributes:
        turn_number: of the turn that made it.
        uses: how many later turns used it.
    """

    user_id: str
    turn_number: int
    id: str
    query: str
    topic: str
    intent: Intent
    quality: float
    scope: ResearchScope
    created_at: float
    expires_at: float | None
    superseded_by: str | None
    uses: int

    @classmethod
    def of(cls, user_id: str, research: Research) -> IndexedResearch:
        return cls(
            user_id=user_id,
            turn_number=research.turn,
            id=research.id,
            query=research.query,
            topic=research.topic,
            intent=research.intent,
            quality=research.quality,
            scope=research.scope,
            created_at=research.created_at,
            expires_at=research.expires_at,
            superseded_by=research.superseded_by,
            uses=len(research.used_by),
        )


@dataclass(frozen=True, slots=True)
class VisitRecord:
    """A page that a turn tried to read; `visited_at` in epoch seconds.

    Attributes:
        is_own: whether it was read by a tool of ours, rather than told by an agent of its own.
        is_cited: whether an answer that was given cites it.
    """

    url: str
    site: str
    is_own: bool
    is_ok: bool
    is_cited: bool
    visited_at: float


class SiteRecord(NamedTuple):
    """A site's pages: how often they were visited, unreadable, and cited by an answer."""

    visits: int = 0
    failures: int = 0
    cited: int = 0
    last_visited_at: float = 0.0

    @property
    def reliability(self) -> float:
        """The likelihood that a visit is worth it, 0 to 1; one half where nothing is known."""
        return round((self.cited + 1) / (self.cited + self.failures + 2), 2)


def index(connection: Connection, access: Access, user_id: str, research: Research) -> None:
    """Write what the index knows of a document, in place of what it knew."""
    _remove(connection, research_documents, access, user_id, research.turn)
    row = asdict(IndexedResearch.of(user_id, research))
    row |= {"scope": research.scope.value, "intent": research.intent.value}
    connection.execute(insert(research_documents), row | {"knowledge_space_id": access.space})


def record_visits(
    connection: Connection, access: Access, user_id: str, turn: int, visits: Iterable[VisitRecord]
) -> None:
    """Write the visits of a turn, in place of what was known of them."""
    _remove(connection, page_visits, access, user_id, turn)
    key = {"knowledge_space_id": access.space, "user_id": user_id, "turn_number": turn}
    rows = [asdict(visit) | key for visit in visits]
    if rows:
        connection.execute(insert(page_visits), rows)


def list_documents(
    connection: Connection,
    access: Access,
    user_id: str | None,
    *,
    limit: int | None = None,
    topic: str | None = None,
) -> list[IndexedResearch]:
    """Return documents, newest first; of all users where none is given, below a topic if one is."""
    own = research_documents.c.user_id == user_id if user_id is not None else true()
    below = _is_below(topic) if topic is not None else true()
    return _select(connection, access, own, below, limit=limit)


def find_current(
    connection: Connection,
    access: Access,
    user_id: str,
    *,
    turns: Sequence[int],
    topics: Sequence[str],
    limit: int,
) -> list[IndexedResearch]:
    """Return what may help with a query, newest first: of near turns, or on one of the topics.

    Of other users only what is on such a topic and proven to all.
    """
    columns = research_documents.c
    on_topic = columns.topic.in_(topics)
    own = (columns.user_id == user_id) & or_(columns.turn_number.in_(turns), on_topic)
    shared = (columns.scope == ResearchScope.GLOBAL.value) & on_topic
    is_current = columns.superseded_by.is_(None)
    return _select(connection, access, is_current, or_(own, shared), limit=limit)


def list_topics(connection: Connection, access: Access) -> list[str]:
    """Return the topics of a space's documents, each once."""
    columns = research_documents.c
    statement = select(columns.topic).where(columns.knowledge_space_id == access.space).distinct()
    return sorted(connection.execute(statement).scalars())


def list_visiting_turns(
    connection: Connection, access: Access, user_id: str, urls: Sequence[str]
) -> list[int]:
    """Return the numbers of a user's turns that read one of some pages."""
    columns = page_visits.c
    statement = select(columns.turn_number).where(
        columns.knowledge_space_id == access.space,
        columns.user_id == user_id,
        columns.is_ok.is_(True),
        columns.url.in_(urls),
    )
    return sorted(connection.execute(statement.distinct()).scalars())


def _select(
    connection: Connection,
    access: Access,
    *conditions: ColumnElement[bool],
    limit: int | None,
) -> list[IndexedResearch]:
    columns = [each for each in research_documents.c if each.name != "knowledge_space_id"]
    statement = (
        select(*columns)
        .where(research_documents.c.knowledge_space_id == access.space, *conditions)
        .order_by(research_documents.c.created_at.desc(), research_documents.c.id)
        .limit(limit)
    )
    return [_to_indexed(row) for row in connection.execute(statement).mappings()]


def _is_below(topic: str) -> ColumnElement[bool]:
    column = research_documents.c.topic
    return or_(column == topic, column.startswith(f"{topic}.", autoescape=True))


def rate_sites(
    connection: Connection, access: Access, sites: Sequence[str], user_id: str | None = None
) -> dict[str, SiteRecord]:
    """Return how visits to sites went, those of all users of a space or of one.

    What agents tell of pages that they read themselves does not count.
    """
    records = _rate(connection, access, user_id, page_visits.c.site.in_(sites))
    return {site: records.get(site, SiteRecord()) for site in sites}


def rate_visited_sites(
    connection: Connection, access: Access, user_id: str | None
) -> dict[str, SiteRecord]:
    """Return as `rate_sites` how visits to every site went that was visited."""
    return _rate(connection, access, user_id)


def _rate(
    connection: Connection, access: Access, user_id: str | None, *conditions: ColumnElement[bool]
) -> dict[str, SiteRecord]:
    columns = page_visits.c
    statement = (
        select(
            columns.site,
            func.count(),
            func.sum(case((columns.is_ok.is_(True), 0), else_=1)),
            func.sum(case((columns.is_cited.is_(True), 1), else_=0)),
            func.max(columns.visited_at),
        )
        .where(columns.knowledge_space_id == access.space, columns.is_own.is_(True), *conditions)
        .group_by(columns.site)
        .order_by(columns.site)
    )
    if user_id is not None:
        statement = statement.where(columns.user_id == user_id)
    return {site: SiteRecord(*counts) for site, *counts in connection.execute(statement)}


def is_read_by_others(
    connection: Connection, access: Access, user_id: str, urls: Sequence[str]
) -> bool:
    """Tell whether users other than one read each of some pages themselves."""
    columns = page_visits.c
    statement = select(func.count(columns.url.distinct())).where(
        columns.knowledge_space_id == access.space,
        columns.user_id != user_id,
        columns.is_own.is_(True),
        columns.is_ok.is_(True),
        columns.url.in_(urls),
    )
    return connection.execute(statement).scalar() == len(set(urls))


def remove_turn(connection: Connection, access: Access, user_id: str, turn: int) -> None:
    for table in (research_documents, page_visits):
        _remove(connection, table, access, user_id, turn)


def remove_document(connection: Connection, access: Access, user_id: str, turn: int) -> None:
    _remove(connection, research_documents, access, user_id, turn)


def list_sites_of_turn(
    connection: Connection, access: Access, user_id: str, turn: int
) -> list[str]:
    """Return the sites that a turn visited."""
    columns = page_visits.c
    statement = select(columns.site).where(
        columns.knowledge_space_id == access.space,
        columns.user_id == user_id,
        columns.turn_number == turn,
        columns.is_own.is_(True),
    )
    return sorted(connection.execute(statement.distinct()).scalars())


def _remove(connection: Connection, table: Any, access: Access, user_id: str, turn: int) -> None:
    connection.execute(
        delete(table).where(
            table.c.knowledge_space_id == access.space,
            table.c.user_id == user_id,
            table.c.turn_number == turn,
        )
    )


def _to_indexed(row: Mapping[Any, Any]) -> IndexedResearch:
    values = {str(key): value for key, value in row.items()}
    values |= {"scope": ResearchScope(row["scope"]), "intent": Intent(row["intent"])}
    return IndexedResearch(**values)
