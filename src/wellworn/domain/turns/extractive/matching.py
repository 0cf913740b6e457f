"""Matches sources to a question by reading; without a reader, by what is closest to it.

Only a reader judges whether words answer. Without one the closest stretch is known by the word
pieces of the encoder, or while that fails by the words, and nobody says that it answers.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from copy import copy
from dataclasses import replace
from typing import Final, NamedTuple

from wellworn.domain.reading import MOST_READ, PassageReader, Readable, ReadStretch, find_part
from wellworn.domain.turns.citing import is_of_past
from wellworn.domain.turns.models import Evidence, EvidenceKind
from wellworn.domain.turns.wording import list_content_words
from wellworn.engines.retrieval.text import speaks_of_self, split_words
from wellworn.kit.stretches import drop_open_fence, find_introduced_end

ANSWERS: Final = 0.3
"""The probability from which a passage answers; see `docs/benchmarks.md`, "Reading"."""
SURE: Final = 0.8
"""The probability from which the sentence, row or item says enough; else all that was read does."""
_SURE_OF_USER: Final = 0.95
"""The least certainty of an answer from the user's profile: people mostly ask for more."""
_CLOSE: Final = 0.58
"""The likeness of a stretch that is close; see `docs/benchmarks.md`, "Turns"."""
_LEAST_READ: Final = 10
"""Stretches that are read for each of many questions."""
_LONGEST_QUOTE: Final = 450
_CELL: Final = re.compile(r"(?:[^|\\\n]|\\[^\n])++")
_HEADINGS: Final = re.compile(r"\A(?:\s*#{1,6} [^\n]*(?:\n|\Z))+")


class ReadAnswer(NamedTuple):
    """A source as it was read.

    Attributes:
        answers: whether it answers; without a reader, whether it is close.
        confidence: how sure that is, 0 to 1.
        rating: by which sources are compared.
        value: the words that answer; empty where nobody names them.
        quote: what they stand in.
    """

    answers: bool
    confidence: float
    rating: float
    value: str
    quote: str


