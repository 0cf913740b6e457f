"""Tells whether a sentence asks, by how it begins; in scripts without blanks by how it ends. Pure.

What asks in one language may state in another ("Am Montag …", "was mich freut"), so a sentence in a
language that its function words tell is judged by the words of that language alone.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final, NamedTuple

from wellworn.domain.memory.contribution.phrases import match_start
from wellworn.engines.retrieval.text import STOP_WORDS, is_unspaced
from wellworn.kit.words import fold, fold_phrases, load_words

AUXILIARIES: Final = fold_phrases(
    load_words(__name__, "auxiliaries") + load_words(__name__, "inverted_german")
)
"""Verbs before the one who does what is asked about, in English and German."""
_AUXILIARY_WITHIN: Final = 5
_WORD: Final = re.compile(
    r"'(?:s|re|d|ll)\b|(?:what|who|where|when|why|how)(?='(?:s|re|d|ll)\b)|[^\W_]+(?:['-][^\W_]+)*"
)

_ALSO_NAMES: Final = frozenset(("may", "will", "might"))
_TAKES_A_KIND: Final = frozenset(("what", "which"))
_TAKES_A_NOUN: Final = frozenset(("what", "which", "whose", "how"))
_TAKES_A_VERB: Final = frozenset(("who",))


class _Openings(NamedTuple):
    words: frozenset[str]
    inverted: re.Pattern[str]


_WORDS: Final = {
    "english": load_words(__name__, "question_words_english"),
    "german": load_words(__name__, "question_words_german"),
    "spanish": load_words(__name__, "question_words_spanish"),
    "french": load_words(__name__, "question_words_french"),
}
_INVERTED: Final = {
    "english": load_words(__name__, "inverted_english"),
    "german": load_words(__name__, "inverted_german"),
    "spanish": load_words(__name__, "inverted_spanish"),
    "french": load_words(__name__, "inverted_french"),
}


def _make_openings(*languages: str) -> _Openings:
    words = [word for language in languages for word in _WORDS[language]]
    inverted = [word for language in languages for word in _INVERTED[language]]
    return _Openings(fold_phrases(words), match_start(fold_phrases(inverted)))


_ALL: Final = _make_openings(*_WORDS)
_OPENINGS: Final[Mapping[str, _Openings]] = {
    language: _make_openings(language) for language in _WORDS if language != "english"
}
_ENGLISH_WORDS: Final = frozenset(_WORDS["english"])
_ARABIC: Final = fold_phrases(load_words(__name__, "arabic_questions"))
_SHORTEST_SLIP: Final = 3


def _list_slips(word: str) -> set[str]:
    """Return a word with two letters swapped, or one of them but the first left out."""
    swapped = {word[:at] + word[at + 1] + word[at] + word[at + 2 :] for at in range(len(word) - 1)}
    return swapped | {word[:at] + word[at + 1 :] for at in range(1, len(word))}


_SLIPS: Final = {
    slip: word
    for word in sorted(_ENGLISH_WORDS)
    for slip in _list_slips(word) - _ALL.words
    if len(slip) >= _SHORTEST_SLIP
}
"""Question words that are mistyped: "waht does …"."""
QUESTION_WORDS: Final = _ALL.words | _ARABIC
"""Of all languages."""
_ASKING_ENDINGS: Final = fold_phrases(load_words(__name__, "asking_endings"))
_ASKING_WORDS: Final = fold_phrases(load_words(__name__, "asking_words"))
_ASKING: Final = re.compile(
    "|".join(map(re.escape, sorted(_ASKING_WORDS | _ASKING_ENDINGS, key=len, reverse=True)))
)
_AUXILIARIES: Final = fold_phrases(load_words(__name__, "auxiliaries"))


def remove_asking(text: str) -> str:
    """Return a text in a script without blanks without the words and endings that ask."""
    return _ASKING.sub(" ", text)


def list_words(folded: str) -> list[str]:
    """Return the words of a folded sentence, an ending such as 's as one of its own."""
    return _WORD.findall(folded)


def asks(folded: str, language: str) -> bool:
    """Tell whether a folded sentence in a language, by the name of its stemmer, is a question."""
    words = list_words(folded)
    first, rest = words[0], words[1:]
    if folded.startswith("\u00bf") or first in _ARABIC:
        return True
    if is_unspaced(folded):
        stem = folded.rstrip("\u3002.! ")
        return stem.endswith(tuple(_ASKING_ENDINGS)) or any(
            word in folded for word in _ASKING_WORDS
        )
    first = _SLIPS.get(first, first)
    openings = _OPENINGS.get(language, _ALL)
    if openings.inverted.match(folded):
        return rest != [] and not _forbids(first, rest[0]) and not _is_named(first, rest[0])
    if first not in openings.words or ":" in folded:
        return False
    if first not in _ENGLISH_WORDS or language in _OPENINGS:
        return True
    near = _before_subject(first, rest[:_AUXILIARY_WITHIN])
    return not _AUXILIARIES.isdisjoint(near)


def find_kind(prompt: str) -> str:
    """Return of what kind a question says its answer is: "colour" of "what colour is …"; or ""."""
    words = [*list_words(fold(prompt)), "", "", ""]
    return words[1] if words[0] in _TAKES_A_KIND and words[2] in _AUXILIARIES else ""


def _forbids(first: str, second: str) -> bool:
    """Tell "do not restart …" from "do you know …"."""
    return second in {"not", "never"} or first == "don't"


def _is_named(first: str, second: str) -> bool:
    """Tell names, as in "May release …" and "Will Smith …"."""
    return first in _ALSO_NAMES and second not in STOP_WORDS


def _before_subject(first: str, head: list[str]) -> list[str]:
    """Return the words among which the auxiliary of a question stands.

    "Which port does …" may have a noun or two before it; after "when" or "why" it comes at once:
    "when the pump does not start" tells.
    """
    if first in _TAKES_A_VERB:
        return head[:1] + (["is"] if head else [])
    return head if first in _TAKES_A_NOUN else head[:1]
