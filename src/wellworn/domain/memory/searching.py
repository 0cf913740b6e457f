"""Makes the search that a prompt asks for, and selects the results to show."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from wellworn.domain.memory.answering import (
    SearchOutcome,
    merge_shared,
    select_shown,
    to_pool_results,
)
from wellworn.domain.memory.disambiguation import VAGUE_WORDS, ask_back, find_telling_words
from wellworn.domain.memory.follow_ups import FollowUpKind
from wellworn.domain.memory.limits import Limits
from wellworn.domain.memory.models import Prompt, Retrieval
from wellworn.domain.memory.prior_state import PriorState
from wellworn.domain.memory.relevance import select_relevant
from wellworn.domain.memory.screening import build_query
from wellworn.domain.sources import Snippet, Sources
from wellworn.domain.spaces import Access
from wellworn.domain.thoughts import (
    FoundThought,
    RankedThought,
    RetrievalMethod,
    SearchQuery,
    Thoughts,
    mark_picked,
    pick_in_turn,
    tag_key,
)
from wellworn.engines.embedding import Embedder, Encoded, encode_question
from wellworn.engines.retrieval.text import is_function_word, list_compounds, split_words
from wellworn.engines.storage.sql import Database
from wellworn.errors import InvalidInput
from wellworn.kit.folding import fold_forms

_MOST_LIFTED = 10
"""Of the best results, what says what is asked now is shown first."""
MOST_PASSAGES = 5
"""Passages of documents that are shown after thoughts."""


def build_search(
    prompt: Prompt,
    before: PriorState,
    asked: Encoded,
    *,
    method: RetrievalMethod,
    limits: Limits,
    call_id: str,
) -> SearchQuery:
    """Return the search of a prompt, by `method` unless it names one.

    Its scope is what the caller set, with the limits that the words add.
    """
    return SearchQuery(
        vector=asked.vector,
        pieces=asked.pieces,
        spans=asked.spans,
        text=build_query(prompt, before.complete(prompt.prompt)),
        agent_id=prompt.agent_id,
        limit=prompt.limit,
        filter_tags=prompt.filter_tags or before.chosen_tags,
        match_all_tags=prompt.match_all_tags,
        exclude_self=prompt.exclude_self,
        min_score=prompt.min_score,
        method=prompt.retrieval_method or method,
        include_unverified=prompt.include_unverified,
        scope=limits.narrow(prompt.scope),
        # A follow-up has an order of its own.
        call_id="" if before.follow_up else call_id,
    )


def find_passages(
    sources: Sources | None, access: Access, prompt: Prompt, asked: Encoded
) -> Sequence[Snippet] | None:
    """Find passages of documents if they were asked for; they leave no trail."""
    if not prompt.include_knowledge or sources is None:
        return None
    if access.shared is not None and not sources.list_sources(access):
        access = access.shared
    limit = min(prompt.limit, MOST_PASSAGES)
    return sources.search_encoded(access, build_query(prompt), asked, limit=limit)


@dataclass(frozen=True, slots=True)
class PromptSearch:
    """A search for a prompt: all that its outcome depends on beside the memory itself."""

    access: Access
    prompt: Prompt
    before: PriorState
    search: SearchQuery
    may_ask: bool
    at_least: int = 0
    """Results that are shown, if so many are found, whether or not they have to do with it."""

    def without_key(self) -> PromptSearch:
        """Return it as it may leave this process, without what unlocks the caller's keys."""
        if (credential := self.access.credential) is None:
            return self
        return replace(self, access=replace(self.access, credential=replace(credential, kek=None)))


