"""Reads products in a text, what they cost, and whether they are in stock. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, NamedTuple

from wellworn.kit.words import load_phrases

_PRICE: Final = re.compile(
    r"(?:[$€£]\s?\d++(?:,\d++)*+(?:\.\d{2})?"
    r"|\b(?<!\d,)\d++(?:,\d++)*+(?:\.\d{2})?\s?(?:EUR|USD|GBP)\b)"
)
_PRICE_RANGE: Final = re.compile(rf"{_PRICE.pattern}(?:\s?[-\u2013]\s?{_PRICE.pattern})?")
_STOCK: Final = re.compile(
    r"\b(in stock|out of stock|sold out|unavailable|available now)\b", re.IGNORECASE
)
_CURRENCY: Final = re.compile(r"[$€£]|[A-Z]{3}")
_CODES: Final = {"€": "EUR", "£": "GBP"}
"""Of the signs that mean one currency; a dollar sign is left as it is, for there are many."""


@dataclass(frozen=True, slots=True)
class ProductListing:
    """Something that was offered, and the number of the source that offers it."""

    product: str
    price: str
    stock: str
    source: int

    @property
    def line(self) -> str:
        return " | ".join(filter(None, (self.product, self.price, self.stock)))

    @property
    def currency(self) -> str:
        """The currency as a code where the price says which, else its sign."""
        match = _CURRENCY.search(self.price)
        return _CODES.get(match[0], match[0]) if match else ""


def read_listings(text: str) -> list[ProductListing]:
    """Return what a text offers by the lines that research cites: `- product | price | stock`."""
    rows = [line[2:].split(" | ") for line in text.split("\n") if line.startswith("- ")]
    offers = [[*row, "", ""] for row in rows if len(row) in {2, 3} and find_price(row[1])]
    return [ProductListing(product, price, stock, 0) for product, price, stock, *_ in offers]


def find_price(text: str) -> re.Match[str] | None:
    """Return the first price, or range of prices, of a text."""
    return _PRICE_RANGE.search(text)


def find_stock(text: str) -> re.Match[str] | None:
    """Return where a text says first whether something is there to be had."""
    return _STOCK.search(text)


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
