"""Tells by its style what a paragraph of a DOCX file is: heading, list item, code, contents.

Source: ECMA-376 part 1, sections 17.7 (styles), 17.9 (numbering), 17.3.1.20 (outline level).
"""

from __future__ import annotations

import re
from collections import Counter
from typing import Any, Final

from docx.opc.constants import RELATIONSHIP_TYPE

_NAMESPACE: Final = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_HEADING: Final = re.compile(r"heading ([1-9])$")
_CONTENTS: Final = re.compile(r"toc (?:[1-9]|heading)$|table of figures$")
_LISTED: Final = re.compile(r"list (bullet|number)(?: ([2-5]))?$")
_CODE: Final = re.compile(r"(?:html preformatted|.*\bcode\b.*|.*source text.*|macro text)$")
_MOST_BASES: Final = 20
_DEEPEST: Final = 9
_BODY_LEVEL: Final = 9


def tag(name: str) -> str:
    """Return the full name of an element or attribute of a Word document."""
    return _NAMESPACE + name


class Styles:
    """The styles and numberings of one document; counts its list items as it goes."""

    def __init__(self, document: Any) -> None:
        self._styles: dict[str, Any] = {
            style.get(tag("styleId"), ""): style
            for style in _children(document, RELATIONSHIP_TYPE.STYLES, "style")
        }
        self._formats = _formats(document)
        self._counts: Counter[tuple[str, int]] = Counter()
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
        """Return depth and mark of a list item, such as `(1, "-")` or `(0, "3.")`."""
        listed = next(filter(None, map(_LISTED.match, self._all_names(paragraph))), None)
        named_depth = int(listed[2] or 1) - 1 if listed else 0
        number, depth = self._numbering(paragraph)
        if number is not None:
            shape = self._formats.get((number, depth), "bullet")
            if shape == "none":
                return None
            mark = "-" if shape == "bullet" else self._next_number(number, depth)
            return max(depth, named_depth), mark
        if listed is None:
            return None
        mark = "-" if listed[1] == "bullet" else self._next_number(listed[0], named_depth)
        return named_depth, mark

    def _next_number(self, number: str, depth: int) -> str:
        self._counts[number, depth] += 1
        for deeper in range(depth + 1, _DEEPEST):
            self._counts.pop((number, deeper), None)
        return f"{self._counts[number, depth]}."

    def _numbering(self, paragraph: Any) -> tuple[str | None, int]:
        """Return id and depth of the numbering of a paragraph or its style."""
        for owner in (paragraph, *self._chain(paragraph)):
            listed = owner.find(f"{tag('pPr')}/{tag('numPr')}")
            number = _value(listed, "numId")
            if number is not None:
                depth = _value(listed, "ilvl") or "0"
                level = int(depth) if depth.isdecimal() and len(depth) == 1 else 0
                return (None, 0) if number == "0" else (number, level)
        return None, 0

    def _outline_level(self, paragraph: Any) -> int | None:
        for owner in (paragraph, *self._chain(paragraph)):
            level = _value(owner.find(tag("pPr")), "outlineLvl")
            if level is not None and level.isdecimal():
                return int(level) + 1 if int(level) < _BODY_LEVEL else None
        return None

    def _all_names(self, paragraph: Any) -> list[str]:
        """Return the names of a paragraph's style and of those it is based on, in lower case."""
        wanted = _value(paragraph.find(tag("pPr")), "pStyle") or ""
        if wanted not in self._names:
            chain = self._chain(paragraph)
            self._names[wanted] = [(_value(style, "name") or "").lower() for style in chain]
        return self._names[wanted]

    def _chain(self, paragraph: Any) -> list[Any]:
        wanted = _value(paragraph.find(tag("pPr")), "pStyle")
        chain: list[Any] = []
        while wanted in self._styles and len(chain) < _MOST_BASES:
            chain.append(self._styles[wanted])
            wanted = _value(chain[-1], "basedOn")
        return chain


def _value(owner: Any, name: str) -> str | None:
    child = owner.find(tag(name)) if owner is not None else None
    return child.get(tag("val")) if child is not None else None


def _formats(document: Any) -> dict[tuple[str, int], str]:
    """Return the number format of each depth of each numbering, such as `bullet` or `decimal`."""
    kind = RELATIONSHIP_TYPE.NUMBERING
    shapes = {
        shape.get(tag("abstractNumId")): shape for shape in _children(document, kind, "abstractNum")
    }
    formats: dict[tuple[str, int], str] = {}
    for number in _children(document, kind, "num"):
        shape = shapes.get(_value(number, "abstractNumId"))
        for depth, level in enumerate(shape.iterchildren(tag("lvl")) if shape is not None else ()):
            formats[number.get(tag("numId")), depth] = _value(level, "numFmt") or "decimal"
    return formats


def _children(document: Any, relationship: str, name: str) -> list[Any]:
    """Return elements of a part beside the document; none when the file has no such part."""
    try:
        part = document.part.part_related_by(relationship)
    except KeyError:
        return []
    return [*part.element.iterchildren(tag(name))]
