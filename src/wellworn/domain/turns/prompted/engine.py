"""PromptedEngine: what each role does by a language model, within what rules let pass.

What the model does not answer, or answers in a way that cannot be trusted, another engine decides.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final, TypeVar

from pydantic import BaseModel

from wellworn.domain.turns.briefs import Brief, Recollection, ToolDescription, TurnEngine
from wellworn.domain.turns.citing import cite_evidence, number_answer
from wellworn.domain.turns.compression import list_kept
from wellworn.domain.turns.flow import MOST_REVISIONS
from wellworn.domain.turns.grounding import list_ungrounded
from wellworn.domain.turns.models import (
    CoordinatorAction,
    Evidence,
    QueryAnalysis,
    Reflection,
    Response,
    TaskPlan,
    Validation,
)
from wellworn.domain.turns.page_evidence import drop_superseded
from wellworn.domain.turns.profile import reply_without_sources
from wellworn.domain.turns.prompted.decisions import (
    read_action,
    read_analysis,
    read_plan,
    read_reflection,
    read_selection,
)
from wellworn.domain.turns.prompted.outputs import (
    MOST_CANDIDATES,
    ActionOutput,
    AnalysisOutput,
    CompressionOutput,
    PlanOutput,
    ReflectionOutput,
    SelectionOutput,
    SynthesisOutput,
    ValidationOutput,
)
from wellworn.domain.turns.prompted.prompts import (
    ModelPrompt,
    PromptInput,
    RecipeName,
    format_recollection,
    format_tools,
    list_parts,
    load_recipes,
    write_prompt,
)
from wellworn.domain.turns.prompted.responses import (
    add_faults,
    add_opinion,
    is_by_model,
    read_response,
    relabel_quotes,
    strip_own_words,
)
from wellworn.domain.turns.quoting import cut_text
from wellworn.engines.llm import ChatModel, ModelAnswer
from wellworn.engines.safety import new_nonce

_Output = TypeVar("_Output", bound=BaseModel)
_LONGEST_EXCERPT: Final = 600
_STRUCTURE: Final = ("#", "**", "---", "|", "^")
_log = logging.getLogger(__name__)


class PromptedEngine:
    """Decides by a language model; what it does not decide, `fallback` does."""

    def __init__(self, model: ChatModel, fallback: TurnEngine) -> None:
        self.name = model.name
        self._model = model
        self._fallback = fallback
        self._recipes = load_recipes()

    def analyze(self, query: str, known: Recollection) -> QueryAnalysis:
        parts = {PromptInput.QUERY: query, PromptInput.RECENT: format_recollection(known)}
        prompt = self._write(RecipeName.ANALYZE, parts)
        output = self._ask(RecipeName.ANALYZE, AnalysisOutput, prompt)
        analysis = read_analysis(query, known, output) if output else None
        return analysis or self._fallback.analyze(query, known)

    def reflect(self, brief: Brief) -> Reflection:
        prompt = self._write(RecipeName.REFLECT, list_parts(brief))
        output = self._ask(RecipeName.REFLECT, ReflectionOutput, prompt)
        reflection = read_reflection(brief, output) if output else None
        return reflection or self._fallback.reflect(brief)

    def select(self, brief: Brief, candidates: Sequence[Evidence]) -> list[Evidence]:
        by_rules = self._fallback.select(brief, candidates)
        ranked = _rank(candidates, by_rules)
        numbered = [replace(item, number=number) for number, item in enumerate(ranked, 1)]
        excerpts = [
            replace(item, text=cut_text(item.text, brief.query, _LONGEST_EXCERPT))
            for item in numbered
        ]
        prompt = self._write(RecipeName.SELECT, list_parts(brief), excerpts)
        output = self._ask(RecipeName.SELECT, SelectionOutput, prompt)
        if output is None or prompt is None:
            return by_rules
        chosen = read_selection(brief, numbered[: len(prompt.shown)], output)
        return by_rules if chosen is None else chosen

    def plan(self, brief: Brief) -> TaskPlan:
        by_rules = self._fallback.plan(brief)
        if reply_without_sources(brief.query):
            return by_rules
        prompt = self._write(RecipeName.PLAN, list_parts(brief), _order(brief.evidence))
        output = self._ask(RecipeName.PLAN, PlanOutput, prompt)
        return (read_plan(brief, by_rules, output) if output else None) or by_rules

    def choose_action(self, brief: Brief, tools: Sequence[ToolDescription]) -> CoordinatorAction:
        parts = list_parts(brief) | {PromptInput.TOOLS: format_tools(tools)}
        prompt = self._write(RecipeName.CHOOSE_ACTION, parts, _order(brief.evidence))
        output = self._ask(RecipeName.CHOOSE_ACTION, ActionOutput, prompt)
        action = read_action(brief, tools, output) if output else None
        return action or self._fallback.choose_action(brief, tools)

    def synthesize(self, brief: Brief) -> Response:
        return self._write_answer(brief) or relabel_quotes(self._fallback.synthesize(brief))

    def _write_answer(self, brief: Brief) -> Response | None:
        """Return the model's answer; the last attempt of a turn is left to the fallback."""
        answering = [item for item in _order(brief.evidence) if item.answers]
        if not answering or reply_without_sources(brief.query) or brief.revisions >= MOST_REVISIONS:
            return None
        prompt = self._write(RecipeName.SYNTHESIZE, list_parts(brief), answering)
        if prompt is None or not prompt.shown:
            return None
        output = self._ask(RecipeName.SYNTHESIZE, SynthesisOutput, prompt)
        return read_response(brief, output) if output else None

    def validate(self, brief: Brief) -> Validation:
        by_rules = self._fallback.validate(brief)
        response = brief.response
        if response is None or not is_by_model(response):
            return by_rules
        sources = cite_evidence(number_answer(response, brief.evidence), brief.evidence)
        faults = list_ungrounded(strip_own_words(brief, response), sources)
        judged = add_faults(by_rules, list(faults))
        cited = {claim.evidence for claim in response.claims}
        evidence = sorted(_order(brief.evidence), key=lambda item: item.number not in cited)
        prompt = self._write(RecipeName.VALIDATE, list_parts(brief), evidence)
        output = self._ask(RecipeName.VALIDATE, ValidationOutput, prompt)
        return add_opinion(brief, judged, output) if output else judged

    def compress(self, text: str, limit_words: int) -> str | None:
        parts = {PromptInput.TEXT: f"{limit_words} words at most:\n{text}"}
        prompt = self._write(RecipeName.COMPRESS, parts)
        output = self._ask(RecipeName.COMPRESS, CompressionOutput, prompt)
        if output is None or not _adds_nothing(text, output.text):
            return self._fallback.compress(text, limit_words)
        return output.text.strip()

    def _write(
        self, name: RecipeName, parts: Mapping[PromptInput, str], evidence: Sequence[Evidence] = ()
    ) -> ModelPrompt | None:
        return write_prompt(self._recipes[name], parts, evidence, new_nonce())

    def _ask(
        self, name: RecipeName, output_type: type[_Output], prompt: ModelPrompt | None
    ) -> _Output | None:
        """Return what the model filled in; None if it was not asked or gave nothing of use."""
        if prompt is None:
            _log.warning("%s: the question does not fit its budget, so rules decide", name.value)
            return None
        recipe = self._recipes[name]
        answer = self._model.ask(
            recipe.role,
            output_type,
            prompt.text,
            instructions=recipe.instructions,
            budget=recipe.tokens_out,
        )
        if isinstance(answer, ModelAnswer):
            return answer.output
        _log.warning("%s: %s; rules decide", name.value, answer.message)
        return None


def _rank(candidates: Sequence[Evidence], by_rules: Sequence[Evidence]) -> list[Evidence]:
    """Return the candidates as they were found: what the rules chose first, then by relevance."""
    places = {(item.source, item.text): place for place, item in enumerate(by_rules)}
    ranked = sorted(
        candidates,
        key=lambda item: (places.get((item.source, item.text), len(places)), -item.relevance),
    )
    return ranked[:MOST_CANDIDATES]


def _order(evidence: Sequence[Evidence]) -> list[Evidence]:
    """Return evidence that holds, with what answers first, most relevant first."""
    return sorted(drop_superseded(evidence), key=lambda item: (not item.answers, -item.relevance))


def _adds_nothing(text: str, shorter: str) -> bool:
    """Tell whether a shorter text brings in no identifier, and no line that shapes a document."""
    lines = {line.strip() for line in text.split("\n")}
    shaping = (line.strip() for line in shorter.split("\n"))
    return list_kept(shorter) <= list_kept(text) and all(
        line in lines for line in shaping if line.startswith(_STRUCTURE)
    )


_: type[TurnEngine] = PromptedEngine
