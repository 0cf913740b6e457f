"""Selects thoughts by what is known of them, so that one thing can be done with all of them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from wellworn.domain.spaces import Access, Role
from wellworn.domain.thoughts.curation import CurationReason, Curator
from wellworn.domain.thoughts.models import FoundThought
from wellworn.domain.thoughts.search import ThoughtSearcher
from wellworn.domain.thoughts.store import confirming, rows, timeline
from wellworn.domain.thoughts.store.topics import list_past
from wellworn.domain.thoughts.tags import tag_key
from wellworn.domain.thoughts.topics import TopicBrowser
from wellworn.domain.thoughts.truth import ANY_TIME, TimeScope, parse_scope
from wellworn.engines.storage.sql import Database, Transaction
from wellworn.errors import ThoughtNotFound
from wellworn.kit.clock import Clock

MOST_SELECTED: Final = 2_000
"""Thoughts that are changed at once."""
_EXAMPLES: Final = 5


class ThoughtState(StrEnum):
    """What is known of a thought's truth."""

    UNCONFIRMED = "unconfirmed"
    """It waits for another member to confirm it."""
    OUTDATED = "outdated"
    """It is not true any more: replaced, ended, or called so."""


@dataclass(frozen=True, slots=True)
class ThoughtFilter:
    """Conditions that thoughts fit, all of them.

    Attributes:
        scope: by whom and when they were said.
        words: they hold all of them, in any order and form; what carries nothing, as "of the", is
            none, and fits no thought.
        tag: one that they carry, in any spelling.
        topic: the id of the topic that they are in, which has only what is true.
        state: what is known of their truth; None for all.
        reason: why they may have had their day; None for all.
        is_held: those in quarantine, and no others.
        is_current: those that are true, and no others.
    """

    scope: TimeScope = ANY_TIME
    words: str | None = None
    tag: str | None = None
    topic: str | None = None
    state: ThoughtState | None = None
    reason: CurationReason | None = None
    is_held: bool = False
    is_current: bool = False


ANY_THOUGHT: Final = ThoughtFilter()
"""The filter that all thoughts fit."""


def parse_filter(  # noqa: PLR0913 - each is a filter
    *,
    since: str | None = None,
    until: str | None = None,
    by: str | None = None,
    words: str | None = None,
    tag: str | None = None,
    topic: str | None = None,
    state: str | None = None,
    candidates: str | None = None,
    held: bool = False,
) -> ThoughtFilter:
    """Return the filter that a call names in words.

    Raises:
        InvalidInput: as `parse_scope`.
    """
    return ThoughtFilter(
        parse_scope(since=since, until=until, by=by),
        words,
        tag,
        topic and topic.removeprefix("topic:"),
        ThoughtState(state) if state else None,
        CurationReason(candidates) if candidates else None,
        is_held=held,
    )


@dataclass(frozen=True, slots=True)
class Example:
    """One of the thoughts of a selection."""

    thought_id: str
    content: str
    contributor_name: str
    created_at: float


@dataclass(frozen=True, slots=True)
class Selection:
    """The thoughts that fit a filter, newest first.

    Attributes:
        thought_ids: of those that the caller may change, at most 2,000.
        matching: how many fit.
        changeable: how many of them the caller may change.
    """

    thought_ids: tuple[str, ...]
    examples: tuple[Example, ...]
    matching: int
    changeable: int


@dataclass(frozen=True, slots=True)
class ThoughtPage:
    """A page of the thoughts that fit a filter, newest first.

    Attributes:
        next_cursor: brings the next page; None on the last.
        matching: how many fit, on all pages; None where nobody asked.
    """

    thoughts: tuple[FoundThought, ...]
    next_cursor: str | None
    matching: int | None


