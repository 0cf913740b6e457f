"""The documentation as its tests read it: fenced blocks, headings, tables and links."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]
DOCS = PROJECT / "docs"

_FENCE = re.compile(r"^```(\w*)[^`]*$")
_NOT_RUN = re.compile(r"^<!-- not run: .{10,} -->$")
_HEADING = re.compile(r"^#{1,6} (.+)$")
_LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
_CODE = re.compile(r"`[^`]*`")


@dataclass(frozen=True)
class Block:
    """A fenced block; `is_run` is false where a comment above says why it is not."""

    language: str
    text: str
    line: int
    is_run: bool


def pages() -> list[Path]:
    """Return every page, README.md among them."""
    return sorted([PROJECT / "README.md", PROJECT / "CHANGELOG.md", *DOCS.rglob("*.md")])


def name(page: Path) -> str:
    return page.relative_to(PROJECT).as_posix()


def text_of(page: str) -> str:
    return (PROJECT / page).read_text(encoding="utf-8")


def blocks(page: Path) -> list[Block]:
    """Return the fenced blocks of a page, in order."""
    found: list[Block] = []
    language, start, body = "", 0, list[str]()
    above = ""
    for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), start=1):
        fence = _FENCE.match(line)
        if start and line == "```":
            is_run = not _NOT_RUN.match(above)
            found.append(Block(language, "\n".join(body) + "\n", start, is_run))
            start, above = 0, ""
        elif start:
            body.append(line)
        elif fence:
            language, start, body = fence[1], number, []
        elif line.strip():
            above = line.strip()
    return found


def prose(page: Path) -> str:
    """Return a page without its fenced blocks."""
    kept: list[str] = []
    inside = False
    for line in page.read_text(encoding="utf-8").splitlines():
        if line.startswith("```"):
            inside = not inside
        elif not inside:
            kept.append(line)
    return "\n".join(kept)


def sections(page: str, level: str = "### ") -> dict[str, str]:
    """Return the texts below the headings of a level, by heading without back-quotes."""
    found: dict[str, str] = {}
    heading = ""
    for line in text_of(page).splitlines():
        if line.startswith(level):
            heading = line.removeprefix(level).replace("`", "").strip()
            found[heading] = ""
        elif line.startswith("#") and len(line.split(" ")[0]) < len(level):
            heading = ""
        elif heading:
            found[heading] += line + "\n"
    return found


def rows(text: str) -> Iterator[list[str]]:
    """Yield the rows of all tables in a text, cell by cell, without their headings."""
    table: list[list[str]] = []
    for line in [*text.splitlines(), ""]:
        if line.startswith("|"):
            table.append([cell.strip() for cell in line.strip().strip("|").split("|")])
        elif table:
            yield from table[2:]
            table = []


def anchors(page: Path) -> set[str]:
    """Return the fragments that a page's headings can be linked by."""
    headings = (_HEADING.match(line) for line in prose(page).splitlines())
    return {_slug(heading[1]) for heading in headings if heading}


def links(page: Path) -> list[str]:
    """Return the targets of a page's links that stay within the project."""
    targets = _LINK.findall(_CODE.sub("", prose(page)))
    return [
        target for target in targets if "://" not in target and not target.startswith("mailto:")
    ]


def _slug(heading: str) -> str:
    kept = re.sub(r"[^\w\- ]", "", heading.replace("`", "").lower())
    return kept.strip().replace(" ", "-")
