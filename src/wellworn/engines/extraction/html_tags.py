"""What the elements of a page are to its text: blocks, headings, furniture."""

from __future__ import annotations

from typing import Final

from wellworn.kit.words import load_words

HEADINGS: Final = {f"h{level}": level for level in range(1, 7)}
DROPPED: Final = frozenset(load_words(__name__, "dropped_elements"))
BLOCKS: Final = frozenset(HEADINGS) | frozenset(load_words(__name__, "block_elements"))
# Furniture of the site, but part of the text inside of <main> and <article>.
OUTSIDE_ONLY: Final = frozenset({"header", "aside"})
