"""Request bodies of knowledge.

What a source's `config` may hold is its connector's business, so that a new kind of source is one
new file; here it is any object.
"""

from __future__ import annotations

from typing import Annotated

from fastapi import Path
from pydantic import AfterValidator, Field

from wellworn.client.fields import (
    Agents,
    Label,
    Name,
    Note,
    Number,
    RequestBody,
    Schedule,
    Secret,
    SourceConfig,
)
from wellworn.domain.sources import NewSource, SyncOptions
from wellworn.domain.sources.connectors import load_source_kinds
from wellworn.kit.text import is_on_one_line

SourceId = Annotated[Number, Path(description="Number of a source.")]


def _check_line(path: str) -> str:
    if not is_on_one_line(path):
        message = "must be on one line, without control characters"
        raise ValueError(message)
    return path


FilePath = Annotated[
    str,
    Path(min_length=1, max_length=1_000, description="Path of the file."),
    AfterValidator(_check_line),
]


class SourceRequest(RequestBody):
    """A source to be created."""

    source_type: Label = Field(
        description=f"{', '.join(f'`{kind}`' for kind in load_source_kinds())}, or a further kind."
    )
    name: Label = Field(description="Its documents are cited by it; unique in the space.")
    config: SourceConfig = Field(
        default={}, description="Options of its kind, such as `url` or `repo_url`."
    )
    secret: Secret | None = Field(
        default=None,
        description="A token or an Authorization header; stored encrypted, never returned.",
    )
    sync_schedule: Schedule | None = Field(
        default=None, description="Five cron fields; without it, the source is synced by hand."
    )
    time_zone: Label = Field(
        default="UTC", description="Time zone of the schedule, e.g. Europe/Berlin."
    )
    agents: Agents | None = Field(
        default=None, description="Ids of the members who may see it; without it, everybody."
    )

    def to_source(self) -> NewSource:
        return NewSource(**self.to_values())


class SyncRequest(RequestBody):
    """The options of a sync."""

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


class CompileRequest(RequestBody):
    """The options of a compile."""

    all_anew: bool = Field(default=False, description="Also what has not changed.")
