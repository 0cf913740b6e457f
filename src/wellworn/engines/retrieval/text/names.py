"""Names, found though they are mistyped: character trigrams of headings, tags and identifiers.

A name with a typing error shares no word with the right one, but most of its trigrams. The three
letters of each are sorted, so that two letters exchanged, the commonest error, leave most of them
as they were. Of 629 headings asked with such an error 100 % were among the first five by name
alone, 98.9 % with letters in order, 53 % by words. What is found so is a candidate and no more:
whether two names are held to be one is for `is_same_name`, which forgives no digit and no sign.

Headings and tags are what a unit is called, identifiers only occur in it; so each kind has its own
terms, and a text full of identifiers is not mistaken for what is called like them.

Source: Damerau 1964, A Technique for Computer Detection and Correction of Spelling Errors.
"""

from __future__ import annotations

import math
import re
import unicodedata
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby, islice
from typing import Final

import numpy as np
from numpy.typing import NDArray

from wellworn.engines.retrieval.text.vocabulary import STOP_WORDS, is_unspaced, split_compounds
from wellworn.kit.folding import fold_forms
from wellworn.kit.markdown import Markdown

LONGEST_NAME: Final = 100
"""Characters of a name; what is longer is a sentence."""
_MOST_WORDS: Final = 12
_MOST_TITLES: Final = 24
_MOST_HEADINGS: Final = 3
_MOST_IDENTIFIERS: Final = 12
_MOST_ASKED_IDENTIFIERS: Final = 4
#: A shorter one has too few trigrams to be told from others; it is found by its words.
_SHORTEST_IDENTIFIER: Final = 5
#: Limits of a text that is looked through for names, in characters and lines.
_CHARACTERS: Final = 8_000
_LINES: Final = 40

#: Below this share of its trigrams a unit's name has nothing to do with the one asked.
_LEAST_SHARE: Final = 0.3
#: One letter changed makes another word of too many shorter ones.
_SHORTEST_FORGIVEN: Final = 5
_EXCHANGED: Final = 2
_REMEMBERED: Final = 4_096
_REMEMBERED_TRIGRAMS: Final = 32_768

#: Signs of every heading: a mark before it, or a line below. Reading Markdown takes much longer.
_MAY_BE_HEADING: Final = re.compile(r"#|[=-][ \t\r]*$", re.MULTILINE)
_FENCES: Final = ("```", "~~~")
_CODE_BEGINS: Final = ("//", "/*", "* ", "@", "}", "<", "--", "|", "- ", "[", ">", "!")
_CODE_ENDS: Final = (";", "{", "}", "=", ">", "\\", ",", "):")
_CAMEL: Final = re.compile(r"[a-z0-9][A-Z]")
_PUNCTUATION: Final = re.compile(r"[\s!-/:-@\[-`{-~]+")
_GAPS: Final = frozenset("_-\u2010\u2011\u2012\u2013\u2014\u2015")
_QUOTES: Final = " \t\r\n?!.,\"'`\u2018\u2019\u201c\u201d"
# English; a question in another language keeps its words, and its name stands out a little less.
# Other verbs stay: "define your source" may be what a section is called.
_OPENING: Final = STOP_WORDS | {"describe", "explain"}
_CLOSING: Final = STOP_WORDS | {"called", "mean", "meaning", "means"}

_TITLE: Final = "\0title\0"
_IDENTIFIER: Final = "\0identifier\0"


@dataclass(frozen=True, slots=True)
class Names:
    """The names of a unit (headings, tags), and the identifiers that occur in it."""

    titles: tuple[str, ...] = ()
    identifiers: tuple[str, ...] = ()


def extract_names(content: str, tags: Iterable[str] = (), heading: str = "") -> Names:
    """Return a unit's names as they are written: at most 24 titles, at most 12 identifiers.

    Titles are the given heading, Markdown headings and a short first line of the content, and the
    tags. Only the first 8,000 characters are looked at.
    """
    start = content[:_CHARACTERS]
    candidates = [
        heading.strip()[:LONGEST_NAME],
        *islice(_find_headings(start), _MOST_HEADINGS),
        *tags,
    ]
    titles = dict.fromkeys(title for title in candidates if title)
    identifiers: dict[str, None] = {}
    for identifier in _find_identifiers(f"{heading[:LONGEST_NAME]}\n{start}"):
        identifiers[identifier] = None
        if len(identifiers) == _MOST_IDENTIFIERS:
            break
    return Names(tuple(islice(titles, _MOST_TITLES)), tuple(identifiers))


