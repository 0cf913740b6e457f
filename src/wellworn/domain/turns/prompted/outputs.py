"""Forms that a model is asked to fill in: bounded everywhere, so that every answer ends."""

from __future__ import annotations

from typing import Annotated, Final

from pydantic import BaseModel, Field

from wellworn.domain.turns.models import (
    Intent,
    QueryType,
    ReflectionDecision,
    Route,
    ValidationDecision,
)

MOST_CANDIDATES: Final = 60
_MOST_EVIDENCE: Final = 999
_MOST_GOALS: Final = 5

Line = Annotated[str, Field(max_length=400)]
Percent = Annotated[int, Field(ge=0, le=100)]
GoalNumber = Annotated[int, Field(ge=1, le=_MOST_GOALS)]
CandidateNumber = Annotated[int, Field(ge=1, le=MOST_CANDIDATES)]


class AnalysisOutput(BaseModel):
    """`page` is the number of the page that the query speaks of, 0 for none."""

    resolved_query: Annotated[str, Field(max_length=600)]
    query_type: QueryType
    page: Annotated[int, Field(ge=0, le=99)]
    reasoning: Line


class ReflectionOutput(BaseModel):
    decision: ReflectionDecision
    confidence: Percent
    intent: Intent
    is_followup: bool
    question: Line
    reasoning: Line


class SelectionOutput(BaseModel):
    """Numbers of the evidence, best first."""

    answering: Annotated[list[CandidateNumber], Field(max_length=12)]
    near: Annotated[list[CandidateNumber], Field(max_length=8)]


class GoalOutput(BaseModel):
    description: Annotated[str, Field(max_length=300)]
    depends_on: Annotated[list[GoalNumber], Field(max_length=4)]


class PlanOutput(BaseModel):
    goals: Annotated[list[GoalOutput], Field(max_length=_MOST_GOALS)]
    subtasks: Annotated[list[Annotated[str, Field(max_length=200)]], Field(max_length=8)]
    route: Route
    intent: Intent
    question: Line
    reasoning: Line


class ArgumentOutput(BaseModel):
    name: Annotated[str, Field(max_length=40)]
    value: Annotated[str, Field(max_length=500)]


class CallOutput(BaseModel):
    tool: Annotated[str, Field(max_length=80)]
    arguments: Annotated[list[ArgumentOutput], Field(max_length=6)]
    goal: GoalNumber


class ActionOutput(BaseModel):
    """No calls means that enough was looked up."""

    reasoning: Line
    calls: Annotated[list[CallOutput], Field(max_length=4)]


class ClaimOutput(BaseModel):
    text: Line
    evidence: Annotated[int, Field(ge=1, le=_MOST_EVIDENCE)]
    goal: GoalNumber


class SynthesisOutput(BaseModel):
    text: Annotated[str, Field(max_length=6_000)]
    claims: Annotated[list[ClaimOutput], Field(max_length=12)]


class ValidationOutput(BaseModel):
    """`unserved_goals` are the numbers of the goals that the answer does not serve."""

    decision: ValidationDecision
    confidence: Percent
    issues: Annotated[list[Line], Field(max_length=6)]
    hints: Annotated[list[Line], Field(max_length=6)]
    unserved_goals: Annotated[list[GoalNumber], Field(max_length=_MOST_GOALS)]


class CompressionOutput(BaseModel):
    text: Annotated[str, Field(max_length=16_000)]
