"""Thoughts for people to read, in Obsidian or anywhere: a Markdown file for each day.

The files are derived from the records alone, and never read back.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self

_HELD = 1_000
_NO_TAG_LETTER = re.compile(r"[^\w/-]+")
_NO_HEADING_LETTER = re.compile(r"[\[\]#|^\s]+")


class Diary:
    """The files of a folder; sections are buffered, as days may come in any order."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._days: dict[str, str] = {}
        self._held: dict[str, list[str]] = {}
        self._count = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._flush()

    def write(self, thought: Mapping[str, Any]) -> None:
        """Add a thought to its day, after the thoughts that it comes from."""
        day = str(thought["created_at"])[:10]
        self._days[thought["id"]] = day
        self._held.setdefault(day, []).append(self._section(thought))
        self._count += 1
        if self._count % _HELD == 0:
            self._flush()

    def _section(self, thought: Mapping[str, Any]) -> str:
        lines = [
            f"## {thought['id']}",
            "",
            f"{_plain(thought['contributor_name'])}, {_when(thought)}",
        ]
        lines += (
            [f"type: {thought['thought_type']}"] if thought["thought_type"] != "original" else []
        )
        if thought["session"] is not None:
            lines += [f"session: {_plain(thought['session'])}, turn {thought['position']}"]
        lines += [f"tags: {' '.join(map(_tag, thought['tags']))}"] if thought["tags"] else []
        links = [self._link(source) for source in thought["source_ids"]]
        lines += [f"sources: {' '.join(links)}"] if links else []
        if thought["erased_at"] is not None:
            return "\n".join([*lines, "", "*erased*"])
        return "\n".join([*lines, "", *_quote(thought["content"])])

    def _link(self, thought_id: str) -> str:
        return f"[[{self._days.get(thought_id, '')}#{thought_id}]]"

    def _flush(self) -> None:
        for day, sections in self._held.items():
            path = self._folder / f"{day}.md"
            is_new = not path.exists()
            with path.open("a", encoding="utf-8", newline="\n") as file:
                file.write(f"# {day}\n" if is_new else "")
                file.writelines(f"\n{section}\n" for section in sections)
        self._held.clear()


def _when(thought: Mapping[str, Any]) -> str:
    return f"{thought['created_at'][11:19]} UTC"


def _plain(text: str) -> str:
    return _NO_HEADING_LETTER.sub(" ", text).strip()


def _tag(tag: str) -> str:
    return "#" + (_NO_TAG_LETTER.sub("-", tag).strip("-") or "tag")


def _quote(content: str) -> list[str]:
    return [f"> {line}".rstrip() for line in content.splitlines()]
