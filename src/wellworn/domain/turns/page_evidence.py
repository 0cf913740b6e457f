"""Cites what a captured page says to a question: manifest, then extracted data, then text.

Source: the specification of document IO, sections 6.4 and 6.5.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, cast

from wellworn.domain.turns.briefs import CachedPage
from wellworn.domain.turns.files import Vault
from wellworn.domain.turns.listings import ProductListing
from wellworn.domain.turns.models import Evidence, EvidenceKind
from wellworn.domain.turns.webpages import (
    EXTRACTED_DATA,
    MANIFEST,
    PAGE_CONTENT,
    read_json,
    read_object,
    read_page_text,
)
from wellworn.domain.turns.wording import (
    asks_for_stock,
    find_part,
)
from wellworn.engines.retrieval.text import split_words

_LABELS: Final[Mapping[str, str]] = {
    "page_info": "pages",
    "comment_count": "comments replies answers",
    "author": "author who wrote posted",
    "posted": "posted",
    "availability": "stock available availability",
    "prices": "price prices cost costs cheapest",
    "headings": "headings sections topics",
}
"""The words that ask for a field."""
_PRODUCTS: Final = re.compile(r"\b(?:products|brands)\b", re.IGNORECASE)
"""Asks for those that are mentioned; "the product" is the page's own."""
_OF_A_PAGE: Final = 0.9
"""The relevance of a page of which nobody knows yet what it says to a question."""
OF_PAGES: Final = frozenset((EvidenceKind.PAGE, EvidenceKind.RESEARCH))
"""Evidence of pages as they were read; they may say no more."""


def cite_page(vault: Vault, page: CachedPage, query: str) -> list[Evidence]:
    """Return what a page says to a query, by the first level that answers it."""
    manifest = read_json(vault, f"{page.path}/{MANIFEST}") or {}
    levels = {
        MANIFEST: read_object(manifest, "content_summary"),
        EXTRACTED_DATA: read_json(vault, f"{page.path}/{EXTRACTED_DATA}") or {},
    }
    for name, fields in levels.items():
        item = [
            _make_evidence(page, f"{page.title}: {key}", text, name)
            for key, text in _list_asked(fields, query)
        ]
        if item:
            return item
    text = read_page_text(vault, page.path)
    if not text:
        return []
    item = _make_evidence(page, page.title, text, PAGE_CONTENT)
    return [replace(item, relevance=_OF_A_PAGE)]


def drop_superseded(evidence: Iterable[Evidence]) -> list[Evidence]:
    """Leave out what a page said when a later visit to it is among the evidence."""
    item = list(evidence)
    newest: dict[str, float] = {}
    for each in item:
        if each.kind in OF_PAGES:
            newest[each.source] = max(newest.get(each.source, 0.0), each.moment or 0.0)
    return [
        each
        for each in item
        if each.kind not in OF_PAGES or (each.moment or 0.0) == newest[each.source]
    ]


def _list_asked(fields: Mapping[str, Any], query: str) -> Iterator[tuple[str, str]]:
    """Yield the fields that a query asks for, as text."""
    asked = {*split_words(query), *(["stock"] if asks_for_stock(query) else [])}
    if part := find_part(query):
        # Which comment is the best one is another question than how many there are.
        for comment in (fields.get("top_comments") or ())[:1]:
            yield part.group().partition(" ")[2], _format_comment(comment)
        return
    for key, value in fields.items():
        label = _LABELS.get(key, "")
        is_named = key == "products_mentioned" and _PRODUCTS.search(query)
        if is_named or asked & set(split_words(label)):
            yield key, _format_value(key, value)


def _format_value(key: str, value: Any) -> str:
    if key == "prices" and isinstance(value, list):
        return _format_prices(cast("list[Any]", value))
    if key == "products_mentioned" and isinstance(value, list):
        return "\n".join(map(_format_product, cast("list[Any]", value)))
    return json.dumps(value, ensure_ascii=False).strip('"[]').replace('", "', ", ")


def _format_prices(prices: Sequence[Any]) -> str:
    """Return prices, of several each with what it is of; captures of old have them without."""
    if len(prices) == 1:
        return _read_listing(prices[0]).price
    return "\n".join(f"- {_read_listing(price).line}" for price in prices)


def _read_listing(price: Any) -> ProductListing:
    fields = cast("Mapping[str, Any]", price if isinstance(price, Mapping) else {"price": price})
    return ProductListing(str(fields.get("name") or ""), str(fields.get("price")), "", 0)


def _format_product(product: Any) -> str:
    fields = cast("Mapping[str, Any]", product if isinstance(product, Mapping) else {})
    mentions = fields.get("mentions")
    return f"- {fields.get('name')} (mentioned {'once' if mentions == 1 else f'{mentions} times'})"


def _format_comment(comment: Mapping[str, Any]) -> str:
    points = comment.get("points")
    rating = "" if points is None else f" ({points} points)"
    return f"{comment.get('author')}{rating}: {comment.get('text')}"


def _make_evidence(page: CachedPage, title: str, text: str, file: str) -> Evidence:
    return Evidence(
        0,
        EvidenceKind.PAGE,
        title,
        text,
        page.url,
        link=f"{page.path}/{file}",
        relevance=1.0,
        moment=page.visited_at,
    )
