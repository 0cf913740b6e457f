"""Tells by its style what a paragraph of a DOCX file is: heading, list item, code, contents.

Numbered paragraphs are counted, and labelled as Word shows them. Lists that share an abstract
numbering go on counting one from the other, until one of them states where it starts.

Source: ECMA-376 part 1, sections 17.7 (styles), 17.9 (numbering), 17.3.1.20 (outline level).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from docx.opc.constants import RELATIONSHIP_TYPE

from wellworn.engines.extraction.docx_elements import (
    PROPERTIES,
    child_of,
    children_of,
    tag,
    value_of,
)
from wellworn.engines.extraction.numbering import format_number

_HEADING: Final = re.compile(r"heading ([1-9])|title")
_CONTENTS: Final = re.compile(r"toc (?:[1-9]|heading)$|table of figures$")
_LISTED: Final = re.compile(r"list (bullet|number)(?: ([2-5]))?$")
_CODE: Final = re.compile(r"(?:html preformatted|.*\bcode\b.*|.*source text.*|macro text)$")
_MOST_BASES: Final = 20
_DEEPEST: Final = 9
_BODY_LEVEL: Final = 9
_NONE: Final = "0"
"""The numbering of what has none."""
_LISTING: Final = tag("numPr")


@dataclass(frozen=True, slots=True)
class _Style:
    """What a style, with those it is based on, makes of a paragraph.

    Attributes:
        heading: the level that its name tells, 1 for a title.
        listed: `bullet` or `number`, and how deep.
        numbering: id and depth; None where it says nothing of them.
        outline: the level counted from 0; None where it says nothing.
    """

    heading: int | None
    is_contents: bool
    is_code: bool
    listed: tuple[str, int] | None
    numbering: tuple[str, int] | None
    outline: int | None


class Styles:
    """The styles and numberings of one document; counts its list items as it goes.

    It is asked about a paragraph by its properties, None where it has none of its own.
    """

    def __init__(self, document: Any) -> None:
        self._styles: dict[str, Any] = {
            style.get(tag("styleId"), ""): style
            for style in children_of(document, RELATIONSHIP_TYPE.STYLES, "style")
        }
        self._numberings = Numberings(document)
        self._counts: Counter[int] = Counter()
        self._known: dict[str | None, _Style] = {}

    def heading_level(self, properties: Any) -> int | None:
        """Return the heading level, 1 for the title; None for any other paragraph."""
        style = self._style_of(properties)
        if style.heading is not None:
            return style.heading
        own = _read_outline(properties)
        level = style.outline if own is None else own
        return None if level is None or level >= _BODY_LEVEL else level + 1

    def is_contents(self, properties: Any) -> bool:
        """Tell whether it is a line of the table of contents."""
        return self._style_of(properties).is_contents

    def is_code(self, properties: Any) -> bool:
        return self._style_of(properties).is_code

    def list_entry(self, properties: Any) -> tuple[int, str] | None:
        """Return depth and label of a list item, such as `(1, "-")` or `(0, "3.")`.

        Each item is to be asked for once, in the order of the document.
        """
        style = self._style_of(properties)
        kind, named_depth = style.listed or ("", 0)
        number, depth = _read_numbering(properties) or style.numbering or (_NONE, 0)
        if number != _NONE:
            label = self._numberings.next_label(number, depth)
            return None if label is None else (max(depth, named_depth), label)
        if style.listed is None:
            return None
        return named_depth, "-" if kind == "bullet" else self._next_number(named_depth)

    def _next_number(self, depth: int) -> str:
        """Count an item of a style that has no numbering of its own."""
        self._counts[depth] += 1
        for deeper in range(depth + 1, _DEEPEST):
            self._counts.pop(deeper, None)
        return f"{self._counts[depth]}."

    def _style_of(self, properties: Any) -> _Style:
        wanted = value_of(properties, "pStyle")
        if wanted not in self._known:
            self._known[wanted] = _read_style(self.chain(wanted))
        return self._known[wanted]

    def chain(self, wanted: str | None) -> list[Any]:
        """Return a style by its id, and those it is based on."""
        chain: list[Any] = []
        while wanted in self._styles and len(chain) < _MOST_BASES:
            chain.append(self._styles[wanted])
            wanted = value_of(chain[-1], "basedOn")
        return chain


def _read_style(chain: Sequence[Any]) -> _Style:
    names = [(value_of(style, "name") or "").lower() for style in chain]
    headings = filter(None, map(_HEADING.fullmatch, names))
    listed = next(filter(None, map(_LISTED.match, names)), None)
    properties = [child_of(style, PROPERTIES) for style in chain]
    return _Style(
        next((int(heading[1] or 1) for heading in headings), None),
        bool(names and _CONTENTS.match(names[0])),
        any(map(_CODE.match, names)),
        (listed[1], int(listed[2] or 1) - 1) if listed else None,
        next(filter(None, map(_read_numbering, properties)), None),
        next((level for level in map(_read_outline, properties) if level is not None), None),
    )


def _read_numbering(properties: Any) -> tuple[str, int] | None:
    """Return id and depth of the numbering that a paragraph or style states; None without one."""
    listed = child_of(properties, _LISTING)
    number = value_of(listed, "numId")
    if number is None:
        return None
    depth = value_of(listed, "ilvl") or "0"
    return number, int(depth) if depth.isdecimal() and len(depth) == 1 else 0


def _read_outline(properties: Any) -> int | None:
    """Return the outline level that a paragraph or style states, from 0; None without one."""
    level = value_of(properties, "outlineLvl")
    return int(level) if level is not None and level.isdecimal() else None


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
