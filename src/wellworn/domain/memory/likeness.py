"""Whether a note has to do with a prompt, told by the two alone. Pure.

Among few notes there are no others to compare a score with, so meaning and words must tell by
themselves. To the encoder, which learned English, all texts of another language are alike, and the
more so of another script; there, the words they share tell more than what they mean. Between a
note and a prompt in two languages neither tells.

Source: `python -m benchmarks remembering`; `docs/benchmarks.md`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from functools import cached_property
from itertools import product
from typing import Final, NamedTuple

from wellworn.domain.memory.contribution import QUESTION_WORDS, remove_asking
from wellworn.domain.memory.disambiguation import find_telling_words
from wellworn.engines.retrieval.text import (
    ENGLISH,
    detect_language,
    is_function_word,
    is_unspaced,
    list_compounds,
    list_function_words,
    split_words,
)
from wellworn.kit.words import load_words


class _Least(NamedTuple):
    """What makes a note related.

    Attributes:
        cosine: the least, whatever words they share.
        share: of the prompt's telling words that the note has, from which ...
        cosine_with_words: ... this cosine is enough.
        sure_cosine: the least where there are others to compare with, which then decide below it.
    """

    cosine: float
    share: float
    cosine_with_words: float
    sure_cosine: float


_IN_ENGLISH: Final = _Least(0.25, share=0.01, cosine_with_words=0.15, sure_cosine=0.4)
_IN_LATIN_LETTERS: Final = _Least(0.62, share=0.2, cosine_with_words=0.3, sure_cosine=0.6)
_IN_ANOTHER_SCRIPT: Final = _Least(0.85, share=0.2, cosine_with_words=-1.0, sure_cosine=0.85)
_ALL_WORDS: Final = 1.0
_COPULAS: Final = frozenset(load_words(__name__, "copulas"))
_LATIN: Final = re.compile(r"[a-z\u00c0-\u024f]", re.IGNORECASE)
_HIRAGANA: Final = re.compile(r"[\u3040-\u309f]+")
_LEAST_OF_NOTES: Final = 2
"""Function words that tell the language of notes: one may be a name, or a word of another."""
_SHORTEST_PART: Final = 5
"""Letters of a word that is recognized in a compound: `schlüssel` in `archivschlüssel`."""


class PromptWords:
    """What a prompt asks about, to be looked for in notes."""

    def __init__(self, prompt: str) -> None:
        self._prompt = prompt
        self._compounds = list_compounds(prompt)
        self._language = detect_language(self._compounds)
        self._is_latin = _is_latin(prompt)
        self.telling = self._list_telling()

    def fits(self, content: str, cosine: float) -> bool:
        """Tell whether a note of this content and similarity has to do with the prompt."""
        least, share = self._find_least(content), self.measure_share(content)
        return (
            cosine >= least.cosine
            or (share >= least.share and cosine >= least.cosine_with_words)
            or share == _ALL_WORDS
        )

    def is_in_another_language(self, contents: Sequence[str]) -> bool:
        """Tell whether all of some notes are surely in a script or language that it is not in."""
        scripts = set(map(_is_latin, contents))
        if scripts != {self._is_latin}:
            return scripts == {not self._is_latin}
        theirs = _tell_language(list_compounds("\n".join(contents)), least=_LEAST_OF_NOTES)
        mine = _tell_language(self._compounds)
        return (
            self._is_latin
            and "" not in (mine, theirs)
            and _count_function_words(self._compounds, mine)
            > _count_function_words(self._compounds, theirs)
        )

    @cached_property
    def are_one_ideograph(self) -> bool:
        """Whether a single character of a script without blanks is all that is asked."""
        return [*map(len, self._compounds)] == [1] and is_unspaced(self._prompt)

    def are_named_by(self, opening: str) -> bool:
        """Tell whether one word is all that is asked, and a text begins with what names it."""
        return len(self.telling) == 1 and self.measure_share(opening) == _ALL_WORDS

    @cached_property
    def sure_cosine(self) -> float:
        """The cosine from which a note is relevant however many others are."""
        return self._find_least("").sure_cosine

    def _find_least(self, content: str) -> _Least:
        if not self._is_latin:
            return _IN_ANOTHER_SCRIPT
        language = self._language
        # Words to search for may tell no language; then that of the note does.
        if list_function_words(ENGLISH).isdisjoint(map(str.casefold, self._compounds)):
            language = language if language != ENGLISH else detect_language(list_compounds(content))
        return _IN_ENGLISH if language == ENGLISH else _IN_LATIN_LETTERS

    @cached_property
    def exact(self) -> list[str]:
        """Its telling words as written, compounds and identifiers whole."""
        if is_unspaced(self._prompt):
            identifiers = (word for word in self._compounds if word.isascii())
            return [*dict.fromkeys((*identifiers, *self.telling))]
        asked = dict.fromkeys(self._compounds)
        return [word for word in asked if self._is_telling(word)]

    def _is_telling(self, word: str) -> bool:
        if any(map(str.isdigit, word)) or word in self.telling:
            return True
        return not self.telling.isdisjoint(find_telling_words(word))

    def measure_share(self, content: str) -> float:
        """Return which part of the telling words a text has."""
        stems = self._stem(content)
        shared = sum(self._has(stems, self._stem(word)) for word in self.telling)
        return shared / (len(self.telling) or 1)

    def _has(self, stems: Set[str], word: Set[str]) -> bool:
        if not stems.isdisjoint(word) or self._language == ENGLISH:
            return not stems.isdisjoint(word)
        pairs = product(stems, word)
        return any(
            len(part) >= _SHORTEST_PART and part in whole
            for stem, other in pairs
            for part, whole in ((stem, other), (other, stem))
        )

    def _stem(self, text: str) -> frozenset[str]:
        return frozenset(split_words(text, self._language))

    def _list_telling(self) -> Set[str]:
        if is_unspaced(self._prompt):
            pairs = {pair for pair in split_words(remove_asking(self._prompt)) if len(pair) > 1}
            return {pair for pair in pairs if not _HIRAGANA.fullmatch(pair)} or pairs
        if self._language == ENGLISH and self._is_latin:
            words = find_telling_words(self._prompt) - list_function_words(ENGLISH)
        else:
            words = {word for word in self._compounds if not is_function_word(word.casefold())}
        return {word for word in words if word.casefold() not in QUESTION_WORDS | _COPULAS}


def _is_latin(text: str) -> bool:
    return 2 * len(_LATIN.findall(text)) >= sum(map(str.isalpha, text))


def _tell_language(words: Sequence[str], *, least: int = 1) -> str:
    """Return the language that so many function words tell, or nothing where there are fewer."""
    language = detect_language(words)
    known = list_function_words(language)
    if language != ENGLISH:
        known -= list_function_words(ENGLISH)
    return language if sum(word.casefold() in known for word in words) >= least else ""


def _count_function_words(words: Sequence[str], language: str) -> int:
    return sum(word.casefold() in list_function_words(language) for word in words)
