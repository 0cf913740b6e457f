"""`internet.research`: pages of the web about something, or without a search engine the documents.

What the pages say is stored in the turn's `research.md` when its tools are done.

Source: the specification of document IO, sections 4 and 12.1; SearXNG's search API.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from wellworn.domain.turns.briefs import ToolDescription
from wellworn.domain.turns.citing import report_search
from wellworn.domain.turns.models import ToolResult
from wellworn.domain.turns.tools.knowledge_search import search_documents
from wellworn.domain.turns.tools.tool import ToolContext, ToolServices
from wellworn.domain.turns.tools.web_visit import visit_page
from wellworn.domain.turns.webpages import find_site
from wellworn.engines.fetch import Page, fill_query

NOT_SEARCHED: Final = "Nothing was searched on the web, as no search engine is configured"
_MOST_PASSAGES: Final = 16
_MOST_RESULTS: Final = 20
_LEAST_RELIABILITY: Final = 0.25
_LONGEST_QUERY: Final = 400


class InternetResearchTool:
    description = ToolDescription(
        "internet.research",
        "Search the web and read what comes first; without a search engine, search the documents.",
        {"query": "what to look for, in the user's words"},
    )

    def __init__(self, services: ToolServices) -> None:
        self._services = services

    def call(self, context: ToolContext, arguments: Mapping[str, str]) -> ToolResult:
        query = (arguments.get("query") or context.query)[:_LONGEST_QUERY]
        template = self._services.settings.search_url
        if template is None:
            return self._search_documents(context, query)
        address = fill_query(template, query)
        page = self._services.search_engine.get(address, headers={"accept": "application/json"})
        if not isinstance(page, Page):
            reason = getattr(page, "message", "it gave nothing new")
            return ToolResult.fail(f"the search engine did not answer: {reason}")
        urls = read_search_results(page.raw)
        if urls is None:
            return ToolResult.fail("the search engine's answer is no JSON with results")
        return self._read_pages(context, self._choose(context, urls))

    def _search_documents(self, context: ToolContext, query: str) -> ToolResult:
        evidence = search_documents(self._services.discovery, context, query, limit=_MOST_PASSAGES)
        passages = f"found {len(evidence)} passages in the documents"
        return replace(report_search(f"{NOT_SEARCHED}; {passages}", evidence), is_empty=True)

    def _choose(self, context: ToolContext, urls: Sequence[str]) -> list[str]:
        """Return the pages to read: as the engine ranks them, but sites that fail come last."""
        sites = sorted({find_site(url) for url in urls})
        ratings = self._services.library.rate_sites(context.access, sites)
        ranked = sorted(urls, key=lambda url: ratings[find_site(url)] < _LEAST_RELIABILITY)
        return ranked[: self._services.settings.search_pages]

    def _read_pages(self, context: ToolContext, urls: Sequence[str]) -> ToolResult:
        results = {url: visit_page(self._services, context, url) for url in urls}
        read = [result for result in results.values() if result.is_ok]
        failures = {url: each.message for url, each in results.items() if not each.is_ok}
        reasons = [f"{url}: {message}" for url, message in failures.items()]
        if not read:
            message = "; ".join(reasons) or "the search engine found nothing"
            return ToolResult.fail(message, *failures)
        return ToolResult(
            "; ".join([f"Read {len(read)} of {len(urls)} pages", *reasons]),
            tuple(item for result in read for item in result.evidence),
            self._services.settings.fresh_hours,
            unread=tuple(failures),
        )


def read_search_results(raw: bytes) -> list[str] | None:
    """Return the addresses that a search engine's JSON names, best first; None for other data."""
    try:
        data: Any = json.loads(raw)
        results = data["results"]
        urls = [str(each["url"]) for each in results if isinstance(each.get("url"), str)]
    except (ValueError, KeyError, TypeError, AttributeError):
        return None
    return [url for url in dict.fromkeys(urls) if find_site(url)][:_MOST_RESULTS]


def create_tool(services: ToolServices) -> InternetResearchTool:
    return InternetResearchTool(services)
