"""A turn that is being worked on: its files, its journal, and what its phases share."""

from __future__ import annotations

import contextvars
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, wait
from dataclasses import dataclass, field, replace
from functools import partial
from threading import Thread
from time import monotonic
from typing import Final, Protocol, TypeVar

from wellworn.domain.memory import NO_LIMITS, Limits
from wellworn.domain.spaces import Access
from wellworn.domain.turns.briefs import Brief, Recollection, ToolDescription, TurnEngine
from wellworn.domain.turns.citing import list_things
from wellworn.domain.turns.context_document import ContextDocument
from wellworn.domain.turns.files import Vault
from wellworn.domain.turns.flow import count_revisions
from wellworn.domain.turns.journal import TurnJournal
from wellworn.domain.turns.models import (
    CoordinatorAction,
    Evidence,
    GatheredContext,
    Output,
    Phase,
    QueryAnalysis,
    Reflection,
    Response,
    TaskPlan,
    ToolCall,
    Turn,
    Validation,
)
from wellworn.domain.turns.settings import TurnSettings
from wellworn.domain.turns.tools import Toolbox
from wellworn.domain.turns.tools.tool import Resolutions
from wellworn.domain.turns.wording import find_topic
from wellworn.engines.embedding import Embedder
from wellworn.kit.clock import Clock

_LOOKED_EVERY_S: Final = 0.2
_Answer = TypeVar("_Answer")


def wait_for(
    work: Callable[[], _Answer], check: Callable[[], None], timeout_s: float = float("inf")
) -> _Answer:
    """Return what work gives, or raises, in a thread of its own.

    Raises:
        TimeoutError: it takes longer; nobody waits for it any more.
        WellwornError: so says `check`, which is asked a few times a second.
    """
    future: Future[_Answer] = Future()

    def run() -> None:
        try:
            future.set_result(work())
        except BaseException as error:  # noqa: BLE001 - raised where it is waited for
            future.set_exception(error)

    Thread(target=contextvars.copy_context().run, args=(run,), daemon=True).start()
    ends_at = monotonic() + timeout_s
    while not future.done():
        if monotonic() >= ends_at:
            raise TimeoutError
        check()
        wait([future], min(_LOOKED_EVERY_S, ends_at - monotonic()))
    return future.result()


class HurriedEngine:
    """An engine for whose decisions nobody waits when the turn has to end."""

    def __init__(self, engine: TurnEngine, check: Callable[[], None]) -> None:
        self.name = engine.name
        self._engine = engine
        self._check = check

    def analyze(self, query: str, known: Recollection) -> QueryAnalysis:
        return wait_for(partial(self._engine.analyze, query, known), self._check)

    def reflect(self, brief: Brief) -> Reflection:
        return wait_for(partial(self._engine.reflect, brief), self._check)

    def select(self, brief: Brief, candidates: Sequence[Evidence]) -> list[Evidence]:
        return wait_for(partial(self._engine.select, brief, candidates), self._check)

    def plan(self, brief: Brief) -> TaskPlan:
        return wait_for(partial(self._engine.plan, brief), self._check)

    def choose_action(self, brief: Brief, tools: Sequence[ToolDescription]) -> CoordinatorAction:
        return wait_for(partial(self._engine.choose_action, brief, tools), self._check)

    def synthesize(self, brief: Brief) -> Response:
        return wait_for(partial(self._engine.synthesize, brief), self._check)

    def validate(self, brief: Brief) -> Validation:
        return wait_for(partial(self._engine.validate, brief), self._check)

    def compress(self, text: str, limit_words: int) -> str | None:
        return wait_for(partial(self._engine.compress, text, limit_words), self._check)


_Output = TypeVar("_Output", bound=Output)
Listener = Callable[[Phase, int, str | None], None]
"""Told of each phase as it begins, with None, and as it ends, with its section."""


def ignore_progress(_phase: Phase, _attempt: int, _section: str | None) -> None:
    """Listen to nothing."""


