"""The port of a kind of source: what a connector lists and reads.

To add a kind, add a module with its `KIND` and a function `create_connector(context)` to this
package, where it is discovered by being there, or name it as an entry point of another one. It must
pass `wellworn.testing.CONNECTOR_CONTRACT`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any, Final, Literal, Protocol

from wellworn.domain.sources.models import Problem, SyncStatus, empty_mapping
from wellworn.engines.fetch import Failed, FailureKind, FetchSettings, WebClient

READABLE: Final = (
    *(".md", ".markdown", ".mdx", ".txt", ".text", ".rst", ".adoc"),
    *(".html", ".htm", ".xhtml", ".pdf", ".docx"),
)
"""Extensions of files that are documents; `file_kinds` decides on all others."""
_STATUS: Final[Mapping[FailureKind, SyncStatus]] = {
    FailureKind.BLOCKED_BY_POLICY: SyncStatus.BLOCKED,
    FailureKind.REFUSED_REDIRECT: SyncStatus.BLOCKED,
    FailureKind.NEEDS_LOGIN: SyncStatus.NEEDS_LOGIN,
}


@dataclass(frozen=True, slots=True)
class ConnectorContext:
    """The tools of connectors: access to the web, and limits."""

    web: WebClient
    fetch: FetchSettings
    most_bytes: int


class Sign(IntEnum):
    """A sign that a source is recognised by; of several kinds, the strongest one counts."""

    SCHEME = 1
    FORM = 2
    OPTION = 3


@dataclass(frozen=True, slots=True)
class Recognition:
    """A source as somebody means it: the name to suggest, and the location as it is stored."""

    sign: Sign
    name: str
    location: str


Recognizer = Callable[[str, Collection[str]], Recognition | None]
"""Tells from what somebody wrote, and from the names of the options beside it, what is meant.

What was written may be empty. It runs where the command line does.
"""


def recognize_nothing(_what: str, _options: Collection[str]) -> Recognition | None:
    """Recognise no source: the kind is added by its name alone."""
    return None


@dataclass(frozen=True, slots=True)
class SourceKind:
    """The name and the settings of a kind of source; the interfaces derive theirs from it.

    Attributes:
        location: the configuration field that says where the source is, or what it is called.
        options: the other fields.
        sign_in: what the secret of a source is, a full header or a token; None for no secret.
        is_local: whether the location is a folder of the server's machine, which not everybody may
            name.
        recognize: by what `wellworn source add` knows that this kind is meant.
    """

    name: str
    location: str | None = None
    options: tuple[str, ...] = ()
    sign_in: Literal["header", "token"] | None = None
    is_local: bool = False
    recognize: Recognizer = recognize_nothing

    @property
    def fields(self) -> tuple[str, ...]:
        """All fields of the configuration."""
        return (*filter(None, [self.location]), *self.options)


@dataclass(frozen=True, slots=True)
class SourceItem:
    """A readable item of a source.

    Attributes:
        path: its name within the source; a move changes it.
        version: if the version of a path is unchanged, so is the content, and nothing is read.
        is_content: whether the version depends on the content alone, so that it reveals a move.
        title: what its author called it; else its own text says so.
        committed_at: when a commit changed it last, in epoch seconds, if that is known.
        changed_at: when it was changed last as its file or server says, in epoch seconds.
    """

    path: str
    version: str
    is_content: bool = False
    media_type: str | None = None
    charset: str | None = None
    title: str | None = None
    committed_at: int | None = None
    changed_at: float | None = None


AskElsewhere = Callable[[], tuple[SourceItem, bytes] | None]
"""Asks the site of a page for an address that nobody made, for what it answers to any."""


@dataclass(frozen=True, slots=True)
class Listing:
    """The current items of a source.

    Attributes:
        is_complete: whether an item that is missing here is missing from the source.
        is_certain: whether the source confirms that missing items are gone for good.
        state: passed to the connector at the next sync.
        skipped: a sentence that counts the files that are not documents; may be empty.
        ask_elsewhere: of a page, which may be replaced by what is none; None where items are files.
    """

    items: tuple[SourceItem, ...]
    problems: tuple[Problem, ...] = ()
    is_complete: bool = True
    is_certain: bool = False
    state: Mapping[str, Any] = field(default_factory=empty_mapping)
    skipped: str = ""
    ask_elsewhere: AskElsewhere | None = None


@dataclass(frozen=True, slots=True)
class NotModified:
    """Nothing has changed since the given state."""


@dataclass(frozen=True, slots=True)
class ListingFailed:
    """The source could not be listed; its documents stay as they are."""

    status: SyncStatus
    message: str
    retry_after_s: int | None = None

    @classmethod
    def from_failure(cls, failed: Failed) -> ListingFailed:
        """Convert a failed fetch."""
        status = _STATUS.get(failed.kind, SyncStatus.FAILED)
        return cls(status, failed.message, failed.retry_after_s)


class SourceSnapshot(Protocol):
    """A consistent view of a source, as far as the source allows."""

    def list_items(self) -> Listing | NotModified | ListingFailed: ...

    def read(self, items: Sequence[SourceItem]) -> Iterator[tuple[SourceItem, bytes | Problem]]:
        """Yield each item with its bytes or the reason it cannot be read, in any order."""
        ...


class SourceConnector(Protocol):
    """A kind of source.

    Example:
        with connector.open_snapshot(config, secret=None, state={}) as snapshot:
            listing = snapshot.list_items()
    """

    @property
    def kind(self) -> SourceKind: ...

    @property
    def is_scheduled(self) -> bool:
        """Whether there is anything to fetch; a note, for one, is complete as it is."""
        ...

    def validate_config(self, config: Mapping[str, Any]) -> dict[str, Any]:
        """Return the configuration in canonical form, without secrets.

        Raises:
            InvalidInput: a field is missing, unknown or invalid.
        """
        ...

    def open_snapshot(
        self, config: Mapping[str, Any], *, secret: str | None, state: Mapping[str, Any]
    ) -> AbstractContextManager[SourceSnapshot]:
        """Open a view of the source; leaving the block releases its resources."""
        ...
