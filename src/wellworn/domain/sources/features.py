"""From chunks to what is searched: one point of the vector index, and features for ranking.

What is indexed of a chunk are the headings it stands below and its words: `Guide > Install`, a
blank line, the text. A chunk is cut to fit the encoder's window, so it is one point.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Final

from wellworn.domain.sources.chunking import Chunk
from wellworn.engines.embedding import Embedder, Encoded, FloatArray
from wellworn.engines.retrieval import MATCHED_SHAPES, Shape, pack_pieces, pack_word_counts
from wellworn.engines.retrieval.text import (
    Names,
    count_time_words,
    detect_shape,
    extract_names,
    weigh_document_terms,
    weigh_name_terms,
)
from wellworn.engines.storage.vectors import Labels, Point, point_id
from wellworn.kit.text import fingerprint

RULES: Final = 2
"""Raised whenever what is indexed of a chunk changes, so that all are indexed anew."""
_THREADS: Final = 2
_AT_ONCE: Final = 16


@dataclass(frozen=True, slots=True)
class Made:
    """A chunk made ready for the index.

    Attributes:
        maker: number of the model and rules that made it.
        codes: 16 bytes for each word piece.
        counts: 5 bytes for each word.
    """

    maker: int
    shape: Shape
    asks: bool
    times: int
    codes: bytes
    counts: bytes
    vector: FloatArray
    terms: dict[int, float]

    def point(self, seq: int, labels: Labels) -> Point:
        return Point(point_id(seq, 0), self.vector, self.terms, labels)


def maker(embedder: Embedder) -> int:
    """Return the number of what makes points and features: this model by these rules."""
    return zlib.crc32(f"{embedder.name} chunks {RULES}".encode())


def labels(space: str, source_id: int, about: Mapping[str, Any] | None = None) -> Labels:
    """Return what chunks can be found by; `about` is the metadata of their document."""
    domain = (about or {}).get("domain")
    tags = {source_label(source_id)}
    if domain and isinstance(domain, str):
        tags.add(domain_label(domain))
    return Labels(space, tags=frozenset(tags))


def source_label(source_id: int) -> str:
    """Return the label by which a search is kept to certain sources."""
    return f"source:{source_id}"


def domain_label(domain: str) -> str:
    """Return the label by which a search is kept to a domain, whatever its case."""
    return f"domain:{domain.casefold()}"


def indexed_text(title: str, chunk: Chunk, text: str) -> str:
    """Return what of a chunk is indexed.

    Args:
        title: of its document; named where no heading says it.
        chunk: where it is.
        text: the document's.
    """
    body = text[chunk.start : chunk.end].strip()
    path = [one for one in chunk.headings if one]
    if path:
        first, _, rest = body.partition("\n")
        if path[-1] in first and first.lstrip().startswith("#"):
            body = rest.strip()
    if title and title not in path:
        path = [title, *path]
    return "\n\n".join(part for part in (" > ".join(path), body) if part)


def chunk_hash(indexed: str) -> str:
    return fingerprint("chunk", indexed)


def prepared(
    embedder: Embedder, texts: Sequence[str], advance: Callable[[int], None] = lambda _: None
) -> list[Made]:
    """Embed chunks, given as `indexed_text`.

    Raises:
        EmbeddingFailed: the encoder failed; nothing was prepared.
    """
    # Texts of one length share a batch without padding.
    order = sorted(range(len(texts)), key=lambda at: len(texts[at]))
    parts = [order[start : start + _AT_ONCE] for start in range(0, len(order), _AT_ONCE)]
    by = maker(embedder)
    made: dict[int, Made] = {}

    def encode(part: Sequence[int]) -> list[Encoded]:
        return embedder.encode([texts[at] for at in part])

    with ThreadPoolExecutor(_THREADS, "chunks") as threads:
        for part, encoded in zip(parts, threads.map(encode, parts), strict=True):
            made |= {at: _made(texts[at], one, by) for at, one in zip(part, encoded, strict=True)}
            advance(len(part))
    return [made[at] for at in range(len(texts))]


def _made(text: str, encoded: Encoded, by: int) -> Made:
    shape = detect_shape("thought", text)
    return Made(
        maker=by,
        shape=shape,
        asks=text.rstrip().endswith(("?", "？")),  # noqa: RUF001 - a full-width one too
        times=count_time_words(text),
        codes=pack_pieces(text, encoded.pieces, encoded.spans) if shape in MATCHED_SHAPES else b"",
        counts=pack_word_counts(text),
        vector=encoded.vector,
        terms=weigh_name_terms(_called(text)) | weigh_document_terms(text, shape),
    )


def _called(text: str) -> Names:
    """Return what a chunk is called: its nearest heading, and not the path that leads to it."""
    path, _, body = text.partition("\n\n")
    above, _, nearest = path.rpartition(" > ")
    if not above or "\n" in path:
        return extract_names(text)
    return extract_names(body, heading=nearest)
