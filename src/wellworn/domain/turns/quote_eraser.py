"""Takes the words of an erased thought out of texts that others made of it. Pure.

What a turn knows from elsewhere stays: its question, and what its other sources say. So whoever
erases a note takes away what was quoted of it, and nothing that others said, however alike.

Quoted are three words in a row, a word with digits that tells things apart, and every statement
that cites what was erased.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, pairwise
from typing import Final, NamedTuple

from wellworn.domain.turns.context_document import TITLES
from wellworn.kit.neutralising import remove_hidden

ERASED: Final = "[erased]"
_LEAST_WORDS: Final = 3
_SHORTEST: Final = 4
"""In characters: what is shorter stands in most texts by chance."""
# Scripts that part no words: each of their characters counts as one.
_UNPARTED: Final = (
    r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
)
_WORD: Final = re.compile(rf"[{_UNPARTED}]|[^\W{_UNPARTED}]+")
_DIGIT: Final = re.compile(r"\d")
_FRAME: Final = re.compile(
    rf"^## (?:{'|'.join(map(re.escape, TITLES.values()))})[^\n]*$"
    r"|^\*\*(?:Decision|Outcome|Response Preview):\*\*"
    r"|\[[^\[\]\n]*+\]\([^)\[\s]++\) \| \[\[[^\[\]\n]*+\]\]"
    r"|\[E?\d{1,9}\]| \^(?:evidence|claim|decision)-[\w-]++$",
    re.MULTILINE,
)
"""What sections are read and linked by: headings, fields, dual links, citations and block ids."""
_Triple = tuple[str, str, str]


class _PlacedWord(NamedTuple):
    """A word as it is compared, and where it stands."""

    text: str
    start: int = 0
    end: int = 0


_BREAK: Final = _PlacedWord("\n")
"""Stands between texts: no quote goes over it."""


class QuoteEraser:
    """Erases what texts quote of erased ones.

    Args:
        erased: what was erased.
        known: what else the texts were made of, which stays.
        statements: what is a quote however short it is, unless it is known.
    """

    def __init__(
        self, erased: Iterable[str], known: Iterable[str], statements: Iterable[str] = ()
    ) -> None:
        gone = [[word.text for word in _split_words(text)] for text in _list_forms(erased)]
        known_words = [
            word.text for text in _list_forms(known) for word in (*_split_words(text), _BREAK)
        ]
        self._triples = {triple for words in gone for triple in _list_triples(words)}
        self._triples.difference_update(_list_triples(known_words))
        self._next: dict[tuple[str, str], set[str]] = {}
        for first, second, third in self._triples:
            self._next.setdefault((first, second), set()).add(third)
        self._identifiers = {each for words in gone for each in words if _is_identifier(each)}
        self._identifiers.difference_update(known_words)
        stated = [[word.text for word in _split_words(text)] for text in _list_forms(statements)]
        phrases = {
            _join(words)
            for words in (*(words for words in gone if len(words) < _LEAST_WORDS), *stated)
            if len(_join(words)) > _SHORTEST + 1
        }
        text = _join(known_words)
        self._phrases = [phrase for phrase in sorted(phrases) if phrase not in text]

    def erase(self, text: str) -> str:
        """Return a text with a mark where something of what was erased is quoted."""
        words = list(_list_free_words(text))
        marks = self._mark([word.text for word in words])
        parts: list[str] = []
        start, after = 0, False
        for word, is_quoted in zip(words, marks, strict=True):
            if is_quoted and not after:
                parts += [text[start : word.start], ERASED]
            start = word.end if is_quoted else start
            after = bool(is_quoted)
        return "".join([*parts, text[start:]])

    def _mark(self, words: Sequence[str]) -> bytearray:
        """Return which words are quoted."""
        marks = bytearray(word in self._identifiers for word in words)
        for place, triple in enumerate(_list_triples(words)):
            if triple in self._triples:
                marks[place : place + _LEAST_WORDS] = b"\1" * _LEAST_WORDS
            elif marks[place] and marks[place + 1] and self._is_cut(triple):
                marks[place + 2] = 1
        if self._phrases:
            self._mark_phrases(words, marks)
        return marks

    def _is_cut(self, triple: _Triple) -> bool:
        """Tell whether the last word is the beginning of a quoted one that was cut off."""
        following = self._next.get(triple[:2], ())
        return any(word.startswith(triple[2]) for word in following)

    def _mark_phrases(self, words: Sequence[str], marks: bytearray) -> None:
        text = _join(words)
        ends = list(accumulate(len(word) + 1 for word in words))
        for phrase in self._phrases:
            at = text.find(phrase)
            while at >= 0:
                last = at + len(phrase) - 1
                first, after = bisect_right(ends, at), bisect_left(ends, last) + 1
                marks[first:after] = b"\1" * (after - first)
                at = text.find(phrase, last)


def _list_forms(texts: Iterable[str]) -> Iterator[str]:
    """Yield texts as they were said, and as they are shown where that differs."""
    for text in texts:
        yield from dict.fromkeys((text, remove_hidden(text)))


def _split_words(text: str, start: int = 0) -> Iterator[_PlacedWord]:
    for match in _WORD.finditer(text):
        yield _PlacedWord(match[0].casefold(), start + match.start(), start + match.end())


def _list_free_words(text: str) -> Iterator[_PlacedWord]:
    """Yield the words of a text, and a break where it is framed."""
    bounds = [(0, 0), *(match.span() for match in _FRAME.finditer(text)), (len(text), len(text))]
    for (_, start), (end, _) in pairwise(bounds):
        yield from _split_words(text[start:end], start)
        yield _BREAK


def _list_triples(words: Sequence[str]) -> Iterator[_Triple]:
    return zip(words, words[1:], words[2:], strict=False)


def _is_identifier(word: str) -> bool:
    return len(word) >= _SHORTEST and _DIGIT.search(word) is not None


def _join(words: Iterable[str]) -> str:
    return f" {' '.join(words)} "
