"""Request bodies of knowledge.

What a source's `config` may hold is its connector's business, so that a new kind of source is one
new file; here it is any object.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from wellworn.domain.sources import NewSource, SourceChanges, SyncOptions
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
    name: Label = Field(description="Its documents are cited by it; unique in the space.")
    config: _Config = Field(
        default={}, description="Options of its kind, such as `url` or `repo_url`."
    )
    secret: _Secret | None = Field(
        default=None,
        description="A token or an Authorization header; stored encrypted, never returned.",
    )
    sync_schedule: _Schedule | None = Field(
        default=None, description="Five cron fields; without it, the source is synced by hand."
    )
    time_zone: Label = Field(
        default="UTC", description="Time zone of the schedule, e.g. Europe/Berlin."
    )
    agents: _Agents | None = Field(
        default=None, description="Ids of the members who may see it; without it, everybody."
    )

    def to_source(self) -> NewSource:
        return NewSource(**self.to_values())


class SourceChangesRequest(RequestBody):
    """What is to be different of a source; what is left out stays."""

    name: Label | None = None
    config: _Config | None = Field(default=None, description="Replaces the whole `config`.")
    secret: _Secret | None = Field(default=None, description="A new one; empty removes it.")
    sync_schedule: _Schedule | None = Field(default=None, description="Empty: by hand only.")
    time_zone: Label | None = None
    agents: _Agents | None = Field(default=None, description="Only these members see it.")
    everybody: bool = Field(default=False, description="Everybody in the space sees it again.")
    is_paused: bool | None = Field(default=None, description="Whether its schedule is paused.")

    def to_changes(self) -> SourceChanges:
        return SourceChanges(**self.to_values())


class SyncRequest(RequestBody):
    """How to sync."""

    confirm: bool = Field(
        default=False,
        description="Believe the source: remove vanished documents, take what a page became.",
    )
    reread: bool = Field(
        default=False, description="Read every file again, even one that seems to be as it was."
    )

    def to_options(self) -> SyncOptions:
        """Return what is asked of the sync."""
        return SyncOptions(confirmed=self.confirm, rereads=self.reread)


class ResolveRequest(RequestBody):
    """A term to be resolved."""

    term: Name = Field(description="A name, or a question: `cube`, `cube ip address`.")
    context: Note = Field(
        default="", description="What the term is needed for; it may name the value that is wanted."
    )
    agent_id: Annotated[str, Field(max_length=100)] = Field(
        default="", description="Id of the agent that asks."
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
        default=None, description="Another name; without it, the namesakes of the first."
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