class PromptSearcher:
    """Searches for prompts, and asks back where one leaves open which of many thoughts it means."""

    def __init__(self, database: Database, thoughts: Thoughts, *, model: str) -> None:
        self._database = database
        self._thoughts = thoughts
        self._model = model
        self.search_somewhere: Callable[[PromptSearch], SearchOutcome] = self.search_here
        """Searches here, unless others can do it as well."""

    def search(
        self,
        access: Access,
        prompt: Prompt,
        before: PriorState,
        search: SearchQuery,
        *,
        may_ask: bool,
        at_least: int = 0,
    ) -> SearchOutcome:
        """Return what is shown of the results, or of the largest area where it is asked back.

        Where nothing is within the limits, what is beyond them is shown, and they are missed.

        Raises:
            IndexUnavailable, StorageUnavailable: the search failed.
        """
        return self.search_somewhere(
            PromptSearch(access, prompt, before, search, may_ask, at_least)
        )

    def search_here(self, asked: PromptSearch) -> SearchOutcome:
        """Return the outcome of a search in this process; raises as `search`."""
        may_ask = asked.may_ask and not asked.before.follow_up and not asked.search.filter_tags
        with self._database.share_read():
            return self._find_or_ask(asked) if may_ask else self._find(asked)

    def _find(self, asked: PromptSearch) -> SearchOutcome:
        access, prompt, before, search = asked.access, asked.prompt, asked.before, asked.search
        found = self._thoughts.searcher.find(access, search)
        pool = found.hits
        hits, at_least = select_meant(pool, prompt, before), 0
        relevant, exact = hits, frozenset[str]()
        if before.follow_up is None or not before.follow_up.shows_known:
            relevant, exact = self._select_relevant(access, hits, search, prompt)
            at_least = asked.at_least
        chosen = _choose(hits, relevant, search, at_least)
        shown = self._load_shown(access, chosen, search, at_least)
        ids = _list_ids(relevant)
        outcome = SearchOutcome(
            shown,
            mark_picked(pool, chosen),
            None,
            search.method,
            exact=exact,
            relevant=ids,
            left_out=found.left_out,
            not_meant=_list_ids(pool) - _list_ids(hits),
        )
        is_alone = before.follow_up is not None
        return outcome if is_alone else self._add_shared(asked, outcome)

    def _find_or_ask(self, asked: PromptSearch) -> SearchOutcome:
        access, prompt, search = asked.access, asked.prompt, asked.search
        found = self._thoughts.searcher.find(access, search)
        relevant, exact = self._select_relevant(access, found.hits, search, prompt)
        named = self._find_named(access, prompt, search)
        hits, relevant = _join(found.hits, named), _join(relevant, named)
        ids = _list_ids(named)
        pool = to_pool_results(hits, ids, asker=access.owner)
        clusters = ask_back(prompt.prompt, pool, tag_key=tag_key)
        if clusters is not None:
            relevant = select_shown(hits, clusters)
        at_least = 0 if clusters else asked.at_least
        # What is shown beside a counter-question answers nothing, so nothing is tried on it.
        search = replace(search, call_id="") if clusters else search
        chosen = _choose(hits, relevant, search, at_least)
        shown = self._load_shown(access, chosen, search, at_least)
        outcome = SearchOutcome(
            shown,
            mark_picked(hits, chosen),
            clusters,
            search.method,
            named=ids,
            exact=exact,
            relevant=_list_ids(relevant),
            left_out=found.left_out,
        )
        return outcome if clusters else self._add_shared(asked, outcome)

    def _load_shown(
        self, access: Access, chosen: Sequence[RankedThought], search: SearchQuery, at_least: int
    ) -> list[FoundThought]:
        limit = max(search.limit, at_least)
        return self._thoughts.searcher.load_distinct(access, chosen, limit)

    def _add_shared(self, asked: PromptSearch, outcome: SearchOutcome) -> SearchOutcome:
        """Add what has to do with a prompt in the space that all projects share."""
        # It is logged there without a decision.
        search = replace(asked.search, call_id="")
        if (shared := asked.access.shared) is None:
            return outcome
        hits = self._thoughts.searcher.rank(shared, search)
        relevant, exact = self._select_relevant(shared, hits, search, asked.prompt)
        chosen = _choose(hits, relevant, search, asked.at_least)
        others = self._load_shown(shared, chosen, search, asked.at_least)
        others = [replace(thought, space=shared.space) for thought in others]
        shown = merge_shared(outcome.shown, others, max(search.limit, asked.at_least))
        return replace(
            outcome,
            shown=shown,
            exact=outcome.exact | exact,
            relevant=outcome.relevant | _list_ids(relevant),
        )

    def _select_relevant(
        self, access: Access, hits: Sequence[RankedThought], search: SearchQuery, prompt: Prompt
    ) -> tuple[list[RankedThought], frozenset[str]]:
        """Return what has to do with the prompt, and the ids of what holds its rare words."""
        words = list_compounds(prompt.prompt)
        telling = [word for word in dict.fromkeys(words) if not is_function_word(word.casefold())]
        exact = self._thoughts.searcher.find_exact(access, hits, telling)
        ids = _list_ids([hit for hit in hits if hit.summary.seq in exact])
        return (
            select_relevant(hits, search.method, prompt, model=self._model, exact=exact),
            ids,
        )

    def _find_named(
        self, access: Access, prompt: Prompt, search: SearchQuery
    ) -> list[RankedThought]:
        """Return the thoughts with a tag that has every word of a vague prompt."""
        words = find_telling_words(prompt.prompt)
        if len(words) > VAGUE_WORDS or prompt.min_score is not None:
            return []
        with self._database.read() as transaction:
            tags = self._thoughts.sessions.find_tags_about(transaction, access, words)
        if not tags:
            return []
        by_tag = replace(search, filter_tags=tags, match_all_tags=False, min_score=-1.0, call_id="")
        return self._thoughts.searcher.rank(access, by_tag)


