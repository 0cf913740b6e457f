"""Tells the language of a text in Latin letters by its function words.

Source: the lists in `function_words.toml`; what the stems of the language find is measured in
`docs/benchmarks.md`.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from functools import cache
from itertools import pairwise
from typing import Final, NamedTuple

from wellworn.kit.words import fold, load_table, load_words

ENGLISH: Final = "english"


class FirstPerson(NamedTuple):
    """Words for the one who speaks, alone or with others, in four languages."""

    singular: tuple[str, ...]
    plural: tuple[str, ...]


FIRST_PERSON: Final = FirstPerson(
    load_words(__name__, "speakers"), load_words(__name__, "groups_of_speakers")
)
_ALONE: Final = frozenset(word.partition("'")[0] for word in FIRST_PERSON.singular)
_TOGETHER: Final = frozenset(word.partition("'")[0] for word in FIRST_PERSON.plural)
_SPOKEN: Final = frozenset((ENGLISH, "german", "spanish", "french"))
_WORD: Final = re.compile(r"(?<![^\W\d_]['\u2019])[^\W\d_]+")
"""A word, without what stands behind its apostrophe."""


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


def speaks_of_self(text: str, *, is_alone: bool = False, asked: str = "") -> bool:
    """Tell whether a text is in the first person: it says of its speaker what it says.

    Of a speaker with others as well, unless they are to be alone. What stands behind the same word
    in a question that was asked is a name: "reactor I".
    """
    words = _WORD.findall(fold(text))
    persons = (_ALONE if is_alone else _ALONE | _TOGETHER).intersection(words)
    if not persons:
        return False
    language = detect_language(words)
    known = list_function_words(language) & set(words)
    shared = {*pairwise(words)}.intersection(pairwise(_WORD.findall(fold(asked))))
    persons -= {name for kind, name in shared if kind not in known}
    # "Mon" alone is Monday as well.
    is_spoken = language == ENGLISH or (language in _SPOKEN and not known <= persons)
    return is_spoken and not persons.isdisjoint(known)


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
