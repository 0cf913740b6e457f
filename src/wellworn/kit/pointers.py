"""Files that stand in for others, whose content is stored elsewhere.

Source: git-lfs, docs/spec.md; git-annex, pointer files.
"""

from __future__ import annotations

import re
from typing import Final

_LONGEST: Final = 1_024
_KINDS: Final = {
    "Git LFS": re.compile(
        rb"version https://[\w./-]{1,60}/spec/v\d\r?\n(?:[\w.-]{1,60} [^\n]{1,200}\n){0,9}oid "
    ),
    "git-annex": re.compile(rb"(?:(?:\.\./){0,40}\.git)?/annex/objects/[^\n]{1,400}\s{0,2}\Z"),
}


def describe_pointer(raw: bytes) -> str | None:
    """Return what a short file is a pointer of, as a reason not to read it; None for any other."""
    if len(raw) > _LONGEST:
        return None
    system = next((name for name, pattern in _KINDS.items() if pattern.match(raw)), None)
    return system and f"a pointer of {system}, not the file itself; fetch the file and sync again"
