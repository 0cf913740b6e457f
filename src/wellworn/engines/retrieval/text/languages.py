"""Tells the language of a text in Latin letters by its function words.

Source: the lists in `function_words.toml`; what the stems of the language find is measured in
`docs/benchmarks.md`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Final

from wellworn.kit.words import load_table

ENGLISH: Final = "english"


def detect_language(words: Iterable[str]) -> str:
    """Return the language, by the name of its stemmer; English where nothing tells another.

    A word that several languages share tells less of each of them.
    """
    known = _LANGUAGES_OF.keys() & map(str.casefold, words)
    # Words that are English too tell no other language from it.
    if known <= _ENGLISH_WORDS:
        return ENGLISH
    scores: defaultdict[str, float] = defaultdict(float)
    for word in known:
        languages = _LANGUAGES_OF[word]
        for language in languages:
            scores[language] += 1 / len(languages)
    best = max(scores, key=lambda language: (scores[language], language), default=ENGLISH)
    return best if scores[best] > scores[ENGLISH] else ENGLISH


def is_function_word(word: str) -> bool:
    """Tell whether a word in lower case is a function word of any language."""
    return word in _LANGUAGES_OF


@cache
def list_function_words(language: str) -> frozenset[str]:
    """Return the function words of a language, by the name of its stemmer."""
    return frozenset(load_table(__package__ or "", "function_words.toml")[language].split())


def _list_languages() -> Mapping[str, tuple[str, ...]]:
    languages: defaultdict[str, list[str]] = defaultdict(list)
    for language, words in load_table(__package__ or "", "function_words.toml").items():
        for word in words.split():
            languages[word].append(language)
    return {word: tuple(names) for word, names in languages.items()}


_LANGUAGES_OF: Final = _list_languages()
_ENGLISH_WORDS: Final = frozenset(
    word for word, languages in _LANGUAGES_OF.items() if ENGLISH in languages
)
