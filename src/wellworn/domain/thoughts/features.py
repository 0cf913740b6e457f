"""Prepares thoughts for search: points of the vector index, and features for ranking.

A thought longer than the encoder's window becomes several points, but one result.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from wellworn.domain.thoughts.models import SearchQuery, ThoughtKind
from wellworn.domain.thoughts.store.features import Features
from wellworn.domain.thoughts.tags import tag_key
from wellworn.engines.embedding import Embedder, Encoded, FloatArray
from wellworn.engines.retrieval import MATCHED_SHAPES, Shape, pack_pieces, pack_word_counts
from wellworn.engines.retrieval.text import (
    count_time_words,
    detect_shape,
    extract_names,
    split_indexed_text,
    weigh_document_terms,
    weigh_name_terms,
)
from wellworn.engines.storage.vectors import PASSAGES, Labels, Point, Where, point_id
from wellworn.kit.clock import to_iso

RULES: Final = 2
"""Version of the rules; raising it indexes all thoughts anew."""


@dataclass(frozen=True, slots=True)
class PreparedThought:
    """A thought prepared for the index, before its seq is known."""

    vectors: FloatArray
    terms: tuple[dict[int, float], ...]
    features: Features

    def build_points(self, seq: int, labels: Labels) -> list[Point]:
        return [
            Point(point_id(seq, number), vector, terms, labels)
            for number, (vector, terms) in enumerate(zip(self.vectors, self.terms, strict=True))
        ]


@dataclass(frozen=True, slots=True)
class IndexInput:
    """The fields of a thought that are indexed."""

    kind: ThoughtKind
    content: str
    contributor_name: str
    created_at: float
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Cut:
    """A thought's passages, as texts for the vectors and texts for the keywords."""

    shape: Shape
    vectors: list[str]
    keywords: list[str]


def pipeline_version(embedder: Embedder) -> int:
    """Return a number that identifies this model with these rules."""
    return zlib.crc32(f"{embedder.name} {RULES}".encode())


def prepare(embedder: Embedder, wordings: Sequence[IndexInput]) -> list[PreparedThought]:
    """Split thoughts into passages and embed these, in one call of the encoder.

    Raises:
        EmbeddingFailed: the encoder failed; nothing was prepared.
    """
    cut = [_cut(embedder, wording) for wording in wordings]
    encoded = iter(embedder.encode([text for unit in cut for text in unit.vectors]))
    by = pipeline_version(embedder)
    return [
        _prepare_one(wording, unit, [next(encoded) for _ in unit.vectors], by)
        for wording, unit in zip(wordings, cut, strict=True)
    ]


def _prepare_one(
    wording: IndexInput, cut: _Cut, encoded: Sequence[Encoded], by: int
) -> PreparedThought:
    names = weigh_name_terms(extract_names(wording.content, wording.tags))
    terms = [weigh_document_terms(text, cut.shape) for text in cut.keywords]
    # A thought's names apply to each of its passages.
    named = tuple(names | each for each in terms)
    return PreparedThought(
        np.array([encoding.vector for encoding in encoded]),
        named,
        _compute_features(wording, cut, encoded[0], by),
    )


def _compute_features(wording: IndexInput, cut: _Cut, first: Encoded, by: int) -> Features:
    is_matched = cut.shape in MATCHED_SHAPES
    return Features(
        maker=by,
        shape=cut.shape,
        passages=len(cut.vectors),
        asks=wording.content.rstrip().endswith(("?", "？")),  # noqa: RUF001 - a full-width one too
        times=count_time_words(wording.content),
        codes=pack_pieces(cut.vectors[0], first.pieces, first.spans) if is_matched else b"",
        counts=pack_word_counts(" ".join(cut.keywords)),
    )


def _cut(embedder: Embedder, wording: IndexInput) -> _Cut:
    texts = [
        split_indexed_text(
            wording.kind.value,
            wording.content[span.start : span.end],
            speaker=wording.contributor_name,
            when=to_iso(wording.created_at),
        )
        for span in embedder.windows(wording.content)[:PASSAGES]
    ]
    shape = detect_shape(wording.kind.value, wording.content, wording.contributor_name)
    return _Cut(shape, [text.vector for text in texts], [text.keyword for text in texts])


def build_labels(space: str, contributor_id: str, tags: Sequence[str]) -> Labels:
    return Labels(space, contributor_id, frozenset(tag_key(tag) for tag in tags))


def build_filter(space: str, search: SearchQuery) -> Where:
    """Return which labels a search finds."""
    keys = frozenset(tag_key(tag) for tag in search.filter_tags)
    return Where(
        space,
        any_tags=frozenset() if search.match_all_tags else keys,
        all_tags=keys if search.match_all_tags else frozenset(),
        not_contributor=search.agent_id if search.exclude_self else "",
    )
