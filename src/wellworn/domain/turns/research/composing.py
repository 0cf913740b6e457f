"""What of the pages that a turn read is worth keeping: facts about the query, and listings. Pure.

Nothing is written anew: a fact is a sentence of its page, and a listing the cells or words of one
line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from wellworn.domain.turns.listings import ProductListing, find_price, find_stock, states_price
from wellworn.domain.turns.quoting import list_sentences, measure_overlap
from wellworn.domain.turns.research.documents import ResearchFact
from wellworn.domain.turns.wording import list_content_words
from wellworn.engines.retrieval.text import split_words
from wellworn.kit.markdown import Markdown, Section, Table

_MOST_FACTS: Final = 8
_MOST_LISTINGS: Final = 50
_LEAST_WORDS: Final = 4
_LONGEST_LINE: Final = 300
_LONGEST_PRODUCT: Final = 120
_MARK: Final = re.compile(r"^\s*(?:[-*+]|\d+[.)])\s+")
_STOCK_COLUMN: Final = re.compile(r"stock|availab", re.IGNORECASE)
_EDGES: Final = " -\u2013\u2014|:,;.\u00b7*("


@dataclass(frozen=True, slots=True)
class ReadPage:
    """A page that a turn read, as Markdown, and its number among the sources."""

    number: int
    title: str
    text: str


def find_facts(page: ReadPage, query: str) -> list[ResearchFact]:
    """Return the sentences that speak of a query and state nothing that changes, in their order.

    A page whose title says it all is about the query without repeating it: its first sentences
    count then.
    """
    asked = set(list_content_words(query))
    unsaid = asked - set(split_words(page.title))
    sentences = list(dict.fromkeys(_list_statements(page.text)))
    speaking = [each for each in sentences if measure_overlap(each, unsaid or asked)]
    is_about = not asked or bool(asked - unsaid)
    about = speaking or (sentences if is_about else [])
    best = sorted(about, key=lambda each: -measure_overlap(each, asked))[:_MOST_FACTS]
    return [ResearchFact(each, page.number) for each in sentences if each in set(best)]


def _list_statements(text: str) -> Iterator[str]:
    """Yield the sentences outside of tables and headings that say nothing of prices and stocks."""
    for line in text.split("\n"):
        if line.lstrip().startswith(("|", "#")) or states_price(line) or find_stock(line):
            continue
        for sentence in list_sentences(_MARK.sub("", line)):
            if len(sentence.split()) >= _LEAST_WORDS:
                yield sentence


def find_listings(page: ReadPage) -> list[ProductListing]:
    """Return what a page offers, each with its price."""
    markdown = Markdown(page.text)
    item = [
        *(each for table in markdown.tables for each in _read_table(page, table)),
        *(each for section in markdown.sections for each in _read_section(page, section)),
    ]
    return list(dict.fromkeys(item))[:_MOST_LISTINGS]


def _read_table(page: ReadPage, table: Table) -> Iterator[ProductListing]:
    heads = [cell.text for cell in table.head.cells]
    places = [place for place, head in enumerate(heads) if _STOCK_COLUMN.search(head)]
    for row in table.rows:
        cells = [cell.text for cell in row.cells]
        prices = [match[0] for match in map(find_price, cells) if match]
        names = [cell for cell in cells if cell and not find_price(cell)]
        if prices and names:
            stocks = [cells[place] for place in places if place < len(cells)]
            yield ProductListing(names[0], prices[0], stocks[0] if stocks else "", page.number)


def _read_section(page: ReadPage, section: Section) -> Iterator[ProductListing]:
    text = page.text[section.start : section.end]
    lines = [
        line
        for line in text.split("\n")
        if len(line) <= _LONGEST_LINE and not line.lstrip().startswith(("|", "#"))
    ]
    priced = [line for line in lines if find_price(line)]
    for line in priced:
        stock = find_stock(line) or (find_stock(text) if len(priced) == 1 else None)
        price = find_price(line)
        if price:
            product = _find_product(line) or section.title or page.title
            yield ProductListing(
                product[:_LONGEST_PRODUCT], price[0], stock[0] if stock else "", page.number
            )


def _find_product(line: str) -> str:
    """Return what a line offers; empty where it holds nothing but price and stock."""
    words = _MARK.sub("", line)
    for find in (find_price, find_stock):
        if match := find(words):
            words = f"{words[: match.start()]} {words[match.end() :]}"
    return " ".join(words.split()).strip(_EDGES)


def measure_quality(
    facts: Sequence[ResearchFact],
    listings: Sequence[ProductListing],
    *,
    query: str,
    reliability: float,
) -> float:
    """Return how much of a query was found and how reliable the sources are, 0 to 1, half each."""
    spoken = " ".join([*(fact.text for fact in facts), *(each.line for each in listings)])
    return round((measure_overlap(spoken, set(list_content_words(query))) + reliability) / 2, 2)
