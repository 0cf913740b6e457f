"""Quotes from a text the stretch, or the sentence, that speaks of what is asked. Pure.

Nothing is changed in what is quoted: every quote is a stretch of its source.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import pairwise
from typing import Final

from wellworn.domain.turns.wording import list_content_words
from wellworn.engines.retrieval.text import split_words
from wellworn.kit.sentences import NOT_SHORT
from wellworn.kit.stretches import list_sentences_at

_LONGEST_SENTENCE: Final = 400
_SENTENCE: Final = re.compile(
    rf"(?:[^\n.!?\u3002]|[.!?](?:(?!\s)|(?!{NOT_SHORT})))+"
    rf"(?:[.!?\u3002]+{NOT_SHORT}(?=\s|$)|$|(?=\n))"
)
_MARKUP: Final = re.compile(r"#{1,6}\s|```|~~~")
_RULE: Final = re.compile(r"[\s|:\-=*_#>]*")


def fits_in_marks(text: str) -> bool:
    """Tell whether a quote can stand between quotation marks: one line that does not end them."""
    return "\n" not in text and "”" not in text


def cut_text(text: str, query: str, most_characters: int) -> str:
    """Return the text, or of a longer one what stands around words that a query has as well."""
    text = text.strip()
    if len(text) <= most_characters:
        return text
    window = most_characters // 2
    starts = [*_list_starts(text, window)]
    best = _find_densest(text, starts, set(list_content_words(query)), window)
    first = max(0, min(best, len(text) - most_characters))
    first = starts[bisect_right(starts, first) - 1]
    return text[first : first + most_characters].rstrip()


def _list_starts(text: str, longest: int) -> Iterator[int]:
    """Yield where lines begin, and within longer ones the sentences."""
    start = 0
    for line in text.split("\n"):
        yield start
        if len(line) > longest:
            yield from (start + begin for begin, _ in list_sentences_at(line) if begin)
        start += len(line) + 1


def _find_densest(text: str, starts: Sequence[int], asked: set[str], window: int) -> int:
    """Return the start from which on what begins within a window says most of what is asked.

    Each part is read once: a text may have a hundred thousand.
    """
    parts = (text[start:end] for start, end in pairwise([*starts, len(text)]))
    shared = [asked & set(split_words(part)) for part in parts]
    within: Counter[str] = Counter()
    end, best, most = 0, 0, -1
    for number, start in enumerate(starts):
        while end < len(starts) and starts[end] < start + window:
            within.update(shared[end])
            end += 1
        if len(within) > most:
            best, most = start, len(within)
        within = within - Counter(shared[number])
    return best


def list_sentences(text: str) -> Iterator[str]:
    """Yield the sentences, table rows and list items of a text, as they stand there."""
    for match in _SENTENCE.finditer(text):
        sentence = match.group().strip()
        if sentence and not _RULE.fullmatch(sentence):
            yield sentence[:_LONGEST_SENTENCE]


def measure_overlap(sentence: str, asked: set[str]) -> float:
    """Return which share of what is asked a sentence speaks of, 0 to 1."""
    if not asked:
        return 0.0
    return len(asked & set(split_words(sentence))) / len(asked)


def rate_by(query: str) -> Callable[[str], float]:
    """Return what tells which share of a query a text speaks of, 0 to 1."""
    return partial(measure_overlap, asked=set(list_content_words(query)))


def pick_sentence(text: str, query: str) -> str:
    """Return the sentence of a text that shares most words with a query; of equals the first.

    A heading is none, and neither is a fence of code.
    """
    asked = set(list_content_words(query))
    sentences = (each for each in list_sentences(text) if not _MARKUP.match(each))
    return max(sentences, key=lambda each: measure_overlap(each, asked), default="")
