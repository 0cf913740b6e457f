"""What the elements of a page are to its text: blocks, headings, furniture."""

from __future__ import annotations

import re
from typing import Final

from wellworn.kit.words import load_words

HEADINGS: Final = {f"h{level}": level for level in range(1, 7)}
DROPPED: Final = frozenset(load_words(__name__, "dropped_elements"))
BLOCKS: Final = frozenset(HEADINGS) | frozenset(load_words(__name__, "block_elements"))
# Furniture of the site, but part of the text inside of <main> and <article>.
OUTSIDE_ONLY: Final = frozenset({"header", "aside"})
TAG: Final = re.compile(r"</?([a-zA-Z][a-zA-Z0-9]*)(?=[\s/>])")
"""The beginning of a tag, with the name of its element."""
_INLINE: Final = frozenset(load_words(__name__, "inline_elements"))
_ELEMENTS: Final = BLOCKS | DROPPED | _INLINE


def is_element(name: str) -> bool:
    """Tell whether a tag is of HTML, and not a component of a program: those mix their letters."""
    is_plain = name.islower() or name.isupper()
    return is_plain and name.lower() in _ELEMENTS


def has_html(text: str) -> bool:
    """Tell whether a text may hold tags of HTML."""
    return any(is_element(tag[1]) for tag in TAG.finditer(text))
