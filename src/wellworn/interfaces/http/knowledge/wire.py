"""Request bodies of knowledge.

What a source's `config` may hold is its connector's business, so that a new kind of source is one
new file; here it is any object.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from wellworn.domain.sources import NewSource, SourceChanges
from wellworn.domain.sources.connectors import load_source_kinds
from wellworn.interfaces.fields import AgentId, Label, Name, Note, PromptText, RequestBody
from wellworn.interfaces.http.knowledge.fields import Line

_Config = dict[str, Any]
_Secret = Annotated[str, Field(max_length=8_000)]
_Schedule = Annotated[str, Field(max_length=100)]
_Agents = Annotated[list[AgentId], Field(max_length=100)]


class SourceRequest(RequestBody):
    """A source to be kept."""

    source_type: Label = Field(
        description=f"{', '.join(f'`{kind}`' for kind in load_source_kinds())}, or a further kind."
    )
    name: Label = Field(description="What its documents are cited by; one of a space has it.")
    config: _Config = Field(
        default={}, description="What its kind needs to know, such as `url` or `repo_url`."
    )
    secret: _Secret | None = Field(
        default=None, description="A token or an Authorization header; kept encrypted, never told."
    )
    sync_schedule: _Schedule | None = Field(
        default=None, description="Five fields of cron; without it, synced by hand."
    )
    time_zone: Label = Field(default="UTC", description="Of the schedule, e.g. Europe/Berlin.")
    agents: _Agents | None = Field(
        default=None, description="Ids of the members who may see it; without it, everybody."
    )

    def to_source(self) -> NewSource:
        return NewSource(
            source_type=self.source_type,
            name=self.name,
            config=self.config,
            secret=self.secret,
            sync_schedule=self.sync_schedule,
            time_zone=self.time_zone,
            agents=None if self.agents is None else tuple(self.agents),
        )


class SourceChangesRequest(RequestBody):
    """What is to be different of a source; what is left out stays."""

    name: Label | None = None
    config: _Config | None = Field(default=None, description="In place of the whole of it.")
    secret: _Secret | None = Field(default=None, description="Another one; empty, none.")
    sync_schedule: _Schedule | None = Field(default=None, description="Empty: by hand only.")
    time_zone: Label | None = None
    agents: _Agents | None = Field(default=None, description="Only these members see it.")
    everybody: bool = Field(default=False, description="Everybody in the space sees it again.")
    is_paused: bool | None = Field(default=None, description="Whether its schedule rests.")

    def to_changes(self) -> SourceChanges:
        return SourceChanges(
            name=self.name,
            config=self.config,
            secret=self.secret,
            sync_schedule=self.sync_schedule,
            time_zone=self.time_zone,
            agents=None if self.agents is None else tuple(self.agents),
            everybody=self.everybody,
            is_paused=self.is_paused,
        )


class SyncRequest(RequestBody):
    """How to sync."""

    confirm: bool = Field(
        default=False, description="Let go of documents that vanished, however many they are."
    )


class ResolveRequest(RequestBody):
    """A term to be resolved."""

    term: Name = Field(description="A name, or a question: `cube`, `cube ip address`.")
    context: Note = Field(
        default="", description="What it is asked for; it may name the value that is wanted."
    )
    agent_id: Annotated[str, Field(max_length=100)] = Field(
        default="", description="Who asks; told in the figures of quality."
    )
    learn: bool = Field(
        default=True,
        description="False leaves no trace: the question is not counted and teaches no alias.",
    )


class AliasRequest(RequestBody):
    """What a term stands for, by somebody's word."""

    term: Name
    citation: Line = Field(description="As in an answer: `mytech/AGENTS.md#servers`.")


class NameRulingRequest(RequestBody):
    """Whether two names are of one thing."""

    term: Name
    other: Name | None = Field(
        default=None, description="Without it: the namesakes of the term, in several places."
    )
    verdict: Literal["one", "several"] = Field(description="`one` thing, or `several`.")
    reason: Note = Field(default="", description="Kept with it.")


class CompileRequest(RequestBody):
    """How to compile."""

    all_anew: bool = Field(default=False, description="Also what has not changed.")


class DecisionRequest(RequestBody):
    """How documents that disagree are to be read."""

    resolution: PromptText = Field(
        description="One of the conflict's values, `both`, or `reopen` to take a decision back."
    )
    reason: Note = Field(default="", description="Kept with the decision.")
