"""The stretch of a long text that has the words of a question; pure, in time linear in the text.

A word counts the less the more often the text has it: in a log of a thousand lines, what stands in
one of them tells where to look, and what stands in each tells nothing.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Final

from wellworn.kit.folding import fold_forms

Split = Callable[[str], Iterable[Hashable]]
"""Returns the words of a text, as they are compared."""

_STOPS: Final = ".!?\u3002\uff01\uff1f"
_SENTENCE: Final = re.compile(rf"[^{_STOPS}\n]*(?:[{_STOPS}]++|\n|$)\s*")
# Scripts without blanks have full sentences in one run, so a long one is looked at in parts.
_RUN: Final = re.compile(r"\S{1,40}")
_WORD: Final = re.compile(
    r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|[^\W\u3040-\u30ff\u3400-\u9fff]+"
)
_STEM: Final = 6
"""Letters by which words are compared where nothing knows their stems."""


def split_plainly(text: str) -> list[str]:
    """Return the beginnings of the words of a text."""
    return [word[:_STEM] for word in _WORD.findall(fold_forms(text).casefold())]


def pick_passage(text: str, question: str, limit: int, *, split: Split = split_plainly) -> str:
    """Return the text, or of a longer one the stretch with the rarest words of the question.

    At most `limit` characters, and an ellipsis on each side that was cut.
    """
    start, end = find_stretch(text, question, limit, split=split)
    passage = text[start:end].strip()
    if text[end:].strip():
        passage += " \u2026"
    return f"\u2026 {passage}" if text[:start].strip() else passage


def find_stretch(
    text: str, question: str, limit: int, *, split: Split = split_plainly
) -> tuple[int, int]:
    """Return from where to where the stretch stands that has the rarest words of the question.

    At most `limit` characters; all of a text that is no longer.
    """
    if len(text.strip()) <= limit:
        return 0, len(text)
    best = _find_best(text, _find_places(text, frozenset(split(question)), split), limit)
    end = best + limit
    if end < len(text):
        end = best + max(text[best:end].rfind(" "), limit // 2)
    return best, end


_Places = Sequence[tuple[int, frozenset[Hashable]]]
"""Places of runs that have words of a question, in order, with these words."""


def _find_places(text: str, asked: frozenset[Hashable], split: Split) -> _Places:
    runs = ((run.start(), asked.intersection(split(run[0]))) for run in _RUN.finditer(text))
    return [(start, words) for start, words in runs if words]


def _find_best(text: str, places: _Places, limit: int) -> int:
    """Return where the stretch begins whose words of the question are the rarest."""
    counts = Counter(word for _, words in places for word in words)
    sentences = [match.start() for match in _SENTENCE.finditer(text) if match[0].strip()]
    best = first = 0
    most, last = 0.0, -1
    for number, (place, _) in enumerate(places):
        begin = sentences[bisect_right(sentences, place) - 1]
        if place - begin > limit // 2:
            begin = text.find(" ", place - limit // 4, place) + 1 or place
        if begin == last:
            continue
        last = begin
        words: set[Hashable] = set()
        for at in range(number, len(places)):
            if places[at][0] >= begin + limit:
                break
            words |= places[at][1]
        weight = round(sum(1 / counts[word] for word in words), 6)
        if weight > most:
            first, most = begin, weight
        # Of those that overlap, the one that begins nearest to what it is quoted for.
        if weight == most and begin < first + limit:
            best = begin
    return best
