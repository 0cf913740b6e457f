"""Exact evidence: which units hold the rare words of a question, whatever their vectors say.

A vector is one average, in which a line of a long log, an identifier, or a word of another language
drowns; so what is near in meaning may be added to what holds the very words, and never takes it
away. Two things are evidence: an identifier of the question, and words that make up at least half
of what it asks, each counting by its rarity. A word that nobody holds counts most, so sharing one
of several says little.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import reduce
from itertools import chain
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wellworn.engines.retrieval.surroundings import count_frequencies
from wellworn.engines.retrieval.text.terms import hash_spellings, hash_words
from wellworn.engines.retrieval.text.vocabulary import is_unspaced, list_compounds, split_words

_LEAST_SHARE: Final = 0.5
_ROUNDING: Final = 1e-6
_SHORTEST_IDENTIFIER: Final = 3


class AskedWord(NamedTuple):
    """A telling word of a question.

    Attributes:
        whole: the term of all of it.
        parts: those of what a compound is made of.
        spellings: those of its other spellings, each of which is the word.
    """

    whole: int
    parts: tuple[int, ...]
    is_identifier: bool
    spellings: tuple[int, ...] = ()

    @property
    def terms(self) -> tuple[int, ...]:
        return (self.whole, *self.parts, *self.spellings)


def list_asked_words(words: Iterable[str]) -> list[AskedWord]:
    """Return words of a question, as they are written, with their terms."""
    return [
        AskedWord(terms[0], tuple(terms[1:]), is_identifier(word), tuple(hash_spellings(word)))
        for word in words
        if (terms := hash_words(word))
    ]


def find_units_holding(text: str, find: Callable[[int], NDArray[np.int64]]) -> NDArray[np.int64]:
    """Return the units that hold every telling word of a text; none for a text without any.

    A word is held as it is, by all that a compound is made of, or spelled otherwise.

    Args:
        text: in any order.
        find: returns the units that hold a term, each once, ascending.
    """
    held: NDArray[np.int64] | None = None
    pieces = (
        # Of a script without blanks, a word is known by all of its pairs.
        split_words(compound) if is_unspaced(compound) else [compound]
        for compound in dict.fromkeys(list_compounds(text))
    )
    for word in list_asked_words(chain.from_iterable(pieces)):
        holding = find(word.whole)
        if word.parts:
            parts = reduce(np.intersect1d, map(find, word.parts))
            holding = np.union1d(holding, parts)
        holding = reduce(np.union1d, map(find, word.spellings), holding)
        held = holding if held is None else np.intersect1d(held, holding, assume_unique=True)
        if not len(held):
            break
    return np.empty(0, np.int64) if held is None else held


def find_exact_evidence(
    asked: Sequence[AskedWord], counts: Sequence[bytes], rarity: Mapping[int, float]
) -> NDArray[np.bool_]:
    """Tell of each unit whether it holds what a question asks for.

    Args:
        asked: the telling words of the question.
        counts: `pack_word_counts` of each unit.
        rarity: the idf, in the space, of every term of these words.
    """
    share, is_exact = np.zeros(len(counts)), np.zeros(len(counts), np.bool_)
    columns = {term: column for column, term in enumerate(rarity)}
    holds = count_frequencies(counts, rarity)[0] > 0
    total = sum(rarity[word.whole] for word in asked)
    for word in asked:
        has_whole = holds[:, columns[word.whole]]
        parts = [columns[part] for part in word.parts]
        has_word = has_whole | holds[:, parts].all(axis=1) if parts else has_whole
        others = [columns[spelling] for spelling in word.spellings]
        has_word = has_word | holds[:, others].any(axis=1) if others else has_word
        share += rarity[word.whole] / total * has_word
        if word.is_identifier:
            is_exact |= has_whole
    return is_exact | (share >= _LEAST_SHARE - _ROUNDING)


def is_identifier(word: str) -> bool:
    """Tell a code, a version or an address from a word and a number: by a digit beside others."""
    has_digit = any(map(str.isdecimal, word))
    return has_digit and not word.isdecimal() and len(word) >= _SHORTEST_IDENTIFIER
