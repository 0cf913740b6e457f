"""Which of the thoughts that the last answer showed a prompt corrects, if any. Pure.

"That's wrong, it is 3300" says nothing by itself: what it is about was shown before it. A prompt
that begins as a correction means what shares most of its words, or else what was shown first.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Final

from wellworn.domain.memory.contribution.phrases import match_anywhere
from wellworn.domain.memory.likeness import PromptWords
from wellworn.domain.thoughts.truth import Statement
from wellworn.engines.retrieval.text import is_unspaced
from wellworn.kit.words import fold, fold_phrases, load_words

_LEAST_SHARE: Final = 0.2
"""Of a prompt's telling words: what says so many is of the same matter."""
_LEAST_SHARE_OF_A_HINT: Final = 0.4
"""The same of a prompt whose beginning does not tell for sure that it corrects something."""
_MOST_BESIDE_A_PRONOUN: Final = 4
"""Telling words of a prompt that shares none with what it corrects: "it is on Thursday"."""
_LONGEST: Final = 500
"""Characters; a longer prompt says enough by itself."""
_AS_COMMAS: Final = str.maketrans(
    dict.fromkeys(":;.!\u2013\u2014\u3001\u3002\uff0c\uff1a\uff01\u060c-", ",")
)
_SIGNS: Final = "[ ,]"
"""What divides words in folded text whose other signs are commas."""


def _match_opening(phrases: Iterable[str], *, end: str = "") -> re.Pattern[str]:
    """Return the pattern of a text that begins with a phrase, whatever signs divide its words."""
    leads = _join(load_words(__name__, "before_a_correction"))
    return re.compile(rf"{_SIGNS}*(?:(?:{leads}){_SIGNS}+)*(?:{_join(phrases)}){end}")


def _join(words: Iterable[str]) -> str:
    return "|".join(
        re.escape(phrase.translate(_AS_COMMAS)).replace(r"\ ", f"{_SIGNS}+")
        + r"(?!\w)" * (not is_unspaced(phrase))
        for phrase in sorted(fold_phrases(words), key=len, reverse=True)
    )


_CORRECTS: Final = (
    _match_opening(load_words(__name__, "corrects")),
    _match_opening(load_words(__name__, "corrects_before_a_sign"), end=rf"(?! \w){_SIGNS}"),
)
_MAY_CORRECT: Final = (_match_opening(load_words(__name__, "may_correct")),)
_QUOTES: Final = (_match_opening(load_words(__name__, "quotes_answer")),)
_DENIES: Final = (_match_opening(load_words(__name__, "denies_answer")),)
_OBJECTIONS: Final = fold_phrases(load_words(__name__, "objects"))
_OBJECTS: Final = match_anywhere(_OBJECTIONS)
_OBJECTS_UNSPACED: Final = re.compile("|".join(filter(is_unspaced, _OBJECTIONS)))


def begins_as_correction(prompt: str) -> bool:
    """Tell whether a prompt may correct the answer before it, by how it begins."""
    text = fold(prompt)
    openings = (_CORRECTS, _QUOTES, _DENIES, _MAY_CORRECT)
    return len(prompt) <= _LONGEST and any(_remove_opening(text, each) for each in openings)


def find_corrected(prompt: str, shown: Mapping[str, str]) -> str | None:
    """Return the id of what a prompt corrects; `shown` are contents by id, best first."""
    text = fold(prompt)
    if (rest := _remove_opening(text, _CORRECTS)) is not None:
        return _pick(rest, shown) or _pick_first(rest, shown)
    if (rest := _remove_opening(text, _DENIES)) is not None:
        # What only denies asserts nothing.
        return (
            (_pick(rest, shown) or _pick_first(rest, shown)) if Statement(prompt).asserts else None
        )
    if (rest := _remove_opening(text, _QUOTES)) is not None:
        objects = _OBJECTS_UNSPACED if is_unspaced(text) else _OBJECTS
        return _pick(rest, shown) if objects.search(rest) else None
    if (rest := _remove_opening(text, _MAY_CORRECT)) is None:
        return None
    statement = Statement(rest)
    rivals = {
        thought_id: content
        for thought_id, content in shown.items()
        if not statement.is_about_another(Statement(content))
    }
    return _pick(rest, rivals, least=_LEAST_SHARE_OF_A_HINT)


def _remove_opening(text: str, openings: Iterable[re.Pattern[str]]) -> str | None:
    """Return what follows an opening; None without one."""
    divided = text.translate(_AS_COMMAS)  # of the same length
    matches = (opening.match(divided) for opening in openings)
    match = next(filter(None, matches), None)
    return None if match is None else text[match.end() :]


def _pick(rest: str, shown: Mapping[str, str], *, least: float = _LEAST_SHARE) -> str | None:
    """Return what shares most of the words, the first of equals; None where nothing does."""
    if not Statement(rest).asserts:
        return None
    words = PromptWords(rest)
    shares = {thought_id: words.measure_share(content) for thought_id, content in shown.items()}
    best = max(shares, key=shares.__getitem__, default=None)
    return best if best is not None and shares[best] >= least else None


def _pick_first(rest: str, shown: Mapping[str, str]) -> str | None:
    """Return the first that has a value of a kind that the prompt has too, or else the first."""
    statement = Statement(rest)
    is_short = len(PromptWords(rest).telling) <= _MOST_BESIDE_A_PRONOUN
    if not (rest and shown and is_short and statement.asserts):
        return None
    kinds = statement.values.keys()
    of_a_kind = (
        thought_id
        for thought_id, content in shown.items()
        if not kinds.isdisjoint(Statement(content).values)
    )
    return next(of_a_kind, next(iter(shown)))
