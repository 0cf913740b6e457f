"""Which files of a folder or repository are documents, and a word about those that are not.

The ending of a name tells. A file without one is a document if it is a short text: README, LICENSE,
Dockerfile, Makefile, hosts. All others are passed over, and counted, so that nobody takes them for
searched.

Source: knowledge sync v1.0, section 4: files matching `.md`, `.txt`, and so on.
"""

from __future__ import annotations

import codecs
import re
from collections import Counter
from typing import Final

from wellworn.domain.sources.connectors.models import READABLE

LONGEST_PLAIN: Final = 256_000
"""Bytes of the longest file without an ending that is a document; data is mostly longer."""
HEAD: Final = 8_192
"""Bytes of a file that are looked at to tell whether it is text."""
_MOST_NAMED: Final = 3
_ENDING: Final = re.compile(r"[^.]\.([A-Za-z0-9]{1,8})$")


def is_readable(path: str) -> bool:
    """Tell whether the ending of a name says that the file is a document."""
    return path.casefold().endswith(READABLE)


def is_plain(path: str) -> bool:
    """Tell whether a file that is not hidden has no ending, so that its content has to tell."""
    return "." not in path.rpartition("/")[2]


def is_text(head: bytes) -> bool:
    """Tell whether a file that begins with these bytes is text: UTF-8, and no NUL."""
    if b"\x00" in head:
        return False
    try:
        # A character may be cut at the end.
        codecs.getincrementaldecoder("utf-8")().decode(head)
    except UnicodeDecodeError:
        return False
    return True


class PassedOver:
    """Counts files that are no documents, by their endings."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()

    def add(self, path: str) -> None:
        """Count one file."""
        ending = _ENDING.search(path.rpartition("/")[2])
        name = "without an ending" if is_plain(path) else "of other kinds"
        self._counts[f".{ending[1].lower()}" if ending else name] += 1

    def told(self) -> str:
        """Return how many there are of which kinds, for people; empty for none."""
        total = self._counts.total()
        if not total:
            return ""
        named = sorted(self._counts.items(), key=lambda one: (-one[1], one[0]))[:_MOST_NAMED]
        kinds = [f"{count} {ending}" for ending, count in named]
        if rest := total - sum(count for _, count in named):
            kinds.append(f"{rest} more")
        files = "1 file was" if total == 1 else f"{total} files were"
        return f"{files} passed over: {', '.join(kinds)}"
