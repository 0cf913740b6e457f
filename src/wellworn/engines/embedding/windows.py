"""Cuts texts for a model's window, counts their word pieces and groups them for inference; pure.

A text is cut between words alone: a cut word would have other pieces, and might no longer fit.

A tokenizer of the BERT kind reads each word by itself: white space and marks end a word, and
what is beyond them does not change its pieces. So the pieces of a text are the sum over its words,
and only words that are new go through the tokenizer.

Padding costs as much as text, so the limit of a group counts it.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from itertools import accumulate, chain, islice
from typing import Final, NamedTuple

import numpy as np

from wellworn.engines.embedding.models import PIECE_DIMENSIONS, Encoded, Span

_SENTENCE_ENDS = frozenset(".!?…")
_FULL_WIDTH_ENDS = frozenset("。！？")  # noqa: RUF001 - nothing need follow these
_QUESTION_MARK = re.compile(r"[?？؟]")  # noqa: RUF001 - as others write it
_MID_WORD, _AFTER_SPACE, _AFTER_SENTENCE = range(3)

MOST_QUERY_WINDOWS: Final = 6
"""A window costs more than a twentieth of a second, and a prompt can have 45 of them."""


class Word(NamedTuple):
    """Characters `[start, end)` of a text, and the word pieces they cost (at least one)."""

    start: int
    end: int
    pieces: int


def cut_windows(text: str, words: Sequence[Word], *, limit: int, overlap: int) -> list[Span]:
    """Cut a text into spans of at most `limit` pieces that together cover all of it.

    Neighbours share at most `overlap` pieces. A window ends after a sentence, or else at white
    space, if one lies in its last quarter. A word beyond the limit gets a window of its own.
    """
    spans: list[Span] = []
    costs = list(accumulate((word.pieces for word in words), initial=0))
    first = last = start = 0
    while costs[-1] - costs[first] > limit:
        last = _end(text, words, costs, first=first, beyond=last, limit=limit)
        if last == len(words):
            break
        spans.append(Span(start, words[last].start))
        # Less overlap where the next word would not fit beside it.
        room = max(0, min(overlap, limit - words[last].pieces))
        first = _start(text, words, costs, beyond=first, end=last, overlap=room)
        start = words[first].start
    return [*spans, Span(start, len(text))]


def select_windows(text: str, windows: Sequence[Span]) -> list[Span]:
    """Select the windows of a query that are embedded: its ends, where it asks, and between.

    Those that ask count from the end, where a long prompt comes to its point.
    """
    if len(windows) <= MOST_QUERY_WINDOWS:
        return [*windows]
    last = len(windows) - 1
    asking = (at for at in range(last, 0, -1) if _QUESTION_MARK.search(text, *windows[at]))
    between = (at * last // (MOST_QUERY_WINDOWS - 1) for at in range(MOST_QUERY_WINDOWS))
    ranked = dict.fromkeys((last, 0, *asking, *between))
    return [windows[at] for at in sorted(islice(ranked, MOST_QUERY_WINDOWS))]


def join_windows(parts: Sequence[Encoded], windows: Sequence[Span]) -> Encoded:
    """Join the windows of a text: the normalised mean, and each piece once."""
    mean = np.mean([part.vector for part in parts], axis=0)
    spans: list[Span] = []
    fresh_pieces: list[tuple[int, int]] = []
    for number, (part, window) in enumerate(zip(parts, windows, strict=True)):
        reached = spans[-1].end if spans else 0
        moved = [Span(window.start + start, window.start + end) for start, end in part.spans]
        fresh = [at for at, span in enumerate(moved) if span.start >= reached]
        fresh_pieces += [(number, at) for at in fresh]
        spans += [moved[at] for at in fresh]
    pieces = np.array([parts[number].pieces[at] for number, at in fresh_pieces], np.float32)
    shaped = pieces.reshape(-1, PIECE_DIMENSIONS)
    return Encoded(mean / np.linalg.norm(mean), shaped, tuple(spans))


def _end(
    text: str, words: Sequence[Word], costs: Sequence[int], *, first: int, beyond: int, limit: int
) -> int:
    """Return the first word after the window that begins with word `first`."""
    furthest = max(beyond + 1, bisect_right(costs, costs[first] + limit) - 1)
    earliest = max(beyond + 1, bisect_left(costs, costs[first] + limit - limit // 4))
    candidates = range(furthest, earliest - 1, -1)
    return max(candidates, key=lambda number: _quality(text, words, number), default=furthest)


def _start(
    text: str, words: Sequence[Word], costs: Sequence[int], *, beyond: int, end: int, overlap: int
) -> int:
    """Return the first word of the window that follows the one from `beyond` to before `end`."""
    earliest = max(beyond + 1, bisect_left(costs, costs[end] - overlap))
    spaced = (
        number for number in range(earliest, end) if _quality(text, words, number) > _MID_WORD
    )
    return next(spaced, earliest)


def _quality(text: str, words: Sequence[Word], number: int) -> int:
    """Rate a cut before word `number`."""
    if number == len(words):
        return _AFTER_SENTENCE
    before, after = words[number - 1].end, words[number].start
    gap, last = text[before:after], text[before - 1]
    if "\n" in gap or last in _FULL_WIDTH_ENDS:
        return _AFTER_SENTENCE
    if not any(character.isspace() for character in gap):
        return _MID_WORD
    return _AFTER_SENTENCE if last in _SENTENCE_ENDS else _AFTER_SPACE


_MOST_WORDS: Final = 200_000
_LONGEST_WORD: Final = 40
"""Characters of a word worth remembering; scripts without spaces have full sentences in one."""
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
        counts = {word: known.get(word, 0) for word in set(chain.from_iterable(cut))}
        if new := [word for word in counts if word not in known]:
            counts |= zip(new, self._count(new), strict=True)
            self._remember({word: counts[word] for word in new if len(word) <= _LONGEST_WORD})
        return [sum(map(counts.__getitem__, words)) for words in cut]

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


def group_by_length(lengths: Sequence[int], limit_tokens: int) -> list[list[int]]:
    """Group positions so that each group, padded to its longest text, is within the limit.

    A text beyond the limit is a group of its own.
    """
    groups: list[list[int]] = []
    for position in sorted(range(len(lengths)), key=lengths.__getitem__):
        # Ascending order: the newest is the longest, and sets the padding of its group.
        if groups and (len(groups[-1]) + 1) * lengths[position] <= limit_tokens:
            groups[-1].append(position)
        else:
            groups.append([position])
    return groups
