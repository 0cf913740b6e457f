"""The research of a space: found by later turns, refreshed, replaced, and proven by use.

Source: the specification of document IO, sections 8.2 and 12.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from threading import Lock
from typing import Final, NamedTuple

from wellworn.domain.spaces import Access
from wellworn.domain.turns.files import Vault
from wellworn.domain.turns.index import format_index_note
from wellworn.domain.turns.journal import TurnJournal
from wellworn.domain.turns.links import format_wikilink
from wellworn.domain.turns.models import (
    EvidenceKind,
    GatheredContext,
    Turn,
    format_folder,
)
from wellworn.domain.turns.research import store
from wellworn.domain.turns.research.documents import (
    FILE,
    Research,
    ResearchScope,
    amend_research,
    read_research,
)
from wellworn.domain.turns.research.lifecycle import (
    ResearchState,
    find_state,
    promote,
    replaces,
)
from wellworn.domain.turns.research.site_knowledge import (
    amend_site_knowledge,
    list_visits,
    write_site_knowledge,
)
from wellworn.domain.turns.research.store import IndexedResearch, SiteRecord, VisitRecord
from wellworn.domain.turns.sections import format_share, format_words
from wellworn.domain.turns.settings import TurnSettings
from wellworn.domain.turns.vaults import Vaults
from wellworn.domain.turns.wording import list_content_words, list_topic_stems
from wellworn.engines.storage.sql import Database
from wellworn.kit.clock import Clock, format_day
from wellworn.kit.text import shorten

INDEX: Final = "research_cache/index.md"
_HOUR_S: Final = 3_600
_MOST_FOUND: Final = 5
_MOST_LISTED: Final = 50
_LONGEST_QUERY: Final = 80
_MOST_TOPICS: Final = 500
_LEAST_FIT: Final = 0.5


class CurrentResearch(NamedTuple):
    """A document that nothing replaced, and whether its files are the user's own."""

    research: Research
    state: ResearchState
    is_own: bool


