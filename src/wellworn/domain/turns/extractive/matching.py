"""Which stretch of a passage says what a question asks, by the word pieces of the encoder.

Of every piece of the question the most similar piece of the stretch counts, or of the headings
above it. A passage is encoded once, whatever is asked of it and however it is cut.

Source: Khattab and Zaharia, ColBERT, SIGIR 2020; `docs/benchmarks.md`, "Turns".
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

import numpy as np

from wellworn.domain.reading import PassageReader, Readable, find_part, list_identifiers
from wellworn.domain.turns.models import Evidence
from wellworn.engines.embedding import Embedder, Encoded
from wellworn.engines.retrieval.text import split_words
from wellworn.errors import EmbeddingFailed
from wellworn.kit.stretches import (
    drop_open_fence,
    find_header,
    find_introduced_end,
    list_sentences_at,
    list_stretches,
)

_LONGEST_QUOTE: Final = 450
_SHORT_STRETCH: Final = 250
_SHORT_SHARE: Final = 0.3
"""What the short stretches within a stretch count; see `docs/benchmarks.md`, "Turns"."""
_MOST_LOST: Final = 0.07
_LEAST_AHEAD: Final = 0.09
"""What one sentence of a short page loses, and how far the next one is behind, where it says alone
what is asked: so in 11 of 15 questions to four pages, each time the right one."""
_REMEMBERED: Final = 64
_SURE: Final = 0.8
"""The probability from which the sentence, row or item says enough; else all that was read does."""
_LETTER: Final = re.compile(r"[^\W\d_]")
_HEADINGS: Final = re.compile(r"\A(?:\s*#{1,6} [^\n]*(?:\n|\Z))+")
_log = logging.getLogger(__name__)


class BestStretch(NamedTuple):
    """The best stretch of a passage, and how like the question it is: a mean cosine, -1 to 1."""

    quote: str
    likeness: float


class ReadAnswer(NamedTuple):
    """What reading makes of a source: how sure it answers, with which words, in which quote."""

    answers: float
    rating: float
    value: str
    quote: str


class PassageMatcher:
    """Compares passages with questions; without an encoder, or while it fails, it finds nothing.

    With a reader, it reads them, too.
    """

    def __init__(
        self, embedder: Embedder | None = None, passages: PassageReader | None = None
    ) -> None:
        self._embedder = embedder
        self._passages = passages
        self._encode_text = lru_cache(_REMEMBERED)(self._encode)

    def read(self, question: str, items: Sequence[Evidence]) -> dict[int, ReadAnswer] | None:
        """Return what reading makes of each source that has words, by its place; None without one.

        Of several stretches of a source the best one counts.
        """
        texts = [Readable(item.title, read_body(item)) for item in items]
        stretches = self._passages.read(question, texts) if self._passages else None
        if stretches is None:
            return None
        best: dict[int, ReadAnswer] = {}
        for stretch in stretches:
            text = texts[stretch.place].text
            value = text[slice(*stretch.span)] if stretch.span else ""
            is_sure = stretch.answers >= _SURE
            whole = (stretch.start, stretch.end)
            quote = text[slice(*(find_part(text, stretch) if is_sure else whole))]
            read = ReadAnswer(stretch.answers, stretch.rating, value, quote)
            best.setdefault(stretch.place, read)
        return best

    def find_best(self, question: str, item: Evidence) -> BestStretch | None:
        """Return the best stretch of a passage; None where word pieces tell nothing."""
        body = read_body(item)
        title = f"{item.title}\n"
        try:
            asked = self._encode_text(question, is_question=True)
            passage = self._encode_text(title + body, is_question=False)
        except EmbeddingFailed as error:
            _log.warning("quotes are chosen by their words alone: %s", error.message)
            return None
        if asked is None or passage is None or not len(asked.pieces) or not len(passage.pieces):
            return None
        likeness = asked.pieces @ passage.pieces.T
        places = np.array(passage.spans) - len(title)
        is_title = places[:, 0] < 0

        def measure(span: tuple[int, int]) -> float:
            is_read = is_title | _overlaps(places, *span)
            if header := find_header(body, span[0]):
                is_read |= _overlaps(places, *header)
            return float(likeness[:, is_read].max(axis=1, initial=-1.0).mean())

        spans = [
            span for span in list_stretches(body, _LONGEST_QUOTE) if _overlaps(places, *span).any()
        ]
        if not spans:
            return None
        short = {span: measure(span) for span in list_stretches(body, _SHORT_STRETCH)}
        rated = {span: _rate(span, measure(span), short) for span in spans}
        names = frozenset(filter(_LETTER.search, list_identifiers(question)))
        best = max(_list_naming(body, spans, names), key=rated.__getitem__)
        picked = _pick_row(body, best, measure, names)
        is_whole = not body[: picked[0]].strip() and not body[picked[1] :].strip()
        start, end = _pick_sentence(body, measure) or picked if is_whole else picked
        end = find_introduced_end(body, end, _LONGEST_QUOTE)
        return BestStretch(drop_open_fence(body[start:end]), rated[best])

    def _encode(self, text: str, *, is_question: bool) -> Encoded | None:
        if self._embedder is None:
            return None
        return (
            self._embedder.encode_query(text) if is_question else self._embedder.encode([text])[0]
        )


def list_stems(pattern: re.Pattern[str], question: str) -> list[str]:
    """Return what matches a pattern as search compares words: of each match its first stem."""
    return [stem for name in pattern.findall(question) for stem in split_words(name)[:1]]


def read_body(item: Evidence) -> str:
    """Return what a source says below its headings."""
    return _HEADINGS.sub("", item.text.strip()).strip()


def _rate(span: tuple[int, int], likeness: float, short: Mapping[tuple[int, int], float]) -> float:
    """Return how like a stretch is, in part by the short stretch within it that is most like."""
    start, end = span
    within = [each for (own, last), each in short.items() if start <= own and last <= end]
    return (1 - _SHORT_SHARE) * likeness + _SHORT_SHARE * max(within, default=likeness)


def _pick_row(
    body: str,
    span: tuple[int, int],
    measure: Callable[[tuple[int, int]], float],
    names: frozenset[str],
) -> tuple[int, int]:
    """Return the table row of a stretch that is more like a question than its other parts.

    Where parts have the names of the question, it is one of them.
    """
    start, end = span
    parts = [
        (start + own, start + last)
        for own, last in list_stretches(body[start:end], 1, of=body, begin=start)
    ]
    rows = [part for part in parts if find_header(body, part[0])]
    best = max(_list_naming(body, parts, names), key=measure) if rows else span
    return best if best in rows else span


def _pick_sentence(
    body: str, measure: Callable[[tuple[int, int]], float]
) -> tuple[int, int] | None:
    """Return the sentence of a short page that is like a question, and alone is; None without one.

    It has nearly all of the likeness that the page has, and no other has as much.
    """
    rated = sorted((measure(span), span) for span in list_sentences_at(body))
    if len(rated) <= 1:
        return None
    (second, _), (best, span) = rated[-2:]
    is_like = best >= measure((0, len(body))) - _MOST_LOST
    return span if is_like and best >= second + _LEAST_AHEAD else None


def _list_naming(
    body: str, spans: list[tuple[int, int]], names: frozenset[str]
) -> list[tuple[int, int]]:
    """Return the stretches that have all names; all of them where none has."""
    naming = [span for span in spans if names <= set(split_words(body[slice(*span)]))]
    return naming or spans


def _overlaps(places: np.ndarray, start: int, end: int) -> np.ndarray:
    """Tell of each piece whether it stands, in part at least, between two places."""
    return (places[:, 0] < end) & (places[:, 1] > start)
