"""A folder of markdown as thoughts: one a section, cut further where a section is long.

Each begins with the path of its headings, so that it says by itself what it is about.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wellworn.engines.formats.pieces import pieces, storable
from wellworn.errors import InvalidInput
from wellworn.kit.ids import named_id

LONGEST = 1_500
"""Characters of a piece, its headings not counted."""
_LONGEST_HEADING = 200
_LONGEST_NAME = 100
_MOST_TAGS = 20
_SUFFIXES = frozenset({".md", ".markdown"})
_LONGEST_PATH = 1_000

_HEADING = re.compile(r"^ {0,3}(#{1,6})[ \t]+(.*?)[ \t]*#*[ \t]*$")
_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})")
_FIELD = re.compile(r"^([A-Za-z_-]+)\s*:\s*(.*)$")
_ITEM = re.compile(r"^\s*-\s+(.*)$")


@dataclass(frozen=True, slots=True)
class Section:
    """Text below one heading; `headings` is the path to it, without marks."""

    headings: tuple[str, ...]
    text: str


def read_markdown(path: Path) -> Iterator[dict[str, Any]]:
    """Yield a thought for every piece of every markdown file of a folder, or of one file.

    A file is a session, in which its pieces have their places.
    Front matter may give `author` and `tags`; folders below `path` are tags as well.

    Raises:
        InvalidInput: a file cannot be read, or there is no markdown; the message names it.
    """
    files = [path] if path.is_file() else sorted(_markdown_below(path))
    if not files:
        raise InvalidInput("there is no markdown file in the folder")
    if path.is_file() and path.suffix.casefold() not in _SUFFIXES:
        raise InvalidInput(f"{path.name} is no markdown file: its name does not end in .md")
    root = path.parent if path.is_file() else path
    for file in files:
        yield from _thoughts(file, root)


def _markdown_below(folder: Path) -> Iterator[Path]:
    for file in folder.rglob("*"):
        hidden = any(part.startswith(".") for part in file.relative_to(folder).parts)
        if file.suffix.casefold() in _SUFFIXES and not hidden and file.is_file():
            yield file


def _thoughts(file: Path, root: Path) -> Iterator[dict[str, Any]]:
    relative = storable(file.relative_to(root).as_posix())
    front, body = front_matter(_text(file))
    author = front.get("author", [""])[0] or storable(root.resolve().name) or "markdown"
    tags = [*front.get("tags", []), *relative.split("/")[:-1]]
    cut = (
        (" > ".join(section.headings), piece)
        for section in sections(body)
        for piece in pieces(section.text, LONGEST)
    )
    for position, (heading, piece) in enumerate(cut):
        content = f"{heading}\n\n{piece}" if heading else piece
        yield {
            "record": "thought",
            "id": named_id("markdown", relative, heading, piece),
            "content": content,
            "contributor_id": author[:_LONGEST_NAME],
            "contributor_name": author[:_LONGEST_NAME],
            "tags": [tag.lstrip("#")[:_LONGEST_NAME] for tag in tags][:_MOST_TAGS],
            "context_metadata": relative[-2_000:],
            # What stands beside a piece helps to find it.
            "session": relative[-_LONGEST_PATH:],
            "position": position,
        }


def _text(file: Path) -> str:
    try:
        text = file.read_text(encoding="utf-8-sig", errors="replace")
    except OSError:
        raise InvalidInput(f"{file.name} cannot be read") from None
    return text.replace("\x00", "").replace("\r\n", "\n").replace("\r", "\n")


def front_matter(text: str) -> tuple[dict[str, list[str]], str]:
    """Split a text into the plain fields of its front matter, each a list, and the rest."""
    lines = text.split("\n")
    if lines[0].rstrip() != "---" or "---" not in (rest := [line.rstrip() for line in lines[1:]]):
        return {}, text
    end = rest.index("---")
    fields: dict[str, list[str]] = {}
    name = ""
    for line in rest[:end]:
        if match := _FIELD.match(line):
            name = match[1].casefold()
            fields[name] = _values(match[2])
        elif name and (match := _ITEM.match(line)):
            fields[name] += _values(match[1])
    return {key: values for key, values in fields.items() if values}, "\n".join(lines[end + 2 :])


def _values(text: str) -> list[str]:
    listed = text.startswith("[") and text.endswith("]")
    parts = text[1:-1].split(",") if listed else [text]
    return [value for part in parts if (value := part.strip().strip("\"'").strip())]


def sections(text: str) -> Iterator[Section]:
    """Yield what stands below each heading; a `#` inside a code fence is no heading."""
    path: dict[int, str] = {}
    body: list[str] = []
    fence = ""
    for line in text.split("\n"):
        mark = _FENCE.match(line)
        if mark and (not fence or mark[1].startswith(fence)):
            fence = "" if fence else mark[1]
        heading = None if fence else _HEADING.match(line)
        if heading is None:
            body.append(line)
            continue
        yield from _section(path, body)
        level = len(heading[1])
        path = {at: words for at, words in path.items() if at < level}
        path[level] = heading[2][:_LONGEST_HEADING]
        body = []
    yield from _section(path, body)


def _section(path: dict[int, str], body: list[str]) -> Iterator[Section]:
    text = "\n".join(body).strip()
    if text:
        yield Section(tuple(words for words in path.values() if words), text)