class ResearchLibrary:
    """The research documents of the spaces of one database, and the visits behind them."""

    def __init__(
        self, database: Database, root: Path, settings: TurnSettings, clock: Clock
    ) -> None:
        """Open the library; `root` is the folder below which the files of open spaces are."""
        self._database = database
        self._settings = settings
        self._clock = clock
        self._lock = Lock()
        self.vaults = Vaults(database, root)

    def rate_sites(self, access: Access, sites: Sequence[str]) -> dict[str, float]:
        """Return how reliable sites proved in the space, 0 to 1."""
        if not sites:
            return {}
        with self._database.read() as transaction:
            records = store.rate_sites(transaction, access, sites)
        return {site: record.reliability for site, record in records.items()}

    def find_current(
        self, access: Access, user_id: str, query: str, *, turns: Sequence[int]
    ) -> Iterator[CurrentResearch]:
        """Yield the documents that may help with a query and that nothing replaced, best first.

        They are of the user's turns that asked for something like it, whose numbers are `turns`,
        or their topic is what the query speaks of.
        """
        asked = set(list_content_words(query))
        with self._database.read() as transaction:
            topics = [
                topic
                for topic in store.list_topics(transaction, access)
                if list_topic_stems(topic.partition(".")[0]) & asked
            ]
            indexed = store.find_current(
                transaction,
                access,
                user_id,
                turns=turns,
                topics=topics[:_MOST_TOPICS],
                limit=_MOST_LISTED,
            )
        fit = {each.id: _measure_fit(each, asked) for each in indexed}
        near = [each for each in indexed if each.turn_number in turns or fit[each.id] >= _LEAST_FIT]
        for each in sorted(near, key=lambda each: -fit[each.id])[:_MOST_FOUND]:
            vault = self.vaults.open(access, each.user_id)
            research = _open(vault, each.turn_number)
            if research is not None:
                yield CurrentResearch(research, self.find_state(each), each.user_id == user_id)

    def find_state(self, research: IndexedResearch) -> ResearchState:
        """Return how far the life of a document is now."""
        return find_state(
            expires_at=research.expires_at,
            superseded_by=research.superseded_by,
            now=self._clock.now(),
            stale_s=self._settings.stale_hours * _HOUR_S,
        )

    def list_documents(
        self, access: Access, user_id: str | None, *, topic: str | None, limit: int
    ) -> list[IndexedResearch]:
        """Return documents, newest first: of a user or of all, on a topic or on any."""
        with self._database.read() as transaction:
            return store.list_documents(transaction, access, user_id, topic=topic, limit=limit)

    def list_sites(self, access: Access, user_id: str | None) -> dict[str, SiteRecord]:
        """Return how visits to sites went, a user's or everybody's."""
        with self._database.read() as transaction:
            return store.rate_visited_sites(transaction, access, user_id)

    def record(self, access: Access, vault: Vault, turn: Turn, journal: TurnJournal) -> None:
        """Keep what an ended turn read, replaced and used; doing it twice changes nothing."""
        visits = list_visits(journal, is_answered=bool(turn.has_answer))
        research, used = _open(vault, turn.number), _list_used(journal)
        if not visits and research is None and not used:
            return
        with self._lock:
            with self._database.write() as transaction:
                store.record_visits(transaction, access, turn.user_id, turn.number, visits)
            amended = [
                *self._supersede(access, vault, turn, research, visits),
                *self._credit(access, vault, turn, used),
            ]
            if research is not None:
                amended.append(research)
            with self._database.write() as transaction:
                for each in amended:
                    store.index(transaction, access, turn.user_id, each)
            self.write_index_note(access, turn.user_id, vault)
            self._write_sites(access, vault, turn, visits)

    def _write_sites(
        self, access: Access, vault: Vault, turn: Turn, visits: Sequence[VisitRecord]
    ) -> None:
        sites = sorted({visit.site for visit in visits if visit.is_own})
        with self._database.read() as transaction:
            records = store.rate_sites(transaction, access, sites, turn.user_id)
        for site, record in records.items():
            unread = [visit.url for visit in visits if visit.site == site and not visit.is_ok]
            write_site_knowledge(vault, turn.folder, site, record, unread=unread)

    def _supersede(
        self,
        access: Access,
        vault: Vault,
        turn: Turn,
        research: Research | None,
        visits: Sequence[VisitRecord],
    ) -> Iterator[Research]:
        """Mark the documents whose every page was read again, and yield them."""
        if research is None:
            return
        urls = [visit.url for visit in visits]
        with self._database.read() as transaction:
            numbers = store.list_visiting_turns(transaction, access, turn.user_id, urls)
        for number in numbers:
            old = _open(vault, number)
            is_current = old is not None and old.superseded_by in {None, research.id}
            if old is not None and is_current and replaces(research, old):
                yield self._amend(vault, replace(old, superseded_by=research.id))

    def _credit(
        self, access: Access, vault: Vault, turn: Turn, used: Sequence[str]
    ) -> Iterator[Research]:
        """Name a turn in the documents that it used, promote those that earned it; yield them."""
        for path in used:
            research = read_research(vault.read(path) or "")
            if research is None or turn.number == research.turn:
                continue
            users = tuple(dict.fromkeys((*research.used_by, turn.number)))
            credited = replace(research, used_by=users)
            scope = self._find_scope(access, turn.user_id, credited)
            yield self._amend(vault, replace(credited, scope=scope))

    def _find_scope(self, access: Access, user_id: str, research: Research) -> ResearchScope:
        """Return the scope that a document has earned; what agents say of pages earns none."""
        ratings = self.rate_sites(access, research.sites)
        urls = [source.url for source in research.sources]
        with self._database.read() as transaction:
            is_read = store.is_read_by_others(transaction, access, user_id, urls)
        is_read = is_read and all(source.capture for source in research.sources)
        return promote(
            research.scope,
            trust=sum(ratings.values()) / len(ratings) if ratings else 0.0,
            uses=len(research.used_by),
            age_s=self._clock.now() - research.created_at,
            is_read_by_others=is_read,
        )

    def _amend(self, vault: Vault, research: Research) -> Research:
        text = vault.read(research.path) or ""
        vault.write(research.path, amend_research(text, research))
        return research

    def hide(self, access: Access, turn: Turn) -> None:
        """Find what a turn read no more; what was seen of the sites that it visited stays."""
        with self._database.write() as transaction:
            store.remove_document(transaction, access, turn.user_id, turn.number)

    def forget(self, access: Access, user_id: str, turns: Sequence[int]) -> None:
        """Forget what turns that are gone read, replaced and used."""
        vault = self.vaults.open(access, user_id)
        with self._lock:
            with self._database.write() as transaction:
                documents = store.list_documents(transaction, access, user_id)
                sites = {
                    site
                    for turn in turns
                    for site in store.list_sites_of_turn(transaction, access, user_id, turn)
                }
                for turn in turns:
                    store.remove_turn(transaction, access, user_id, turn)
                records = store.rate_sites(transaction, access, sorted(sites), user_id)
            gone = {each.id for each in documents if each.turn_number in turns}
            left = [
                self._amend(vault, restored)
                for each in documents
                if each.turn_number not in turns
                and (each.uses or each.superseded_by in gone)
                and (research := _open(vault, each.turn_number))
                and (restored := _leave_out(research, gone, turns)) != research
            ]
            with self._database.write() as transaction:
                for research in left:
                    store.index(transaction, access, user_id, research)
            for site, record in records.items():
                amend_site_knowledge(vault, site, record)

    def index_turns(self, access: Access, turns: Sequence[Turn]) -> None:
        """Index what the files of turns say of their research and visits."""
        if not turns:
            return
        work = [_read_work(turn, self.vaults.open(access, turn.user_id)) for turn in turns]
        with self._database.write() as transaction:
            for turn, (visits, research) in zip(turns, work, strict=True):
                store.record_visits(transaction, access, turn.user_id, turn.number, visits)
                if research is not None:
                    store.index(transaction, access, turn.user_id, research)

    def write_index_note(self, access: Access, user_id: str, vault: Vault) -> None:
        """Write the note that lists a user's research, newest first."""
        newest = self.list_documents(access, user_id, topic=None, limit=_MOST_LISTED)
        if newest or vault.read(INDEX) is not None:
            vault.write(INDEX, format_index(newest))


