"""Quotes cut from documents, each with the section that it stands in."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cached_property
from typing import Final

from wellworn.domain.knowledge.answers import QuotedSpan, Value
from wellworn.domain.knowledge.entities import LONGEST_SUMMARY, plain
from wellworn.domain.knowledge.facts import Fact
from wellworn.domain.knowledge.store import periods
from wellworn.domain.knowledge.store.compiled import StoredFact
from wellworn.domain.knowledge.summaries import first_sentence
from wellworn.domain.knowledge.views import DocumentView, Part, Reading
from wellworn.domain.sources import (
    Anchors,
    Snippet,
    Sources,
    find_identifiers,
    format_citation,
    normalize_identifier,
)
from wellworn.domain.sources.store import ServedDocument, find_cited, find_visible_among
from wellworn.domain.spaces import Access
from wellworn.engines.storage.sql import Transaction
from wellworn.kit.markdown import TableHeads, may_be_row
from wellworn.kit.text import fingerprint, shorten

_LONGEST_LEAD: Final = 1_000
_NAMED_ITEM: Final = re.compile(
    r"[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+[^:\n]{1,60}:[*_]{0,2}[ \t]+(?P<value>\S[^\n]*)"
)


def _quote(
    document: ServedDocument, anchor: str, text: str, start: int, *, is_past: bool
) -> QuotedSpan:
    place = (document.id, document.source, document.path, anchor)
    title, moment = document.title or "", document.committed_at
    quote = QuotedSpan(*place, text, start, start + len(text), title, is_past, moment)
    return _date(quote, document)


def _date(quote: QuotedSpan, of: ServedDocument | Snippet) -> QuotedSpan:
    """Return a quote with what is known of its document beside its words."""
    return replace(
        quote,
        dated_at=of.dated_at,
        fetched_at=of.fetched_at,
        encoding_note=of.encoding_note,
        is_stale=of.is_stale,
    )


def quote_snippet(snippet: Snippet, page: DocumentPage, start: int, end: int) -> QuotedSpan:
    """Return a stretch of the document in which a search found a passage."""
    place = (snippet.document_id, snippet.source, snippet.path, snippet.anchor)
    title, head = snippet.title or "", page.find_table_head(start)
    quoted = page.text[start:end]
    quote = QuotedSpan(*place, quoted, start, end, title, snippet.is_past, table_head=head)
    return _date(quote, snippet)


class DocumentPage:
    """One document's words and parts."""

    def __init__(self, served: ServedDocument, text: str, *, is_past: bool = False) -> None:
        self.served = served
        self.text = text
        self._is_past = is_past

    @cached_property
    def _reading(self) -> Reading:
        document = self.served
        return Reading(
            DocumentView(document.id, document.source, document.path, document.title, self.text)
        )

    @property
    def parts(self) -> list[Part]:
        return self._reading.parts

    @cached_property
    def _table_heads(self) -> TableHeads:
        return TableHeads(self.text)

    def find_table_head(self, at: int) -> str:
        """Return the head, with its rule, of the table with a row at a place; empty without one."""
        head = self._table_heads.find(at)
        return self.text[slice(*head)] if head else ""

    @cached_property
    def _sentence(self) -> tuple[int, int] | None:
        return first_sentence(self._reading)

    @property
    def has_sentence(self) -> bool:
        """Whether there is a sentence in it."""
        return self._sentence is not None

    def find_field(self, at: int) -> tuple[int, int] | None:
        """Return the cell of a table, or what an item says behind its name, at a place."""
        rows = (row for table in self._reading.markdown.tables for row in table.rows)
        for cell in (cell for row in rows for cell in row.cells):
            if cell.start <= at < cell.end:
                return cell.start, cell.end
        begin = self.text.rfind("\n", 0, at) + 1
        item = _NAMED_ITEM.match(self.text, begin)
        return item.span("value") if item and item.start("value") <= at else None

    def find_lead(self, part: Part | None = None) -> tuple[int, int]:
        """Return the span that tells most of the document, or of a part: its first real sentence.

        Where there is none it is how the part begins, cut at a thousand characters.
        """
        if part is None:
            span = self._sentence
        else:
            span = first_sentence(self._reading, self.parts.index(part))
        if span is not None:
            return span
        whole = part or self.parts[0]
        passage = self.text[whole.start : whole.end]
        start = whole.start + len(passage) - len(passage.lstrip())
        return start, min(whole.start + len(passage.rstrip()), start + _LONGEST_LEAD)

    def find_part(self, anchor: str) -> Part | None:
        """Return the part that an anchor leads to; the first for none, or for the title's."""
        if not anchor:
            return next(iter(self.parts), None)
        titled = (part for part in self.parts if part.level and not part.anchor)
        led_to = [part for part in self.parts if part.anchor == anchor]
        led_to += [part for part in titled if Anchors().of(part.title) == anchor]
        return next(iter(led_to), None)

    def quote(self, start: int, end: int) -> QuotedSpan:
        """Return a stretch of the document as evidence."""
        anchor = self.parts[self._reading.part_at(start)].anchor
        quote = _quote(self.served, anchor, self.text[start:end], start, is_past=self._is_past)
        return replace(quote, table_head=self.find_table_head(start))

    def cite(self, anchor: str) -> str:
        return format_citation(self.served.source, self.served.path, anchor)

    def hash_section(self, anchor: str) -> str:
        """Return what is equal as long as a section says the same; empty when it is gone."""
        part = self.find_part(anchor)
        return fingerprint(self.text[part.start : part.end]) if part else ""


