"""Tells by its style what a paragraph of a DOCX file is: heading, list item, code, contents.

Numbered paragraphs are counted, and labelled as Word shows them. Lists that share an abstract
numbering go on counting one from the other, until one of them states where it starts.

Source: ECMA-376 part 1, sections 17.7 (styles), 17.9 (numbering), 17.3.1.20 (outline level).
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from typing import Any, Final

from docx.opc.constants import RELATIONSHIP_TYPE

from wellworn.engines.extraction.docx_elements import children_of, tag, value_of
from wellworn.engines.extraction.numbering import format_number

_HEADING: Final = re.compile(r"heading ([1-9])$")
_CONTENTS: Final = re.compile(r"toc (?:[1-9]|heading)$|table of figures$")
_LISTED: Final = re.compile(r"list (bullet|number)(?: ([2-5]))?$")
_CODE: Final = re.compile(r"(?:html preformatted|.*\bcode\b.*|.*source text.*|macro text)$")
_MOST_BASES: Final = 20
_DEEPEST: Final = 9
_BODY_LEVEL: Final = 9


class Styles:
    """The styles and numberings of one document; counts its list items as it goes."""

    def __init__(self, document: Any) -> None:
        self._styles: dict[str, Any] = {
            style.get(tag("styleId"), ""): style
            for style in children_of(document, RELATIONSHIP_TYPE.STYLES, "style")
        }
        self._numberings = Numberings(document)
        self._counts: Counter[int] = Counter()
        self._names: dict[str, list[str]] = {}

    def heading_level(self, paragraph: Any) -> int | None:
        """Return the heading level, 1 for the title; None for any other paragraph."""
        for name in self._all_names(paragraph):
            if heading := _HEADING.match(name):
                return int(heading[1])
            if name == "title":
                return 1
        return self._outline_level(paragraph)

    def is_contents(self, paragraph: Any) -> bool:
        """Tell whether it is a line of the table of contents."""
        return any(_CONTENTS.match(name) for name in self._all_names(paragraph)[:1])

    def is_code(self, paragraph: Any) -> bool:
        return any(_CODE.match(name) for name in self._all_names(paragraph))

    def list_entry(self, paragraph: Any) -> tuple[int, str] | None:
        """Return depth and label of a list item, such as `(1, "-")` or `(0, "3.")`.

        Each item is to be asked for once, in the order of the document.
        """
        listed = next(filter(None, map(_LISTED.match, self._all_names(paragraph))), None)
        named_depth = int(listed[2] or 1) - 1 if listed else 0
        number, depth = self._numbering(paragraph)
        if number is not None:
            label = self._numberings.next_label(number, depth)
            return None if label is None else (max(depth, named_depth), label)
        if listed is None:
            return None
        return named_depth, "-" if listed[1] == "bullet" else self._next_number(named_depth)

    def _next_number(self, depth: int) -> str:
        """Count an item of a style that has no numbering of its own."""
        self._counts[depth] += 1
        for deeper in range(depth + 1, _DEEPEST):
            self._counts.pop(deeper, None)
        return f"{self._counts[depth]}."

    def _numbering(self, paragraph: Any) -> tuple[str | None, int]:
        """Return id and depth of the numbering of a paragraph or its style."""
        for owner in (paragraph, *self._styles_of(paragraph)):
            listed = owner.find(f"{tag('pPr')}/{tag('numPr')}")
            number = value_of(listed, "numId")
            if number is not None:
                depth = value_of(listed, "ilvl") or "0"
                level = int(depth) if depth.isdecimal() and len(depth) == 1 else 0
                return (None, 0) if number == "0" else (number, level)
        return None, 0

    def _outline_level(self, paragraph: Any) -> int | None:
        for owner in (paragraph, *self._styles_of(paragraph)):
            level = value_of(owner.find(tag("pPr")), "outlineLvl")
            if level is not None and level.isdecimal():
                return int(level) + 1 if int(level) < _BODY_LEVEL else None
        return None

    def _all_names(self, paragraph: Any) -> list[str]:
        """Return the names of a paragraph's style and of those it is based on, in lower case."""
        wanted = value_of(paragraph.find(tag("pPr")), "pStyle") or ""
        if wanted not in self._names:
            chain = self._styles_of(paragraph)
            self._names[wanted] = [(value_of(style, "name") or "").lower() for style in chain]
        return self._names[wanted]

    def _styles_of(self, paragraph: Any) -> list[Any]:
        return self.chain(value_of(paragraph.find(tag("pPr")), "pStyle"))

    def chain(self, wanted: str | None) -> list[Any]:
        """Return a style by its id, and those it is based on."""
        chain: list[Any] = []
        while wanted in self._styles and len(chain) < _MOST_BASES:
            chain.append(self._styles[wanted])
            wanted = value_of(chain[-1], "basedOn")
        return chain


