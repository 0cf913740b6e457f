"""The research document of a turn, made of the pages that its tools read."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Final

from wellworn.domain.turns.briefs import CachedPage
from wellworn.domain.turns.files import Vault
from wellworn.domain.turns.listings import ProductListing, find_price, find_stock
from wellworn.domain.turns.models import Evidence, Turn
from wellworn.domain.turns.quoting import list_sentences, measure_overlap
from wellworn.domain.turns.research.documents import (
    DATA,
    FILE,
    Research,
    ResearchFact,
    ResearchSource,
    format_research,
)
from wellworn.domain.turns.webpages import (
    find_site,
    list_cached_pages,
    read_page_text,
    write_json,
)
from wellworn.domain.turns.wording import classify_intent, find_topic, list_content_words
from wellworn.engines.retrieval.text import split_words
from wellworn.kit.clock import to_iso, to_iso_if_any
from wellworn.kit.markdown import Markdown, Section, Table
from wellworn.kit.text import fingerprint

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

    A page whose title says it all need not repeat the query: its first sentences count then.
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
        if line.lstrip().startswith(("|", "#")) or find_price(line) or find_stock(line):
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


_HOUR_S: Final = 3_600
_LONGEST_ID: Final = 6
SiteRating = Callable[[Sequence[str]], Mapping[str, float]]
"""Returns how reliable sites are, 0 to 1."""


def write_research(vault: Vault, research: Research) -> None:
    """Write a document, and beside it what of it programs read."""
    folder = research.path.removesuffix(f"/{FILE}")
    data = {
        "id": research.id,
        "turn_number": research.turn,
        "query": research.query,
        "topic": research.topic,
        "intent": research.intent.value,
        "quality": research.quality,
        "created_at": to_iso(research.created_at),
        "expires_at": to_iso_if_any(research.expires_at),
        "sources": [asdict(source) for source in research.sources],
        "facts": [asdict(fact) for fact in research.facts],
        "listings": [asdict(listing) for listing in research.listings],
    }
    write_json(vault, f"{folder}/{DATA}", data)
    vault.write(research.path, format_research(research))


def compose_research(
    vault: Vault,
    turn: Turn,
    query: str,
    evidence: Sequence[Evidence],
    rate_sites: SiteRating,
    *,
    fresh_hours: float,
) -> Research | None:
    """Return what the pages that a turn read say about its query; None where they say nothing.

    Args:
        vault: of the turn's user.
        turn: the turn.
        query: with its references made explicit.
        evidence: what its tools gave; pages of it that were not captured count by their quotes.
        rate_sites: how reliable sites are.
        fresh_hours: after how many hours listings expire.
    """
    captured = list_cached_pages(vault, turn.folder)
    urls = {page.url for page in captured}
    quoted = [item for item in evidence if find_site(item.source) and item.source not in urls]
    sites = {find_site(url) for url in (*urls, *(item.source for item in quoted))}
    ratings = rate_sites(sorted(sites))
    sources = (
        *(_describe_page(page, turn, ratings) for page in captured),
        *(_describe_quote(item, turn, ratings) for item in quoted),
    )
    texts = (
        *(read_page_text(vault, page.path) for page in captured),
        *(item.text for item in quoted),
    )
    pages = [
        ReadPage(number, source.title, text)
        for number, (source, text) in enumerate(zip(sources, texts, strict=True), 1)
    ]
    facts = tuple(fact for page in pages for fact in find_facts(page, query))
    listings = tuple(listing for page in pages for listing in find_listings(page))
    if not facts and not listings:
        return None
    created_at = max(source.moment for source in sources)
    mean = sum(source.reliability for source in sources) / len(sources)
    return Research(
        id=f"research_{turn.number}_{fingerprint(turn.id)[:_LONGEST_ID]}",
        turn=turn.number,
        user_id=turn.user_id,
        query=query,
        topic=find_topic(query, frozenset(split_words(" ".join(page.title for page in pages)))),
        intent=classify_intent(query),
        quality=measure_quality(facts, listings, query=query, reliability=mean),
        created_at=created_at,
        expires_at=created_at + fresh_hours * _HOUR_S if listings else None,
        sources=sources,
        facts=facts,
        listings=listings,
    )


def _describe_page(page: CachedPage, turn: Turn, ratings: Mapping[str, float]) -> ResearchSource:
    moment = turn.created_at if page.visited_at is None else page.visited_at
    return ResearchSource(
        page.url, page.title, page.site, page.content_type, ratings[page.site], moment, page.path
    )


def _describe_quote(item: Evidence, turn: Turn, ratings: Mapping[str, float]) -> ResearchSource:
    site = find_site(item.source)
    moment = turn.created_at if item.moment is None else item.moment
    return ResearchSource(item.source, item.title, site, "page", ratings[site], moment)
