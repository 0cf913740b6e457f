"""Access: the value without which nothing can be read or written.

A door turns a caller's credential into an Access; every service and store method takes one.
Today there is one door, loopback without credentials, and one space; credentials arrive later
and only the doors will change.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

DEFAULT_SPACE = "ks-default"


class Role(StrEnum):
    READER = "reader"
    CONTRIBUTOR = "contributor"
    ADMIN = "admin"


@dataclass(frozen=True, slots=True)
class Access:
    """Who is calling (`principal`), into which space, and what they may do there."""

    principal: str
    space: str
    role: Role


def local_access() -> Access:
    """Return the access of whoever reaches the loopback door without a credential."""
    return Access(principal="local", space=DEFAULT_SPACE, role=Role.ADMIN)
