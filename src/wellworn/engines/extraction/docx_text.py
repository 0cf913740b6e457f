"""The words of a DOCX file's elements: what is inserted, with links and the marks of its notes.

Deleted and hidden words are left out, as are words moved elsewhere and those in text boxes, which
are blocks of their own. A note stands where its mark is in Word; here it is kept until its section
ends, and its mark is that of Markdown.

Source: ECMA-376 part 1, sections 17.3.2.41 (vanish), 17.11 (notes), 17.13.5 (revisions),
17.16.22 (hyperlinks).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, Final, NamedTuple

from docx.opc.constants import RELATIONSHIP_TYPE
from docx.oxml import parse_xml

from wellworn.engines.extraction.docx_styles import tag
from wellworn.engines.extraction.links import format_link, target

_PARAGRAPH: Final = tag("p")
_RUN: Final = tag("r")
_TEXT: Final = tag("t")
_LINK: Final = tag("hyperlink")
_HIDDEN: Final = f"{tag('rPr')}/{tag('vanish')}"
_OFF: Final = frozenset({"0", "false", "off"})
_RELATED: Final = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"
_WRITTEN: Final = {
    tag("tab"): "\t",
    tag("br"): "\n",
    tag("cr"): "\n",
    tag("noBreakHyphen"): "-",
}
_UNREAD: Final = {
    tag("del"),
    tag("moveFrom"),
    tag("txbxContent"),
    tag("pPr"),
    tag("rPr"),
    "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback",
}
_NOTES: Final = (
    (tag("footnoteReference"), RELATIONSHIP_TYPE.FOOTNOTES),
    (tag("endnoteReference"), RELATIONSHIP_TYPE.ENDNOTES),
)
_REFERENCES: Final = frozenset(reference for reference, _ in _NOTES)

_MARK: Final = re.compile(r"\[\^\d{1,9}\]")

_Related = Mapping[str, Any]
_Key = tuple[str, str | None]


class _LinkEnd(NamedTuple):
    """The end of a link that began at a piece of the text, and where it leads."""

    start: int
    to: str


class Words:
    """Reads the words of one document; its notes are numbered in the order they are met."""

    def __init__(self, document: Any) -> None:
        self._related: _Related = document.part.rels
        self._notes: dict[_Key, str] = {}
        for reference, relationship in _NOTES:
            with suppress(KeyError):
                part = document.part.part_related_by(relationship)
                notes: Any = parse_xml(part.blob)
                for note in notes:
                    text = " ".join(self._of(note, part.rels, notes=False).split())
                    self._notes[reference, note.get(tag("id"))] = text
        self._numbers: dict[_Key, int] = {}
        self._waiting: list[str] = []

    def of(self, element: Any) -> str:
        """Return the words in an element; paragraphs of a cell are parted by a blank."""
        return self._of(element, self._related, notes=True)

    def of_heading(self, paragraph: Any) -> str:
        """Return the words of a heading; the mark of a note is no part of a title."""
        return _MARK.sub("", self._of(paragraph, {}, notes=True))

    def notes(self) -> list[str]:
        """Return the notes whose marks were met since the last call, as Markdown writes them."""
        waiting, self._waiting = self._waiting, []
        return waiting

    def _of(self, element: Any, related: _Related, *, notes: bool) -> str:
        pieces: list[str] = []
        waiting: list[Any] = [element]
        while waiting:
            part = waiting.pop()
            if isinstance(part, _LinkEnd):
                pieces[part.start :] = [format_link("".join(pieces[part.start :]), part.to)]
            elif part.tag == _TEXT:
                pieces.append(part.text or "")
            elif part.tag in _WRITTEN:
                pieces.append(_WRITTEN[part.tag])
            elif part.tag in _REFERENCES:
                pieces.append(self._mark(part) if notes else "")
            elif part.tag not in _UNREAD and not _is_hidden(part):
                pieces.append(" " if part.tag == _PARAGRAPH and pieces else "")
                if to := _target(part, related):
                    waiting.append(_LinkEnd(len(pieces), to))
                waiting.extend(reversed(part))
        return "".join(pieces)

    def _mark(self, reference: Any) -> str:
        """Return the mark of a note, which then waits to be written; none for an empty one."""
        key = reference.tag, reference.get(tag("id"))
        text = self._notes.get(key)
        if not text:
            return ""
        if key not in self._numbers:
            self._numbers[key] = len(self._numbers) + 1
            self._waiting.append(f"[^{self._numbers[key]}]: {text}")
        return f"[^{self._numbers[key]}]"


def _is_hidden(element: Any) -> bool:
    if element.tag != _RUN:
        return False
    hidden = element.find(_HIDDEN)
    return hidden is not None and hidden.get(tag("val")) not in _OFF


def _target(element: Any, related: _Related) -> str | None:
    """Return where an element that is a link leads to outside of the document."""
    if element.tag != _LINK:
        return None
    to = related.get(element.get(_RELATED, ""))
    return target(to.target_ref) if to is not None and to.is_external else None
