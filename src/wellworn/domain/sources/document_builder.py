"""Builds documents from bytes: text without secrets, cut into chunks.

Secrets are removed from the text and the metadata before anything durable is written.

Source: `docs/adr/0015-knowledge.md`.
"""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from wellworn.domain.sources.chunking import Chunk, split_into_chunks
from wellworn.domain.sources.connectors import AskElsewhere, SourceItem
from wellworn.domain.sources.features import build_indexed_text, hash_chunk
from wellworn.domain.sources.models import Problem
from wellworn.domain.sources.stand_ins import FORM, Version
from wellworn.domain.sources.store.dates import DATED_AT
from wellworn.domain.sources.store.staging import KeptChunk, StagedDocument
from wellworn.engines.embedding import Embedder
from wellworn.engines.extraction import VERSION as EXTRACTION
from wellworn.engines.extraction import Extracted, Extractor, Refused
from wellworn.engines.safety import redact, redact_document
from wellworn.kit.clock import parse_written_moment
from wellworn.kit.markdown import Markdown, TableHeads, read_front_matter
from wellworn.kit.text import fingerprint

RULES: Final = 4
"""Raised whenever the same bytes would become another text or other chunks."""
_LONGEST_TITLE: Final = 512
_MANY_HEADINGS: Final = "only the first of its many headings divide it; split it"
_DATE_FIELDS: Final = ("updated", "lastmod", "last_modified_at", "date")
"""Fields of front matter as site generators have them, the latest change first."""


@dataclass(frozen=True, slots=True)
class PendingChunk:
    """A chunk that has to be indexed."""

    number: int
    chunk: Chunk
    indexed: str


@dataclass(frozen=True, slots=True)
class DocumentDraft:
    """A document cut into new chunks whose words are not read yet.

    Attributes:
        is_foreign: whether orders to its reader are looked for, as nobody here wrote it.
    """

    document: StagedDocument
    pending: tuple[PendingChunk, ...] = ()
    is_foreign: bool = False

    @property
    def version(self) -> Version:
        """The version that its address says."""
        read = self.document
        return Version.from_metadata(read.metadata, read.content_text, read.path)


def pipeline_version() -> int:
    """Return the version of the parsers and rules that turn bytes into text and chunks."""
    return zlib.crc32(f"text {EXTRACTION} {RULES}".encode())


class DocumentBuilder:
    """Builds documents; one that cannot be read does not affect the others."""

    def __init__(self, extractor: Extractor, embedder: Embedder, *, chunk_pieces: int) -> None:
        self._extractor = extractor
        self._embedder = embedder
        self._chunk_pieces = chunk_pieces

    @property
    def limits_version(self) -> int:
        """Return the version of the parsers and limits that decide which bytes are refused."""
        return zlib.crc32(f"refused {pipeline_version()} {self._extractor.limits}".encode())

    def build(
        self,
        item: SourceItem,
        raw: bytes,
        *,
        document_id: int | None,
        stored: Mapping[str, Sequence[int]],
        now: float,
    ) -> DocumentDraft | Problem:
        """Build a version of a document.

        Args:
            item: where it was listed.
            raw: its bytes.
            document_id: the document that it is a new version of.
            stored: numbers of that document's chunks, by hash; equal ones stay.
            now: epoch seconds.
        """
        extracted = self._extractor.extract(
            raw, name=item.path, media_type=item.media_type, charset=item.charset
        )
        if isinstance(extracted, Refused):
            return Problem(item.path, extracted.reason)
        clean = redact_document(extracted.text)
        title = redact(item.title or extracted.title or "").text[:_LONGEST_TITLE]
        markdown = Markdown(clean.text)
        cut = split_into_chunks(
            markdown,
            size=self._embedder.lengths,
            limit=self._chunk_pieces,
            pages=[clean.map_offset(start) for start in extracted.pages],
            anchors=[(clean.map_offset(anchor.start), anchor.id) for anchor in extracted.anchors],
        )
        reused, pending = _match_stored(title, clean.text, cut, stored)
        ready = StagedDocument(
            document_id=document_id,
            path=item.path,
            title=title or None,
            content_text=clean.text,
            content_hash=fingerprint(clean.text),
            metadata=_describe(extracted, markdown, raw) | _find_date(clean.text),
            fetched_at=now,
            item_version=item.version,
            raw_hash=hash_bytes(raw),
            maker=pipeline_version(),
            reused=reused,
            secrets=tuple((finding.kind, finding.line) for finding in clean.findings),
        )
        return DocumentDraft(ready, pending, is_foreign=True)

    def read_elsewhere(self, ask: AskElsewhere, *, now: float) -> Version | None:
        """Return what a site answers to any address; None where that cannot be read."""
        answer = ask()
        if answer is None:
            return None
        draft = self.build(*answer, document_id=None, stored={}, now=now)
        return None if isinstance(draft, Problem) else draft.version

    def build_from_text(
        self,
        text: str,
        *,
        path: str,
        document_id: int | None = None,
        title: str | None,
        metadata: Mapping[str, Any],
        fetched_at: float,
        item_version: str,
        raw_hash: str,
    ) -> DocumentDraft:
        """Build a version of a document from canonical text, such as from an export."""
        cut = split_into_chunks(text, size=self._embedder.lengths, limit=self._chunk_pieces)
        reused, pending = _match_stored(title or "", text, cut, {})
        ready = StagedDocument(
            document_id=document_id,
            path=path,
            title=title,
            content_text=text,
            content_hash=fingerprint(text),
            metadata=dict(metadata),
            fetched_at=fetched_at,
            item_version=item_version,
            raw_hash=raw_hash,
            maker=pipeline_version(),
            reused=reused,
            secrets=(),
        )
        return DocumentDraft(ready, pending)


def hash_bytes(raw: bytes) -> str:
    """Return the hash by which changed bytes are detected."""
    return hashlib.sha256(raw).hexdigest()


def _match_stored(
    title: str, text: str, cut: Sequence[Chunk], stored: Mapping[str, Sequence[int]]
) -> tuple[tuple[KeptChunk, ...], tuple[PendingChunk, ...]]:
    """Separate the chunks that are stored already from the new ones."""
    remaining = {key: list(seqs) for key, seqs in stored.items()}
    reused: list[KeptChunk] = []
    pending: list[PendingChunk] = []
    heads = TableHeads(text)
    for number, chunk in enumerate(cut):
        indexed = build_indexed_text(title, chunk, text, heads)
        same = remaining.get(hash_chunk(indexed))
        if same:
            reused.append(KeptChunk(same.pop(0), number, chunk))
        else:
            pending.append(PendingChunk(number, chunk, indexed))
    return tuple(reused), tuple(pending)


def _find_date(text: str) -> dict[str, object]:
    """Return the date that front matter gives a document, as metadata has it."""
    front = read_front_matter(text)
    written = (front.value(name) for name in _DATE_FIELDS) if front else ()
    moments = (parse_written_moment(value) for value in written if value)
    dated_at = next((moment for moment in moments if moment is not None), None)
    return {} if dated_at is None else {DATED_AT: dated_at}


def _describe(extracted: Extracted, markdown: Markdown, raw: bytes) -> dict[str, object]:
    about: dict[str, object] = {"kind": extracted.kind.value, "bytes": len(raw)}
    is_undivided = [_MANY_HEADINGS] if markdown.has_more_headings else []
    if flags := [*extracted.flags, *is_undivided]:
        about["flags"] = flags
    if extracted.is_form:
        about[FORM] = True
    if extracted.pages:
        about["pages"] = len(extracted.pages)
    return about
