"""The products that people speak of on a page, by the names that they write. Pure.

A name is several words or one compound with capitals or digits, that once at least stands where
a thing stands that is used or bought: "my Flipper Max", "try the Mag-Float". Names of people and of
places rarely do.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from wellworn.kit.words import load_phrases

_PART: Final = r"[A-Z][\w'\u2019]*(?:-[A-Z\d][\w'\u2019]*)*"
_NUMBERED: Final = rf"(?:{_PART}|\d+[A-Z]?\b|[A-Z]*\d[\w-]*)"
_PRODUCT: Final = re.compile(
    rf"\b(?:{load_phrases(__name__, 'before_products')})[ \t]+"
    rf"(?-i:(?P<name>{_PART}(?:[ \t]{_NUMBERED})+|[A-Z]\w*-[A-Z\d][\w-]*))",
    re.IGNORECASE,
)
_POSSESSIVE: Final = re.compile(r"['\u2019]s\Z")
_MOST_PRODUCTS: Final = 20


class MentionedProduct(NamedTuple):
    """A product, and how often its name stands on the page."""

    name: str
    mentions: int


def find_products(text: str) -> list[MentionedProduct]:
    """Return the products that a text speaks of, those named most often first."""
    names = dict.fromkeys(
        _POSSESSIVE.sub("", match["name"])
        for line in text.split("\n")
        if not line.lstrip().startswith(("#", "|"))
        for match in _PRODUCT.finditer(line)
    )
    products = [MentionedProduct(name, _count(name, text)) for name in names]
    return sorted(products, key=lambda each: -each.mentions)[:_MOST_PRODUCTS]


def _count(name: str, text: str) -> int:
    return len(re.findall(rf"(?<!\w){re.escape(name)}(?!\w)", text))
