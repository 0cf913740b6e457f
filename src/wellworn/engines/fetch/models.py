"""Outcomes of a fetch: a page, "unchanged", or a failure that says what to do; no exception.

A source that cannot be reached is daily life for a sync. So every outcome is a value, and a
message never holds more of an address than its host: paths and queries can carry secrets.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class FailureKind(StrEnum):
    BLOCKED_BY_POLICY = "blocked_by_policy"
    NOT_FOUND = "not_found"
    GONE = "gone"
    NEEDS_LOGIN = "needs_login"
    UNREACHABLE = "unreachable"
    TOO_LARGE = "too_large"
    TIMED_OUT = "timed_out"
    REFUSED_REDIRECT = "refused_redirect"
    SERVER_ERROR = "server_error"
    BAD_ANSWER = "bad_answer"


@dataclass(frozen=True, slots=True)
class Failed:
    """Why nothing came: one sentence to show, and the seconds the server asked to wait, if any."""

    kind: FailureKind
    message: str
    retry_after_s: int | None = None


@dataclass(frozen=True, slots=True)
class Validators:
    """A server's values to ask "changed since?" with; only ever a reason to skip work."""

    etag: str | None = None
    last_modified: str | None = None


@dataclass(frozen=True, slots=True)
class Page:
    """The decoded bytes of an answer and where they came from in the end."""

    raw: bytes
    url: str
    """After redirects, without user name, password or fragment."""
    media_type: str
    """Lower case, as declared; `application/octet-stream` where nothing was."""
    charset: str | None
    """Lower case, as declared."""
    validators: Validators
    changed_at: float | None = None
    """When it was changed last, as the server says; in epoch seconds."""


@dataclass(frozen=True, slots=True)
class Unchanged:
    """The server says that what the validators stand for still holds."""


@dataclass(frozen=True, slots=True)
class GitFile:
    """A plain file of a branch; equal `oid`s are equal bytes, whatever the path.

    `path` is the name as it is, or as `git ls-files` quotes it where it has control characters or
    is not UTF-8, so that two names never become one and every name can be stored and printed.
    """

    path: str
    oid: str
    mode: str


@dataclass(frozen=True, slots=True)
class GitSkipped:
    """An entry of a branch that is never read, and why."""

    path: str
    reason: str
    is_submodule: bool = False


@dataclass(frozen=True, slots=True)
class GitTree:
    """The full list of a branch's wanted files at one commit."""

    commit: str
    files: tuple[GitFile, ...]
    skipped: tuple[GitSkipped, ...]
