"""From the bytes of a document to what is stored of it: text without secrets, and its chunks.

Nothing durable is written before secrets are taken out, of the text and of what is said about it.

Source: issue 5, point 3; `docs/adr/0015-knowledge.md`.
"""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from wellworn.domain.sources.chunking import Chunk, split_into_chunks
from wellworn.domain.sources.connectors import Item
from wellworn.domain.sources.features import chunk_hash, indexed_text
from wellworn.domain.sources.models import Problem
from wellworn.domain.sources.store.staging import Kept, Ready
from wellworn.engines.embedding import Embedder
from wellworn.engines.extraction import VERSION as EXTRACTION
from wellworn.engines.extraction import Extracted, Extractor, Refused
from wellworn.engines.safety import redacted, redacted_document, suspicious
from wellworn.kit.text import fingerprint

RULES: Final = 2
"""Raised whenever the same bytes would become another text or other chunks."""
_LONGEST_TITLE: Final = 512
_LOOKED_THROUGH: Final = 200_000
"""Characters in which orders are looked for; they are a sign for the owner and no wall."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A chunk that has to be embedded."""

    number: int
    chunk: Chunk
    text: str
    indexed: str


@dataclass(frozen=True, slots=True)
class Draft:
    """A document made ready but for the vectors of its new chunks."""

    ready: Ready
    pieces: tuple[Piece, ...] = field(default=())


def maker() -> int:
    """Return the number of what makes texts and chunks of bytes: these parsers by these rules."""
    return zlib.crc32(f"text {EXTRACTION} {RULES}".encode())


class Maker:
    """Reads documents; what cannot be read costs that document only."""

    def __init__(self, extractor: Extractor, embedder: Embedder, *, chunk_pieces: int) -> None:
        self._extractor = extractor
        self._embedder = embedder
        self._chunk_pieces = chunk_pieces

    @property
    def refuser(self) -> int:
        """Return the number of what refuses bytes: these parsers within these limits."""
        return zlib.crc32(f"refused {maker()} {self._extractor.limits}".encode())

    def made(
        self,
        item: Item,
        raw: bytes,
        *,
        document_id: int | None,
        stored: Mapping[str, Sequence[int]],
        now: float,
    ) -> Draft | Problem:
        """Return a version of a document.

        Args:
            item: where it was listed.
            raw: its bytes.
            document_id: the document that it is a new version of.
            stored: numbers of that document's chunks, by hash; equal ones are kept.
            now: epoch seconds.
        """
        found = self._extractor.extract(
            raw, name=item.path, media_type=item.media_type, charset=item.charset
        )
        if isinstance(found, Refused):
            return Problem(item.path, found.reason)
        clean = redacted_document(found.text)
        title = redacted(found.title or "").text[:_LONGEST_TITLE]
        cut = split_into_chunks(
            clean.text,
            size=self._embedder.lengths,
            limit=self._chunk_pieces,
            pages=[clean.moved(start) for start in found.pages],
            anchors=[(clean.moved(one.start), one.id) for one in found.anchors],
        )
        kept, pieces = _sorted_out(title, clean.text, cut, stored)
        ready = Ready(
            document_id=document_id,
            path=item.path,
            title=title or None,
            content_text=clean.text,
            content_hash=fingerprint(clean.text),
            metadata=_about(found, raw, clean.text),
            fetched_at=now,
            item_version=item.version,
            raw_hash=raw_hash(raw),
            maker=maker(),
            kept=kept,
            secrets=tuple((one.kind, one.line) for one in clean.findings),
        )
        return Draft(ready, pieces)

    def remade(
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
    ) -> Draft:
        """Return a version of a document whose canonical text is known, as from an export."""
        cut = split_into_chunks(text, size=self._embedder.lengths, limit=self._chunk_pieces)
        kept, pieces = _sorted_out(title or "", text, cut, {})
        ready = Ready(
            document_id=document_id,
            path=path,
            title=title,
            content_text=text,
            content_hash=fingerprint(text),
            metadata=dict(metadata),
            fetched_at=fetched_at,
            item_version=item_version,
            raw_hash=raw_hash,
            maker=maker(),
            kept=kept,
            secrets=(),
        )
        return Draft(ready, pieces)


def raw_hash(raw: bytes) -> str:
    """Return what is kept of bytes to tell whether they changed."""
    return hashlib.sha256(raw).hexdigest()


def _sorted_out(
    title: str, text: str, cut: Sequence[Chunk], stored: Mapping[str, Sequence[int]]
) -> tuple[tuple[Kept, ...], tuple[Piece, ...]]:
    """Tell the chunks that are stored already from those that are new."""
    left = {key: list(seqs) for key, seqs in stored.items()}
    kept: list[Kept] = []
    pieces: list[Piece] = []
    for number, chunk in enumerate(cut):
        indexed = indexed_text(title, chunk, text)
        same = left.get(chunk_hash(indexed))
        if same:
            kept.append(Kept(same.pop(0), number, chunk))
        else:
            pieces.append(Piece(number, chunk, text[chunk.start : chunk.end], indexed))
    return tuple(kept), tuple(pieces)


def _about(found: Extracted, raw: bytes, text: str) -> dict[str, object]:
    about: dict[str, object] = {"kind": found.kind.value, "bytes": len(raw)}
    flags = list(found.flags)
    if reasons := suspicious(text[:_LOOKED_THROUGH]):
        flags.append(f"reads like orders to whoever reads it: {', '.join(reasons)}")
    if flags:
        about["flags"] = flags
    if found.pages:
        about["pages"] = len(found.pages)
    return about
