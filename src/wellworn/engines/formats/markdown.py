"""A folder of Markdown as thoughts, one for each section or piece of a long section.

Each begins with the path of its headings, so that its subject is clear.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from wellworn.engines.formats.lines import Tell, list_inside, read_text, refuse
from wellworn.engines.formats.pieces import fit_tags, replace_unstorable, split_into_pieces
from wellworn.errors import InvalidInput
from wellworn.kit.clock import parse_written_moment, to_iso
from wellworn.kit.ids import derive_id
from wellworn.kit.markdown import LONGEST_TITLE, FrontMatter, Markdown
from wellworn.kit.pointers import describe_pointer

LONGEST = 1_500
"""Characters of a piece, its headings not counted."""
_LONGEST_FENCE = 8_000
"""Characters of fenced code that stays in one piece."""
_LONGEST_NAME = 100
_DATES = ("updated", "modified", "lastmod", "last_modified_at", "date", "created", "created_at")
"""Fields of front matter with a time, the latest first."""
_BETWEEN_TAGS: Final = re.compile(r",|\s(?=#)")
_DESCRIPTIONS = ("description", "summary")
_KEPT = frozenset({*_DATES, *_DESCRIPTIONS, "author", "title", "tags", "tag"})
_MOST_NAMED = 10
"""Fields of front matter that are named, of all that no thought has."""
SUFFIXES = frozenset({".md", ".markdown"})
_LONGEST_PATH = 1_000


def read_markdown(path: Path, tell: Tell = refuse) -> Iterator[dict[str, Any]]:
    """Yield a thought for every piece of every markdown file of a folder, or of one file.

    A file is a session, in which its pieces have their places.
    Front matter may give `author`, `tags`, a date, a title for what stands below no heading, and a
    description, which becomes a thought; folders below `path` are tags as well.
    `tell` is told what is left out.

    Raises:
        InvalidInput: there is no markdown, or a file cannot be read and `tell` ends the import.
    """
    files = [path] if path.is_file() else list(_find_files(path, tell))
    if not files:
        raise InvalidInput("there is no markdown file in the folder")
    if path.is_file() and path.suffix.casefold() not in SUFFIXES:
        raise InvalidInput(f"{path.name} is not a Markdown file: its name does not end in .md")
    root = path.parent if path.is_file() else path
    unread: Counter[str] = Counter()
    for file in files:
        yield from _read_thoughts(file, root, tell, unread)
    if unread:
        named = ", ".join(name[:_LONGEST_NAME] for name, _ in unread.most_common(_MOST_NAMED))
        more = "" if len(unread) <= _MOST_NAMED else f" and {len(unread) - _MOST_NAMED} more"
        tell(f"front matter that was left out: {named}{more}")


def _find_files(folder: Path, tell: Tell) -> Iterator[Path]:
    def is_wanted(file: Path) -> bool:
        hidden = any(part.startswith(".") for part in file.relative_to(folder).parts)
        return file.suffix.casefold() in SUFFIXES and not hidden

    return list_inside(folder, is_wanted, tell)


def _read_thoughts(
    file: Path, root: Path, tell: Tell, unread: Counter[str]
) -> Iterator[dict[str, Any]]:
    relative = replace_unstorable(file.relative_to(root).as_posix())
    text = _read_text(file, tell)
    if text is None:
        return
    markdown = Markdown(text)
    front = markdown.front_matter
    author = (
        (front.value("author") if front else "")
        or replace_unstorable(root.resolve().name)
        or "markdown"
    )
    if len(author) > _LONGEST_NAME:
        tell(f"{file.name}: an author is cut to {_LONGEST_NAME} characters")
    named = (front.fields.get(name, ()) for name in ("tags", "tag")) if front else ()
    own = [tag for values in named for tag in _split_tags(values)]
    tags = fit_tags([*own, *relative.split("/")[:-1]], file.name, tell)
    dated = {"created_at": date} if (date := _find_date(front)) else {}
    if written := "" if date else _find_written_date(front):
        tell(f"{file.name}: its date “{written[:_LONGEST_NAME]}” was not understood")
    unread.update(set(front.fields) - _KEPT if front else ())
    title = front.title if front else ""
    pieces = [*_cut(markdown), *_list_descriptions(front, text)]
    for position, (heading, piece) in enumerate(pieces):
        named_by = heading or title
        yield dated | {
            "record": "thought",
            "id": derive_id("markdown", relative, heading, piece),
            "content": f"{named_by}\n\n{piece}" if named_by else piece,
            "contributor_id": author[:_LONGEST_NAME],
            "contributor_name": author[:_LONGEST_NAME],
            "tags": tags,
            "context_metadata": relative[-2_000:],
            # What stands beside a piece helps to find it.
            "session": relative[-_LONGEST_PATH:],
            "position": position,
        }


def _find_written_date(front: FrontMatter | None) -> str:
    """Return the first date of front matter as it is written; empty without one."""
    written = (front.value(name) for name in _DATES) if front else ()
    return next(filter(None, written), "")


def _find_date(front: FrontMatter | None) -> str:
    """Return when front matter says that a note was written; empty where it does not."""
    written = (front.value(name) for name in _DATES) if front else ()
    return next(filter(None, (_to_iso(value) for value in written if value)), "")


def _to_iso(written: str) -> str:
    try:
        moment = parse_written_moment(written)
        return "" if moment is None else to_iso(moment)
    except (ValueError, OverflowError):  # a day in the first or the last of all years
        return ""


def _list_descriptions(front: FrontMatter | None, text: str) -> Iterator[tuple[str, str]]:
    """Yield what front matter alone says of a note in words."""
    values = (front.value(name) for name in _DESCRIPTIONS) if front else ()
    for value in dict.fromkeys(values):
        if value and front and value not in text[front.end :]:
            yield "", value[:LONGEST]


def _split_tags(values: Sequence[str]) -> list[str]:
    """Return tags as Obsidian and most site generators read them: one text is a list by commas."""
    tags = _BETWEEN_TAGS.split(values[0]) if len(values) == 1 else values
    return [tag.strip().lstrip("#") for tag in tags]


def _read_text(file: Path, tell: Tell) -> str | None:
    try:
        raw = file.read_bytes()
    except OSError:
        tell(f"{file.name} cannot be read")
        return None
    if pointer := describe_pointer(raw):
        tell(f"{file.name}: {pointer}")
        return None
    return read_text(raw, file.name, tell)


def _cut(markdown: Markdown) -> Iterator[tuple[str, str]]:
    """Yield the path of headings, without marks, and the text of every piece."""
    paths: list[tuple[str, ...]] = []
    fences = [(start, end) for start, end in markdown.fences if end - start <= _LONGEST_FENCE]
    for section in markdown.sections:
        path = () if section.parent is None else paths[section.parent]
        paths.append((*path, section.title) if section.level else ())
        # Of a very long heading, the path has the beginning alone.
        is_cut = section.body - section.start > LONGEST_TITLE
        start = max(section.start if is_cut else section.body, markdown.front_end)
        text = markdown.text[start : section.end]
        # A rule between two sections says nothing by itself.
        if not text.strip("-*_ \t\n"):
            continue
        heading = " > ".join(filter(None, paths[-1]))
        inside = fences[bisect_left(fences, (start, 0)) : bisect_left(fences, (section.end, 0))]
        whole = [(first - start, last - start) for first, last in inside]
        for piece in split_into_pieces(text, LONGEST, whole=whole):
            yield heading, piece
