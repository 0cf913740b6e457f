"""Ids of the spaces of projects, and words in ids; apart from others, as every hook needs them."""

from __future__ import annotations

import hashlib
import re

_SPACE_ID = re.compile(r"ks-default|kss?-(?:[a-z0-9-]+-)?[0-9a-f]{8}")
_PROJECT_ID = re.compile(r"ksp-(?:([a-z0-9][a-z0-9-]{0,39})-)?[0-9a-f]{24}")
_NO_WORD = re.compile(r"[^a-z0-9]+")


def make_word(name: str) -> str:
    """Return what of a name can stand in an id."""
    return _NO_WORD.sub("-", name.lower()).strip("-")[:40].strip("-")


def derive_project_id(name: str, *identity: str) -> str:
    """Return the id of a project's space: its name, and a digest of what makes it that project."""
    digest = hashlib.sha256("\0".join(identity).encode()).hexdigest()[:24]
    return "-".join(filter(None, ("ksp", make_word(name), digest)))


def is_project_id(text: str) -> bool:
    """Tell whether a text is the id of a project's space; no other space has an id like it."""
    return _PROJECT_ID.fullmatch(text) is not None


def read_project_name(project: str) -> str:
    """Return the name in a project's id, the id itself where it has none."""
    parts = _PROJECT_ID.fullmatch(project)
    return (parts and parts[1]) or project


def is_space_id(text: str) -> bool:
    """Tell an id of a space from a name."""
    return is_project_id(text) or _SPACE_ID.fullmatch(text) is not None
