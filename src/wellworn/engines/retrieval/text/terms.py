"""Sparse keyword vectors: term numbers and BM25's document side.

The engine multiplies stored by query weights and by the idf it counts per space, so that the sum
is BM25. The document side must be final when stored, hence the fixed average length per shape.

Source: Robertson and Zaragoza, The Probabilistic Relevance Framework: BM25 and Beyond, 2009.
"""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import chain
from typing import Final

from wellworn.engines.retrieval.text.languages import ENGLISH, detect_language
from wellworn.engines.retrieval.text.vocabulary import (
    IDEOGRAPH,
    list_compounds,
    load_stemmer,
    spell_otherwise,
    stem_compound,
)
from wellworn.engines.retrieval.weights import SATURATION, Shape

_LONGEST_REMEMBERED: Final = 32
_OTHER_SPELLING: Final = 0.7
_REMEMBERED: Final = 32_768
"""Words whose numbers are not made again: a language has few that are frequent."""


def weigh_document_terms(terms: Sequence[int], shape: Shape, text: str) -> dict[int, float]:
    """Return the stored weight of every term of a document's words, 0 < weight < k1 + 1.

    The ideographs of its text are terms as well, each for a question of that one alone, and so are
    the other spellings of its words.
    """
    rule = SATURATION[shape]
    length = len(terms) / rule.average_words
    norm = rule.k1 * (1 - rule.b + rule.b * length)
    counts = Counter(terms)
    words = {term: count * (rule.k1 + 1) / (count + norm) for term, count in counts.items()}
    if text.isascii():
        return words
    return _weigh_ideographs(text) | dict.fromkeys(hash_spellings(text), 1.0) | words


def _weigh_ideographs(text: str) -> dict[int, float]:
    written = "".join(list_compounds(text))
    return {hash_word(ideograph): 1.0 for ideograph in set(IDEOGRAPH.findall(written))}


def weigh_query_terms(text: str) -> dict[int, float]:
    """Return 1.0 for every term of a question, however often it says the word.

    The other spellings of a word count less beside it, so that what spells it alike stays first.
    """
    return dict.fromkeys(hash_spellings(text), _OTHER_SPELLING) | dict.fromkeys(
        hash_words(text), 1.0
    )


def hash_spellings(text: str) -> list[int]:
    """Return the term numbers of the other spellings of a text's words: "Müller" as "mueller"."""
    if text.isascii():
        return []
    stemmer = load_stemmer()
    marked = {compound for compound in list_compounds(text) if not compound.isascii()}
    spelled = chain.from_iterable(spell_otherwise(each, stemmer) for each in sorted(marked))
    return [*map(hash_word, dict.fromkeys(spelled))]


def hash_words(text: str) -> list[int]:
    """Return the term number of every word, in order and repeated.

    Of a text in another language than English its own stems follow, where they differ.
    """
    compounds = list_compounds(text)
    is_short = max(map(len, compounds), default=0) <= _LONGEST_REMEMBERED
    terms = list(chain.from_iterable(map(_recall_compound if is_short else _number, compounds)))
    language = detect_language(compounds)
    return terms if language == ENGLISH else [*terms, *_hash_stems(compounds, language)]


def _hash_stems(compounds: Sequence[str], language: str) -> Iterator[int]:
    english, own = load_stemmer(), load_stemmer(language)

    def stem_both(word: str) -> tuple[str, str]:
        return english(word), own(word)

    def hash_own(compound: str) -> list[int]:
        both = (stem for stem in stem_compound(compound, stem_both) if not isinstance(stem, str))
        return [hash_word(stem) for usual, stem in both if stem != usual]

    hashed = {compound: hash_own(compound) for compound in set(compounds)}
    return chain.from_iterable(map(hashed.__getitem__, compounds))


def _number(compound: str) -> tuple[int, ...]:
    is_short = len(compound) <= _LONGEST_REMEMBERED
    return (_recall_compound if is_short else _hash_compound)(compound)


def _hash_compound(compound: str) -> tuple[int, ...]:
    return tuple(map(hash_word, stem_compound(compound, load_stemmer())))


_recall_compound = lru_cache(maxsize=_REMEMBERED)(_hash_compound)


def hash_word(word: str) -> int:
    """Return a stable number, 0 to 2**32 - 1; never change it: stored points carry it."""
    return zlib.crc32(word.encode("utf-8", "surrogatepass"))
