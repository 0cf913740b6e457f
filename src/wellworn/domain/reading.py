"""Reads passages beside a question, stretch by stretch: which answers, and with which words.

A search knows which passage is about the question, and a reader which stretch answers it; neither
finds as much alone. So stretches are rated by both, by the word pieces of the encoder and by the
reader, and what is sure enough to be said is decided by the reader. What has a digit or is put
together in the question is a name for which nothing else will do.

Source: docs/adr/0022-reader.md; Khattab and Zaharia, ColBERT, SIGIR 2020.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Final, Generic, NamedTuple, TypeVar

from wellworn.engines.embedding import Embedder
from wellworn.engines.reading import MOST_TEXTS, ReaderService, Reading, get_logit
from wellworn.engines.retrieval.text import STOP_WORDS, split_words
from wellworn.errors import EmbeddingFailed
from wellworn.kit.markdown import TableHeads, blank_struck
from wellworn.kit.stretches import list_stretches

_T = TypeVar("_T")
_STRETCH: Final = 300
"""Characters of a stretch, at most, where it can be cut; what the reader was trained on."""
MOST_READ: Final = min(60, MOST_TEXTS)
"""Stretches that are read for one question; each costs some five milliseconds."""
_MOST_OF_ONE: Final = 20
"""Stretches of one passage that are read, where there are more of all than are read."""
_MOST_PAID: Final = 8
"""Stretches that a reader is sent where each costs money: those likest the question."""
_MOST_COMPARED: Final = 12
"""Stretches that are compared with the question, too: those that answer likeliest."""
_LIKENESS: Final = 10.0
"""The weight of likeness beside the logit of the reader."""
_REMEMBERED: Final = 500
"""Texts that are remembered with a question, and some more of the last one."""
_IDENTIFIER: Final = re.compile(r"\b(?:(?:[^\W\d]|-){0,60}+\d[\w.-]*|[A-Za-z]+[_.][\w.-]+)\b")


class Readable(NamedTuple):
    """A passage, with what it stands below: its title, or its headings."""

    title: str
    text: str


class ReadStretch(NamedTuple):
    """A stretch of a passage that was read.

    Attributes:
        place: of the passage among those that were given.
        start, end: of the stretch in the text of the passage.
        answers: the probability that it answers.
        rating: by which stretches are compared, the likeness to the question included.
        likeness: to the question, 0 to 1 where its words or their pieces are compared.
        span: from where to where in the text of the passage the words stand that answer.
    """

    place: int
    start: int
    end: int
    answers: float
    rating: float
    span: tuple[int, int] | None
    likeness: float = 0.0


class _CutStretch(NamedTuple):
    """A stretch with what it is read below."""

    place: int
    start: int
    end: int
    lead: str
    text: str

    @property
    def whole(self) -> str:
        return f"{self.lead}{self.text}"


class _Memo(Generic[_T]):
    """Findings on texts beside questions, as a turn reads the same ones in several phases."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, str], _T] = {}

    def look_up(
        self,
        question: str,
        texts: Sequence[str],
        find: Callable[[str, Sequence[str]], Sequence[_T] | None],
    ) -> list[_T] | None:
        """Return what is known of the texts, or can be found; None, which is not stored, if not."""
        known = self._known if len(self._known) <= _REMEMBERED else {}
        unknown = [text for text in dict.fromkeys(texts) if (question, text) not in known]
        results = find(question, unknown) if unknown else ()
        if results is None:
            return None
        pairs = zip(unknown, results, strict=True)
        self._known = known = known | {(question, text): result for text, result in pairs}
        return [known[question, text] for text in texts]


