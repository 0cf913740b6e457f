"""The words of a DOCX file's elements: what is inserted, with links and the marks of its notes.

Words that are struck, raised or lowered are marked so. Deleted and hidden ones are left out, as are
words moved elsewhere and those in text boxes, which are blocks of their own. A note stands where
its mark is in Word; here it waits until its section ends, and its mark is that of Markdown.

Source: ECMA-376 part 1, sections 17.3.2 (run properties, 41: vanish), 17.7.2 (inheritance of
styles), 17.11 (notes), 17.13.5 (revisions), 17.16.5.25 (links as fields), 17.16.22 (hyperlinks).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import groupby
from typing import Any, Final, NamedTuple

from docx.opc.constants import RELATIONSHIP_TYPE
from docx.oxml import parse_xml

from wellworn.engines.extraction.docx_elements import PROPERTIES, child_of, tag, value_of
from wellworn.engines.extraction.docx_styles import Styles
from wellworn.engines.extraction.links import format_link, target
from wellworn.engines.extraction.raised import (
    LOOK_BACK,
    format_lowered,
    format_raised,
    format_struck,
)

_PARAGRAPH: Final = tag("p")
_ENDS: Final = {tag("tr"): ";", tag("tc"): ","}
_RUN: Final = tag("r")
_CELL: Final = tag("tc")
_TEXT: Final = tag("t")
_LINK: Final = tag("hyperlink")
_FIELD: Final = tag("fldSimple")
_FIELD_MARK: Final = tag("fldChar")
_INSTRUCTION: Final = tag("instrText")
_LINK_FIELD: Final = re.compile(r"\s*HYPERLINK\s+(?:\"([^\"]+)\"|([^\s\"\\]\S*))", re.IGNORECASE)
_CONTROL: Final = tag("sdt")
_PROMPTING: Final = f"{tag('sdtPr')}/{tag('showingPlcHdr')}"
_SYMBOL: Final = tag("sym")
RELATED: Final = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"
_WRITTEN: Final = {
    tag("tab"): "\t",
    tag("br"): "\n",
    tag("cr"): "\n",
    tag("ptab"): "\t",
    tag("noBreakHyphen"): "-",
}
_FIELDS: Final = (tag("checkBox"), tag("ddList"))
_OFF: Final = frozenset({"0", "false", "off"})
_MATH: Final = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
_MATH_TEXT: Final = f"{_MATH}t"
_MATH_MARKS: Final[dict[str, Callable[[str, str], str]]] = {
    f"{_MATH}sup": format_raised,
    f"{_MATH}sub": format_lowered,
    f"{_MATH}num": lambda words, before: f"{' ' * before[-1:].isalnum()}({words})",
    f"{_MATH}den": lambda words, _: f"/({words})",
    f"{_MATH}deg": lambda words, _: words and f"({words})",
    f"{_MATH}rad": lambda words, _: f"\u221a({words})",
}
# Signs of the fonts Symbol and Wingdings, which Word keeps as numbers.
_SYMBOLS: Final = dict(
    zip(
        (0x44, 0x57, 0x61, 0x62, 0x67, 0x6D, 0x70, 0xA3, 0xA5, 0xAE, 0xB0, 0xB1, 0xB3, 0xB4, 0xB8),
        "\u0394\u03a9\u03b1\u03b2\u03b3\u03bc\u03c0\u2264\u221e\u2192\u00b0\u00b1\u2265\u00d7\u00f7",
        strict=True,
    )
) | {0xB9: "\u2260", 0xBB: "\u2248"}
_DINGS: Final = {0x78: "[x]", 0xFD: "[x]", 0xFE: "[x]", 0x6F: "[ ]", 0xA8: "[ ]"}
_UNREAD: Final = {
    tag("del"),
    tag("moveFrom"),
    tag("txbxContent"),
    tag("pPr"),
    tag("rPr"),
    tag("rt"),
    tag("sdtPr"),
    "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback",
}
_NOTES: Final = (
    (tag("footnoteReference"), RELATIONSHIP_TYPE.FOOTNOTES),
    (tag("endnoteReference"), RELATIONSHIP_TYPE.ENDNOTES),
)
_REFERENCES: Final = frozenset(reference for reference, _ in _NOTES)

_MARK: Final = re.compile(r"\[\^\d{1,9}\]")

_LOOKED_BACK: Final = 3
_Related = Mapping[str, Any]
_Key = tuple[str, str | None]


class _End(NamedTuple):
    """The end of something that began at a piece of the text, and what it does to the words."""

    start: int
    write: Callable[[str, str], str]

    def close(self, pieces: list[Piece]) -> None:
        inside = write_runs(pieces[self.start :])
        before = write_runs(pieces[max(0, self.start - _LOOKED_BACK) : self.start])
        pieces[self.start :] = [(self.write(inside, before), PLAIN)]


@dataclass(slots=True)
class _Field:
    """A field that is open: what it does, and the piece of the text at which its result begins."""

    instruction: str = ""
    start: int | None = None


_LONGEST_INSTRUCTION: Final = 4_096
"""Characters of what a field does that are read; an address is shorter."""


class _LinkFields:
    """The fields of an element that are links: marks in its runs begin and end them."""

    def __init__(self) -> None:
        self._open: list[_Field] = []

    def take(self, part: Any, pieces: list[Piece]) -> None:
        """Follow a part of a field; the words of a link become one where it ends."""
        kind = part.get(tag("fldCharType")) if part.tag == _FIELD_MARK else None
        if kind == "begin":
            self._open.append(_Field())
        elif self._open and part.tag == _INSTRUCTION:
            instruction = self._open[-1].instruction
            if len(instruction) < _LONGEST_INSTRUCTION:
                self._open[-1].instruction = instruction + (part.text or "")
        elif self._open and kind == "separate":
            self._open[-1].start = len(pieces)
        elif self._open and kind == "end":
            field = self._open.pop()
            leads = _find_target(field.instruction)
            if leads and field.start is not None:
                _End(field.start, _link_to(leads)).close(pieces)


class Words:
    """Reads the words of one document; its notes are numbered in the order they are met.

    Attributes:
        read: how many paragraphs and cells were read.
    """

    def __init__(self, document: Any, styles: Styles) -> None:
        self.read = 0
        self._related: _Related = document.part.rels
        self._styles = styles
        self._runs = Runs(styles)
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
        """Return the words in an element; items of a list in a cell have their numbers."""
        self.read += 1
        return self._of(element, self._related, notes=True)

    def of_heading(self, paragraph: Any) -> str:
        """Return the words of a heading; the mark of a note is no part of a title."""
        self.read += 1
        return _MARK.sub("", self._of(paragraph, {}, notes=True))

    def of_margin(self, block: Any, related: _Related) -> str:
        """Return the words of a block of a header or footer, whose links are those of its part."""
        self.read += 1
        return " ".join(self._of(block, related, notes=False).split())

    def notes(self) -> list[str]:
        """Return the notes whose marks were met since the last call, as Markdown writes them."""
        waiting, self._waiting = self._waiting, []
        return waiting

    def _of(self, element: Any, related: _Related, *, notes: bool) -> str:
        pieces: list[Piece] = []
        waiting: list[Any] = [element]
        setting, was_item = PLAIN, False
        fields = _LinkFields()
        while waiting:
            part = waiting.pop()
            if isinstance(part, _End):
                part.close(pieces)
            elif isinstance(part, RunSetting):
                setting = part
            elif (text := self._read_leaf(part, notes=notes)) is not None:
                pieces.append((text, setting))
            elif part.tag == _RUN:
                waiting.append(setting)
                setting = self._runs.set(part)
                waiting.extend(() if setting.is_hidden else reversed(part))
            elif part.tag not in _UNREAD and not _is_placeholder(part):
                fields.take(part, pieces)
                if notes and part.tag == _PARAGRAPH and part is not element:
                    is_of_cell = element.tag == _CELL and part.getparent() is element
                    line = "\n" if is_of_cell else " "
                    between, was_item = self._begin_paragraph(part, line, was_item=was_item)
                    between = between if pieces else between.lstrip("; \n")
                else:
                    between = _part_cells(part, element) if pieces else ""
                pieces += [(between, PLAIN)] if between else []
                write = _find_mark(part, related)
                waiting += [_End(len(pieces), write)] if write else []
                waiting.extend(reversed(part))
        return write_runs(pieces)

    def _begin_paragraph(self, paragraph: Any, line: str, *, was_item: bool) -> tuple[str, bool]:
        """Return what stands before a paragraph in a cell, and whether it is an item of a list."""
        entry = self._styles.list_entry(child_of(paragraph, PROPERTIES))
        label = "" if entry is None or entry[1] == "-" else f"{entry[1]} "
        return f"{'; ' if was_item and entry else line}{label}", entry is not None

    def _read_leaf(self, part: Any, *, notes: bool) -> str | None:
        """Return the words of an element without others in it; None for any other element."""
        if part.tag in {_TEXT, _MATH_TEXT}:
            return part.text or ""
        if part.tag in _WRITTEN:
            return _WRITTEN[part.tag]
        if part.tag in _REFERENCES:
            return self._mark(part) if notes else ""
        if part.tag in _FIELDS:
            return _read_field(part)
        return _read_symbol(part) if part.tag == _SYMBOL else None

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


def _part_cells(part: Any, around: Any) -> str:
    """Return what stands before a paragraph, or before a row or cell of a table within a cell."""
    before = part.getprevious() if part is not around else None
    is_next = before is not None and before.tag == part.tag
    return (" " if part.tag == _PARAGRAPH else "") or (_ENDS.get(part.tag, "") if is_next else "")


def _is_placeholder(element: Any) -> bool:
    """Tell whether a content control shows its prompt, because nobody filled it in."""
    return element.tag == _CONTROL and element.find(_PROMPTING) is not None


def _find_mark(element: Any, related: _Related) -> Callable[[str, str], str] | None:
    """Return what an element does to its words: a link out of the document, part of a formula."""
    if element.tag in _MATH_MARKS:
        return _MATH_MARKS[element.tag]
    if element.tag == _FIELD:
        leads = _find_target(element.get(tag("instr"), ""))
    else:
        to = related.get(element.get(RELATED, "")) if element.tag == _LINK else None
        leads = target(to.target_ref) if to is not None and to.is_external else None
    return _link_to(leads) if leads else None


def _find_target(instruction: str) -> str | None:
    """Return where a field leads out of the document; None for any other field."""
    link = _LINK_FIELD.match(instruction)
    return target(link[1] or link[2]) if link else None


def _link_to(leads: str) -> Callable[[str, str], str]:
    return lambda words, _: format_link(words, leads)


def _read_field(field: Any) -> str:
    """Return what is chosen in a field of a form: `[x]`, `[ ]`, an entry of its list."""
    if field.tag == tag("checkBox"):
        checked = _find_state(field, "checked")
        return "[x]" if checked is not None and checked.get(tag("val")) not in _OFF else "[ ]"
    entries = [each.get(tag("val"), "") for each in field.iterchildren(tag("listEntry"))]
    chosen = _find_state(field, "result")
    at = chosen.get(tag("val"), "") if chosen is not None else "0"
    return entries[int(at)] if at.isdecimal() and int(at) < len(entries) else ""


def _find_state(field: Any, name: str) -> Any:
    """Return the state of a field: what it was set to, or else what it begins with."""
    state = field.find(tag(name))
    return field.find(tag("default")) if state is None else state


def _read_symbol(symbol: Any) -> str:
    """Return a sign that is stored as its number in a font; U+FFFD where that is not known."""
    font = symbol.get(tag("font"), "").lower()
    code = int(symbol.get(tag("char"), "0"), 16) & 0xFF
    if "dings" in font:
        return _DINGS.get(code, "")
    return _SYMBOLS.get(code, "\ufffd") if font == "symbol" else "\ufffd"


_PROPERTIES: Final = tag("rPr")
_STRIKES: Final = (tag("strike"), tag("dstrike"))
_LEVELS: Final = {"superscript": 1, "subscript": -1}


class RunSetting(NamedTuple):
    """The setting of a run's words."""

    is_struck: bool = False
    level: int = 0
    """1 is raised, -1 lowered."""
    is_hidden: bool = False


