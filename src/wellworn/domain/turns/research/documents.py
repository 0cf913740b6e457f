"""`research.md`: what a turn read on the web, as facts that stay and data that expires.

The file is the record. Its front matter says how far its life is, its tables and lists are read
again by later turns as they stand, and those who use it are named at its end.

Source: the specification of document IO, sections 4, 9.4 and 12.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

from wellworn.domain.turns.context_document import FILE as CONTEXT
from wellworn.domain.turns.context_document import quote_scalar
from wellworn.domain.turns.links import format_dual_link, unescape_links
from wellworn.domain.turns.listings import ProductListing
from wellworn.domain.turns.models import Intent, format_folder
from wellworn.domain.turns.sections import (
    format_field,
    format_share,
    format_table,
    format_words,
    join_blocks,
)
from wellworn.domain.turns.webpages import read_moment
from wellworn.kit.clock import from_iso, to_iso
from wellworn.kit.markdown import Markdown

FILE: Final = "research.md"
DATA: Final = "research.json"
SOURCES, FACTS, LISTINGS, REFERENCES, BACKLINKS = (
    "Reputable Sources",
    "General Facts",
    "Current Listings",
    "Source References",
    "Linked From",
)
_FACT: Final = re.compile(
    r"^- (?P<text>.+?)(?: \[S?(?P<source>\d+)\])?(?: \^fact-\d+)?$", re.MULTILINE
)
_REFERENCE: Final = re.compile(
    r"^- \[S?(?P<number>\d+)\] "
    r"(?:\[(?P<title>[^\]\n]*)\]\((?P<path>[^)\s]+)\)|`(?P<name>[^`\n]*)`)",
    re.MULTILINE,
)
_BACKLINK: Final = re.compile(r"^- \[turn_(\d{6,})/.*$", re.MULTILINE)
_MADE, _USED = "§4 Tool Execution", "§2 Gathered Context"
_SOURCE_COLUMNS: Final = ("Vendor", "Type", "Reliability", "URL", "Read")
_LISTING_COLUMNS: Final = ("Product", "Price", "Vendor", "In Stock", "URL")


class ResearchScope(StrEnum):
    """The readers of a research document: it is new, proven to its user, or to all of a space."""

    NEW = "new"
    USER = "user"
    GLOBAL = "global"


@dataclass(frozen=True, slots=True)
class ResearchSource:
    """Something that was read, by its number in the document.

    Attributes:
        url: its address, or its citation where it is no page of the web.
        kind: what people call it, such as page or thread.
        reliability: of its site when it was read, 0 to 1.
        moment: when it was read, in epoch seconds.
        capture: the folder of its capture below the user's files; empty where there is none.
    """

    url: str
    title: str
    vendor: str
    kind: str
    reliability: float
    moment: float
    capture: str = ""


@dataclass(frozen=True, slots=True)
class ResearchFact:
    """A sentence that does not expire, and the number of the source that says it.

    `source` is 0 for a sentence that a person added without a source.
    """

    text: str
    source: int


@dataclass(frozen=True, slots=True)
class Research:
    """A research document.

    Attributes:
        id: such as `research_759_abc123`.
        turn: number of the turn that made it.
        quality: how much of the query it speaks of and how reliable its sources are, 0 to 1.
        created_at: in epoch seconds.
        expires_at: when its listings expire, in epoch seconds; None without listings.
        superseded_by: id of the document that replaced it.
        used_by: numbers of the later turns that used it.
    """

    id: str
    turn: int
    user_id: str
    query: str
    topic: str
    intent: Intent
    quality: float
    created_at: float
    expires_at: float | None = None
    scope: ResearchScope = ResearchScope.NEW
    sources: tuple[ResearchSource, ...] = ()
    facts: tuple[ResearchFact, ...] = ()
    listings: tuple[ProductListing, ...] = ()
    superseded_by: str | None = None
    used_by: tuple[int, ...] = ()

    @property
    def path(self) -> str:
        return f"{format_folder(self.turn)}/{FILE}"

    @property
    def sites(self) -> list[str]:
        return sorted({source.vendor for source in self.sources})


def format_research(research: Research) -> str:
    """Return the document as it is stored."""
    return f"{_format_front_matter(research)}{_format_body(research)}\n"


def _format_front_matter(research: Research) -> str:
    types = "[research, pricing]" if research.listings else "[research]"
    lines = [
        "---",
        f"id: {research.id}",
        f"turn_number: {research.turn}",
        f"session_id: {quote_scalar(research.user_id)}",
        f"query: {quote_scalar(format_words(research.query))}",
        f"topic: {quote_scalar(research.topic)}",
        f"intent: {research.intent.value}",
        f"content_types: {types}",
        f"scope: {research.scope.value}",
        f"quality: {research.quality:.2f}",
        f"created_at: {to_iso(research.created_at)}",
    ]
    if research.expires_at is not None:
        lines.append(f"expires_at: {to_iso(research.expires_at)}")
    if research.superseded_by is not None:
        lines.append(f"superseded_by: {research.superseded_by}")
    return "\n".join([*lines, "tags: [turn, research]", "---\n\n"])


def _format_body(research: Research) -> str:
    expires = (
        f"{to_iso(research.expires_at)} (time-sensitive data)" if research.expires_at else "never"
    )
    metadata = [
        f"- **Topic:** {format_words(research.topic)}",
        f"- **Intent:** {research.intent.value}",
        f"- **Quality:** {format_share(research.quality)}",
        f"- **Created:** {to_iso(research.created_at)}",
        f"- **Expires:** {expires}",
        f"- **Scope:** {research.scope.value}",
    ]
    if research.superseded_by is not None:
        metadata.append(f"- **Superseded By:** {research.superseded_by}")
    fields = (
        ("ID", research.id),
        ("Turn", research.turn),
        ("Session", research.user_id),
        ("Query", research.query),
    )
    return join_blocks(
        "# Research Document",
        "\n".join(format_field(name, value) for name, value in fields),
        "## Metadata",
        "\n".join(metadata),
        "## Evergreen Knowledge\n*Facts that don't expire:*",
        f"### {SOURCES}\n{_format_sources(research.sources)}",
        f"### {FACTS}\n{_format_facts(research.facts)}" if research.facts else "",
        _format_listings(research),
        f"## {REFERENCES}\n{_format_references(research)}",
        f"## {BACKLINKS}\n{_format_backlinks(research)}",
    )


def _format_sources(sources: Sequence[ResearchSource]) -> str:
    rows = [
        (each.vendor, each.kind, format_share(each.reliability), each.url, to_iso(each.moment))
        for each in sources
    ]
    return format_table(_SOURCE_COLUMNS, rows)


def _format_facts(facts: Sequence[ResearchFact]) -> str:
    return "\n".join(
        f"- {_format_fact(fact)} ^fact-{number:03d}" for number, fact in enumerate(facts, 1)
    )


def _format_fact(fact: ResearchFact) -> str:
    return f"{format_words(fact.text)} [S{fact.source}]" if fact.source else format_words(fact.text)


def _format_listings(research: Research) -> str:
    if not research.listings:
        return ""
    rows = [
        (each.product, each.price, source.vendor, each.stock, source.url)
        for each in research.listings
        for source in [research.sources[each.source - 1]]
    ]
    hours = ((research.expires_at or research.created_at) - research.created_at) / 3600
    return join_blocks(
        f"## Time-Sensitive Data\n*Expires in {hours:g} hours:*",
        f"### {LISTINGS}\n{format_table(_LISTING_COLUMNS, rows)}",
    )


def _format_references(research: Research) -> str:
    return "\n".join(
        f"- [S{number}] {_format_reference(research, source)}"
        for number, source in enumerate(research.sources, 1)
    )


def _format_reference(research: Research, source: ResearchSource) -> str:
    if not source.capture:
        return f"`{format_words(source.title or source.url).replace('`', '')}`"
    return format_dual_link(research.path, f"{source.capture}/page_content.md", source.title)


def _format_backlinks(research: Research) -> str:
    own = _format_backlink(research, research.turn, _MADE)
    used = [_format_backlink(research, each, _USED) for each in research.used_by]
    return "\n".join([own, *used])


def _format_backlink(research: Research, turn: int, section: str) -> str:
    """Return the line that says which turn uses a document, and in which section."""
    target = f"{format_folder(turn)}/{CONTEXT}"
    return f"- {format_dual_link(research.path, target, target.removeprefix('turns/'))} {section}"


def amend_research(text: str, changed: Research) -> str:
    """Return a document's text with its scope, its replacement and its users as they are now.

    Whatever else stands there, also by the hand of people, stays.
    """
    text = _set_line(text, "scope: ", changed.scope.value)
    text = _set_line(text, "- **Scope:** ", changed.scope.value)
    text = _set_line(text, "superseded_by: ", changed.superseded_by, after="scope: ")
    label, scope = "- **Superseded By:** ", "- **Scope:** "
    text = _set_line(text, label, changed.superseded_by, after=scope)
    backlinks = list(_BACKLINK.finditer(text))
    start, end = (backlinks[0].start(), backlinks[-1].end()) if backlinks else (len(text),) * 2
    return text[:start] + _format_backlinks(changed) + text[end:]


def _set_line(text: str, label: str, value: str | None, *, after: str = "") -> str:
    """Write what a line says after its label, without a value no line; a new one after another."""
    line = re.compile(rf"^{re.escape(label)}.*\n", re.MULTILINE)
    if value is None or line.search(text):
        return line.sub(lambda _: "" if value is None else f"{label}{value}\n", text, count=1)
    place = re.search(rf"^{re.escape(after)}.*\n", text, re.MULTILINE)
    if place is None:
        return text
    return f"{text[: place.end()]}{label}{value}\n{text[place.end() :]}"


def read_research(text: str) -> Research | None:
    """Return a document as it stands, with what people changed; None where it cannot be read."""
    markdown = Markdown(text)
    front = markdown.front_matter
    if front is None:
        return None
    try:
        research = Research(
            id=front.value("id"),
            turn=int(front.value("turn_number")),
            user_id=front.value("session_id"),
            query=unescape_links(front.value("query")),
            topic=front.value("topic"),
            intent=Intent(front.value("intent")),
            quality=float(front.value("quality")),
            created_at=from_iso(front.value("created_at")),
            expires_at=from_iso(front.value("expires_at")) if front.value("expires_at") else None,
            scope=ResearchScope(front.value("scope")),
            superseded_by=front.value("superseded_by") or None,
        )
    except ValueError:
        return None
    parts = {section.title: text[section.start : section.end] for section in markdown.sections}
    sources = tuple(_read_sources(research.turn, parts))
    users = (int(number) for number in _BACKLINK.findall(parts.get(BACKLINKS, "")))
    return replace(
        research,
        sources=sources,
        facts=tuple(_read_facts(parts.get(FACTS, ""), len(sources))),
        listings=tuple(_read_listings(parts.get(LISTINGS, ""), sources)),
        used_by=tuple(dict.fromkeys(number for number in users if number != research.turn)),
    )


def _read_sources(turn: int, parts: dict[str, str]) -> Iterator[ResearchSource]:
    references = {
        int(match["number"]): match for match in _REFERENCE.finditer(parts.get(REFERENCES, ""))
    }
    for number, row in enumerate(_read_rows(parts.get(SOURCES, ""), _SOURCE_COLUMNS), 1):
        vendor, kind, reliability, url, moment = row
        reference = references.get(number)
        path = (reference["path"] if reference else None) or ""
        folder = path.removeprefix("./").rpartition("/")[0]
        yield ResearchSource(
            url,
            (reference["title"] or reference["name"] or "") if reference else "",
            vendor,
            kind,
            _read_number(reliability),
            read_moment(moment) or 0.0,
            f"{format_folder(turn)}/{folder}" if folder else "",
        )


def _read_facts(text: str, sources: int) -> Iterator[ResearchFact]:
    for match in _FACT.finditer(text):
        number = int(match["source"] or 0)
        yield ResearchFact(unescape_links(match["text"]), number if number <= sources else 0)


def _read_listings(text: str, sources: Sequence[ResearchSource]) -> Iterator[ProductListing]:
    numbers = {source.url: number for number, source in enumerate(sources, 1)}
    for product, price, _, stock, url in _read_rows(text, _LISTING_COLUMNS):
        if url in numbers:
            yield ProductListing(product, price, stock, numbers[url])


def _read_rows(text: str, columns: Sequence[str]) -> Iterator[list[str]]:
    """Yield the rows of a table that has these columns, without the marks of empty cells."""
    for table in Markdown(text).tables:
        for row in table.rows:
            cells = [unescape_links(cell.text).replace("\\|", "|") for cell in row.cells]
            if len(cells) >= len(columns):
                yield ["" if cell == "-" else cell for cell in cells[: len(columns)]]


def _read_number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return 0.5