class PassageReader:
    """Reads passages; without a reader, or while it fails, nothing is read."""

    def __init__(
        self, reader: ReaderService | None = None, embedder: Embedder | None = None
    ) -> None:
        self._reader = reader or ReaderService()
        self._embedder = embedder
        self._readings = _Memo[Reading]()
        self._likeness = _Memo[float]()

    @property
    def is_reading(self) -> bool:
        """Tell whether there is a reader, so that what it says to answer was judged."""
        return self._reader.name is not None and not self._reader.failure

    def read(
        self, question: str, passages: Sequence[Readable], *, most: int = MOST_READ
    ) -> list[ReadStretch] | None:
        """Return the stretches of passages, best first; None where nobody reads now.

        No more than `most` are read, those of the first passages.

        Those that lack a name of the question with a digit, or that is put together, are left out.
        """
        if self._reader.name is None:
            return None
        cuts = _list_cuts(question, passages, most)
        if self._reader.is_paid and len(cuts) > _MOST_PAID:
            cuts = self._choose_likest(question, cuts)
        texts = [cut.whole for cut in cuts]
        readings = self._readings.look_up(question, texts, self._reader.read)
        if readings is None:
            return None
        likeliest = sorted(range(len(cuts)), key=lambda at: -readings[at].answers)
        likeliest = likeliest[:_MOST_COMPARED]
        nearest = [texts[at] for at in likeliest]
        likeness = self._likeness.look_up(question, nearest, self._measure) or [0.0] * len(nearest)
        stretches = [
            ReadStretch(
                cuts[at].place,
                cuts[at].start,
                cuts[at].end,
                readings[at].answers,
                get_logit(readings[at].answers) + _LIKENESS * like,
                _shift(readings[at].span, cuts[at].start - len(cuts[at].lead), cuts[at].start),
                like,
            )
            for at, like in zip(likeliest, likeness, strict=True)
        ]
        return sorted(stretches, key=lambda stretch: -stretch.rating)

    def _choose_likest(self, question: str, cuts: Sequence[_CutStretch]) -> list[_CutStretch]:
        """Return as many stretches as are paid for: the likest, or without an encoder the first."""
        texts = [cut.whole for cut in cuts]
        likeness = self._likeness.look_up(question, texts, self._measure) or [0.0] * len(cuts)
        likest = sorted(range(len(cuts)), key=lambda at: -likeness[at])[:_MOST_PAID]
        return [cuts[at] for at in sorted(likest)]

    def compare(
        self, question: str, passages: Sequence[Readable], *, most: int = MOST_READ
    ) -> list[ReadStretch]:
        """Return the stretches of passages, those closest to the question first; none is judged.

        How close they are is their likeness, by the word pieces of the encoder, or while that fails
        by the words of the question that stand in them.
        """
        cuts = _list_cuts(question, passages, most)
        texts = [cut.whole for cut in cuts]
        likeness = self._likeness.look_up(question, texts, self._measure)
        if likeness is None:
            asked = frozenset(split_words(question)) - STOP_WORDS
            likeness = [len(asked & {*split_words(text)}) / max(1, len(asked)) for text in texts]
        stretches = [
            ReadStretch(cut.place, cut.start, cut.end, 0.0, like, None, like)
            for cut, like in zip(cuts, likeness, strict=True)
        ]
        return sorted(stretches, key=lambda stretch: -stretch.rating)

    def _measure(self, question: str, texts: Sequence[str]) -> list[float] | None:
        """Return how like the question each text is: a mean cosine of pieces, -1 to 1."""
        if self._embedder is None:
            return None
        try:
            asked = self._embedder.encode_query(question)
            encoded = self._embedder.encode(texts) if len(asked.pieces) else ()
        except EmbeddingFailed:
            return None
        return [
            float((asked.pieces @ each.pieces.T).max(axis=1, initial=-1.0).mean())
            for each in encoded
        ] or None


def find_part(text: str, stretch: ReadStretch) -> tuple[int, int]:
    """Return the sentence, row or item of a stretch in which its words stand, else all of it."""
    span, whole = stretch.span, (stretch.start, stretch.end)
    if span is None:
        return whole
    parts = (
        (stretch.start + start, stretch.start + end)
        for start, end in list_stretches(text[slice(*whole)], 1)
    )
    return next((part for part in parts if part[0] <= span[0] and span[1] <= part[1]), whole)


def _list_cuts(question: str, passages: Sequence[Readable], most: int) -> list[_CutStretch]:
    """Return the stretches of passages that have the names of a question, as many as are read."""
    names = list_identifiers(question)
    groups = ([*_cut(place, passage)] for place, passage in enumerate(passages))
    named = [[cut for cut in group if names <= {*split_words(cut.whole)}] for group in groups]
    if sum(map(len, named)) > most:
        named = [_choose_shared(question, group) for group in named]
    return [cut for group in named for cut in group][:most]


def _choose_shared(question: str, cuts: Sequence[_CutStretch]) -> Sequence[_CutStretch]:
    """Return no more of a long passage than leaves room for others: what the question speaks of.

    That is what has its words, each counting the more the fewer stretches have it.
    """
    if len(cuts) <= _MOST_OF_ONE:
        return cuts
    asked = frozenset(split_words(question)) - STOP_WORDS
    shared = [asked & {*split_words(cut.text)} for cut in cuts]
    spread = Counter(word for words in shared for word in words)
    weights = [sum(1 / spread[word] for word in words) for words in shared]
    chosen = sorted(range(len(cuts)), key=lambda at: -weights[at])[:_MOST_OF_ONE]
    return [cuts[at] for at in sorted(chosen)]


def _cut(place: int, passage: Readable) -> Iterator[_CutStretch]:
    """Yield the stretches of a passage, each below the title, and the head of its table."""
    # What is struck out holds no longer and answers nothing; all else keeps its place.
    text = blank_struck(passage.text)
    heads = TableHeads(text)
    for start, end in list_stretches(text, _STRETCH):
        head = heads.find(start)
        is_below = head is not None and head[0] < start
        lead = f"{text[slice(*head)]}\n" if head and is_below else ""
        yield _CutStretch(place, start, end, f"{passage.title}\n{lead}", text[start:end])


def list_identifiers(question: str) -> frozenset[str]:
    """Return the names with digits, or put together, for which nothing else will do, as stems."""
    words: Iterator[str] = (match[0] for match in _IDENTIFIER.finditer(question))
    return frozenset(stem for word in words for stem in split_words(word)[:1])


def _shift(span: tuple[int, int] | None, by: int, start: int) -> tuple[int, int] | None:
    """Return a span of a text as that of its passage; None where it begins before the stretch."""
    if span is None or span[0] + by < start:
        return None
    return span[0] + by, span[1] + by
