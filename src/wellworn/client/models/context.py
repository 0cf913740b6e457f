"""Context that an agent should have before it goes on, and what its sessions leave behind."""

from __future__ import annotations

from typing import Literal, TypeAlias

from pydantic import Field

from wellworn.client.fields import Speaker
from wellworn.client.models.shape import Shape, Text, Weight

CaptureOutcome: TypeAlias = Literal["kept", "known", "passing", "secret", "order", "unjudged"]


class ContextItem(Shape):
    """One thing that was packed."""

    kind: Literal[
        "value",
        "thought",
        "passage",
        "highway",
        "change",
        "dispute",
        "question",
        "shared",
        "sources",
    ]
    id: Text = Field(description="Of a thought its own; what `leave_out` takes.")
    citation: Text = Field(description="Whose it is, from when, and how sure.")
    text: Text


class Context(Shape):
    """Context that an agent should have before it goes on, the most useful first."""

    text: str = Field(description="All of it in one fence, to be shown as it is; may be empty.")
    items: tuple[ContextItem, ...]
    tokens: int = Field(description="About as many tokens the text has, at four characters each.")
    left_out: int = Field(description="How much more there is that did not fit.")
    session_id: str | None = Field(
        description="Takes feedback on the thoughts; null where none were counted as shown."
    )


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
