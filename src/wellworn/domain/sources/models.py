"""Models of sources: kinds, states, documents, chunks, runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import Any, Final

_NOTHING: Final[Mapping[str, Any]] = MappingProxyType({})


def empty_mapping() -> Mapping[str, Any]:
    """Return an empty mapping that stays empty."""
    return _NOTHING


class SourceType(StrEnum):
    """The kinds that ship; a connector may bring another name."""

    URL = "url"
    GIT_REPO = "git_repo"
    FOLDER = "folder"
    UPLOAD = "upload"
    MANUAL_NOTE = "manual_note"
    HANDBOOK = "best_practices"
    """Built in: nobody makes, syncs or changes one."""


class SyncStatus(StrEnum):
    """The state of a source's last sync; `syncing` while one runs."""

    PENDING = "pending"
    SYNCING = "syncing"
    SUCCESS = "success"
    PARTIAL = "partial"
    FAILED = "failed"
    NEEDS_LOGIN = "needs_login"
    BLOCKED = "blocked_by_policy"
    NEEDS_CONFIRMATION = "needs_confirmation"


class DocumentState(StrEnum):
    """`stale` is served though its source does not give it any more; `refused` was never read."""

    CURRENT = "current"
    STALE = "stale"
    REFUSED = "refused"
    GONE = "gone"


@dataclass(frozen=True, slots=True)
class Webhook:
    """A source's webhook: since when its secret holds, and the last delivery.

    Attributes:
        made_by: the member who knows the secret; None at the open door, and in old ones.
        made_with: the number of the key that made it; None as `made_by`, and of a signed token.
    """

    set_at: float
    last_delivery_at: float | None = None
    made_by: str | None = None
    made_with: str | None = None


@dataclass(frozen=True, slots=True)
class Source:
    """A place that documents come from.

    Attributes:
        config: what its connector needs to know; never a secret.
        has_secret: whether a secret is stored for it, encrypted.
        agents: ids of the members who may see it; None for everybody in the space.
        sync_schedule: five fields of cron, in `time_zone`; None for by hand.
        sync_error: what went wrong and what to do, in one sentence.
        next_attempt_at: when a failing source is tried again; None when the schedule decides.
        webhook: the webhook that starts syncs of it, if it has one.
        wanted_slot: the slot of a sync that was asked for and has not begun.
    """

    id: int
    source_type: str
    name: str
    config: Mapping[str, Any]
    has_secret: bool
    agents: tuple[str, ...] | None
    sync_schedule: str | None
    time_zone: str
    is_paused: bool
    sync_status: SyncStatus
    sync_error: str | None
    last_synced_at: float | None
    last_attempt_at: float | None
    next_attempt_at: float | None
    failures: int
    documents: int
    created_at: float
    updated_at: float
    state: Mapping[str, Any] = field(default_factory=empty_mapping, repr=False)
    secret: bytes | None = field(default=None, repr=False)
    webhook: Webhook | None = None
    wanted_slot: str | None = None
    wanted_at: float | None = None

    @property
    def is_triggered(self) -> bool:
        """Tell whether something else than a schedule or a person starts syncs of it."""
        return self.webhook is not None or is_watched(self.config)


def is_watched(config: Mapping[str, Any]) -> bool:
    """Tell whether a change of its files starts a sync of a source."""
    return config.get("watch") is True


@dataclass(frozen=True, slots=True)
class SyncOptions:
    """The options of a sync.

    Attributes:
        confirmed: whether vanished documents go, however many there are, and what stands in for a
            page takes its place.
        rereads: whether every file is read, even one that seems to be as it was.
    """

    confirmed: bool = False
    rereads: bool = False


USUAL: Final = SyncOptions()


@dataclass(frozen=True, slots=True)
class NewSource:
    """A source as somebody asks for it; `secret` is a token or header, to be stored encrypted."""

    source_type: str
    name: str
    config: Mapping[str, Any]
    secret: str | None = field(default=None, repr=False)
    sync_schedule: str | None = None
    time_zone: str = "UTC"
    agents: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class SourceChanges:
    """Changes to a source; None leaves it, an empty text takes it away."""

    name: str | None = None
    config: Mapping[str, Any] | None = None
    secret: str | None = field(default=None, repr=False)
    sync_schedule: str | None = None
    time_zone: str | None = None
    agents: tuple[str, ...] | None = None
    everybody: bool = False
    is_paused: bool | None = None


@dataclass(frozen=True, slots=True)
class Document:
    """A document as it is served; `reason` says why it is stale or refused."""

    id: int
    source_id: int
    source: str
    path: str
    title: str | None
    state: DocumentState
    reason: str | None
    characters: int
    content_hash: str
    metadata: Mapping[str, Any]
    fetched_at: float


@dataclass(frozen=True, slots=True)
class Findable:
    """By what the documents of a source are found.

    Attributes:
        readable: documents that are served.
        by_words: those of which every passage is found by its words.
        by_meaning: those of which every passage is embedded as well.
        passages: all passages of the documents.
        waiting: passages that wait to be embedded.
    """

    readable: int
    by_words: int
    by_meaning: int
    passages: int
    waiting: int

    @property
    def is_embedded(self) -> bool:
        """Tell whether all documents are found by their meaning."""
        return self.by_meaning == self.readable


@dataclass(frozen=True, slots=True)
class Problem:
    """A document that could not be read, and why, in one sentence that says what to do."""

    path: str
    reason: str


@dataclass(frozen=True, slots=True)
class SecretNote:
    """The place of a removed secret: never what it was."""

    path: str
    kind: str
    line: int


@dataclass(frozen=True, slots=True)
class SyncRun:
    """One sync: counts by what happened to documents, and one sentence for people."""

    id: int
    source_id: int
    trigger: str
    started_at: float
    finished_at: float | None
    status: SyncStatus
    counts: Mapping[str, int]
    message: str
    problems: tuple[Problem, ...] = ()


@dataclass(frozen=True, slots=True)
class Snippet:
    """A stretch of a document: `text == document_text[start:end]`.

    Attributes:
        anchor: of the heading it stands below, as in `path#anchor`; empty before the first.
        score: the best cosine similarity to the question, -1 to 1, of this passage and those that
            are ranked behind it: what is ranked before something is never called worse.
        fetched_at: when its source was looked at last.
        dated_at: the document's own date, in epoch seconds; None where nothing says it.
        encoding_note: why its characters may be others; empty where nothing was guessed.
        is_weak: whether it has hardly to do with the question, and is only the nearest there is.
        is_past: whether its document says that it holds no longer, or has a later copy.
        table_head: the head of the table, with its rule, whose rows it begins with; else empty.
        why: what each reason added to its place in the ranking, by name.
    """

    document_id: int
    source_id: int
    source: str
    path: str
    title: str | None
    anchor: str
    headings: tuple[str, ...]
    page: int | None
    text: str
    start: int
    end: int
    score: float
    fetched_at: float
    is_stale: bool = False
    is_past: bool = False
    is_exact: bool = False
    is_weak: bool = False
    table_head: str = ""
    dated_at: float | None = None
    encoding_note: str = ""
    why: Mapping[str, float] = field(default_factory=empty_mapping)

    @property
    def citation(self) -> str:
        """Return `source/path#anchor`."""
        return format_citation(self.source, self.path, self.anchor)


def format_citation(source: str, path: str, anchor: str = "") -> str:
    """Return how a part of a document is cited: `mytech/AGENTS.md#servers`; a URL as itself."""
    place = path if "://" in path else f"{source}/{path}"
    return f"{place}#{anchor}" if anchor else place
