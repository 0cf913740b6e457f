"""Identifiers: random UUIDs, numbers, derived ones that are the same for the same content."""

from __future__ import annotations

import re
from threading import Lock
from uuid import UUID, uuid4, uuid5

from wellworn.kit.clock import SystemClock
from wellworn.kit.project_ids import make_word
from wellworn.kit.text import fingerprint

# Python's own parser also takes other digits, blanks and braces.
_CANONICAL = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_NAMESPACE = UUID("6f1f5f0e-6f0b-5b46-9a3e-3f7a3f0f9d10")
_NIL = str(UUID(int=0))
SHORTEST_BEGINNING = 6
"""Characters of a UUID's beginning that stand for all of it."""


def new_id() -> str:
    """Return a random UUID in its canonical text form."""
    return str(uuid4())


_RANDOM_BITS = 11
_numbering = Lock()
_last_number = 0


def new_number() -> int:
    """Return a number below 2**53 that is larger than those before and tells nothing of how many.

    It is the time in milliseconds, which the number's receiver knows, and random bits below.
    """
    global _last_number  # noqa: PLW0603 - one sequence a process
    milliseconds = int(SystemClock().now() * 1000)
    drawn = milliseconds << _RANDOM_BITS | uuid4().int & (1 << _RANDOM_BITS) - 1
    with _numbering:
        _last_number = max(drawn, _last_number + 1)
        return _last_number


def derive_id(*parts: str) -> str:
    """Return the UUID that the parts determine; makes repeated imports idempotent."""
    return str(uuid5(_NAMESPACE, "\x1f".join(parts)))


def canonical_id(text: str) -> str | None:
    """Return the canonical form of a UUID, or None when the text is not one."""
    return str(UUID(text)) if _CANONICAL.fullmatch(text) else None


def validate_id(text: str) -> str:
    """Return the canonical form of a UUID; `ValueError` when the text is not one."""
    canonical = canonical_id(text)
    if canonical is None:
        raise ValueError("must be a UUID")
    return canonical


def validate_beginning(text: str) -> str:
    """Return the canonical form of a UUID or its beginning; `ValueError` when it is neither."""
    whole = validate_id(text + _NIL[len(text) :])
    if len(text) < SHORTEST_BEGINNING:
        raise ValueError("must be longer")
    return whole[: len(text)]


def make_folder_name(name: str) -> str:
    """Return the name of the folder of what is called so; two names never share one."""
    word = make_word(name)
    return word if word == name else f"{word or 'user'}_{fingerprint(name)[:8]}"