def weigh_name_terms(names: Names) -> dict[int, float]:
    """Return the stored weight of every trigram, 0 < weight <= 1; empty without names.

    The numbers are for the same sparse vector as words have, and chosen so that no word has them
    but by the chance of a hash.
    """
    return _weigh_trigrams(_TITLE, names.titles) | _weigh_trigrams(_IDENTIFIER, names.identifiers)


def find_asked_name(query: str) -> str:
    """Return what a query that looks something up names: "what is X?" asks for X.

    Empty for a sentence, more than twelve words without those that open and close a question, and
    for function words alone.
    """
    words = query[: 4 * LONGEST_NAME].strip(_QUOTES).split()
    start, end = 0, len(words)
    while start < end - 1 and _strip_word(words[start]) in _OPENING:
        start += 1
    while start < end - 1 and _strip_word(words[end - 1]) in _CLOSING:
        end -= 1
    name = " ".join(words[start:end]).strip(_QUOTES)
    is_name = (
        len(query) <= 4 * LONGEST_NAME and _is_short(name) and _strip_word(name) not in STOP_WORDS
    )
    return name if is_name else ""


def weigh_query_names(query: str) -> dict[int, float]:
    """Return the weight of every trigram of the name asked for and of identifiers in the query.

    Empty for a sentence without an identifier.
    """
    title, identifiers = _weigh_asked_names(query)
    return title | identifiers


def score_full_name(query: str, rarity: Mapping[int, float]) -> float:
    """Return the name score of a unit that is called just what is asked; 0 when nothing is.

    Args:
        query: as it was given to `weigh_query_names`.
        rarity: the idf of each of its terms in the space.
    """
    return max(
        math.fsum(rarity[term] * w * w for term, w in part.items())
        for part in _weigh_asked_names(query)
    )


def is_called(scores: NDArray[np.float64], full: float) -> NDArray[np.bool_]:
    """Tell by name scores and the full one which units are called much like what is asked."""
    return (scores > _LEAST_SHARE * full) & (full > 0)


def score_names(scores: Sequence[float] | NDArray[np.float64], full: float) -> NDArray[np.float64]:
    """Return how much of what is asked each unit is called, 0 to 1, by name scores and the full.

    A z-score would not do: some title is always the best, also when none is meant.
    """
    if full <= 0:
        return np.zeros(len(scores))
    shares = np.minimum(1.0, np.asarray(scores, np.float64) / full)
    return np.maximum(0.0, (shares - _LEAST_SHARE) / (1 - _LEAST_SHARE))


def is_same_name(name: str, other: str) -> bool:
    """Tell whether two names are one but for case, hyphens, and a typing error in a long word.

    Never for names that differ in a digit, a sign or the number of their parts: srv-01 is not
    srv-02, c++ is not c#.
    """
    pieces, others = _split_name(name), _split_name(other)
    if not pieces or len(pieces) != len(others):
        return False
    return all(
        piece == another or _is_misspelt(piece, another)
        for piece, another in zip(pieces, others, strict=True)
    )


def _is_misspelt(word: str, other: str) -> bool:
    """Tell whether two words of five letters or more differ by one typing error.

    That is a letter more, less or changed after the first one, or two exchanged. Not in scripts
    without blanks, where another character is another word.
    """
    if min(len(word), len(other)) < _SHORTEST_FORGIVEN or abs(len(word) - len(other)) > 1:
        return False
    if not (_is_spelt(word) and _is_spelt(other)):
        return False
    start = _measure_common_prefix(word, other)
    end = _measure_common_prefix(word[start:][::-1], other[start:][::-1])
    left, right = word[start : len(word) - end], other[start : len(other) - end]
    if len(left) > 1:
        return sorted(left) == sorted(right) and len(left) == _EXCHANGED
    return start > 0 and len(right) <= 1


