"""Statements of a session, and what became of them."""

from __future__ import annotations

from typing import Literal, TypeAlias

from pydantic import Field

from wellworn.client.fields import Speaker
from wellworn.client.models.shape import Shape, Text, Weight

CaptureOutcome: TypeAlias = Literal["kept", "known", "passing", "secret", "order", "unjudged"]


class CapturedStatement(Shape):
    """A statement, and what became of it."""

    text: Text
    by: Speaker
    worth: Weight | None = Field(
        description="How likely it is worth keeping; .5 and more is kept. Null where a model picks."
    )
    outcome: CaptureOutcome = Field(
        description="`passing` says nothing that lasts; what tells a `secret`, or reads like an "
        "`order` to its readers, is not kept either. It is `unjudged` where another encoder or "
        "reader than the shipped ones is set."
    )
    thought_id: str | None = Field(description="Of what is kept or known.")


class Captured(Shape):
    """What became of statements, in their order."""

    kept: int = Field(description="How many are new in memory, or would be.")
    statements: tuple[CapturedStatement, ...]
    picked_by: str | None = Field(
        description="The configured language model that picked; null where the judge decided."
    )
