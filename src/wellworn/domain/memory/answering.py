"""Assembles the reply from what was found: its result and its trace. Pure."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass, replace
from heapq import merge
from itertools import islice

from wellworn.domain.memory import wording
from wellworn.domain.memory.answer_reading import answers
from wellworn.domain.memory.areas import PoolResult
from wellworn.domain.memory.contribution import (
    LONGEST_REMARK,
    Contribution,
    ContributionReason,
    asks_to_erase,
    is_question,
    judge_contribution,
)
from wellworn.domain.memory.describing import describe_replaced, describe_standing
from wellworn.domain.memory.disambiguation import Clusters, find_telling_words, is_relevant
from wellworn.domain.memory.limits import NO_LIMITS, Limits
from wellworn.domain.memory.models import (
    Cluster,
    Disambiguation,
    NeededNext,
    Prompt,
    Reply,
    ReplyResult,
    ReplyTrace,
)
from wellworn.domain.memory.reply_sources import build_sources, cite_passage
from wellworn.domain.memory.wording import ReplyQuote
from wellworn.domain.sources import Snippet
from wellworn.domain.thoughts import (
    Affirmed,
    FoundThought,
    Judged,
    Overview,
    RankedThought,
    RetrievalMethod,
    Stored,
)
from wellworn.domain.thoughts import PredictedNeed as Needed
from wellworn.domain.thoughts.truth import LinkedThought, tells_of
from wellworn.engines.retrieval.text import hash_words
from wellworn.kit.clock import format_day
from wellworn.kit.passages import pick_passage
from wellworn.kit.text import show_name

MOST_HIGHWAYS = 5
_LEAVING_A_TRAIL = frozenset({"reinforce", "feedback_implicit"})
LONGEST_QUOTE = 380
"""Characters: three of them with their authors are an answer an agent can afford."""
_LEAST_TELLING = 2
"""Words of a thing and of what is asked about it: one alone asks for nothing in particular."""


@dataclass(frozen=True, slots=True)
class SearchOutcome:
    """The results of a search: those that are shown, and the pool they come from."""

    shown: Sequence[FoundThought]
    pool: Sequence[RankedThought]
    clusters: Clusters | None
    method: RetrievalMethod
    passages: Sequence[Snippet] | None = None
    """Passages of documents; None unless they were asked for."""
    named: frozenset[str] = frozenset()
    """Ids of results with a tag that the prompt names."""
    exact: frozenset[str] = frozenset()
    """Ids of results that hold the rare words of the prompt."""
    relevant: frozenset[str] = frozenset()
    """Ids of results that have to do with the prompt, as far as words and meaning tell."""
    limits: Limits = NO_LIMITS
    """Those of the prompt, and what became of them."""
    highways: Sequence[int] = ()
    """The strongest of the pool, by seq, that answered questions of several agents."""
    left_out: Sequence[Judged] = ()
    """The thoughts that the search came across but left out of the pool, and why."""
    not_meant: frozenset[str] = frozenset()
    """Ids of those of the pool that a reference to the last answer did not mean."""

    @property
    def own(self) -> list[FoundThought]:
        """Results of the space that was asked."""
        return [thought for thought in self.shown if thought.space is None]

    def without_links(self) -> SearchOutcome:
        """Return it without what the pool replaces, which is told of what is shown alone."""
        return replace(self, pool=[hit.without_links() for hit in self.pool])


@dataclass(frozen=True, slots=True)
class CallOutcome:
    """The effects of a call besides retrieving."""

    session_id: str
    newcomer: bool
    encouraged: bool
    stored_as: Stored | Affirmed | None
    contribution: Contribution
    needed_next: Sequence[Needed] = ()
    stored_part: str = ""
    """The part of the prompt that was stored, where something else was asked beside it."""
    replaced: Sequence[LinkedThought] = ()
    """The thoughts that the stored prompt was linked to, the surest first."""
    asker: str | None = None
    """The member who called; None at the open door."""
    overview: Overview | None = None

    @property
    def held(self) -> bool:
        """Whether what the call said is in quarantine."""
        return self.stored_as is not None and self.stored_as.held


def select_shown(hits: Sequence[RankedThought], clusters: Clusters | None) -> list[RankedThought]:
    """Return what of the pool is shown: the best, or those beside a counter-question."""
    if clusters is None:
        return list(hits)
    shown = set(clusters.shown)
    return [hit for hit in hits if hit.summary.thought_id in shown]


def select_of_time(
    shown: Sequence[FoundThought], within: tuple[float, float]
) -> list[FoundThought]:
    """Return what was said at a time, or tells of it."""
    start, end = within
    return [
        thought
        for thought in shown
        if start <= thought.created_at < end
        or tells_of(thought.content, thought.created_at, within)
    ]


def judge_time(limits: Limits, shown: Sequence[FoundThought]) -> Limits:
    """Return the limits of a question, of which nothing that is shown may be of the time."""
    within = limits.scope.within
    is_missed = within is not None and bool(shown) and not select_of_time(shown, within)
    return limits.miss_time() if is_missed else limits


def merge_shared(
    own: Sequence[FoundThought], shared: Sequence[FoundThought], limit: int
) -> list[FoundThought]:
    """Return the best of a project and of the shared space, each in its order, nearest first.

    Cosines alone can be compared between spaces; the project's comes first where they are equal.
    """
    return list(islice(merge(own, shared, key=lambda thought: -thought.score), limit))


def to_pool_results(
    hits: Sequence[RankedThought], named: Set[str] = frozenset(), *, asker: str | None
) -> list[PoolResult]:
    """Return what asking back reads of results.

    `named` are ids that the prompt names by a tag; `asker` is a member, None at the open door.
    """
    return [
        PoolResult(
            id=hit.summary.thought_id,
            cosine=hit.ranked.cosine,
            keyword=hit.ranked.keyword,
            fused=hit.ranked.rank_score,
            tags=hit.summary.plain_tags,
            opening=hit.summary.opening,
            is_named=hit.summary.thought_id in named,
            bounded_by=_find_bound(hit, asker),
        )
        for hit in hits
    ]


def _find_bound(hit: RankedThought, asker: str | None) -> str | None:
    thought = hit.summary
    return None if thought.by_admin or thought.owner == asker else thought.owner


def tell_of_no_trail(reply: Reply) -> Reply:
    """Return a reply that says that nothing of its call was stored."""
    done = tuple(name for name in reply.trace.operations if name not in _LEAVING_A_TRAIL)
    return replace(
        reply,
        result=replace(reply.result, guidance=wording.NO_TRAIL),
        trace=replace(reply.trace, operations=done),
    )


def build_reply(prompt: Prompt, search: SearchOutcome, outcome: CallOutcome) -> Reply:
    """Assemble the reply."""
    trace = _build_trace(prompt, search, outcome)
    held_id = trace.thought_id if outcome.held else None
    return Reply(_build_result(prompt, search, outcome), trace, held_id)


def _build_result(prompt: Prompt, search: SearchOutcome, outcome: CallOutcome) -> ReplyResult:
    return ReplyResult(
        response=_write_response(prompt, search, outcome),
        sources=build_sources(search.shown, search.passages, explain=prompt.explain),
        highways_nearby=_list_highways_nearby(search),
        disambiguation=_build_disambiguation(search.clusters),
        guidance=wording.WELCOME if outcome.newcomer else None,
        limits=search.limits.limits,
        often_needed_next=tuple(
            NeededNext(
                need.thought_id, wording.format_label(need.opening, need.tags), need.strength
            )
            for need in outcome.needed_next
        ),
        overview=outcome.overview,
    )


def _write_response(prompt: Prompt, search: SearchOutcome, outcome: CallOutcome) -> str:
    if search.clusters is not None:
        return wording.ask_for_area(search.clusters.total_found, search.clusters.areas)
    passages = search.passages or ()
    is_new = isinstance(outcome.stored_as, Stored)
    only_states = is_new and not outcome.stored_part
    near_ids = _list_near(search)
    # A prompt that states something does not ask for what is merely the nearest.
    shown = [hit for hit in search.shown if hit.thought_id in near_ids or not only_states]
    asker = (prompt.agent_id, outcome.asker)
    scope = search.limits.scope
    if scope.within and not scope.history and not only_states:
        shown = select_of_time(shown, scope.within) or shown
    quotes = [_quote(prompt, thought, asker) for thought in _select_quoted(shown)]
    quotes += [ReplyQuote(passage.text, cite_passage(passage)) for passage in passages]
    near = is_answered(prompt, search, near_ids, only_states=only_states)
    links = _tell_links(outcome)
    if links and only_states and not (quotes and near):
        return links
    response = wording.write_response(
        quotes,
        contributed=only_states,
        held=outcome.held,
        near=near,
        known=bool(search.pool),
        unstored=_find_unstored(prompt, outcome.contribution),
        closing=_close(prompt, outcome, links),
        erases=not outcome.contribution.is_stored and asks_to_erase(prompt.prompt),
    )
    return response if only_states else wording.mark_limits(response, search.limits)


def is_answered(
    prompt: Prompt,
    search: SearchOutcome,
    near_ids: Set[str] | None = None,
    *,
    only_states: bool = False,
) -> bool:
    """Tell whether something of what was found has to do with the prompt, or answers it if read.

    What somebody said is asked for, not what is so: all that is close of theirs answers that.
    """
    is_near = any(is_relevant(passage.score, 0.0) for passage in search.passages or ())
    answered = None if search.limits.asks_who_said else answers(search.shown)
    if answered is not None and not only_states:
        asks = answered or is_question(prompt.prompt)
        if asks or _is_short_question(prompt.prompt, search.shown):
            return answered or is_near
    return is_near or bool(_list_near(search) if near_ids is None else near_ids)


def _is_short_question(prompt: str, shown: Sequence[FoundThought]) -> bool:
    """Tell whether a prompt is words to search for that ask more than what a thought is about.

    "kiln shelf" asks for all that is said of it, and "kiln shelf price" for one thing.
    """
    telling = find_telling_words(prompt)
    return (
        len(telling) >= _LEAST_TELLING
        and len(prompt) <= LONGEST_REMARK
        and not any(telling <= find_telling_words(thought.content) for thought in shown)
    )


def _find_unstored(prompt: Prompt, contribution: Contribution) -> ContributionReason | None:
    """Return why a prompt was not stored; None where it plainly asks, or nobody expects it."""
    is_expected = contribution.reason in wording.NOT_STORED and not is_question(prompt.prompt)
    return contribution.reason if is_expected else None


def _close(prompt: Prompt, outcome: CallOutcome, links: str) -> str:
    """Say that the prompt was stored, and what of it, or what it was linked to, or known."""
    if not isinstance(outcome.stored_as, Stored):
        return wording.SAID_AGAIN if outcome.stored_as else ""
    if outcome.stored_part:
        part = wording.tell_stored_part(" ".join(outcome.stored_part.split()))
        return f"{part} {links.removeprefix(wording.STORED)}".strip()
    is_silent = outcome.held or prompt.names_thoughts
    return links or (wording.STORED if is_silent else wording.STORED_BESIDE)


def _tell_links(outcome: CallOutcome) -> str:
    """Say what the stored prompt was linked to by its words alone, and how that is undone."""
    inferred = [link for link in outcome.replaced if not link.stated]
    if not (isinstance(outcome.stored_as, Stored) and inferred):
        return ""
    links = "".join(f"{describe_replaced(link)} [{link.thought_id}]" for link in inferred)
    return wording.tell_links(
        links.removeprefix("; "),
        outcome.stored_as.thought_id,
        is_probable=any(link.is_probable for link in inferred),
    )


def _list_near(search: SearchOutcome) -> Set[str]:
    """Return the ids of what is shown that has to do with the prompt."""
    shown = {thought.thought_id for thought in search.shown}
    scores = [(thought.thought_id, thought.score, thought.keyword) for thought in search.shown]
    scores += [(hit.summary.thought_id, hit.cosine, hit.keyword) for hit in search.pool]
    near = {thought_id for thought_id, score, keyword in scores if is_relevant(score, keyword)}
    return (near | search.named | search.exact) & shown


def _select_quoted(shown: Sequence[FoundThought]) -> list[FoundThought]:
    """Return the first three, without what another of them tells in full that it replaced.

    What is replaced in part is quoted, for the rest of it.
    """
    quoted: list[FoundThought] = []
    repeated: set[str] = set()
    for thought in shown:
        if thought.thought_id not in repeated:
            quoted.append(thought)
            repeated |= {
                link.thought_id
                for link in thought.replaces[:1]
                if link.is_whole and link.is_probable and not link.is_partial
            }
    return quoted[: wording.QUOTED_THOUGHTS]


def _quote(prompt: Prompt, thought: FoundThought, asker: tuple[str, str | None]) -> ReplyQuote:
    """Quote the part of a thought that fits the prompt, with its author, day and standing."""
    is_own = (thought.contributor_id, thought.owner) == asker
    by = "you" if is_own else show_name(thought.contributor_name)
    by += " in the shared space" if thought.space else ""
    return ReplyQuote(
        pick_passage(thought.content, prompt.prompt, LONGEST_QUOTE, split=hash_words),
        f"{by}, {format_day(thought.created_at)}{describe_standing(thought)}",
    )


def find_worn(pool: Sequence[RankedThought]) -> list[int]:
    """Return those of a pool that fit the prompt and that several agents were shown, used most."""
    worn = [
        hit.summary
        for hit in pool
        if hit.summary.trail.is_worn and is_relevant(hit.cosine, hit.keyword)
    ]
    worn.sort(
        key=lambda thought: (-thought.trail.use_score, -thought.trail.traffic_score, thought.seq)
    )
    return [thought.seq for thought in worn]


def _list_highways_nearby(search: SearchOutcome) -> tuple[str, ...]:
    if not search.highways:
        return ()
    by_seq = {hit.summary.seq: hit.summary for hit in search.pool}
    worn = [by_seq[seq] for seq in search.highways]
    return tuple(
        wording.format_highway(
            thought.opening,
            thought.tags,
            accesses=thought.trail.access_count,
            agents=thought.trail.unique_users,
        )
        for thought in worn
    )


def _build_disambiguation(clusters: Clusters | None) -> Disambiguation | None:
    if clusters is None:
        return None
    return Disambiguation(
        clusters.total_found, tuple(Cluster(area.tag, area.count) for area in clusters.areas)
    )


def _build_trace(prompt: Prompt, search: SearchOutcome, outcome: CallOutcome) -> ReplyTrace:
    judged = outcome.contribution
    if judged.reason in {ContributionReason.ALWAYS, ContributionReason.NEVER}:
        judged = judge_contribution(prompt.prompt)
    return ReplyTrace(
        session_id=outcome.session_id,
        operations=_list_operations(search, outcome),
        thoughts_retrieved=len(search.shown),
        thoughts_contributed=int(isinstance(outcome.stored_as, Stored)),
        contribution_threshold_met=judged.is_stored,
        context_used=bool(prompt.context),
        retrieval_method=search.method.value,
        thought_id=outcome.stored_as.thought_id if outcome.stored_as else None,
        contribution=outcome.contribution.reason.value,
    )


def _list_operations(search: SearchOutcome, outcome: CallOutcome) -> tuple[str, ...]:
    done = {
        "retrieve": True,
        "reinforce": not all(thought.held for thought in search.shown),
        "contribute": isinstance(outcome.stored_as, Stored),
        "affirm": isinstance(outcome.stored_as, Affirmed),
        "quarantine": outcome.held,
        "feedback_implicit": outcome.encouraged,
        "disambiguate": search.clusters is not None,
        "onboard": outcome.newcomer,
    }
    return tuple(name for name, was_done in done.items() if was_done)