def _weigh_asked_names(query: str) -> tuple[dict[int, float], dict[int, float]]:
    name = find_asked_name(query)
    identifiers = islice(_find_identifiers(query[:_CHARACTERS]), _MOST_ASKED_IDENTIFIERS)
    return _weigh_trigrams(_TITLE, [name] if name else []), _weigh_trigrams(
        _IDENTIFIER, identifiers
    )


def _find_headings(content: str) -> Iterator[str]:
    lines = content.split("\n")[:_LINES]
    words = [line for line in map(str.strip, lines) if line]
    if len(words) > 1 and _is_title(words[0]):
        yield words[0]
    start = "\n".join(lines)
    if _MAY_BE_HEADING.search(start):
        for heading in Markdown(start).headings:
            yield heading.title[:LONGEST_NAME]


def _is_title(line: str) -> bool:
    is_code = line.startswith(("#", *_FENCES, *_CODE_BEGINS)) or line.endswith(_CODE_ENDS)
    return _is_short(line) and not is_code


def _is_short(line: str) -> bool:
    return len(line) <= LONGEST_NAME and len(line.split()) <= _MOST_WORDS


def _find_identifiers(text: str) -> Iterator[str]:
    # Nine of ten words are plain ones, which no function is called for.
    return (
        word
        for word in split_compounds(text)
        if not (word.isalpha() and word[1:].islower()) and _is_identifier(word)
    )


def _is_identifier(word: str) -> bool:
    """Tell hosts, paths, error codes and compound names from words, by how they are written."""
    if word.isalpha() and _CAMEL.search(word) is None:
        return False
    is_long_enough = _SHORTEST_IDENTIFIER <= len(word) <= LONGEST_NAME
    return is_long_enough and any(map(str.isalpha, word)) and not is_unspaced(word)


def _strip_word(word: str) -> str:
    return word.casefold().replace("\u2019", "'").partition("'")[0].strip(",:")


def _weigh_trigrams(kind: str, names: Iterable[str]) -> dict[int, float]:
    """Weigh by the best name that has the trigram; the shorter a name, the more each says."""
    weights: dict[int, float] = {}
    for name in names:
        numbers = _number_trigrams(kind, name)
        weight = 1 / math.sqrt(max(1, len(numbers)))
        for number in numbers:
            if weights.get(number, 0.0) < weight:
                weights[number] = weight
    return weights


@lru_cache(maxsize=_REMEMBERED)
def _number_trigrams(kind: str, name: str) -> frozenset[int]:
    """Number all threes of neighbouring characters, sorted; words are joined by one blank."""
    plain = f" {_PUNCTUATION.sub(' ', _fold(name[:LONGEST_NAME])).strip()} "
    return frozenset(_number_trigram(kind, plain[at : at + 3]) for at in range(len(plain) - 2))


@lru_cache(maxsize=_REMEMBERED_TRIGRAMS)
def _number_trigram(kind: str, trigram: str) -> int:
    return zlib.crc32(f"{kind}{''.join(sorted(trigram))}".encode("utf-8", "surrogatepass"))


def _split_name(name: str) -> list[str]:
    """Cut a folded name into words, numbers, signs, and single blanks for what separates them."""
    runs = groupby(_fold(name), _classify_character)
    pieces = [" " if kind == "gap" else "".join(run) for kind, run in runs]
    return pieces[pieces[:1] == [" "] : len(pieces) - (pieces[-1:] == [" "])]


def _classify_character(character: str) -> str:
    if character in _GAPS or character.isspace():
        return "gap"
    if character.isnumeric():
        return "number"
    return "letter" if unicodedata.category(character)[0] in "LM" else "sign"


def _is_spelt(word: str) -> bool:
    return not is_unspaced(word) and all(
        _classify_character(character) == "letter" for character in word
    )


def _measure_common_prefix(word: str, other: str) -> int:
    """Count the equal characters at the beginning of two texts."""
    return next(
        (at for at, pair in enumerate(zip(word, other, strict=False)) if pair[0] != pair[1]),
        min(len(word), len(other)),
    )


def _fold(name: str) -> str:
    if name.isascii():
        return name.lower()
    return unicodedata.normalize("NFKC", fold_forms(name)).casefold()
