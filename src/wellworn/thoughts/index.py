"""From thoughts to points of the vector index.

A thought longer than the encoder's window becomes several points; in results it is one thought.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from wellworn.embedding import Embedder, FloatArray
from wellworn.kit.clock import iso
from wellworn.retrieval import document_terms, indexed_text
from wellworn.storage.vectors import PASSAGES, Labels, Point, point_id
from wellworn.thoughts.models import Kind
from wellworn.thoughts.tags import tag_key


@dataclass(frozen=True, slots=True)
class Passages:
    """A thought made ready for the index before its number is known."""

    vectors: FloatArray
    terms: tuple[dict[int, float], ...]

    def points(self, seq: int, labels: Labels) -> list[Point]:
        return [
            Point(point_id(seq, number), vector, terms, labels)
            for number, (vector, terms) in enumerate(zip(self.vectors, self.terms, strict=True))
        ]


@dataclass(frozen=True, slots=True)
class Wording:
    """What of a thought is indexed."""

    kind: Kind
    content: str
    contributor_name: str
    created_at: float


def prepared(embedder: Embedder, wordings: Sequence[Wording]) -> list[Passages]:
    """Cut and embed thoughts, all passages in one go.

    Raises:
        EmbeddingFailed: the encoder failed; nothing was prepared.
    """
    cut = [_passages_of(embedder, wording) for wording in wordings]
    vectors = embedder.embed([vector_text for texts in cut for vector_text, _ in texts])
    made: list[Passages] = []
    start = 0
    for wording, texts in zip(wordings, cut, strict=True):
        end = start + len(texts)
        terms = tuple(document_terms(words, wording.kind.value) for _, words in texts)
        made.append(Passages(vectors[start:end], terms))
        start = end
    return made


def _passages_of(embedder: Embedder, wording: Wording) -> list[tuple[str, str]]:
    """Return for each passage the texts behind its vector and its keywords."""
    spans = embedder.windows(wording.content)[:PASSAGES]
    return [
        indexed_text(
            wording.kind.value,
            wording.content[span.start : span.end],
            speaker=wording.contributor_name,
            when=iso(wording.created_at),
        )
        for span in spans
    ]


def labels(space: str, contributor_id: str, tags: Sequence[str]) -> Labels:
    return Labels(space, contributor_id, frozenset(tag_key(tag) for tag in tags))
