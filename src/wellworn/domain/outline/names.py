"""Ids of nodes, and the names that people give instead of them; pure.

An id says its kind and then what it names, in clear where that is plain, else by a hash of it. So
ids need no table, survive a restart, and an id of one space says nothing in another. Sources and
their documents have numbers, which they keep under another name; those are of one space as well.
"""

from __future__ import annotations

import re

from wellworn.kit.text import fingerprint

_PLAIN = re.compile(r"[^\W_][\w .+-]{0,79}")
_HASHED = 16
LONGEST_OPENING = 100
"""Characters of a text that tell how it begins."""


def to_handle(name: str) -> str:
    """Return what stands for a name in an id: the name where it is plain, else `~` and a hash."""
    plain = _PLAIN.fullmatch(name) and not name.endswith(" ")
    return name if plain else f"~{fingerprint(name)[:_HASHED]}"


def document_id(collection: str, *name: str) -> str:
    """Return the id of a document; `collection` keeps apart those of one name from elsewhere."""
    return f"doc:{fingerprint(collection, *name)[:_HASHED]}"


def to_node_id(number: int) -> str:
    """Return the id of a document of a source; no hash is as short."""
    return f"doc:{number}"


def section_id(document: str, number: int) -> str:
    """Return the id of a document's section, which are numbered in order."""
    return f"{document}#{number}"


def list_names(name: str) -> set[str]:
    """Return what a document of that name or path may be called, in folded case.

    The path or its end, from any folder on, with or without the file's ending.
    """
    steps = name.casefold().split("/")
    ends = {"/".join(steps[start:]) for start in range(len(steps))}
    return (ends | {_without_ending(end) for end in ends}) - {""}


def _without_ending(path: str) -> str:
    folder, slash, last = path.rpartition("/")
    bare = last.rpartition(".")[0]
    return f"{folder}{slash}{bare}" if bare else ""
