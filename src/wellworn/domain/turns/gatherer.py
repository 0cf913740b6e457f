"""Gathers evidence: from the user's own files first, then thoughts and knowledge.

Source: the specification of document IO, sections 6.4 and 10.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Final

from wellworn.domain.knowledge import Discovery, ResolutionOutcome
from wellworn.domain.memory import Limits, Memory, Retrieval
from wellworn.domain.sources import Sources
from wellworn.domain.spaces import Access
from wellworn.domain.thoughts.truth import read_scope
from wellworn.domain.turns import store
from wellworn.domain.turns.briefs import CachedPage, RecentTurn, Recollection
from wellworn.domain.turns.citing import cite_answer, cite_passage, cite_thoughts, list_thoughts
from wellworn.domain.turns.context_document import FILE
from wellworn.domain.turns.files import Vault
from wellworn.domain.turns.index import find_answer
from wellworn.domain.turns.indexing import TurnVectors
from wellworn.domain.turns.models import (
    Evidence,
    EvidenceKind,
    Intent,
    QueryType,
    Turn,
    TurnStatus,
    format_folder,
)
from wellworn.domain.turns.page_evidence import cite_page
from wellworn.domain.turns.phases.analysis import FILE as ANALYSIS
from wellworn.domain.turns.phases.synthesis import read_response
from wellworn.domain.turns.phases.validation import is_approved
from wellworn.domain.turns.profile import FACTS, PREFERENCES, list_lines, list_preferences
from wellworn.domain.turns.research import ResearchLibrary, cite_research
from wellworn.domain.turns.sections import format_line
from wellworn.domain.turns.turn_run import TurnRun
from wellworn.domain.turns.webpages import (
    list_cached_pages,
    read_cached_page,
    read_json,
    read_object,
)
from wellworn.domain.turns.wording import (
    classify_intent,
    find_subject,
    list_topic_stems,
    split_goals,
    wants_fresh,
)
from wellworn.engines.embedding import Embedder, encode_question
from wellworn.engines.safety import find_suspicions
from wellworn.engines.storage.sql import Database
from wellworn.kit.clock import format_day
from wellworn.kit.folding import fold_forms
from wellworn.kit.ids import derive_id

_RECENT: Final = 3
_MOST_FOUND: Final = 8
_MOST_LISTED: Final = 12
_HOUR_S: Final = 3_600


class SpaceGatherer:
    """Finds evidence in everything that a space holds."""

    def __init__(
        self,
        database: Database,
        embedder: Embedder,
        memory: Memory,
        sources: Sources,
        discovery: Discovery,
        *,
        library: ResearchLibrary,
    ) -> None:
        self._database = database
        self._embedder = embedder
        self._memory = memory
        self._sources = sources
        self._discovery = discovery
        self.library = library
        self.turn_vectors = TurnVectors(database)

    def recall(self, run: TurnRun) -> Recollection:
        """Return the turns before, newest first, with the pages that they visited."""
        with self._database.read() as transaction:
            recent = store.list_newest(transaction, run.access, run.turn.user_id, limit=_RECENT + 1)
            followed = run.turn.follows and store.find_number(
                transaction, run.access, run.turn.user_id, run.turn.follows
            )
        before = [turn for turn in recent if turn.number < run.turn.number and turn.status.is_over]
        if followed:
            before = [followed, *(turn for turn in before if turn.number != followed.number)]
        preferences = [(each.name, each.value) for each in list_preferences(run.vault)]
        return Recollection(
            tuple(self._describe(run, turn) for turn in before[:_RECENT]), tuple(preferences)
        )

    def _describe(self, run: TurnRun, turn: Turn) -> RecentTurn:
        return RecentTurn(
            turn.number,
            turn.resolved_query,
            find_subject(turn.resolved_query, list_topic_stems(turn.topic)),
            turn.summary,
            tuple(_list_discussed_pages(run.vault, turn.folder)),
            turn.summary if turn.status is TurnStatus.CLARIFY else None,
        )

    def find_candidates(self, run: TurnRun, query: str) -> list[Evidence]:
        """Return what may be about a query, from every source in its order."""
        asked = encode_question(self._embedder, fold_forms(query)).vector
        near = self.turn_vectors.find_near(run.access, run.turn.user_id, asked)
        return [
            *self._list_profile(run),
            *self._list_turns(run, query, near),
            *self._list_research(run, query, list(near)),
            *self._list_pages(run, query),
            *self._list_thoughts(run, query),
            *self._list_knowledge(run, query),
        ]

    def _list_profile(self, run: TurnRun) -> Iterator[Evidence]:
        """Yield what is known of the user now; to who asks about the past, what was true then.

        What holds now and never changed says nothing of what held before.
        """
        now = run.clock.now()
        scope = read_scope(run.turn.query, now)
        day = format_day(scope.moment(now))
        for kind, path in (
            (EvidenceKind.PREFERENCE, PREFERENCES),
            (EvidenceKind.FACT, FACTS),
        ):
            dated_lines = list_lines(run.vault, path, scope, now=now)
            changed = {dated.line.name for dated in dated_lines if dated.line.is_struck}
            for dated in dated_lines:
                line = dated.line
                held = line.name in changed or not scope.history
                yield Evidence(
                    0,
                    kind,
                    dated.title,
                    line.value,
                    f"Turn {line.turn}",
                    link=f"{format_folder(line.turn)}/{FILE}",
                    answers=held and line.day <= day,
                )

    def read_limits(self, run: TurnRun, query: str) -> Limits:
        return self._memory.limits.read(run.access, query, asker=run.turn.user_id)

    def correct_name(self, run: TurnRun, query: str) -> str:
        return self._discovery.correct_name(run.access, query)

    def rate_sites(self, run: TurnRun, sites: Sequence[str]) -> dict[str, float]:
        return self.library.rate_sites(run.access, sites)

    def is_limited(self, access: Access, item: Evidence) -> bool:
        # A page is cited by its address, which does not tell its source.
        return any(
            item.source.startswith(f"{source.name}/") or "://" in item.source
            for source in self._sources.list_sources(access)
            if source.agents is not None
        )

    def _list_turns(
        self, run: TurnRun, query: str, near: Mapping[int, float]
    ) -> Iterator[Evidence]:
        """Yield the turns that asked for something like it, and the pages that they visited."""
        with self._database.read() as transaction:
            item = store.list_numbers(transaction, run.access, run.turn.user_id, list(near))
        for number, cosine in near.items():
            turn = item.get(number)
            if turn is None or number == run.turn.number:
                continue
            if _has_answer(run.vault, turn):
                yield _cite_turn(run.vault, turn, cosine)
            for page in list_cached_pages(run.vault, turn.folder):
                yield from self._cite_page(run, page, query)

    def _list_research(self, run: TurnRun, query: str, near: Sequence[int]) -> Iterator[Evidence]:
        """Yield what research says, and follow its links to the pages that it was made of."""
        for research, state, is_own in self.library.find_current(
            run.access, run.turn.user_id, query, turns=near
        ):
            yield from cite_research(
                research, state, is_own=is_own, wants_fresh=wants_fresh(run.turn.query)
            )
            captures = [source.capture for source in research.sources if source.capture]
            if not is_own or research.turn in near:
                continue  # Pages of near turns are among what those turns give.
            for folder in captures:
                page = read_cached_page(run.vault, folder)
                if page is not None:
                    yield from self._cite_page(run, page, query)

    def _list_pages(self, run: TurnRun, query: str) -> Iterator[Evidence]:
        """Yield the page that is meant, or of a follow-up the pages of the turns before it."""
        analysis = run.brief().analysis
        reference = analysis.content_reference
        if reference is not None and reference.webpage_cache_path is not None:
            page = read_cached_page(run.vault, reference.webpage_cache_path)
            if page is not None:
                yield from self._cite_page(run, page, run.turn.query)
        elif analysis.query_type is QueryType.FOLLOWUP:
            for turn in self.recall(run).turns:
                for page in turn.pages:
                    yield from self._cite_page(run, page, query)

    def _cite_page(self, run: TurnRun, page: CachedPage, query: str) -> Iterator[Evidence]:
        for item in cite_page(run.vault, page, query):
            yield replace(item, is_stale=_may_have_changed(run, item))

    def _list_thoughts(self, run: TurnRun, query: str) -> Iterator[Evidence]:
        """Yield thoughts; finding them leaves its trail, in a session that is the turn.

        Where all that was said within limits is asked for, it is listed, and leaves none.
        """
        limits, asker = run.limits, (run.turn.user_id, run.access.owner)
        if limits.lists_all:
            newest = self._memory.direct_answers.list_newest
            listed = newest(run.access, limits.scope, _MOST_LISTED)
            return list_thoughts(listed, asker=asker)
        # The phase is repeated when its process dies; what it found then counts once.
        query_id = derive_id("turn-query", run.turn.id, query)
        retrieval = Retrieval(
            run.turn.user_id,
            run.turn.id,
            query,
            limit=_MOST_FOUND,
            query_id=query_id,
            scope=limits.within,
        )
        thoughts = self._memory.retrieve(run.access, retrieval)
        cite = partial(cite_thoughts, query=run.turn.query, now=run.clock.now(), asker=asker)
        if thoughts or not limits.is_kept:
            return cite(thoughts, limits=limits)
        beyond = self._memory.look_up(run.access, query, limit=_MOST_FOUND)
        return (replace(item, answers=False) for item in cite(beyond))

    def _list_knowledge(self, run: TurnRun, query: str) -> Iterator[Evidence]:
        answer = run.resolutions.resolve(
            self._discovery,
            run.access,
            query,
            context=run.turn.query,
            agent_id=run.turn.user_id,
        )
        if answer.outcome is not ResolutionOutcome.UNKNOWN:
            yield from cite_answer(answer, query)
        is_near = answer.is_silent and len(split_goals(query)) == 1
        for passage in self._discovery.search(run.access, query, limit=_MOST_FOUND):
            yield cite_passage(passage, is_near=is_near)


def _cite_turn(vault: Vault, turn: Turn, cosine: float) -> Evidence:
    """Return a turn as evidence; `cosine` is how near its query is to what is asked now.

    What a turn of our own said was quoted from sources, which are found themselves. What an agent
    answered in a turn of its own stands nowhere else.
    """
    is_own = vault.read(f"{turn.folder}/{ANALYSIS}") is not None
    document = "" if is_own else vault.read(f"{turn.folder}/{FILE}") or ""
    answer = read_response(document)
    return Evidence(
        0,
        EvidenceKind.TURN,
        f"Turn {turn.number}: {turn.query}",
        answer or turn.summary or turn.query,
        f"{turn.folder}/{FILE}",
        link=f"{turn.folder}/{FILE}",
        relevance=round(cosine, 4),
        moment=turn.created_at,
        answers=bool(answer),
        note=_describe_answerer(turn, answer, is_backed=is_approved(document)) if answer else "",
    )


def _describe_answerer(turn: Turn, answer: str, *, is_backed: bool) -> str:
    """Return who answered, what its answer stands on, and whether it reads like an order.

    The name is the agent's own words as well, and stands outside of quotation marks.
    """
    name = "an agent" if find_suspicions(turn.engine) else format_line(turn.engine)
    notes = [f"as {name} answered"]
    if not is_backed:
        notes.append("without a source for all of it")
    if find_suspicions(f"{turn.query}\n{answer}"):
        notes.append("which reads like an order and is only quoted")
    return ", ".join(notes)


def _has_answer(vault: Vault, turn: Turn) -> bool:
    """Tell whether a turn came to more than that it found nothing."""
    if turn.status is not TurnStatus.DONE or turn.has_answer is not None:
        return turn.status is TurnStatus.DONE and turn.has_answer is True
    return find_answer(vault, turn.folder)


def _may_have_changed(run: TurnRun, item: Evidence) -> bool:
    """Tell whether what a page said may be different by now, for what is asked of it."""
    if wants_fresh(run.turn.query):
        return True
    is_old = run.clock.now() - (item.moment or 0.0) > run.settings.fresh_hours * _HOUR_S
    return is_old and classify_intent(run.turn.query) is Intent.TRANSACTIONAL


def _list_discussed_pages(vault: Vault, folder: str) -> list[CachedPage]:
    """Return the pages that a turn was about; what it visited itself comes last."""
    visited = list_cached_pages(vault, folder)
    analysis = read_json(vault, f"{folder}/{ANALYSIS}") or {}
    path = read_object(analysis, "content_reference").get("webpage_cache_path")
    referenced = read_cached_page(vault, path) if isinstance(path, str) else None
    if referenced is None or referenced.url in {page.url for page in visited}:
        return visited
    return [referenced, *visited]