PLAIN: Final = RunSetting()
Piece = tuple[str, RunSetting]


class Runs:
    """The settings of the runs of one document, their styles included."""

    def __init__(self, styles: Styles) -> None:
        self._styles = styles
        self._known: dict[tuple[str | None, str | None], RunSetting] = {}

    def set(self, run: Any) -> RunSetting:
        """Return how the words of a run are set."""
        own = child_of(run, _PROPERTIES)
        paragraph = next(run.iterancestors(_PARAGRAPH), None)
        around = value_of(child_of(paragraph, PROPERTIES), "pStyle")
        inherited = self._find_inherited(value_of(own, "rStyle"), around)
        return inherited if own is None else _override(inherited, own)

    def _find_inherited(self, character: str | None, around: str | None) -> RunSetting:
        if (character, around) not in self._known:
            made = PLAIN
            for style in (*self._bases(around), *self._bases(character)):
                own = child_of(style, _PROPERTIES)
                made = made if own is None else _override(made, own)
            self._known[character, around] = made
        return self._known[character, around]

    def _bases(self, style: str | None) -> Iterator[Any]:
        return reversed(self._styles.chain(style or None))


def write_runs(pieces: Sequence[Piece]) -> str:
    """Return the words of runs, with the marks of what is struck, raised and lowered."""
    if all(setting == PLAIN for _, setting in pieces):
        return "".join(text for text, _ in pieces)
    text = ""
    for is_struck, group in groupby(pieces, key=lambda piece: piece[1].is_struck):
        words = _write_levels(list(group), text)
        text += format_struck(words) if is_struck else words
    return text


def _write_levels(pieces: Sequence[Piece], before: str) -> str:
    groups = [
        ("".join(text for text, _ in group), level)
        for level, group in groupby(pieces, key=lambda piece: piece[1].level)
    ]
    follows = [*(text for text, _ in groups[1:]), ""]
    written = ""
    for (text, level), after in zip(groups, follows, strict=True):
        stem = (before[-LOOK_BACK:] + written)[-LOOK_BACK:]
        if level > 0:
            written += format_raised(text, stem, after=after)
        elif level < 0:
            written += format_lowered(text, stem, after=after)
        else:
            written += text
    return written


def _override(inherited: RunSetting, own: Any) -> RunSetting:
    """Return a setting with what properties themselves say."""
    strikes = [_is_on(each) for each in own.iterchildren(*_STRIKES)]
    hidden = own.find(tag("vanish"))
    align = own.find(tag("vertAlign"))
    return RunSetting(
        any(strikes) if strikes else inherited.is_struck,
        _LEVELS.get(align.get(tag("val")), 0) if align is not None else inherited.level,
        _is_on(hidden) if hidden is not None else inherited.is_hidden,
    )


def _is_on(toggle: Any) -> bool:
    return toggle.get(tag("val")) not in _OFF
