"""The state of the server, and what it offers."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from wellworn.client.models.shape import Shape, Time


class ErrorDetails(Shape):
    """The reason of a failure: a code for programs, a sentence for people."""

    code: str
    message: str


class ErrorAnswer(Shape):
    """The body of every failure."""

    error: ErrorDetails


class PartHealth(Shape):
    """The state of one part of the server."""

    status: Literal["ok", "error"]


class ModelHealth(PartHealth):
    """The state of the embedding model, and its name."""

    model: str


class ReaderHealth(Shape):
    """The state of the reader, and its name; `off` where nothing is read."""

    status: Literal["ok", "error", "off"]
    model: str | None = None


class PointCount(Shape):
    """The number of points an index holds for the caller's space."""

    points: int


class Collections(Shape):
    """The number of things stored in the caller's space."""

    thought_space: PointCount
    best_practices: PointCount


class FindableThoughts(Shape):
    """By what thoughts are found: at first by their words, then by meaning too."""

    thoughts: int = Field(description="Thoughts that are not erased.")
    by_words: int = Field(description="Those that are found by their words.")
    by_meaning: int = Field(description="Those that are found by their meaning as well.")

    @property
    def is_embedded(self) -> bool:
        """Tell whether all are found by their meaning."""
        return self.by_meaning == self.thoughts


class Health(Shape):
    """The state of the server's parts, and how much is stored."""

    status: Literal["ok", "degraded"]
    version: str
    qdrant: PartHealth
    database: PartHealth
    embedding: ModelHealth
    reading: ReaderHealth = ReaderHealth(status="off")
    collections: Collections
    advice: str | None = Field(
        default=None, description="What is wrong and what to do; null when nothing is."
    )
    unindexed: int = Field(description="Thoughts and chunks still to be indexed after a repair.")
    findable: FindableThoughts = Field(
        default=FindableThoughts(thoughts=0, by_words=0, by_meaning=0),
        description="By what the thoughts of the caller's space are found.",
    )


class CallTimes(Shape):
    """Calls of one kind since the server's start; times are of the last 512."""

    action: str = Field(description="As the audit trail names it.")
    calls: int
    median_s: float
    slow_s: float = Field(description="What a twentieth of them took longer than.")


class Workload(Shape):
    """What the server does, since its start."""

    calls: tuple[CallTimes, ...]
    running: int
    waiting: int
    refused: int = Field(description="Calls that were told to come again, as too many were there.")
    watching: int = Field(description="Who follows a space.")
    failing: tuple[str, ...] = Field(description="Work in the background that failed last time.")


class BackgroundJob(Shape):
    """A job that runs beside calls, such as a sync."""

    id: str
    name: str = Field(description="Its kind.")
    key: str = Field(description="What it is about, such as a source.")
    status: Literal["queued", "running", "done", "failed", "cancelled"]
    message: str = Field(description="Why it failed; empty unless it did.")
    queued_at: Time | None
    started_at: Time | None
    ended_at: Time | None


class UpkeepFailure(Shape):
    """Work of the upkeep that fails, and is tried again every few seconds."""

    name: str
    error: str = Field(description="The kind of the error; the server's log has all of it.")
    times: int = Field(description="How often in a row.")
    first_at: Time
    last_at: Time


class BackgroundWork(Shape):
    """What the server does in the background."""

    jobs: tuple[BackgroundJob, ...] = Field(description="The newest first.")
    failing: tuple[UpkeepFailure, ...]
    unindexed: int = Field(description="Thoughts and passages that wait to be indexed.")


class EffectiveSetting(Shape):
    """A setting as it holds."""

    section: str
    variable: str
    value: str = Field(description="Stars where it is secret.")
    source: Literal["environment", "default"]
    description: str


class EffectiveSettings(Shape):
    """All settings of the server."""

    settings: tuple[EffectiveSetting, ...]


class Alive(Shape):
    """That the process answers."""

    status: Literal["ok"] = "ok"
    name: Literal["wellworn"] = "wellworn"
    version: str


class Endpoint(Shape):
    """One route of the API."""

    method: str
    path: str
    description: str


class Discovery(Shape):
    """The offer of the API."""

    name: Literal["wellworn"] = "wellworn"
    version: str
    endpoints: tuple[Endpoint, ...]
