"""The prompt of a recipe: the query in the open, everything else inside a fence. Pure.

Only the user's query and ours are instructions. What sources, tools and earlier answers say is
quoted between delimiters that carry a nonce. A prompt that is too long loses complete pieces of
evidence, the last in its order first; their numbers stay those by which an answer cites them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from typing import Final

from pydantic import BaseModel, ConfigDict, Field, ValidationInfo, field_validator

from wellworn.domain.turns.briefs import Brief, Recollection, ToolDescription
from wellworn.domain.turns.citing import (
    format_caveat,
    format_label,
    number_answer,
    renumber_citations,
)
from wellworn.domain.turns.models import Evidence
from wellworn.domain.turns.sections import format_line
from wellworn.engines.llm import ModelRole
from wellworn.engines.safety import Fence
from wellworn.kit.clock import format_day
from wellworn.kit.text import CHARACTERS_A_TOKEN
from wellworn.kit.words import load_table

_PACKAGE: Final = "wellworn.domain.turns.prompted"


class RecipeName(StrEnum):
    """The name of a recipe; each is a file of the folder."""

    ANALYZE = "analyze"
    REFLECT = "reflect"
    SELECT = "select"
    PLAN = "plan"
    CHOOSE_ACTION = "choose_action"
    SYNTHESIZE = "synthesize"
    VALIDATE = "validate"
    COMPRESS = "compress"


class PromptInput(StrEnum):
    """An input that a prompt can be made of."""

    QUERY = "query"
    RESOLVED = "resolved"
    RECENT = "recent"
    GOALS = "goals"
    SUFFICIENCY = "sufficiency"
    TOOLS = "tools"
    CALLS = "calls"
    ISSUES = "issues"
    ANSWER = "answer"
    TEXT = "text"
    EVIDENCE = "evidence"


class Recipe(BaseModel):
    """A role's way of asking.

    Attributes:
        inputs: what the prompt is made of, in this order.
        tokens_in: most tokens of instructions and prompt.
        tokens_out: most tokens of the answer.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    role: ModelRole
    inputs: tuple[PromptInput, ...] = Field(min_length=1)
    tokens_in: int = Field(ge=200, le=100_000)
    tokens_out: int = Field(ge=50, le=20_000)
    instructions: str = Field(min_length=20)

    @field_validator("inputs")
    @classmethod
    def _shows_query_to_who_decides(
        cls, inputs: tuple[PromptInput, ...], info: ValidationInfo
    ) -> tuple[PromptInput, ...]:
        if info.data.get("role") is not ModelRole.NERVES and PromptInput.QUERY not in inputs:
            raise ValueError("whoever decides is shown the original query")
        return inputs


@cache
def load_recipes() -> Mapping[RecipeName, Recipe]:
    """Return every recipe.

    Raises:
        ValueError: a file is not a recipe, or a deciding role would not see the query.
    """
    return {
        name: Recipe.model_validate(load_table(_PACKAGE, f"recipes/{name.value}.toml"))
        for name in RecipeName
    }


_NONE: Final = "none"
Parts = Mapping[PromptInput, str]


@dataclass(frozen=True, slots=True)
class ModelPrompt:
    """A prompt as it is sent, and the evidence in it."""

    text: str
    shown: tuple[Evidence, ...]


def write_prompt(
    recipe: Recipe, parts: Parts, evidence: Sequence[Evidence], nonce: str
) -> ModelPrompt | None:
    """Return a prompt within the budget, or None if even without evidence it is too long.

    Args:
        recipe: which parts are shown, in which order, and the budget.
        parts: the texts of the recipe's inputs; absent ones are shown as none.
        evidence: most relevant first; dropped from its end.
        nonce: of the fence.
    """
    fence = Fence(nonce)
    items = [
        _quote(fence, f"{_format_label(item)} {describe(item)}", item.text) for item in evidence
    ]
    for count in _count_down(recipe, items):
        text = _join(fence, recipe, parts, items[:count])
        if len(recipe.instructions) + len(text) <= recipe.tokens_in * CHARACTERS_A_TOKEN:
            return ModelPrompt(text, tuple(evidence[:count]))
    return None