class PassageMatcher:
    """Reads sources beside questions, or compares them where nobody reads."""

    def __init__(self, passages: PassageReader) -> None:
        self._passages = passages
        self._most = MOST_READ

    def share_among(self, questions: int) -> PassageMatcher:
        """Return one that reads no more for all the questions of a turn than for two."""
        shared = copy(self)
        shared._most = max(_LEAST_READ, 2 * MOST_READ // max(2, questions))  # noqa: SLF001 - a copy
        return shared

    @property
    def is_reading(self) -> bool:
        """Tell whether there is a reader, so that what is said to answer was judged."""
        return self._passages.is_reading

    def read(self, question: str, items: Sequence[Evidence]) -> dict[int, ReadAnswer]:
        """Return what is made of each source that has words, by its place.

        Of several stretches of a source the best one counts.
        """
        texts = [Readable(_name(item), read_body(item)) for item in items]
        stretches = self._passages.read(question, texts, most=self._most)
        read = _judge if stretches is not None else _compare
        if stretches is None:
            stretches = self._passages.compare(question, texts, most=self._most)
        best: dict[int, ReadAnswer] = {}
        for stretch in stretches:
            if stretch.place not in best:
                made = read(texts[stretch.place].text, stretch)
                # A page was visited for the question; what it says about it may be no answer.
                is_page = items[stretch.place].kind is EvidenceKind.PAGE
                is_close = is_page and stretch.likeness >= _CLOSE
                best[stretch.place] = made._replace(answers=made.answers or is_close)
        return best


def _judge(text: str, stretch: ReadStretch) -> ReadAnswer:
    value = text[slice(*_find_cell(text, *stretch.span))] if stretch.span else ""
    start, end = stretch.start, stretch.end
    if stretch.answers >= SURE:
        start, end = find_part(text, stretch)
    is_answer = stretch.answers >= ANSWERS
    return ReadAnswer(is_answer, stretch.answers, stretch.rating, value, text[start:end])


def _find_cell(text: str, start: int, end: int) -> tuple[int, int]:
    """Return where words stand, with all of their cell if it has a pipe of its own in it."""
    line = text.rfind("\n", 0, start) + 1
    for cell in _CELL.finditer(text, line) if text.startswith("|", line) else ():
        first, last = cell.span()
        if first <= start and end <= last and "\\|" in cell[0]:
            return first + len(cell[0]) - len(cell[0].lstrip()), first + len(cell[0].rstrip())
        if last >= end:
            break
    return start, end


def _compare(text: str, stretch: ReadStretch) -> ReadAnswer:
    end = find_introduced_end(text, stretch.end, _LONGEST_QUOTE)
    quote = drop_open_fence(text[stretch.start : end])
    likeness = min(1.0, max(0.0, stretch.likeness))
    return ReadAnswer(likeness >= _CLOSE, likeness, stretch.rating, "", quote)


def _name(item: Evidence) -> str:
    """Return what a source is read below: of the user it is about the user."""
    return f"My {item.title.replace('_', ' ')}" if item.is_of_user else item.title


def read_body(item: Evidence) -> str:
    """Return what a source says below its headings."""
    return _HEADINGS.sub("", item.text.strip()).strip()


_NOTHING: Final = ReadAnswer(answers=False, confidence=0.0, rating=-100.0, value="", quote="")


def select_evidence(
    goals: Sequence[str], candidates: Sequence[Evidence], matcher: PassageMatcher
) -> list[Evidence]:
    """Return what may be near one of the goals, best first, each judged by whether it answers one.

    What holds speaks before what a document of the past said, and of what answers the same the
    newer before the older.
    """
    reads = [matcher.read(goal, candidates) for goal in goals]
    judged: list[tuple[tuple[float, ...], Evidence]] = []
    for place, item in enumerate(candidates):
        best = max((read.get(place, _NOTHING) for read in reads), key=_rate, default=_NOTHING)
        is_named = any(_names(goal, item) for goal in goals)
        # How close a search finds a passage says less than who has read it.
        is_read = matcher.is_reading and item.kind is EvidenceKind.KNOWLEDGE
        is_open = (item.answers or is_read) and any(_may_answer(goal, item) for goal in goals)
        is_doubtful = item.is_of_user and matcher.is_reading and best.confidence < _SURE_OF_USER
        is_exact = item.is_certain or is_named
        answers = is_open and (is_exact or (best.answers and not is_doubtful))
        is_first, is_next = answers and item.is_certain, answers and is_exact
        order = (not answers, is_of_past(item), not is_first, not is_next, -best.rating, place)
        judged.append((order, replace(item, answers=answers)))
    return _put_newer_first([item for _, item in sorted(judged, key=lambda each: each[0])])


def _put_newer_first(items: Sequence[Evidence]) -> list[Evidence]:
    ordered: list[Evidence] = []
    for item in items:
        older = (
            place
            for place, each in enumerate(ordered)
            if item.answers and each.thought_id in item.newer_than
        )
        ordered.insert(next(older, len(ordered)), item)
    return ordered


def _rate(read: ReadAnswer) -> float:
    return read.rating


def _may_answer(goal: str, item: Evidence) -> bool:
    """Tell whether evidence is about somebody whom a goal is about: the user, or anybody else."""
    return not item.is_of_user or speaks_of_self(goal, is_alone=True)


def _names(goal: str, item: Evidence) -> bool:
    """Tell whether a goal names what is known of the user, or is itself the name of a heading.

    Who names a heading and asks nothing of it wants what stands there.
    """
    asked = frozenset(list_content_words(goal))
    if item.is_of_user:
        return asked.issuperset(split_words(item.title.partition(" (")[0].replace("_", " ")))
    return bool(asked) and asked.issubset(split_words(item.title))
