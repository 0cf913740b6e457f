"""Models of an audit trail: entries without content, signed checkpoints, a verdict.

No field can hold a sentence: names are short and on one line, everything else is an identifier
without blanks, a code or a number. So a trail may be shown to those who may not read the space.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from wellworn.domain.audit.actions import Action

LONGEST = 200
MOST_TARGETS = 1_000
MOST_DETAILS = 16
OK = "ok"

_OUTCOME = re.compile(r"ok|[A-Z][A-Z0-9_]{0,63}")
_DETAIL = re.compile(r"[a-z][a-z0-9_]{0,39}")
_LARGEST = 2**63


@dataclass(frozen=True, slots=True)
class Actor:
    """The actor of a call, as the trail names them; made once a call.

    Attributes:
        principal: the member's id, or `local` at the door without credentials.
        credential: the key id of what was presented, never the secret.
        owner: whom the credential belongs to.
        request_id: the same for everything one request does.

    Raises:
        ValueError: a name or an id is none; the message does not repeat it.
    """

    principal: str
    credential: str | None = None
    owner: str | None = None
    request_id: str | None = None

    def __post_init__(self) -> None:
        _require_name(self.principal)
        if self.owner is not None:
            _require_name(self.owner)
        for identifier in (self.credential, self.request_id):
            if identifier is not None:
                require_identifier(identifier)


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing that was done; `at` is epoch seconds, `outcome` is "ok" or an error's code.

    Raises:
        ValueError: a target, the outcome or a detail is not what it must be.
    """

    at: float
    actor: Actor
    action: Action
    targets: tuple[str, ...] = ()
    outcome: str = OK
    details: Mapping[str, int] = field(default_factory=dict[str, int])

    def __post_init__(self) -> None:
        if len(self.targets) > MOST_TARGETS:
            raise ValueError(f"an entry names at most {MOST_TARGETS} targets")
        for target in self.targets:
            require_identifier(target)
        if not _OUTCOME.fullmatch(self.outcome):
            raise ValueError('an outcome must be "ok" or the code of an error')
        _require_numbers(self.details)


@dataclass(frozen=True, slots=True)
class Link:
    """An entry in its chain: `entry` is the canonical JSON that was chained, `hash` 32 bytes."""

    seq: int
    entry: bytes
    hash: bytes


@dataclass(frozen=True, slots=True)
class LogEntry:
    """An entry as it is shown, with its place and its hash (32 bytes)."""

    seq: int
    entry: Entry
    hash: bytes


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A signed statement of where a chain stood, worth keeping where its writer cannot reach.

    Attributes:
        head: the hash of entry `seq`, 32 bytes.
        made_at: epoch seconds.
        signature: Ed25519 over `message`, 64 bytes.
        key: SHA-256 of the public key, 32 bytes.
    """

    space: str
    seq: int
    head: bytes
    made_at: float
    signature: bytes
    key: bytes

    @property
    def message(self) -> bytes:
        """The bytes that are signed."""
        return checkpoint_message(self.space, self.seq, head=self.head, made_at=self.made_at)

    @property
    def line(self) -> str:
        """The line that goes to the log, to be stored elsewhere."""
        return (
            f"audit checkpoint {self.space} {self.seq} {self.head.hex()} {self.signature.hex()}"
            f" {self.made_at!r} {self.key.hex()}"
        )


class Fault(StrEnum):
    """Why a trail does not hold."""

    GAP = "gap"
    """An entry is missing, doubled, or stands elsewhere than it was written."""
    CHANGED = "changed"
    """An entry, or its hash, is not as it was written."""
    TRUNCATED = "truncated"
    """A checkpoint saw entries that are gone from the end."""
    REWRITTEN = "rewritten"
    """A checkpoint saw another entry at its place."""
    UNSIGNED = "unsigned"
    """A checkpoint is not signed by a trusted key, or not as it was signed."""


@dataclass(frozen=True, slots=True)
class TrailReport:
    """A verdict over one trail.

    Attributes:
        entries: how many hold, counted from the first.
        checkpoints: how many hold, the given ones that were stored elsewhere among them.
        first_bad_seq, reason: None when the trail holds.
    """

    space: str
    entries: int
    checkpoints: int
    first_bad_seq: int | None = None
    reason: Fault | None = None

    @property
    def ok(self) -> bool:
        return self.reason is None


def checkpoint_message(space: str, seq: int, *, head: bytes, made_at: float) -> bytes:
    # repr, so that a damaged row with a value of another type has a message too: a different one.
    text = f"wellworn audit checkpoint 1\n{space}\n{seq!r}\n{head.hex()}\n{made_at!r}"
    return text.encode()


def require_identifier(text: str) -> None:
    """Pass printable characters without blanks.

    Raises:
        ValueError: the text is empty, too long or not an identifier.
    """
    _require_name(text)
    if " " in text:
        raise ValueError("an identifier must not contain blanks")


def _require_name(text: str) -> None:
    # Not printable: control and format characters, line ends, lone surrogates.
    if not 0 < len(text) <= LONGEST or not text.isprintable():
        raise ValueError(f"must be 1 to {LONGEST} printable characters on one line")


def _require_numbers(details: Mapping[str, object]) -> None:
    if len(details) > MOST_DETAILS:
        raise ValueError(f"an entry has at most {MOST_DETAILS} details")
    for name, number in details.items():
        if not _DETAIL.fullmatch(name):
            raise ValueError("the name of a detail must be a short lower-case word")
        if type(number) is not int or not -_LARGEST <= number < _LARGEST:
            raise ValueError("a detail must be a whole number of at most 64 bits")
