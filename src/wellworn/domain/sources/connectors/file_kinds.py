"""Tells which files of a folder or repository are documents, and sums up those that are not.

The extension decides. A file without one is a document if it is a short text: README, LICENSE,
Dockerfile, Makefile, hosts; so is a short configuration or table (CSV), but no list of locked
versions, nor what an editor sets aside beside a file (`README~`). All others are skipped and
counted, so that nobody assumes they are searchable.
"""

from __future__ import annotations

import codecs
import re
from collections import Counter
from collections.abc import Collection, Iterable
from typing import Final

from wellworn.domain.sources.connectors.models import READABLE
from wellworn.engines.extraction import is_configuration, is_separated
from wellworn.kit.charset import CONTROLS, has_mark, wide

LONGEST_PLAIN: Final = 256_000
"""Size in bytes of the longest file without an extension that counts as a document."""
HEAD: Final = 8_192
"""Bytes read from the beginning of a file to tell whether it is text."""
_MOST_NAMED: Final = 3
_LONGEST_NAME: Final = 200
_LOCK: Final = re.compile(r"(?:^|[-_.])(?:lock|shrinkwrap)[-_.]")
_ENDING: Final = re.compile(r"[^.]\.([A-Za-z0-9]{1,8})$")
_COPY: Final = re.compile(r".*~|#.*#|~\$.*", re.DOTALL)
"""Names that editors give to what they set aside beside a file: copies, locks."""


def is_readable(path: str) -> bool:
    """Tell whether the extension says that the file is a document."""
    return path.casefold().endswith(READABLE) and not _is_set_aside(path)


def is_plain(path: str) -> bool:
    """Tell whether a file has no extension or that of a configuration or table: content decides."""
    name = path.rpartition("/")[2].casefold()
    is_short_kind = is_configuration(name) or is_separated(name)
    is_kind = "." not in name or (is_short_kind and _LOCK.search(name) is None)
    return is_kind and not _is_set_aside(name)


def _is_set_aside(path: str) -> bool:
    return _COPY.fullmatch(path.rpartition("/")[2]) is not None


def is_text(head: bytes) -> bool:
    """Tell whether a file that begins with these bytes is text, in whatever encoding.

    UTF-16 has its mark or its form; in all others no text has a NUL, nor one that is not UTF-8 any
    other control character.
    """
    if has_mark(head) or wide(head):
        return True
    if b"\x00" in head:
        return False
    try:
        # A character may be cut at the end.
        codecs.getincrementaldecoder("utf-8")().decode(head)
    except UnicodeDecodeError:
        return len(head.translate(None, CONTROLS)) == len(head)
    return True


class SkippedFiles:
    """Counts files that are no documents, by extension; names what is hidden, and left out."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()
        self._hidden: dict[str, None] = {}
        self._linked: list[str] = []
        self._submodules: set[str] = set()

    def add(self, path: str) -> None:
        """Count one file."""
        ending = _ENDING.search(path.rpartition("/")[2])
        name = "without an ending" if is_plain(path) else "of other kinds"
        self._counts[f".{ending[1].lower()}" if ending else name] += 1

    def add_hidden(self, path: str) -> None:
        """Note the hidden folder in a path, or a hidden document: others nobody misses."""
        parts = path.split("/")
        depth = next((at for at, part in enumerate(parts, 1) if part.startswith(".")), len(parts))
        if depth < len(parts):
            self._hidden[f"{'/'.join(parts[:depth])}/"] = None
        elif is_readable(path):
            self._hidden[path] = None

    def add_linked(self, path: str) -> None:
        """Note a link to a folder, which is not followed."""
        self._linked.append(path)

    def add_submodules(self, paths: Iterable[str]) -> None:
        """Note other repositories that stand in folders of this one."""
        self._submodules.update(paths)

    def describe(self) -> str:
        """Return what was skipped, in words; empty if nothing was."""
        hidden = _name_some(self._hidden)
        linked = _name_some(self._linked)
        submodules = _name_some(self._submodules)
        told = [
            self._describe_kinds(),
            hidden and f"hidden, and passed over: {hidden} (the option hidden includes them)",
            linked
            and f"links to folders, and not followed: {linked} (add such a folder by itself)",
            submodules and f"submodules, and not fetched: {submodules} (add them as sources)",
        ]
        return "; ".join(filter(None, told))

    def _describe_kinds(self) -> str:
        total = self._counts.total()
        if not total:
            return ""
        named = sorted(self._counts.items(), key=lambda item: (-item[1], item[0]))[:_MOST_NAMED]
        kinds = [f"{count} {ending}" for ending, count in named]
        if rest := total - sum(count for _, count in named):
            kinds.append(f"{rest} more")
        files = "1 file was" if total == 1 else f"{total} files were"
        return f"{files} passed over: {', '.join(kinds)}"


def _name_some(paths: Collection[str]) -> str:
    """Return the first of some paths, and how many more there are; empty without any."""
    # The names of a repository may be of any length.
    shown = (path[:_LONGEST_NAME] for path in sorted(paths)[:_MOST_NAMED])
    named = [path.encode("utf-8", "replace").decode() for path in shown]
    rest = len(paths) - len(named)
    return ", ".join([*named, *([f"{rest} more"] if rest else [])])
