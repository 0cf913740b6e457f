"""Quotes from a text the stretch, or the sentence, that speaks of what is asked. Pure.

Nothing is changed in what is quoted: every quote is a stretch of its source.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from itertools import accumulate
from typing import Final

from wellworn.domain.turns.wording import list_content_words
from wellworn.engines.retrieval.text import split_words
from wellworn.kit.sentences import NOT_SHORT

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
    """Return the text, or of a longer one the lines around those that share words with a query."""
    text = text.strip()
    if len(text) <= most_characters:
        return text
    best = _find_densest(text, set(list_content_words(query)), most_characters // 2)
    first = max(0, min(best, len(text) - most_characters))
    first = text.rfind("\n", 0, first + 1) + 1
    return text[first : first + most_characters].rstrip()


def _find_densest(text: str, asked: set[str], window: int) -> int:
    """Return the start of the line from which on lines that begin within a window say most of it.

    Each line is read once: a text may have a hundred thousand.
    """
    lines = text.split("\n")
    starts = list(accumulate((len(line) + 1 for line in lines), initial=0))[:-1]
    shared = [asked & set(split_words(line)) for line in lines]
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
