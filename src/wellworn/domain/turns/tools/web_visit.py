"""`web.visit`: a page of the web, captured in the turn's `webpage_cache`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from wellworn.domain.spaces import Mode
from wellworn.domain.turns.briefs import ToolDescription
from wellworn.domain.turns.models import ToolResult
from wellworn.domain.turns.page_evidence import cite_page
from wellworn.domain.turns.research import ReadPage, find_listings
from wellworn.domain.turns.tools.tool import ToolContext, ToolServices
from wellworn.domain.turns.webpages import PageVisit, read_cached_page, write_visit
from wellworn.engines.extraction import Discussion, Refused
from wellworn.engines.fetch import Page
from wellworn.engines.safety import redact
from wellworn.engines.screenshots import NoScreenshot
from wellworn.kit.markdown import Markdown

_LONGEST_TEXT = 400_000
_LONGEST_TITLE = 200
_ABANDONED = "it took too long"
_DRAWN = {"text/html", "application/xhtml+xml"}


class WebVisitTool:
    description = ToolDescription(
        "web.visit", "Read a page of the web.", {"url": "its address, http or https"}
    )

    def __init__(self, services: ToolServices) -> None:
        self._services = services

    def call(self, context: ToolContext, arguments: Mapping[str, str]) -> ToolResult:
        return visit_page(self._services, context, arguments.get("url", ""))


def visit_page(services: ToolServices, context: ToolContext, url: str) -> ToolResult:
    """Read a page of the web and capture it in the turn's files."""
    if context.abandoned.is_set():
        return ToolResult.fail(_ABANDONED, url)
    page = services.web.get(url)
    if not isinstance(page, Page):
        reason = getattr(page, "message", "the page has not changed")
        return ToolResult.fail(reason, redact(url).text)
    extracted = services.extractor.extract(
        page.raw, name=page.url, media_type=page.media_type, charset=page.charset
    )
    if isinstance(extracted, Refused):
        return ToolResult.fail(extracted.reason, redact(page.url).text)
    text = redact(extracted.text[:_LONGEST_TEXT]).text
    url = redact(page.url).text
    title = _find_title(redact(extracted.title or "").text, text, url)
    visit = PageVisit(
        url,
        title,
        text,
        services.clock.now(),
        context.turn_number,
        _redact_discussion(extracted.discussion),
        _draw(services, context, page, shows_secret=text != extracted.text[:_LONGEST_TEXT]),
        tuple(find_listings(ReadPage(1, title, text))),
        context.agent_id,
        context.query,
    )
    if context.abandoned.is_set():
        return ToolResult.fail(_ABANDONED, url)
    place = write_visit(context.vault, context.folder, visit)
    cached = read_cached_page(context.vault, place)
    evidence = cite_page(context.vault, cached, context.query) if cached else ()
    return ToolResult(f"Read “{visit.title}”", tuple(evidence), services.settings.fresh_hours)


def _draw(
    services: ToolServices, context: ToolContext, page: Page, *, shows_secret: bool
) -> bytes | NoScreenshot | None:
    """Return a picture of a page that was read, or why there is none."""
    if services.screenshots is None:
        return None
    if page.media_type not in _DRAWN:
        return NoScreenshot("only pages of HTML are drawn")
    if shows_secret:
        return NoScreenshot("the page shows what looks like a secret")
    is_sealed = context.access.mode is Mode.SEALED
    return services.screenshots.render(page.raw, page.charset, is_private=is_sealed)


def _redact_discussion(discussion: Discussion | None) -> Discussion | None:
    """Return what people say without the secrets in it."""
    if discussion is None:
        return None
    comments = tuple(
        replace(each, author=redact(each.author).text, text=redact(each.text).text)
        for each in discussion.comments
    )
    return replace(discussion, comments=comments)


def _find_title(title: str, text: str, url: str) -> str:
    sections = Markdown(text).sections
    item = title or next((section.title for section in sections if section.title), "") or url
    return " ".join(item.split())[:_LONGEST_TITLE]


def create_tool(services: ToolServices) -> WebVisitTool:
    return WebVisitTool(services)
