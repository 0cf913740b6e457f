"""Cuts paragraphs into sentences and windows of words, and keeps track of a span."""

from __future__ import annotations

import re
from collections.abc import Sequence
from random import Random
from typing import Final

Place = tuple[int, int]

_SENTENCE_END: Final = re.compile(r"(?<=[.!?؟])[\"')\]]?\s+(?=[^\sa-z])|(?<=[。！？])|\n+")  # noqa: RUF001
_WORD: Final = re.compile(r"\S+")


def list_sentences(text: str) -> list[Place]:
    """Return where the sentences of a text are, as far as their marks tell."""
    places, start = [], 0
    for match in _SENTENCE_END.finditer(text):
        if match.start() > start:
            places.append((start, match.start()))
        start = match.end()
    if start < len(text):
        places.append((start, len(text)))
    return places


def cut_window(text: str, span: Place, rng: Random, *, least: int, most: int) -> Place:
    """Return a window around a span, of so many words, which mostly ends with sentences."""
    words = [match.span() for match in _WORD.finditer(text)]
    first = next(at for at, (_, end) in enumerate(words) if end > span[0])
    last = next(at for at, (_, end) in enumerate(words) if end >= span[1])
    size = max(rng.randint(least, most), last - first + 1)
    begin = max(0, first - rng.randint(0, size - (last - first + 1)))
    finish = min(len(words) - 1, begin + size - 1)
    begin = max(0, min(begin, finish - size + 1))
    start, end = words[begin][0], words[max(finish, last)][1]
    sentences = list_sentences(text)
    start = next((a for a, b in sentences if start <= a <= span[0] and b > span[0]), start)
    end = next((b for a, b in reversed(sentences) if span[1] <= b <= end and a < span[1]), end)
    return start, end


def cut_windows_of_three(text: str) -> list[Place]:
    """Return overlapping windows of three sentences that cover a text."""
    sentences = list_sentences(text)
    if len(sentences) <= 3:
        return [(sentences[0][0], sentences[-1][1])] if sentences else []
    starts = [*range(0, len(sentences) - 3, 2), len(sentences) - 3]
    return [(sentences[at][0], sentences[at + 2][1]) for at in dict.fromkeys(starts)]


def holds_any(text: str, answers: Sequence[str]) -> bool:
    """Tell whether a text has one of the answers, whatever the case."""
    lowered = text.lower()
    return any(answer.lower() in lowered for answer in answers)
