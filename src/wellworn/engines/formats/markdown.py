"""A folder of Markdown as thoughts, one for each section or piece of a long section.

Each begins with the path of its headings, so that its subject is clear.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from wellworn.engines.formats.lines import list_inside
from wellworn.engines.formats.pieces import replace_unstorable, split_into_pieces
from wellworn.errors import InvalidInput
from wellworn.kit.ids import derive_id
from wellworn.kit.markdown import Markdown

LONGEST = 1_500
"""Characters of a piece, its headings not counted."""
_LONGEST_NAME = 100
_MOST_TAGS = 20
_SUFFIXES = frozenset({".md", ".markdown"})
_LONGEST_PATH = 1_000


def read_markdown(path: Path) -> Iterator[dict[str, Any]]:
    """Yield a thought for every piece of every markdown file of a folder, or of one file.

    A file is a session, in which its pieces have their places.
    Front matter may give `author` and `tags`; folders below `path` are tags as well.

    Raises:
        InvalidInput: a file cannot be read, or there is no markdown; the message names it.
    """
    files = [path] if path.is_file() else list(_find_files(path))
    if not files:
        raise InvalidInput("there is no markdown file in the folder")
    if path.is_file() and path.suffix.casefold() not in _SUFFIXES:
        raise InvalidInput(f"{path.name} is not a Markdown file: its name does not end in .md")
    root = path.parent if path.is_file() else path
    for file in files:
        yield from _read_thoughts(file, root)


def _find_files(folder: Path) -> Iterator[Path]:
    for file in list_inside(folder, "*"):
        hidden = any(part.startswith(".") for part in file.relative_to(folder).parts)
        if file.suffix.casefold() in _SUFFIXES and not hidden:
            yield file


def _read_thoughts(file: Path, root: Path) -> Iterator[dict[str, Any]]:
    relative = replace_unstorable(file.relative_to(root).as_posix())
    markdown = Markdown(_read_text(file))
    front = markdown.front_matter
    author = (
        (front.value("author") if front else "")
        or replace_unstorable(root.resolve().name)
        or "markdown"
    )
    tags = [*(front.fields.get("tags", ()) if front else ()), *relative.split("/")[:-1]]
    for position, (heading, piece) in enumerate(_cut(markdown)):
        content = f"{heading}\n\n{piece}" if heading else piece
        yield {
            "record": "thought",
            "id": derive_id("markdown", relative, heading, piece),
            "content": content,
            "contributor_id": author[:_LONGEST_NAME],
            "contributor_name": author[:_LONGEST_NAME],
            "tags": [tag.lstrip("#")[:_LONGEST_NAME] for tag in tags][:_MOST_TAGS],
            "context_metadata": relative[-2_000:],
            # What stands beside a piece helps to find it.
            "session": relative[-_LONGEST_PATH:],
            "position": position,
        }


def _read_text(file: Path) -> str:
    try:
        text = file.read_text(encoding="utf-8-sig", errors="replace")
    except OSError:
        raise InvalidInput(f"{file.name} cannot be read") from None
    return text.replace("\x00", "").replace("\r\n", "\n").replace("\r", "\n")


def _cut(markdown: Markdown) -> Iterator[tuple[str, str]]:
    """Yield the path of headings, without marks, and the text of every piece."""
    paths: list[tuple[str, ...]] = []
    for section in markdown.sections:
        path = () if section.parent is None else paths[section.parent]
        paths.append((*path, section.title) if section.level else ())
        text = markdown.text[max(section.body, markdown.front_end) : section.end]
        # A rule between two sections says nothing by itself.
        if text.strip("-*_ \t\n"):
            for piece in split_into_pieces(text, LONGEST):
                yield " > ".join(filter(None, paths[-1])), piece
