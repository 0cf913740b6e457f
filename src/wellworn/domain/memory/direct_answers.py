"""Answers prompts that are no search: talk, or for highways, an outline or what was said when.

They have the shape of every other answer and stand in the log, but leave no trail, as nobody
searched for the thoughts in them. They are not stored for a retry: it reads the state again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from wellworn.domain.memory import wording
from wellworn.domain.memory.contribution import asks_to_erase, judge_contribution
from wellworn.domain.memory.corrections import only_objects
from wellworn.domain.memory.describing import describe_standing
from wellworn.domain.memory.follow_ups import refers_back
from wellworn.domain.memory.limits import Limit, Limits
from wellworn.domain.memory.models import Prompt, Reply, ReplyResult, ReplySource, ReplyTrace
from wellworn.domain.memory.reply_sources import build_source
from wellworn.domain.memory.routing import (
    LATELY,
    Courtesy,
    HighwaysRequest,
    OutlineRequest,
    TimelineRequest,
    is_general,
    parse_request,
)
from wellworn.domain.outline import Outline, OutlineAnswer
from wellworn.domain.spaces import Access
from wellworn.domain.thoughts import Exposure, FoundThought, Highway, ThoughtFilter, Thoughts
from wellworn.domain.thoughts.store import COURTESY, Catalogue, ThoughtExcerpt
from wellworn.domain.thoughts.truth import TimeScope, tells_of
from wellworn.engines.storage.sql import Database
from wellworn.errors import NotFound
from wellworn.kit.clock import Clock, format_day, to_iso
from wellworn.kit.ids import new_id
from wellworn.kit.text import preview, show_name

HIGHWAYS = "highways"
OUTLINE = "outline"
TIMELINE = "timeline"
"""The `retrieval_method` of these answers."""
_LOOKED_THROUGH = 100
"""Thoughts, the last first, among which changes and topics are looked for."""
_NEAR_S = 7 * 86_400.0
"""The time in which most of what happened is told: a week."""
_INSTEAD = {"topics": "tags"}
"""The kind that is shown instead where a space has nothing of one."""


@dataclass(frozen=True, slots=True)
class DirectAnswer:
    """An answer without its session."""

    method: str
    response: str
    sources: tuple[ReplySource, ...] = ()
    highways: tuple[str, ...] = ()
    asks_back: bool = False
    limits: tuple[Limit, ...] = ()

    @property
    def operations(self) -> tuple[str, ...]:
        """The operations of the answer, beside those of every call."""
        if self.method != COURTESY:
            return ("retrieve",)
        return ("disambiguate",) if self.asks_back else ()


class DirectAnswers:
    """Answers from highways, from the outline, and from what was said when."""

    def __init__(
        self,
        database: Database,
        thoughts: Thoughts,
        clock: Clock,
        outline: Outline | None,
        look_up: Callable[[Access, str], list[FoundThought]],
    ) -> None:
        """Prepare to answer; `look_up` searches by words and leaves no trace."""
        self._look_up = look_up
        self._database = database
        self._clock = clock
        self._thoughts = thoughts
        self._outline = outline

    def answer(
        self, access: Access, prompt: Prompt, limits: Limits, *, is_first: bool = False
    ) -> DirectAnswer | None:
        """Answer a prompt that is no search; return None if it is one.

        `is_first` is one before which nothing was answered in its session.
        """
        if _is_narrowed(prompt):
            return None
        request = parse_request(prompt.prompt)
        is_narrow = limits.scope.is_narrow or prompt.scope.is_narrow
        is_listed = limits.is_general or is_general(prompt.prompt)
        if request is None and is_narrow and is_listed:
            request = TimelineRequest()
        if isinstance(request, Courtesy):
            return DirectAnswer(COURTESY, wording.TALK[request.talk])
        if isinstance(request, HighwaysRequest):
            return self._answer_highways(access, prompt)
        if isinstance(request, TimelineRequest):
            return self._answer_timeline(access, prompt, request, limits)
        if request is not None:
            return self._answer_outline(access, request)
        return _ask_back(prompt, is_first=is_first)

    def _answer_timeline(
        self, access: Access, prompt: Prompt, request: TimelineRequest, limits: Limits
    ) -> DirectAnswer | None:
        period = limits.scope.within
        if period is None and request.when and not LATELY.fullmatch(request.when):
            return None
        scope = limits.narrow(prompt.scope)
        if request.own:
            scope = replace(scope, by=prompt.agent_id)
        # One more than is shown tells whether there is more.
        listed = self.list_newest(access, scope, prompt.limit + 1)
        changed = self._list_changes(access, scope, prompt.limit) if request.changes else []
        if period is not None and scope.people is None and not prompt.scope.is_narrow:
            listed = self._add_told_later(access, prompt, period, listed)
        heading = wording.SAID_LAST
        if changed:
            heading, listed = wording.CHANGED_LAST, changed
        elif period is not None and not listed:
            heading, limits = wording.SAID_NEAR, limits.miss_time()
            listed = self._list_nearest(access, scope, prompt.limit)
        shown = listed[: prompt.limit]
        sources = tuple(build_source(thought, explain=prompt.explain) for thought in shown)
        has_more = len(listed) > len(shown)
        timeline = wording.format_timeline(
            [_format_line(thought) for thought in shown],
            self._name_topics(access, scope, shown, has_more=has_more),
            heading,
            has_more=has_more,
        )
        response = wording.mark_limits(timeline, limits)
        return DirectAnswer(TIMELINE, response, sources, limits=limits.limits)

    def _name_topics(
        self, access: Access, scope: TimeScope, shown: Sequence[FoundThought], *, has_more: bool
    ) -> list[str]:
        """Return the tags of what is shown; where few have one, the topics of what was said last.

        Those are told where more was said than is shown, and with how much of it each has.
        """
        if has_more and 2 * sum(bool(thought.tags) for thought in shown) < len(shown):
            last = self._thoughts.selector.list_newest(
                access, ThoughtFilter(scope), limit=_LOOKED_THROUGH
            )
            groups = self._thoughts.topic_browser.group(access, [each.seq for each in last])
            if groups:
                named = groups[: wording.NAMED_AREAS]
                return [f"{group.topic.title} ({len(group.seqs)})" for group in named]
        tags = Counter(tag for thought in shown for tag in thought.tags)
        return [tag for tag, _ in tags.most_common(wording.NAMED_AREAS)]

    def list_newest(self, access: Access, scope: TimeScope, limit: int) -> list[FoundThought]:
        """Return what was said last, in a project also in the shared space."""
        wanted, selector = ThoughtFilter(scope), self._thoughts.selector
        listed = selector.list_newest(access, wanted, limit=limit)
        if access.shared is None:
            return listed
        shared = selector.list_newest(access.shared, wanted, limit=limit)
        listed += [replace(thought, space=access.shared.space) for thought in shared]
        return sorted(listed, key=lambda thought: -thought.created_at)[:limit]

    def _list_changes(self, access: Access, scope: TimeScope, limit: int) -> list[FoundThought]:
        """Return what of the last that was said probably replaced something."""
        listed = self.list_newest(access, scope, max(limit, _LOOKED_THROUGH))
        changed = (
            thought for thought in listed if any(link.is_probable for link in thought.replaces)
        )
        return [*islice(changed, limit)]

    def _add_told_later(
        self,
        access: Access,
        prompt: Prompt,
        within: tuple[float, float],
        listed: Sequence[FoundThought],
    ) -> list[FoundThought]:
        """Add what was said at another time and tells of this one."""
        known = {thought.thought_id for thought in listed}
        later = [
            thought
            for thought in self._look_up(access, prompt.prompt)
            if thought.thought_id not in known
            and tells_of(thought.content, thought.created_at, within)
        ]
        return sorted([*listed, *later], key=lambda thought: -thought.created_at)

    def _list_nearest(self, access: Access, scope: TimeScope, limit: int) -> list[FoundThought]:
        """Return what was said in the days after a time without any, or else last before it."""
        now = self._clock.now()
        end = scope.until or now
        later = replace(scope, since=end, until=end + _NEAR_S)
        before = replace(scope, since=None, until=scope.since or 0.0)
        return self.list_newest(access, later, limit) or self.list_newest(access, before, limit)

    def _answer_highways(self, access: Access, prompt: Prompt) -> DirectAnswer:
        highways = self._thoughts.list_highways(access, limit=prompt.limit)
        with self._database.read() as transaction:
            entries = Catalogue(transaction, access).find_excerpts(
                [highway.thought_id for highway in highways]
            )
        highways = [highway for highway in highways if highway.thought_id in entries]
        lines = _format_highways(highways)
        sources = tuple(
            _build_source(highway, entries[highway.thought_id], explain=prompt.explain)
            for highway in highways
        )
        return DirectAnswer(HIGHWAYS, wording.format_highways(lines), sources, lines)

    def _answer_outline(self, access: Access, request: OutlineRequest) -> DirectAnswer | None:
        outlined = self._find_outline(access, request)
        return None if outlined is None else DirectAnswer(OUTLINE, wording.format_outline(outlined))

    def _find_outline(self, access: Access, request: OutlineRequest) -> OutlineAnswer | None:
        if self._outline is None:
            return None
        for name in (request.name, _INSTEAD.get(request.name)):
            if name is None:
                continue
            try:
                outlined = self._outline.outline(access, name, depth=request.depth)
            except NotFound:
                continue
            if name not in _INSTEAD or outlined.node is None or outlined.node.children:
                return outlined
        return None


def build_direct_exposure(prompt: Prompt, answer: DirectAnswer, *, session_id: str) -> Exposure:
    """Return the row of the query log."""
    return Exposure(
        query_id=new_id(),
        agent_id=prompt.agent_id,
        session_id=session_id,
        query_text=prompt.prompt,
        context_text=prompt.context,
        vector=None,
        method=answer.method,
    )


def build_direct_reply(
    prompt: Prompt, answer: DirectAnswer, *, session_id: str, newcomer: bool
) -> Reply:
    """Assemble the reply."""
    result = ReplyResult(
        response=answer.response,
        sources=answer.sources,
        highways_nearby=answer.highways,
        disambiguation=None,
        limits=answer.limits,
        guidance=wording.WELCOME if newcomer else None,
    )
    contribution = judge_contribution(prompt.prompt)
    trace = ReplyTrace(
        session_id=session_id,
        operations=answer.operations + ("onboard",) * newcomer,
        thoughts_retrieved=len(answer.sources),
        thoughts_contributed=0,
        contribution_threshold_met=contribution.is_stored,
        context_used=False,
        retrieval_method=answer.method,
        contribution=contribution.reason.value,
    )
    return Reply(result, trace)


def _ask_back(prompt: Prompt, *, is_first: bool) -> DirectAnswer | None:
    """Ask what a prompt means that names nothing, or what is so where it only objects."""
    if is_first and not prompt.context and refers_back(prompt.prompt):
        return DirectAnswer(COURTESY, wording.UNCLEAR, asks_back=True)
    if not is_first and only_objects(prompt.prompt):
        erases = asks_to_erase(prompt.prompt)
        return DirectAnswer(
            COURTESY, wording.NOT_ERASED if erases else wording.OBJECTED, asks_back=not erases
        )
    return None


def _is_narrowed(prompt: Prompt) -> bool:
    """Tell whether the caller set how to search, which makes any prompt a search."""
    options = (prompt.filter_tags, prompt.min_score is not None, prompt.retrieval_method)
    return any(options) or prompt.exclude_self or prompt.include_unverified


def _format_line(thought: FoundThought) -> str:
    """Say what was said when and by whom, and whether it still holds."""
    standing = describe_standing(thought).removeprefix("; ")
    opening = preview(" ".join(thought.content.split()))
    line = f"{format_day(thought.created_at)}, {show_name(thought.contributor_name)}: {opening}"
    return f"{line} ({standing})" if standing else line


def _format_highways(highways: Sequence[Highway]) -> tuple[str, ...]:
    return tuple(
        wording.format_highway(
            highway.content_preview,
            highway.tags,
            accesses=highway.access_count,
            agents=highway.unique_users,
        )
        for highway in highways
    )


def _build_source(road: Highway, entry: ThoughtExcerpt, *, explain: bool) -> ReplySource:
    plain = ReplySource(
        thought_id=road.thought_id,
        contributor=entry.contributor,
        score=0.0,
        content_preview=preview(entry.text),
    )
    if not explain:
        return plain
    return replace(
        plain,
        content=entry.text,
        tags=road.tags,
        created_at=to_iso(entry.created_at),
        rank_score=road.use_score,
        why={"usefulness": road.use_score},
    )
