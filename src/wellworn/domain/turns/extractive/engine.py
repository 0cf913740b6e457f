"""ExtractiveEngine: what each role does without a language model."""

from __future__ import annotations

from collections.abc import Sequence

from wellworn.domain.reading import PassageReader
from wellworn.domain.turns.briefs import Brief, Recollection, ToolDescription, TurnEngine
from wellworn.domain.turns.extractive import checking, planning, references, writing
from wellworn.domain.turns.extractive.matching import PassageMatcher, select_evidence
from wellworn.domain.turns.models import (
    CoordinatorAction,
    Evidence,
    QueryAnalysis,
    Reflection,
    Response,
    TaskPlan,
    Validation,
)
from wellworn.domain.turns.wording import complete_goals, split_goals


class ExtractiveEngine:
    """Answers by quotes; reading decides what answers."""

    name = "extractive"

    def __init__(self, passages: PassageReader | None = None) -> None:
        self._matcher = PassageMatcher(passages or PassageReader())

    def analyze(self, query: str, known: Recollection) -> QueryAnalysis:
        return references.resolve_references(query, known)

    def reflect(self, brief: Brief) -> Reflection:
        return references.reflect(brief)

    def select(self, brief: Brief, candidates: Sequence[Evidence]) -> list[Evidence]:
        goals = complete_goals(split_goals(brief.analysis.resolved_query))
        return select_evidence([*map(brief.aim, goals)], candidates, self._share(brief))

    def plan(self, brief: Brief) -> TaskPlan:
        return planning.make_plan(brief, self._share(brief))

    def choose_action(self, brief: Brief, tools: Sequence[ToolDescription]) -> CoordinatorAction:
        return planning.choose_action(brief, tools, self._share(brief))

    def synthesize(self, brief: Brief) -> Response:
        return writing.write_response(brief, self._share(brief))

    def validate(self, brief: Brief) -> Validation:
        return checking.validate(brief)

    def compress(self, text: str, limit_words: int) -> str | None:  # noqa: ARG002 - rules cut whole items
        return None

    def _share(self, brief: Brief) -> PassageMatcher:
        return self._matcher.share_among(len(split_goals(brief.analysis.resolved_query)))


_: type[TurnEngine] = ExtractiveEngine
