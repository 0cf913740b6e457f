"""Identifiers: random UUIDs, and derived ones that are the same for the same content."""

from __future__ import annotations

import re
from uuid import UUID, uuid4, uuid5

# Python's own parser also takes other digits, blanks and braces.
_CANONICAL = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_NAMESPACE = UUID("6f1f5f0e-6f0b-5b46-9a3e-3f7a3f0f9d10")


def new_id() -> str:
    """Return a random UUID in its canonical text form."""
    return str(uuid4())


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