def _count_down(recipe: Recipe, items: Sequence[str]) -> Iterator[int]:
    """Yield how many items may fit, most first; those that cannot by themselves are passed over."""
    room = recipe.tokens_in * CHARACTERS_A_TOKEN
    count, size = 0, 0
    while count < len(items) and size + len(items[count]) <= room:
        size += len(items[count])
        count += 1
    yield from range(count, -1, -1)


def _join(fence: Fence, recipe: Recipe, parts: Parts, items: Sequence[str]) -> str:
    query = format_line(fence.escape(parts.get(PromptInput.QUERY, "")))
    head = [f"The user's query: {query}"] if PromptInput.QUERY in recipe.inputs else []
    blocks = [
        _quote(fence, f"{name.value}:", parts.get(name, "") or _NONE)
        for name in recipe.inputs
        if name not in {PromptInput.QUERY, PromptInput.EVIDENCE}
    ]
    if PromptInput.EVIDENCE in recipe.inputs:
        blocks += ["evidence:", *(items or [f"  {_NONE}"])]
    return "\n".join([*head, fence.header, *blocks, fence.closing])


def _quote(fence: Fence, label: str, text: str) -> str:
    lines = [f"  {line}".rstrip() for line in fence.escape(text).strip().split("\n")]
    return "\n".join([format_line(fence.escape(label)), *lines])


def _format_label(item: Evidence) -> str:
    """Return what a model cites evidence by; what it cites is renumbered afterwards."""
    return f"[{item.number}]" if item.number else format_label(item)


def describe(item: Evidence) -> str:
    """Return where evidence comes from, in one line."""
    day = f", {format_day(item.moment)}" if item.moment is not None else ""
    caveat = format_caveat(item)
    note = f", {caveat}" if caveat else ""
    return f"{item.title} ({item.source}{day}{note})"


def list_parts(brief: Brief) -> dict[PromptInput, str]:
    """Return what a turn has come to, as prompts show it."""
    validation, response = brief.validation, brief.response
    labels = _list_labels(brief)
    return {
        PromptInput.QUERY: brief.query,
        PromptInput.RESOLVED: brief.analysis.resolved_query,
        PromptInput.GOALS: "\n".join(_list_goals(brief)),
        PromptInput.SUFFICIENCY: brief.gathered.sufficiency.value if brief.gathered else "",
        PromptInput.CALLS: "\n".join(_list_calls(brief)),
        PromptInput.ISSUES: renumber_citations("\n".join(validation.issues), labels)
        if validation
        else "",
        PromptInput.ANSWER: renumber_citations(response.text, labels) if response else "",
    }


def _list_labels(brief: Brief) -> dict[int, int]:
    """Return what the prompt calls evidence, by the number that the last answer cites it by."""
    numbers = number_answer(brief.response, brief.evidence) if brief.response else {}
    return {cited: number for number, cited in reversed(numbers.items())}


def _list_goals(brief: Brief) -> Iterator[str]:
    for number, goal in enumerate(brief.plan.goals if brief.plan else (), 1):
        yield f"{number}: {goal.description}"


def _list_calls(brief: Brief) -> Iterator[str]:
    for call in brief.all_calls:
        arguments = ", ".join(f"{name}={text}" for name, text in call.request.arguments.items())
        outcome = "ok" if call.result.is_ok else "failed"
        yield f"{call.request.tool}({arguments}): {outcome}: {call.result.message}"


def format_tools(tools: Sequence[ToolDescription]) -> str:
    lines = [
        f"{tool.name}: {tool.purpose} Arguments: "
        + "; ".join(f"{name}: {meaning}" for name, meaning in tool.arguments.items())
        for tool in tools
    ]
    return "\n".join(lines)


def format_recollection(known: Recollection) -> str:
    """Return recent turns, the pages that they visited, numbered, and the user's preferences."""
    lines: list[str] = []
    number = 0
    for turn in known.turns:
        lines.append(f"turn {turn.number}: {turn.query} -> {turn.summary}")
        for page in turn.pages:
            number += 1
            lines.append(f"page {number}: “{page.title}”, a {page.content_type} on {page.site}")
    lines += [f"the user's {name}: {text}" for name, text in known.preferences]
    return "\n".join(lines)
