"""The numbers of a page's ordered lists, as a browser counts and writes them.

Source: HTML Living Standard, sections 4.4.5 (ol) and 4.4.8 (li).
"""

from __future__ import annotations

import re
from typing import Final

from selectolax.lexbor import LexborNode

from wellworn.engines.extraction.numbering import format_number

_NUMBER: Final = re.compile(r"\s*([-+]?\d{1,9})")
_STYLE: Final = re.compile(r"list-style(?:-type)?\s*:\s*([a-z-]{1,30})", re.IGNORECASE)
_SHAPES: Final = {
    "a": "lowerLetter",
    "A": "upperLetter",
    "i": "lowerRoman",
    "I": "upperRoman",
    "lower-alpha": "lowerLetter",
    "lower-latin": "lowerLetter",
    "upper-alpha": "upperLetter",
    "upper-latin": "upperLetter",
    "lower-roman": "lowerRoman",
    "upper-roman": "upperRoman",
}


class Numbers:
    """The numbers of one ordered list, asked for item by item."""

    def __init__(self, ordered: LexborNode) -> None:
        attributes = ordered.attributes
        self._step = -1 if "reversed" in attributes else 1
        start = _read_number(attributes.get("start"))
        if start is None:
            start = sum(each.tag == "li" for each in ordered.iter()) if self._step < 0 else 1
        self._next = start
        self._shape = _find_shape(ordered)

    def next_label(self, item: LexborNode) -> str:
        """Return the label of an item; its own value counts for those after it too."""
        value = _read_number(item.attributes.get("value"))
        number = self._next if value is None else value
        self._next = number + self._step
        return f"{format_number(number, _find_shape(item) or self._shape)}."


def _find_shape(element: LexborNode) -> str:
    attributes = element.attributes
    style = _STYLE.search(attributes.get("style") or "")
    named = style[1].lower() if style else attributes.get("type") or ""
    return _SHAPES.get(named, "")


def _read_number(written: str | None) -> int | None:
    number = _NUMBER.match(written or "")
    return int(number[1]) if number else None