class Gatherer(Protocol):
    """The port that gathers evidence for a query before any tool is used."""

    def recall(self, run: TurnRun) -> Recollection: ...

    def find_candidates(self, run: TurnRun, query: str) -> list[Evidence]: ...

    def read_limits(self, run: TurnRun, query: str) -> Limits:
        """Return whose words, and of which time, a query asks for."""
        ...

    def correct_name(self, run: TurnRun, query: str) -> str:
        """Return a query with its one misspelt name as documents spell it."""
        ...

    def rate_sites(self, run: TurnRun, sites: Sequence[str]) -> Mapping[str, float]:
        """Return how reliable sites proved, 0 to 1."""
        ...

    def is_limited(self, access: Access, item: Evidence) -> bool:
        """Tell whether a passage is from a source that only some members may see."""
        ...


@dataclass(slots=True)
class TurnRun:
    """A turn that is being worked on."""

    access: Access
    turn: Turn
    vault: Vault
    journal: TurnJournal
    document: ContextDocument
    engine: TurnEngine
    gatherer: Gatherer
    tools: Toolbox
    settings: TurnSettings
    clock: Clock
    notify: Listener
    resolutions: Resolutions = field(default_factory=Resolutions)
    check: Callable[[], None] = lambda: None
    """Raises when the turn has to end before what it waits for."""

    def obey(self, check: Callable[[], None]) -> None:
        """End the turn as soon as a check says so."""
        self.check, self.engine = check, HurriedEngine(self.engine, check)

    def find_last(self, kind: type[_Output]) -> _Output | None:
        """Return what the last phase of a kind decided."""
        outputs = [entry.output for entry in self.journal.phases]
        return next((output for output in reversed(outputs) if isinstance(output, kind)), None)

    @property
    def attempt(self) -> int:
        """The number of times the turn was planned, by which its tool calls are counted."""
        return max(1, sum(isinstance(entry.output, TaskPlan) for entry in self.journal.phases))

    @property
    def evidence(self) -> tuple[Evidence, ...]:
        """Everything found so far, by number."""
        return tuple(self.journal.list_evidence())

    def describe(self) -> Turn:
        """Return the turn with what its query was found to be about so far."""
        analysis = self.find_last(QueryAnalysis) or QueryAnalysis.of(self.turn.query)
        reflection = self.find_last(Reflection)
        return replace(
            self.turn,
            resolved_query=analysis.resolved_query,
            topic=find_topic(analysis.resolved_query, list_things(self.evidence)),
            intent=reflection.intent if reflection else self.turn.intent,
        )

    @property
    def limits(self) -> Limits:
        """Those of the query, as it was read."""
        analysis = self.find_last(QueryAnalysis)
        return analysis.limits if analysis else NO_LIMITS

    def list_calls(self) -> list[ToolCall]:
        return self.journal.list_calls(self.attempt)

    def list_earlier_calls(self) -> list[ToolCall]:
        """Return the calls of the attempts before, in their order."""
        attempts = range(1, self.attempt)
        return [call for attempt in attempts for call in self.journal.list_calls(attempt)]

    def brief(self) -> Brief:
        """Return what the turn has come to, for the engine."""
        analysis = self.find_last(QueryAnalysis)
        return Brief(
            query=self.turn.query,
            document=self.document.text,
            analysis=analysis or QueryAnalysis.of(self.turn.query),
            reflection=self.find_last(Reflection),
            gathered=self.find_last(GatheredContext),
            plan=self.find_last(TaskPlan),
            evidence=self.evidence,
            calls=tuple(self.list_calls()),
            earlier_calls=tuple(self.list_earlier_calls()),
            response=self.find_last(Response),
            validation=self.find_last(Validation),
            revisions=count_revisions(self.journal.phases),
        )


@dataclass(frozen=True, slots=True)
class TurnDependencies:
    """The dependencies of turns, the same for every database."""

    embedder: Embedder
    engine: TurnEngine
    tools: Toolbox
    settings: TurnSettings
    clock: Clock
