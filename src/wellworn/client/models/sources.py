"""The shapes of sources: what is synced, how far it is, and what starts a sync."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from wellworn.client.models.shape import Shape, Time


class Progress(Shape):
    """Documents that a sync has read, of how many."""

    done: int
    total: int


class Findable(Shape):
    """By what the documents of a source are found: at first by their words, then by meaning too."""

    readable: int = Field(description="Documents that are served.")
    by_words: int = Field(description="Those that are found by their words.")
    by_meaning: int = Field(description="Those that are found by their meaning as well.")
    passages: int = Field(description="All passages of these documents.")
    waiting: int = Field(description="Passages that wait to be embedded.")

    @property
    def is_embedded(self) -> bool:
        """Tell whether all documents are found by their meaning."""
        return self.by_meaning == self.readable


class SourceWebhook(Shape):
    """The webhook of a source; its secret is told once, when it is made."""

    set_at: Time = Field(description="Since when its secret holds.")
    last_delivery_at: Time | None


class NewWebhook(Shape):
    """The settings that the service that is to call a webhook needs."""

    path: str = Field(description="Its path, below the server's address.")
    secret: str = Field(description="Told this once; its deliveries are signed with it.")


class WebhookRemoved(Shape):
    """Whether there was a webhook to remove."""

    removed: bool


class WebhookDelivery(Shape):
    """The fate of a delivery."""

    status: Literal["waiting", "known"] = Field(
        description="`waiting`: a sync comes, one for all that wait. `known`: it was taken before."
    )


class KnowledgeSource(Shape):
    """A place that documents come from; its secret is never told."""

    id: int
    source_type: str
    name: str
    config: dict[str, Any]
    has_secret: bool
    agents: tuple[str, ...] | None = Field(
        description="Members who may see it; null for everybody."
    )
    sync_schedule: str | None
    schedule_in_words: str | None
    time_zone: str
    is_paused: bool
    sync_status: str
    sync_error: str | None = Field(description="What went wrong, and what to do.")
    last_synced_at: Time | None
    last_attempt_at: Time | None
    next_attempt_at: Time | None = Field(description="When a failing source is tried again.")
    failures: int
    webhook: SourceWebhook | None
    documents: int
    created_at: Time
    updated_at: Time


class ShownSource(KnowledgeSource):
    """A source, how far a sync of it has come, and by what its documents are found."""

    progress: Progress | None
    findable: Findable


class KnowledgeSources(Shape):
    """The sources that the caller may see."""

    sources: tuple[KnowledgeSource, ...]


class Problem(Shape):
    """A document that could not be read, and why."""

    path: str
    reason: str


class SyncRun(Shape):
    """One sync; `finished_at` is None while it goes on, `message` is one sentence for people."""

    id: int
    source_id: int
    trigger: str
    started_at: Time
    finished_at: Time | None
    status: str
    counts: dict[str, int]
    message: str = Field(description="What it did, in one sentence.")
    problems: tuple[Problem, ...]


class SyncRuns(Shape):
    """The last syncs of a source, newest first."""

    runs: tuple[SyncRun, ...]


class Removed(Shape):
    """A source that is gone, and how many documents went with it."""

    deleted: int
    documents: int = Field(description="How many were removed with it.")


class SecretTaken(Shape):
    """The place of a secret removed from a document: never what it was."""

    path: str
    kind: str
    line: int


class SecretsTaken(Shape):
    """Secrets that were removed from a source's documents."""

    secrets: tuple[SecretTaken, ...]
