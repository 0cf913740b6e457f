"""Tells by its style what a paragraph of a DOCX file is: heading, list item, code, contents.

Source: ECMA-376 part 1, sections 17.7 (styles), 17.9 (numbering), 17.3.1.20 (outline level).
"""

from __future__ import annotations

import re
from collections import Counter
from typing import Any, Final

from docx.opc.constants import RELATIONSHIP_TYPE

from wellworn.engines.extraction.docx_elements import children_of, tag, value_of
from wellworn.engines.extraction.docx_numbering import Numberings

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
