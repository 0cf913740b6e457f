"""Defines the port of those who decide in a turn, and what they see of it.

An engine fills every role of the pipeline: the extractive one by rules, the prompted one by a
language model. Every decision is made with the original query in view.

Source: the specification of document IO, sections 2 and 3.10.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from wellworn.domain.turns.models import (
    CoordinatorAction,
    Evidence,
    GatheredContext,
    Goal,
    QueryAnalysis,
    Reflection,
    Response,
    TaskPlan,
    ToolCall,
    Validation,
)
from wellworn.domain.turns.wording import remove_urls


@dataclass(frozen=True, slots=True)
class CachedPage:
    """A page that an earlier turn visited.

    Attributes:
        content_type: what people call it, such as thread or page.
        path: its folder among the user's turns.
        turn_number: of the turn that visited it; None where its manifest does not say so.
        visited_at: when, in epoch seconds; None where its manifest does not say so.
    """

    title: str
    content_type: str
    site: str
    url: str
    path: str
    turn_number: int | None = None
    visited_at: float | None = None


@dataclass(frozen=True, slots=True)
class RecentTurn:
    """A turn shortly before, as the analysis of the query sees it.

    Attributes:
        pages: those that it was about; what it visited itself comes last.
    """

    number: int
    query: str
    subject: str
    summary: str
    pages: tuple[CachedPage, ...] = ()
    question: str | None = None
    """The question it asked the user back, if it ended so."""


@dataclass(frozen=True, slots=True)
class Recollection:
    """Memories of the user before the query is read: recent turns, newest first."""

    turns: tuple[RecentTurn, ...] = ()
    preferences: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Brief:
    """The state of a turn, as engines see it.

    Attributes:
        document: the sections of `context.md` so far, as they are on the disk.
        evidence: everything found so far, by number.
        calls: the tool calls of this attempt.
        earlier_calls: those of the attempts before, which are not made again.
        validation: the last one, which says what to do better.
        revisions: how often an answer was sent back to be written again.
    """

    query: str
    document: str
    analysis: QueryAnalysis
    reflection: Reflection | None = None
    gathered: GatheredContext | None = None
    plan: TaskPlan | None = None
    evidence: tuple[Evidence, ...] = ()
    calls: tuple[ToolCall, ...] = ()
    earlier_calls: tuple[ToolCall, ...] = ()
    response: Response | None = None
    validation: Validation | None = None
    revisions: int = 0

    @property
    def goals(self) -> tuple[Goal, ...]:
        """The goals of the query; a turn without a plan has one."""
        if self.plan is not None:
            return self.plan.goals
        return (Goal("GOAL_1", self.analysis.resolved_query),)

    def aim(self, goal: str) -> str:
        """Return what sources must speak of to serve a goal: all but limits and addresses."""
        reference = self.analysis.content_reference
        plain = goal.replace(f" on {reference.site}", "") if reference else goal
        return remove_urls(self.analysis.limits.remove_from(plain))

    @property
    def is_retried(self) -> bool:
        """Whether this is the second plan, after which there is no other."""
        return self.plan is not None and self.plan.previous_failure is not None

    @property
    def all_calls(self) -> tuple[ToolCall, ...]:
        """The calls of all attempts, in their order."""
        return (*self.earlier_calls, *self.calls)


@dataclass(frozen=True, slots=True)
class ToolDescription:
    """A tool as an engine sees it.

    Attributes:
        arguments: what each of them means, by its name.
        is_read_only: whether it changes nothing, so that it may be called again.
        server: how the sources of all tools of its server begin; empty for a tool of our own.
        values: arguments that its server names itself, so that they tell it nothing.
    """

    name: str
    purpose: str
    arguments: dict[str, str]
    is_read_only: bool = True
    server: str = ""
    values: frozenset[str] = frozenset()


class TurnEngine(Protocol):
    """Decides in every phase; its name is stored with the turn and shown with the answer."""

    name: str

    def analyze(self, query: str, known: Recollection) -> QueryAnalysis: ...

    def reflect(self, brief: Brief) -> Reflection: ...

    def select(self, brief: Brief, candidates: Sequence[Evidence]) -> list[Evidence]:
        """Return what of the candidates is about the query, best first, judged by `answers`."""
        ...

    def plan(self, brief: Brief) -> TaskPlan: ...

    def choose_action(
        self, brief: Brief, tools: Sequence[ToolDescription]
    ) -> CoordinatorAction: ...

    def synthesize(self, brief: Brief) -> Response: ...

    def validate(self, brief: Brief) -> Validation: ...

    def compress(self, text: str, limit_words: int) -> str | None:
        """Return a shorter text that says the same; None if it cannot."""
        ...
