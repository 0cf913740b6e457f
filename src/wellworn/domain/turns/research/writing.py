"""The research document of a turn, made of the pages that its tools read."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from typing import Final

from wellworn.domain.turns.briefs import CachedPage
from wellworn.domain.turns.files import Vault
from wellworn.domain.turns.models import Evidence, Turn
from wellworn.domain.turns.research.composing import (
    ReadPage,
    find_facts,
    find_listings,
    measure_quality,
)
from wellworn.domain.turns.research.documents import (
    DATA,
    FILE,
    Research,
    ResearchSource,
    format_research,
)
from wellworn.domain.turns.webpages import (
    find_site,
    list_cached_pages,
    read_page_text,
    write_json,
)
from wellworn.domain.turns.wording import classify_intent, find_topic
from wellworn.engines.retrieval.text import split_words
from wellworn.kit.clock import to_iso, to_iso_if_any
from wellworn.kit.text import fingerprint

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