def _measure_fit(research: IndexedResearch, asked: set[str]) -> float:
    """Return which share of a document's topic a query speaks of, 0 to 1."""
    named = list_topic_stems(research.topic)
    return len(named & asked) / len(named) if named else 0.0


def _open(vault: Vault, number: int) -> Research | None:
    return read_research(vault.read(f"{format_folder(number)}/{FILE}") or "")


def _read_work(turn: Turn, vault: Vault) -> tuple[list[VisitRecord], Research | None]:
    """Return the visits of a turn and its research, by its files."""
    journal = TurnJournal(vault, turn.folder)
    visits = list_visits(journal, is_answered=bool(turn.has_answer))
    return visits, _open(vault, turn.number)


def _leave_out(research: Research, gone: set[str], turns: Sequence[int]) -> Research:
    """Return a document without what documents and turns that are gone did to it."""
    by = research.superseded_by
    users = tuple(number for number in research.used_by if number not in turns)
    return replace(research, superseded_by=None if by in gone else by, used_by=users)


def _list_used(journal: TurnJournal) -> list[str]:
    """Return the paths of the user's research documents that a turn gathered from."""
    gathered = [
        entry.output for entry in journal.phases if isinstance(entry.output, GatheredContext)
    ]
    links = [
        item.link
        for output in gathered
        for item in output.evidence
        if item.kind is EvidenceKind.RESEARCH and item.link is not None
    ]
    return list(dict.fromkeys(links))


def format_index(documents: Sequence[IndexedResearch]) -> str:
    """Return the note that lists research documents."""
    entries = [
        (
            each.topic,
            format_wikilink(f"{format_folder(each.turn_number)}/{FILE}", each.id),
            _describe(each),
        )
        for each in documents
    ]
    return format_index_note("Research Index", "What was read on the web, newest first.", entries)


def _describe(research: IndexedResearch) -> str:
    query = shorten(format_words(research.query), _LONGEST_QUERY)
    return f"{query} · quality {format_share(research.quality)} · {_describe_life(research)}"


def _describe_life(research: IndexedResearch) -> str:
    if research.superseded_by is not None:
        return f"superseded by {research.superseded_by}"
    if research.expires_at is None:
        return "does not expire"
    return f"expires {format_day(research.expires_at)}"
