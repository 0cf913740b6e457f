"""Request bodies about turns."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

from pydantic import Field

from wellworn.client.fields import (
    WHOLE,
    AgentId,
    EntryText,
    Label,
    Moment,
    Name,
    Note,
    PromptText,
    RequestBody,
    Uuid,
)
from wellworn.domain.turns import NOTE, Claim, RecordedEntry, RecordedSource, TurnQuery
from wellworn.kit.clock import from_iso

_MOST_SOURCES, _MOST_ARGUMENTS, _MOST_ENTRIES, _MOST_CLAIMS = 50, 20, 100, 200


class TurnRequest(RequestBody):
    """A question that an agent asks in a turn of its own."""

    query: PromptText = Field(description="A question, or several.")
    agent_id: AgentId = Field(description="Who asks; without a credential, whose turn it is.")
    agent_name: Name | None = Field(default=None, description="The same for people to read.")
    follows: Uuid | None = Field(default=None, description="Id of a turn to go on from.")

    def to_query(self) -> TurnQuery:
        return TurnQuery(
            self.query, self.agent_id, self.agent_name or self.agent_id, follows=self.follows
        )


class OpenTurnRequest(TurnRequest):
    """A task that an agent works on by itself."""

    engine: Label | None = Field(
        default=None, description="What answers, such as a model's name; default: the agent's id."
    )
    key: Label | None = Field(
        default=None,
        description="A name of your own for the turn; opened again under it, it is the same turn.",
    )
    asked_at: Moment | None = Field(default=None, description="When it was asked; default: now.")

    def to_query(self) -> TurnQuery:
        return replace(
            super().to_query(),
            engine=self.engine or self.agent_id,
            key=self.key,
            asked_at=from_iso(self.asked_at) if self.asked_at else None,
        )


class SourceBody(RequestBody):
    """Something that a tool found."""

    text: EntryText = Field(description="What it says.")
    source: Name = Field(description="Where: an address, a path, or `thought:` and an id.")
    title: Name | None = None


class EntryBody(RequestBody):
    """Something that an agent did in its turn."""

    result: EntryText = Field(description="What the tool gave, or the agent's own words.")
    tool: Label = Field(default=NOTE, description="The tool; `note` for the agent's own words.")
    arguments: Annotated[dict[Label, Note], Field(max_length=_MOST_ARGUMENTS)] = Field(
        default={},
        # The schema would say of names that are no labels only that they may have any value.
        json_schema_extra={"additionalProperties": False},
    )
    sources: Annotated[list[SourceBody], Field(max_length=_MOST_SOURCES)] = Field(
        default=[],
        description="What can be cited of the result; without any, the result of a tool itself.",
    )
    is_ok: bool = Field(default=True, description="Whether the tool worked.")

    def to_entry(self) -> RecordedEntry:
        sources = (
            RecordedSource(each.text, each.source, each.title or "") for each in self.sources
        )
        return RecordedEntry(
            self.result, self.tool, tuple(self.arguments.items()), tuple(sources), self.is_ok
        )


Entries = Annotated[list[EntryBody], Field(max_length=_MOST_ENTRIES)]


class EntriesRequest(RequestBody):
    """Steps that an agent did since it last said so, in its order."""

    entries: Annotated[Entries, Field(min_length=1)]


class ClaimBody(RequestBody):
    """A statement of an answer."""

    text: Note
    evidence: Annotated[int | None, WHOLE] = Field(
        default=None, ge=1, description="Number of the source that it stands on."
    )

    def to_claim(self) -> Claim:
        return Claim(self.text, self.evidence)


Claims = Annotated[list[ClaimBody], Field(max_length=_MOST_CLAIMS)]


class CloseTurnRequest(RequestBody):
    """The end of an agent's turn."""

    answer: EntryText
    claims: Claims = Field(default=[], description="What the answer states, each with its source.")