class DocumentQuoter:
    """The documents that a caller may see, each looked up when it is named, read when quoted."""

    def __init__(
        self,
        sources: Sources,
        transaction: Transaction,
        access: Access,
        served: Mapping[int, ServedDocument] | None = None,
    ) -> None:
        self._sources = sources
        self._transaction = transaction
        self._access = access
        self._served = dict(served or {})
        self._looked_up = set(self._served)
        self._past = periods.find_past(transaction, access, self._looked_up)
        self._pages: dict[int, DocumentPage] = {}

    def look_up(self, ids: Iterable[int]) -> dict[int, ServedDocument]:
        """Return those of some documents that the caller may see."""
        wanted = set(ids)
        if unknown := wanted - self._looked_up:
            self._looked_up |= unknown
            seen = find_visible_among(self._transaction, self._access, unknown)
            self._served.update(seen)
            self._past |= periods.find_past(self._transaction, self._access, seen)
        return {number: self._served[number] for number in wanted & self._served.keys()}

    def open_page(self, document_id: int) -> DocumentPage | None:
        """Return a document; None when there is none, or none for the caller."""
        served = self.look_up([document_id])
        if not served:
            return None
        if document_id not in self._pages:
            words = self._sources.load_contents(self._transaction, self._access, [document_id])
            if document_id not in words:
                return None
            is_past = document_id in self._past
            page = DocumentPage(served[document_id], words[document_id], is_past=is_past)
            self._pages[document_id] = page
        return self._pages[document_id]

    def quote_fact(self, fact: Fact) -> QuotedSpan:
        """Return the quote of a fact of a document that is there."""
        document = self.look_up([fact.document])[fact.document]
        is_past = fact.document in self._past
        quote = _quote(document, fact.anchor, fact.snippet, fact.snippet_start, is_past=is_past)
        # Only a row of a table says less than it means.
        page = self.open_page(fact.document) if may_be_row(fact.snippet) else None
        return replace(quote, table_head=page.find_table_head(quote.start)) if page else quote

    def to_value(self, stored: StoredFact) -> Value | None:
        """Return a fact as an answer gives it; None unless its document says it now."""
        fact = stored.fact
        document = self.look_up([fact.document]).get(fact.document)
        if document is None or document.content_hash != stored.content_hash:
            return None
        return Value(
            term=fact.term,
            fact_type=fact.fact_type,
            attribute=fact.attribute,
            value=fact.value,
            start=fact.start,
            end=fact.end,
            confidence=fact.confidence,
            derived_by=stored.derived_by,
            derived_at=stored.derived_at,
            evidence=self.quote_fact(fact),
        )

    def find_section(self, citation: str) -> tuple[DocumentPage, Part] | None:
        """Return the section that a citation names, such as `mytech/AGENTS.md#servers`."""
        citation = citation.strip()
        # A file may have the sign in its own name.
        place, _, anchor = citation.rpartition("#")
        document = find_cited(self._transaction, self._access, place)
        if document is None:
            anchor, document = "", find_cited(self._transaction, self._access, citation)
        page = self.open_page(document.id) if document else None
        part = page.find_part(anchor) if page else None
        return (page, part) if page and part else None


def render_quote(text: str) -> str:
    """Return a quote as a reader sees it, short and on one line.

    No identifier comes about by leaving out marks or the end: then the quote stays as it is.
    """
    line = shorten(plain(text), LONGEST_SUMMARY)
    there = {normalize_identifier(identifier.value) for identifier in find_identifiers(text)}
    if all(
        normalize_identifier(identifier.value) in there for identifier in find_identifiers(line)
    ):
        return line
    return shorten(text, LONGEST_SUMMARY)
