"""Counts word pieces without reading texts whole: most words are those of the texts before.

A tokenizer of the BERT kind reads each word by itself: white space and marks end a word, and
what is beyond them does not change its pieces. So the pieces of a text are the sum over its words,
and only words that are new go through the tokenizer.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Final

_MOST_WORDS: Final = 200_000
_LONGEST_WORD: Final = 40
"""Characters of a word worth remembering; scripts without spaces have whole sentences in one."""
# What is not here may be dropped by the tokenizer, or changed before it is cut into words.
_UNUSUAL: Final = re.compile(r"[^\t\n\r -~]")
_RUN: Final = re.compile(r"[^\t\n\r ]+")
_WORD: Final = re.compile(r"[a-z0-9]+|[!-~]")


class PieceCounter:
    """Counts the word pieces of texts; may be used by several threads at once."""

    def __init__(self, count: Callable[[list[str]], Sequence[int]]) -> None:
        """Take what counts the pieces of words, many at once, by reading them."""
        self._count = count
        self._known: dict[str, int] = {}

    def lengths(self, texts: Sequence[str]) -> list[int]:
        """Return how many word pieces each text has, without marks."""
        cut = [_cut_into_words(text) for text in texts]
        known = self._known
        new = list({word for words in cut for word in words if word not in known})
        counts = dict(zip(new, self._count(new), strict=True)) if new else {}
        self._remember({word: n for word, n in counts.items() if len(word) <= _LONGEST_WORD})
        return [
            sum(counts[word] if word in counts else known[word] for word in words) for words in cut
        ]

    def _remember(self, counts: dict[str, int]) -> None:
        # Another one instead of an emptied one: other threads may be reading it.
        if len(self._known) > _MOST_WORDS:
            self._known = {}
        self._known |= counts


def _cut_into_words(text: str) -> list[str]:
    """Return what has the same pieces as the text, word by word; plain ones in lower case."""
    if _UNUSUAL.search(text) is None:
        return _WORD.findall(text.lower())
    return [
        word
        for run in _RUN.findall(text)
        for word in ([run] if _UNUSUAL.search(run) else _WORD.findall(run.lower()))
    ]