class ThoughtSelector:
    """Selects thoughts; every method needs an Access."""

    def __init__(
        self,
        database: Database,
        searcher: ThoughtSearcher,
        curator: Curator,
        topics: TopicBrowser,
        clock: Clock,
    ) -> None:
        self._database = database
        self._searcher = searcher
        self._curator = curator
        self._topics = topics
        self._clock = clock

    def select(self, access: Access, wanted: ThoughtFilter) -> Selection:
        """Return what fits a filter and the caller may change, newest first.

        Raises:
            Forbidden: what is held is asked for by who is no admin of the space.
        """
        if wanted.is_held:
            access.require(Role.ADMIN)
        among = self._find_among(access, wanted)
        with self._database.read() as transaction:
            seqs = self._list_fitting(transaction, access, wanted, among)
            if wanted.is_current:
                past = {*list_past(transaction, access.space, at=self._clock.now())}
                seqs = [seq for seq in seqs if seq not in past]
            own = seqs
            if not access.role.allows(Role.ADMIN):
                by = rows.load_authorships(transaction, seqs)
                own = [seq for seq in seqs if access.owner and by[seq].owner == access.owner]
            chosen = own[:MOST_SELECTED]
            known = rows.load_summaries(transaction, access, chosen, with_held=True)
            contents = rows.load_contents(transaction, chosen[:_EXAMPLES])
        chosen = [seq for seq in chosen if seq in known]
        return Selection(
            tuple(known[seq].thought_id for seq in chosen),
            tuple(
                Example(
                    known[seq].thought_id,
                    contents[seq],
                    known[seq].contributor_name,
                    known[seq].created_at,
                )
                for seq in chosen[:_EXAMPLES]
                if seq in contents
            ),
            matching=len(seqs),
            changeable=len(own),
        )

    def list_newest(
        self,
        access: Access,
        wanted: ThoughtFilter = ANY_THOUGHT,
        *,
        after: str | None = None,
        limit: int = 20,
    ) -> list[FoundThought]:
        """Return what fits a filter, newest first, as `list_page` does."""
        return [*self.list_page(access, wanted, after=after, limit=limit).thoughts]

    def list_page(
        self,
        access: Access,
        wanted: ThoughtFilter,
        *,
        after: str | None = None,
        limit: int = 20,
        counts: bool = False,
    ) -> ThoughtPage:
        """Return a page of what fits a filter, newest first, also what was replaced since.

        Args:
            access: who asks, and in which space.
            wanted: of its conditions those that say nothing of why a thought may have had its day.
            after: the last thought_id of the page before.
            limit: most thoughts of the page.
            counts: whether to count what fits on all pages; of 200,000 thoughts in up to .5 s.

        Raises:
            NotFound: the space has no such topic.
            ThoughtNotFound: the space has no thought of that id.
        """
        among = self._find_among(access, wanted)
        with self._database.read() as transaction:
            after_seq = None
            if after is not None:
                after_seq = rows.find_seqs(transaction, access, [after]).get(after)
                if after_seq is None:
                    message = "cursor is not a thought_id of this space"
                    raise ThoughtNotFound(message)
            seqs = timeline.list_newest(
                transaction,
                access,
                wanted.scope,
                tag=wanted.tag,
                among=among,
                after_seq=after_seq,
                limit=limit + 1,
            )
            matching = None
            if counts:
                matching = timeline.count(
                    transaction, access, wanted.scope, tag=wanted.tag, among=among
                )
        page = self._curator.load(access, seqs[:limit])
        is_over = len(seqs) <= limit or not page
        return ThoughtPage(tuple(page), None if is_over else page[-1].thought_id, matching)

    def _find_among(self, access: Access, wanted: ThoughtFilter) -> set[int] | None:
        """Return what holds the words and is in the topic and the state; None if none is given."""
        found: list[set[int]] = []
        if wanted.words is not None:
            found.append(self._searcher.find_holding(access, wanted.words))
        if wanted.topic is not None:
            found.append({*self._topics.list_members(access, wanted.topic).tolist()})
        if wanted.state is not None:
            now = self._clock.now()
            with self._database.read() as transaction:
                if wanted.state is ThoughtState.OUTDATED:
                    found.append({*list_past(transaction, access.space, at=now)})
                else:
                    waiting = confirming.list_waiting(transaction, access, at=now)
                    found.append({*confirming.load_unconfirmed(transaction, waiting, at=now)})
        return found[0].intersection(*found[1:]) if found else None

    def list_fitting(self, access: Access, wanted: ThoughtFilter) -> set[str]:
        """Return the ids of all that fits a filter, whoever may change it."""
        among = self._find_among(access, wanted)
        with self._database.read() as transaction:
            seqs = self._list_fitting(transaction, access, wanted, among)
            known = rows.load_summaries(transaction, access, seqs, with_held=wanted.is_held)
        return {each.thought_id for each in known.values()}

    def _list_fitting(
        self,
        transaction: Transaction,
        access: Access,
        wanted: ThoughtFilter,
        among: set[int] | None,
    ) -> list[int]:
        if wanted.is_held:
            held = [each.thought_id for each in rows.list_quarantined(transaction, access)]
            seqs = [*rows.find_seqs(transaction, access, held).values()]
        elif wanted.reason is not None:
            seqs = self._curator.find_seqs(transaction, access, wanted.reason)
        else:
            return timeline.list_newest(
                transaction, access, wanted.scope, tag=wanted.tag, among=among
            )
        shown = rows.load_summaries(transaction, access, seqs, with_held=wanted.is_held)
        key = None if wanted.tag is None else tag_key(wanted.tag)
        fitting = [
            summary
            for summary in shown.values()
            if summary.is_within(wanted.scope)
            and (among is None or summary.seq in among)
            and (key is None or key in map(tag_key, summary.tags))
        ]
        fitting.sort(key=lambda summary: (-summary.created_at, -summary.seq))
        return [summary.seq for summary in fitting]
