"""The result of reading a file: its text with positions, or why it was refused."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

# Part of the fingerprint of every text made here: raise it when the same bytes give another text.
VERSION: Final[int] = 8


class FileKind(StrEnum):
    MARKDOWN = "markdown"
    TEXT = "text"
    CONFIGURATION = "configuration"
    HTML = "html"
    PDF = "pdf"
    DOCX = "docx"


@dataclass(frozen=True, slots=True)
class Anchor:
    """The id that a web page gives to the heading at `start`; cited as `url#id`."""

    start: int
    id: str


@dataclass(frozen=True, slots=True)
class PageComment:
    """A comment on a page; `points` is None where nobody rates it."""

    author: str
    text: str
    points: int | None = None


@dataclass(frozen=True, slots=True)
class Discussion:
    """The comments on a page.

    Attributes:
        comments: the best rated first; of equals the first.
        shown: how many stand on the page.
        current_page: which page of the thread it is; None where nothing says so.
    """

    comments: tuple[PageComment, ...]
    shown: int
    current_page: int | None = None
    total_pages: int | None = None


@dataclass(frozen=True, slots=True)
class Extracted:
    """A file as canonical Markdown.

    Attributes:
        text: only line feeds end lines, no NUL, no unpaired surrogate; what is Markdown or plain
            text already is otherwise exactly as it was written, and so is a configuration, in a
            fence of its own.
        kind: what the file was read as.
        title: of its front matter or metadata, else its first heading; None when it has neither.
        pages: where each page read begins in `text`, in order; PDF only. One without text begins
            where the next one does, one that was cut off at the end.
        anchors: ids of headings, in order; HTML only.
        flags: what the owner should know, each a few plain words.
        discussion: of a page with comments; HTML only.
        is_form: whether it is next to nothing but a form to fill in; HTML only.
    """

    text: str
    kind: FileKind
    title: str | None = None
    pages: tuple[int, ...] = ()
    anchors: tuple[Anchor, ...] = ()
    flags: tuple[str, ...] = ()
    discussion: Discussion | None = None
    is_form: bool = False


@dataclass(frozen=True, slots=True)
class Refused:
    """Why a file was not read: one plain sentence for its owner, saying what to do."""

    reason: str
