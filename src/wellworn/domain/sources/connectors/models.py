"""The port of a kind of source: what a connector lists and reads.

A sixth kind is one more module in this package with its `KIND` and a function `connector(means)`;
it is found by its being there. `wellworn.testing.CONNECTOR_CONTRACT` is what it must hold to.

Source: issue 5, points 1 and 2; knowledge sync v1.0, section 4.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any, Final, Literal, Protocol

from wellworn.domain.sources.models import Problem, SyncStatus, nothing
from wellworn.engines.fetch import Failed, FailureKind, FetchSettings, WebClient

READABLE: Final = (
    *(".md", ".markdown", ".mdx", ".txt", ".text", ".rst", ".adoc"),
    *(".html", ".htm", ".xhtml", ".pdf", ".docx"),
)
"""How names of files end that are documents; `file_kinds` tells of all others."""
_STATUS: Final[Mapping[FailureKind, SyncStatus]] = {
    FailureKind.BLOCKED_BY_POLICY: SyncStatus.BLOCKED,
    FailureKind.REFUSED_REDIRECT: SyncStatus.BLOCKED,
    FailureKind.NEEDS_LOGIN: SyncStatus.NEEDS_LOGIN,
}


@dataclass(frozen=True, slots=True)
class Means:
    """What connectors work with: the one way out to the web, and limits."""

    web: WebClient
    fetch: FetchSettings
    most_bytes: int


@dataclass(frozen=True, slots=True)
class SourceKind:
    """What a kind of source is called and takes; the interfaces derive theirs from it.

    Attributes:
        location: the field of the configuration that says where the source is, or is called.
        options: its further fields.
        sign_in: what a secret of the source is, a whole header or a token; None if nothing.
    """

    name: str
    location: str | None = None
    options: tuple[str, ...] = ()
    sign_in: Literal["header", "token"] | None = None

    @property
    def fields(self) -> tuple[str, ...]:
        """All fields of the configuration."""
        return (*filter(None, [self.location]), *self.options)


@dataclass(frozen=True, slots=True)
class Item:
    """Something that can be read.

    Attributes:
        path: what names it within its source; a move changes it.
        version: equal versions of a path mean equal content, so nothing is read.
        is_content: whether the version is of the content alone, so that it also tells a move.
    """

    path: str
    version: str
    is_content: bool = False
    media_type: str | None = None
    charset: str | None = None


@dataclass(frozen=True, slots=True)
class Listing:
    """What a source has now.

    Attributes:
        is_complete: whether what is missing from it is missing from the source.
        is_certain: whether the source itself said that what is missing is gone for good.
        state: what the connector wants to be told the next time.
        passed_over: how many files of which kinds are no documents, in words; may be empty.
    """

    items: tuple[Item, ...]
    problems: tuple[Problem, ...] = ()
    is_complete: bool = True
    is_certain: bool = False
    state: Mapping[str, Any] = field(default_factory=nothing)
    passed_over: str = ""


@dataclass(frozen=True, slots=True)
class Same:
    """Nothing has changed since the state that was given."""


@dataclass(frozen=True, slots=True)
class Setback:
    """The source could not be listed; its documents stay as they are."""

    status: SyncStatus
    message: str
    retry_after_s: int | None = None

    @classmethod
    def of(cls, failed: Failed) -> Setback:
        """Return what a failed fetch means for a source."""
        status = _STATUS.get(failed.kind, SyncStatus.FAILED)
        return cls(status, failed.message, failed.retry_after_s)


class Visit(Protocol):
    """One look at a source, all of one moment as far as it allows."""

    def listing(self) -> Listing | Same | Setback: ...

    def read(self, items: Sequence[Item]) -> Iterator[tuple[Item, bytes | Problem]]:
        """Yield each item with its bytes, or with why it cannot be read; in any order."""
        ...


class Connector(Protocol):
    """A kind of source."""

    @property
    def source_type(self) -> str: ...

    @property
    def is_scheduled(self) -> bool:
        """Whether there is anything to be fetched; a note has all it has."""
        ...

    def checked(self, config: Mapping[str, Any]) -> dict[str, Any]:
        """Return the configuration in its one form, without secrets.

        Raises:
            InvalidInput: something is missing, unknown or not possible.
        """
        ...

    def visit(
        self, config: Mapping[str, Any], *, secret: str | None, state: Mapping[str, Any]
    ) -> AbstractContextManager[Visit]:
        """Look at the source; what was needed for it is gone when the block ends."""
        ...
