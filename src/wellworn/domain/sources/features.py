"""Turns chunks into what is searched: a point of the vector index, and features for ranking.

What is indexed of a chunk are the headings it stands below and its words: `Guide > Install`, a
blank line, the text, and before rows of a table their head. A chunk is cut to fit the encoder's
window, so it is one point.

Words come first: they are read at once, and the chunk is found by them until it is embedded. Which
chunks wait for that their rows say, by the version that made them.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from wellworn.domain.sources.chunking import Chunk, find_carried_head
from wellworn.engines.embedding import AT_ONCE, Embedder, Encoded, FloatArray, Pace, encode_paced
from wellworn.engines.retrieval import MATCHED_SHAPES, Shape, pack_pieces, pack_word_counts
from wellworn.engines.retrieval.text import (
    Names,
    count_time_words,
    detect_shape,
    extract_names,
    hash_spellings,
    hash_words,
    weigh_document_terms,
    weigh_name_terms,
)
from wellworn.engines.storage.vectors import Labels, Point, point_id
from wellworn.kit.folding import fold_forms
from wellworn.kit.markdown import TableHeads
from wellworn.kit.text import fingerprint

RULES: Final = 4
"""Raised whenever what is indexed of a chunk changes, so that all are indexed again."""


@dataclass(frozen=True, slots=True)
class IndexedChunk:
    """A chunk with its ranking features, and its vector once it is embedded.

    Attributes:
        version: number of the model and rules that made it, or of the rules for words alone.
        codes: 16 bytes for each word piece; empty before it is embedded.
        counts: 5 bytes for each word.
    """

    version: int
    shape: Shape
    asks: bool
    times: int
    codes: bytes
    counts: bytes
    vector: FloatArray | None
    terms: dict[int, float]

    def point(self, seq: int, labels: Labels) -> Point:
        return Point(point_id(seq, 0), self.vector, self.terms, labels)


def features_version(embedder: Embedder) -> int:
    """Return the version of the model and rules that make points and features."""
    return zlib.crc32(f"{embedder.name} chunks {RULES}".encode())


def words_version() -> int:
    """Return the version of what waits to be embedded: the rules, and no model."""
    return zlib.crc32(f"words of chunks {RULES}".encode())


def list_versions(embedder: Embedder) -> frozenset[int]:
    """Return the versions whose features are used."""
    return frozenset({features_version(embedder), words_version()})


def build_labels(space: str, source_id: int, about: Mapping[str, Any] | None = None) -> Labels:
    """Return the labels that filter chunks; `about` is the metadata of their document."""
    domain = (about or {}).get("domain")
    tags = {source_label(source_id)}
    if domain and isinstance(domain, str):
        tags.add(domain_label(domain))
    return Labels(space, tags=frozenset(tags))


def source_label(source_id: int) -> str:
    """Return the label that restricts a search to a source."""
    return f"source:{source_id}"


def domain_label(domain: str) -> str:
    """Return the label that restricts a search to a domain, ignoring case."""
    return f"domain:{domain.casefold()}"


def build_indexed_text(title: str, chunk: Chunk, text: str, heads: TableHeads) -> str:
    """Build the text of a chunk that is indexed, folded.

    Args:
        title: of its document; named where no heading says it.
        chunk: where it is.
        text: the document's.
        heads: the heads of the text's tables; one precedes rows that stand without theirs.
    """
    body = text[chunk.start : chunk.end].strip()
    path = [heading for heading in chunk.headings if heading]
    if path:
        first, _, rest = body.partition("\n")
        if path[-1] in first and first.lstrip().startswith("#"):
            body = rest.strip()
    if head := find_carried_head(heads, chunk.start):
        body = f"{text[slice(*head)]}\n{body}"
    if title and title not in path:
        path = [title, *path]
    return fold_forms("\n\n".join(part for part in (" > ".join(path), body) if part))


def hash_chunk(indexed: str) -> str:
    return fingerprint("chunk", indexed)


def embed_chunks(
    embedder: Embedder, texts: Sequence[str], pace: Pace = AT_ONCE
) -> list[IndexedChunk]:
    """Embed chunks, given as `indexed_text`.

    Raises:
        EmbeddingFailed: the encoder failed; nothing was prepared.
    """
    version = features_version(embedder)
    return [
        _add_meaning(index_words(text), text, encoded, version)
        for text, encoded in zip(texts, encode_paced(embedder, texts, pace), strict=True)
    ]


def index_words(text: str) -> IndexedChunk:
    """Index a chunk, given as `indexed_text`, by its words and names alone."""
    shape, words = detect_shape("thought", text), hash_words(text)
    return IndexedChunk(
        version=words_version(),
        shape=shape,
        asks=text.rstrip().endswith(("?", "？")),  # noqa: RUF001 - a full-width one too
        times=count_time_words(text),
        codes=b"",
        counts=pack_word_counts([*words, *hash_spellings(text)]),
        vector=None,
        terms=weigh_name_terms(_extract_names(text)) | weigh_document_terms(words, shape, text),
    )


def _add_meaning(words: IndexedChunk, text: str, encoded: Encoded, version: int) -> IndexedChunk:
    is_matched = words.shape in MATCHED_SHAPES
    codes = pack_pieces(text, encoded.pieces, encoded.spans) if is_matched else b""
    return replace(words, version=version, codes=codes, vector=encoded.vector)


def _extract_names(text: str) -> Names:
    """Return the names of a chunk: from its nearest heading, not from the path that leads to it."""
    path, _, body = text.partition("\n\n")
    above, _, nearest = path.rpartition(" > ")
    if not above or "\n" in path:
        return extract_names(text)
    return extract_names(body, heading=nearest)
