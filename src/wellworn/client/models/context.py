"""Context that an agent should have before it goes on, packed into a budget of tokens."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from wellworn.client.models.shape import Shape, Text


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
