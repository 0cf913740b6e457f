"""Parses what `git ls-tree` lists into files and into entries that are never read.

Names are bytes to git. Those that are plain text stay; the others are written as git itself quotes
them, so that every name is text, and no two names become the same.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator

from wellworn.engines.fetch.models import GitFile, GitSkipped, GitTree

_REGULAR = frozenset({"100644", "100755", "100664"})
_SUBMODULE = "160000"
_REASONS = {
    "120000": "a symbolic link is not followed",
    _SUBMODULE: "a submodule is not fetched; add it as a source of its own",
}
_NOT_PLAIN = re.compile(
    r'^"|[\x00-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]'  # unseen, or steers writing
)
_COMMIT = re.compile(rb"\x01([0-9a-f]{40,64}) ([0-9]{1,15})")
_LETTERS = dict(zip(b'\a\b\t\n\v\f\r"\\', 'abtnvfr"\\', strict=True))


def to_text(name: bytes) -> str:
    """Write a name as text: as it is, or in git's quotes."""
    try:
        text = name.decode()
    except UnicodeDecodeError:
        return _quote(name)
    return _quote(name) if _NOT_PLAIN.search(text) else text


def _quote(name: bytes) -> str:
    return '"' + "".join(_escape(byte) for byte in name) + '"'


def _escape(byte: int) -> str:
    if byte in _LETTERS:
        return "\\" + _LETTERS[byte]
    return chr(byte) if chr(byte).isascii() and chr(byte).isprintable() else f"\\{byte:03o}"


def parse_listing(output: bytes, commit: str, wanted: Callable[[str], bool]) -> GitTree:
    """Read the output of `ls-tree -r -z`; only wanted paths are listed, skipped or not."""
    files: list[GitFile] = []
    skipped: list[GitSkipped] = []
    for mode, oid, path in _entries(output):
        if not wanted(path):
            continue
        if mode in _REGULAR:
            files.append(GitFile(path, oid, mode))
        else:
            reason = _REASONS.get(mode, "not a file")
            skipped.append(GitSkipped(path, reason, is_submodule=mode == _SUBMODULE))
    return GitTree(commit, tuple(files), tuple(skipped))


def parse_history(output: bytes, left_out: Collection[str]) -> dict[str, int]:
    """Read the output of `log -z --name-only --format=%x01%H %ct`: when each path changed last.

    Args:
        output: what git printed, the latest commit first.
        left_out: ids of commits of which not all that came before is known.
    """
    dates: dict[str, int] = {}
    is_known, moment = False, 0
    for entry in output.split(b"\0"):
        commit = _COMMIT.fullmatch(entry)
        if commit:
            is_known, moment = commit[1].decode() not in left_out, int(commit[2])
        elif is_known and entry:
            path = to_text(entry.removeprefix(b"\n"))
            dates[path] = max(moment, dates.get(path, 0))
    return dates


def _entries(output: bytes) -> Iterator[tuple[str, str, str]]:
    for entry in output.split(b"\0")[:-1]:
        about, _, name = entry.partition(b"\t")
        mode, _kind, oid = about.decode("ascii").split(" ")
        yield mode, oid, to_text(name)
