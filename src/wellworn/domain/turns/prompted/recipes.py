"""Recipes: what a role is asked, with which inputs, and how many tokens it may read and write.

One file a role in the folder `recipes`; all of them are read and checked once.

Source: the specification of document IO, sections 3.9 and 3.10.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from functools import cache
from typing import Final

from pydantic import BaseModel, ConfigDict, Field, ValidationInfo, field_validator

from wellworn.engines.llm import ModelRole
from wellworn.kit.words import load_table

_PACKAGE: Final = "wellworn.domain.turns.prompted"


class RecipeName(StrEnum):
    """What a model is asked for; each is a file of the folder."""

    ANALYZE = "analyze"
    REFLECT = "reflect"
    SELECT = "select"
    PLAN = "plan"
    CHOOSE_ACTION = "choose_action"
    SYNTHESIZE = "synthesize"
    VALIDATE = "validate"
    COMPRESS = "compress"


class PromptInput(StrEnum):
    """What a prompt can be made of."""

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
    """How a role is asked.

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
