"""Prepares thoughts for search: points of the vector index, and features for ranking.

A thought longer than the encoder's window becomes several points, but one result. Words come
first where many thoughts come at once: until it is embedded, a thought is one point, found by them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, islice

from wellworn.domain.thoughts.models import SearchQuery, ThoughtKind
from wellworn.domain.thoughts.store.features import Features
from wellworn.domain.thoughts.tags import tag_key
from wellworn.domain.thoughts.versions import FeatureVersions
from wellworn.engines.embedding import (
    AT_ONCE,
    Embedder,
    Encoded,
    FloatArray,
    Pace,
    Span,
    encode_paced,
)
from wellworn.engines.retrieval import MATCHED_SHAPES, Shape, pack_pieces, pack_word_counts
from wellworn.engines.retrieval.text import (
    count_time_words,
    detect_shape,
    extract_names,
    hash_spellings,
    hash_words,
    split_indexed_text,
    weigh_document_terms,
    weigh_name_terms,
)
from wellworn.engines.storage.vectors import PASSAGES, Labels, Point, Where, point_id
from wellworn.kit.clock import to_iso


@dataclass(frozen=True, slots=True)
class PreparedThought:
    """A thought prepared for the index, before its seq is known.

    Attributes:
        vectors: of its passages, None for those that wait to be embedded.
        is_held: it goes into quarantine.
    """

    vectors: tuple[FloatArray | None, ...]
    terms: tuple[dict[int, float], ...]
    features: Features
    is_held: bool = False

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
    """A thought's passages, as texts for the vectors and numbers of words for the keywords."""

    shape: Shape
    vectors: list[str]
    words: list[list[int]]


def prepare(
    embedder: Embedder, wordings: Sequence[IndexInput], pace: Pace = AT_ONCE
) -> list[PreparedThought]:
    """Split thoughts into passages and embed all of these.

    Raises:
        EmbeddingFailed: the encoder failed; nothing was prepared.
    """
    cut = [_cut(embedder, wording) for wording in wordings]
    texts = [text for unit in cut for text in unit.vectors]
    encoded = iter(encode_paced(embedder, texts, pace))
    whole = FeatureVersions.of(embedder).whole
    return [
        _prepare_one(wording, unit, [*islice(encoded, len(unit.vectors))], whole)
        for wording, unit in zip(wordings, cut, strict=True)
    ]


def prepare_opening(embedder: Embedder, wording: IndexInput) -> PreparedThought:
    """Split a thought into passages and embed the first; the others wait, found by their words.

    Raises:
        EmbeddingFailed: the encoder failed.
    """
    cut, versions = _cut(embedder, wording), FeatureVersions.of(embedder)
    is_whole = len(cut.vectors) == 1
    encoded = embedder.encode(cut.vectors[:1])
    return _prepare_one(wording, cut, encoded, versions.whole if is_whole else versions.begun)


def prepare_words(wording: IndexInput, version: int) -> PreparedThought:
    """Prepare a thought to be found by its words, as one passage, without an encoder."""
    whole_text = Span(0, len(wording.content))
    return _prepare_one(wording, _split(wording, [whole_text]), [], version)


def _prepare_one(
    wording: IndexInput, cut: _Cut, encoded: Sequence[Encoded], version: int
) -> PreparedThought:
    """Prepare a thought whose first passages are encoded."""
    names = weigh_name_terms(extract_names(wording.content, wording.tags))
    terms = [weigh_document_terms(words, cut.shape, wording.content) for words in cut.words]
    # A thought's names apply to each of its passages.
    named = tuple(names | each for each in terms)
    vectors = [encoding.vector for encoding in encoded]
    return PreparedThought(
        (*vectors, *[None] * (len(named) - len(vectors))),
        named,
        _compute_features(wording, cut, encoded[0] if encoded else None, version),
    )


def _compute_features(
    wording: IndexInput, cut: _Cut, first: Encoded | None, version: int
) -> Features:
    codes = b""
    if first is not None and cut.shape in MATCHED_SHAPES:
        codes = pack_pieces(cut.vectors[0], first.pieces, first.spans)
    return Features(
        maker=version,
        shape=cut.shape,
        passages=len(cut.vectors),
        asks=wording.content.rstrip().endswith(("?", "？")),  # noqa: RUF001 - a full-width one too
        times=count_time_words(wording.content),
        codes=codes,
        counts=pack_word_counts(
            chain(chain.from_iterable(cut.words), hash_spellings(wording.content))
        ),
    )


def _cut(embedder: Embedder, wording: IndexInput) -> _Cut:
    return _split(wording, embedder.windows(wording.content)[:PASSAGES])


def _split(wording: IndexInput, spans: Sequence[Span]) -> _Cut:
    texts = [
        split_indexed_text(
            wording.kind.value,
            wording.content[span.start : span.end],
            speaker=wording.contributor_name,
            when=to_iso(wording.created_at),
        )
        for span in spans
    ]
    shape = detect_shape(wording.kind.value, wording.content, wording.contributor_name)
    return _Cut(
        shape, [text.vector for text in texts], [hash_words(text.keyword) for text in texts]
    )


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