def _choose(
    hits: Sequence[RankedThought],
    relevant: Sequence[RankedThought],
    search: SearchQuery,
    at_least: int,
) -> list[RankedThought]:
    """Return the relevant of some results, or the first `at_least`, as they are to be shown."""
    seqs = {hit.summary.seq for hit in (*relevant, *hits[:at_least])}
    chosen = [hit for hit in hits if hit.summary.seq in seqs] if at_least else relevant
    if not search.call_id:
        return [*chosen]
    return pick_in_turn(chosen, search.call_id, max(search.limit, at_least))


def _list_ids(hits: Sequence[RankedThought]) -> frozenset[str]:
    return frozenset(hit.summary.thought_id for hit in hits)


def select_meant(
    hits: Sequence[RankedThought], prompt: Prompt, before: PriorState
) -> list[RankedThought]:
    """Return the results that a reference to the last answer means, in their order."""
    follow_up = before.follow_up
    if follow_up is None or before.chosen_tags:
        return list(hits)
    kind, returned = follow_up.kind, before.shown_ids
    if kind in {FollowUpKind.AREAS, FollowUpKind.NO_AREA}:
        areas, is_wanted = follow_up.areas or before.offered, kind is FollowUpKind.AREAS
        return [hit for hit in hits if _is_in(hit, areas, before.offered_tags) is is_wanted]
    if kind is FollowUpKind.OTHERS:
        return [hit for hit in hits if hit.summary.thought_id not in returned]
    if not follow_up.shows_known:
        return _lift(hits, prompt, before)
    meant = follow_up.pick(returned) if kind is FollowUpKind.PLACE else returned
    by_id = {hit.summary.thought_id: hit for hit in hits}
    return [by_id[thought_id] for thought_id in meant if thought_id in by_id]


def _lift(hits: Sequence[RankedThought], prompt: Prompt, before: PriorState) -> list[RankedThought]:
    """Return results, first those that say what is asked now.

    Where more is asked of the same, as in "and who steers it?", they say as well what was asked
    before, are among the best, and are replaced by nothing.
    """
    asked, words = find_telling_words(before.question), find_telling_words(prompt.prompt)
    added = [*(words - asked)]
    if before.follow_up and before.follow_up.kind is FollowUpKind.SAME_QUESTION:
        return sorted(hits, key=lambda hit: not _is_in(hit, added or [*words], ()))
    best = sorted(
        hits[:_MOST_LIFTED],
        key=lambda hit: (
            bool(hit.standing.replaced_by)
            or not (_is_in(hit, [*asked], ()) and _is_in(hit, added, ()))
        ),
    )
    return [*best, *hits[_MOST_LIFTED:]]


def _is_in(hit: RankedThought, areas: Sequence[str], offered_tags: Sequence[str]) -> bool:
    """Tell whether a result carries a tag, or says a word, that one of the areas is named by."""
    keys = {tag_key(tag) for tag in hit.summary.tags}
    words = set(split_words(hit.summary.opening))
    return any(
        tag_key(area) in keys if area in offered_tags else not words.isdisjoint(split_words(area))
        for area in areas
    )


def _join(hits: Sequence[RankedThought], named: Sequence[RankedThought]) -> list[RankedThought]:
    known = {hit.summary.seq for hit in hits}
    return [*hits, *(hit for hit in named if hit.summary.seq not in known)]


def encode_retrieval(embedder: Embedder, retrieval: Retrieval) -> Encoded:
    """Return the vector of a search by words, or the caller's own at length 1.

    Raises:
        InvalidInput: it is not as long as the encoder's.
    """
    if retrieval.query_embedding is None:
        return encode_question(embedder, fold_forms(retrieval.query or ""))
    if len(retrieval.query_embedding) != embedder.dimensions:
        message = f"query_embedding needs {embedder.dimensions} numbers, as the encoder's"
        raise InvalidInput(message)
    # In double precision first: the square of a large component overflows in single.
    vector = np.array(retrieval.query_embedding, dtype=np.float64)
    vector /= np.abs(vector).max()
    return Encoded.of(vector / np.linalg.norm(vector))