_DEPTHS: Final = 9
_PLACE: Final = re.compile(r"%([1-9])")
_NUMBER: Final = re.compile(r"\d{1,9}")


@dataclass(frozen=True, slots=True)
class _Level:
    """The numbering of one depth."""

    shape: str = "decimal"
    text: str | None = None
    start: int = 1
    restarts_after: int | None = None
    is_legal: bool = False


@dataclass(slots=True)
class _List:
    """A numbering in use: its levels, its starts of its own, and the counts it shares."""

    levels: dict[int, _Level]
    counts: dict[int, int]
    starts: dict[int, int] = field(default_factory=dict[int, int])
    pending: set[int] = field(default_factory=set[int])


class Numberings:
    """The numberings of one document, counted as its paragraphs are met."""

    def __init__(self, document: Any) -> None:
        kind = RELATIONSHIP_TYPE.NUMBERING
        shapes = {
            each.get(tag("abstractNumId")): each
            for each in children_of(document, kind, "abstractNum")
        }
        counts: dict[str | None, dict[int, int]] = {}
        self._lists: dict[str, _List] = {}
        for number in children_of(document, kind, "num"):
            shape = value_of(number, "abstractNumId")
            own = _List(_read_levels(shapes.get(shape)), counts.setdefault(shape, {}))
            for override in number.iterchildren(tag("lvlOverride")):
                _read_override(override, own)
            self._lists[number.get(tag("numId"), "")] = own

    def next_label(self, number: str, depth: int) -> str | None:
        """Count a paragraph; return its label, `-` for a bullet, None where nothing is shown."""
        numbering = self._lists.get(number)
        if numbering is None:
            return "-"
        level = numbering.levels.get(depth, _Level("bullet"))
        if level.shape == "none":
            return None
        counts = numbering.counts
        if depth in numbering.pending:
            numbering.pending.discard(depth)
            counts[depth] = numbering.starts[depth]
        else:
            counts[depth] = counts.get(depth, _start(numbering, depth) - 1) + 1
        for deeper in range(depth + 1, _DEPTHS):
            after = numbering.levels.get(deeper, _Level()).restarts_after
            if after is None or depth < after:
                counts.pop(deeper, None)
        return "-" if level.shape == "bullet" else _write(numbering, level, depth)


def _write(numbering: _List, level: _Level, depth: int) -> str:
    def place(match: re.Match[str]) -> str:
        at = int(match[1]) - 1
        shape = numbering.levels.get(at, _Level()).shape
        number = numbering.counts.get(at, _start(numbering, at))
        return format_number(number, "decimal" if level.is_legal else shape)

    text = f"%{depth + 1}." if level.text is None else level.text
    return _PLACE.sub(place, text).strip() or "-"


def _start(numbering: _List, depth: int) -> int:
    return numbering.starts.get(depth, numbering.levels.get(depth, _Level()).start)


def _read_levels(shape: Any) -> dict[int, _Level]:
    levels = shape.iterchildren(tag("lvl")) if shape is not None else ()
    return {
        int(level.get(tag("ilvl"), at)): _read_level(level)
        for at, level in enumerate(levels)
        if level.get(tag("ilvl"), "0").isdecimal()
    }


def _read_level(level: Any) -> _Level:
    restart = value_of(level, "lvlRestart")
    legal = level.find(tag("isLgl"))
    return _Level(
        value_of(level, "numFmt") or "decimal",
        value_of(level, "lvlText"),
        _read_number(value_of(level, "start"), missing=1),
        int(restart) if restart and restart.isdecimal() else None,
        legal is not None and legal.get(tag("val")) not in {"0", "false", "off"},
    )


def _read_override(override: Any, own: _List) -> None:
    depth = _read_number(override.get(tag("ilvl")))
    own_level = override.find(tag("lvl"))
    if own_level is not None:
        own.levels = own.levels | {depth: _read_level(own_level)}
    start = value_of(override, "startOverride")
    if start is not None:
        own.starts[depth] = _read_number(start)
        own.pending.add(depth)


def _read_number(written: str | None, *, missing: int = 0) -> int:
    return int(written) if written and _NUMBER.fullmatch(written) else missing
