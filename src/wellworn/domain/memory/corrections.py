"""Finds the thought of the last answer that a prompt corrects, if any. Pure.

"That's wrong, it is 3300" says nothing by itself: what it is about was shown before it. A prompt
that begins as a correction means what shares most of its words, or else what was shown first. After
a bare "no" or "actually" it must share more, or have a number as what was shown has, or answer, as
a reader tells, the question that what was shown answers.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Final

from wellworn.domain.memory.contribution import is_contribution, is_courtesy
from wellworn.domain.memory.contribution.phrases import match_anywhere
from wellworn.engines.retrieval.text import STOP_WORDS, is_unspaced, speaks_of_self, split_words
from wellworn.kit.words import fold, fold_phrases, load_words, straighten

_LEAST_SHARE: Final = 0.2
"""Of a prompt's telling words: what says so many is of the same matter."""
_LEAST_SHARE_OF_A_HINT: Final = 0.4
"""The same of a prompt whose beginning does not tell for sure that it corrects something."""
_MOST_IN_AN_ELLIPSIS: Final = 6
"""Telling words of a prompt that shares none with what it corrects: "it is on Thursday"."""
_MOST_IN_A_HINT: Final = 3
_LEAST_TOLD: Final = 0.5
"""Of the telling words of a question: a correction that has so many says what it is about."""
_LONGEST_QUESTION: Final = 200
_LONGEST: Final = 500
"""Characters; a longer prompt says enough by itself."""
_AS_COMMAS: Final = str.maketrans(
    dict.fromkeys(":;.!\u2013\u2014\u3001\u3002\uff0c\uff1a\uff01\u060c-", ",")
)
_SIGNS: Final = "[ ,]"
"""Signs that divide words in folded text whose other signs are commas."""


def _match_opening(phrases: Iterable[str], *, end: str = "") -> re.Pattern[str]:
    """Return the pattern of a text that begins with a phrase, whatever signs divide its words."""
    leads = _join(load_words(__name__, "before_a_correction"))
    return re.compile(
        rf"{_SIGNS}{{0,20}}+(?:(?:{leads}){_SIGNS}{{1,20}}+){{0,8}}(?:{_join(phrases)}){end}"
    )


def _join(words: Iterable[str]) -> str:
    return "|".join(
        re.escape(phrase.translate(_AS_COMMAS)).replace(r"\ ", f"{_SIGNS}{{1,20}}+")
        + r"(?!\w)" * (not is_unspaced(phrase))
        for phrase in sorted(fold_phrases(words), key=len, reverse=True)
    )


_CORRECTS: Final = (
    _match_opening(load_words(__name__, "corrects")),
    _match_opening(load_words(__name__, "corrects_before_a_sign"), end=rf"(?! \w){_SIGNS}"),
)
_MAY_CORRECT: Final = (_match_opening(load_words(__name__, "may_correct")),)
_QUOTES: Final = (_match_opening(load_words(__name__, "quotes_answer")),)
_OBJECTIONS: Final = fold_phrases(load_words(__name__, "objects"))
_OBJECTS: Final = match_anywhere(_OBJECTIONS)
_OBJECTS_UNSPACED: Final = re.compile("|".join(filter(is_unspaced, _OBJECTIONS)))
_KEPT_QUESTION: Final = re.compile(r"\(([^()]+)\)$")
_DIGIT: Final = re.compile(r"\d")


def begins_as_correction(prompt: str) -> bool:
    """Tell whether a prompt may correct the answer before it, by how it begins."""
    text = straighten(prompt)
    begins = any(_remove_opening(text, each) for each in (_CORRECTS, _QUOTES, _MAY_CORRECT))
    return begins and len(prompt) <= _LONGEST


def only_objects(prompt: str) -> bool:
    """Tell whether a prompt says that something is wrong, and nothing of what is so instead."""
    rest = _remove_opening(f"{straighten(prompt)}.", _CORRECTS)
    return rest is not None and not any(map(str.isalnum, rest))


def find_corrected(prompt: str, shown: Mapping[str, str]) -> str | None:
    """Return the id of what a prompt corrects; `shown` are contents by id, best first."""
    text = straighten(prompt)
    if text.endswith("?"):
        return None
    if (rest := _remove_opening(text, _CORRECTS)) is not None:
        return _pick(rest, shown, _LEAST_SHARE) or _pick_first(rest, shown)
    if (rest := _remove_opening(text, _QUOTES)) is not None:
        objects = _OBJECTS_UNSPACED if is_unspaced(text) else _OBJECTS
        return _pick(rest, shown, _LEAST_SHARE) if objects.search(fold(rest)) else None
    if (rest := _remove_opening(text, _MAY_CORRECT)) is not None:
        return _pick(rest, shown, _LEAST_SHARE_OF_A_HINT) or _pick_numbered(rest, shown)
    return None


def remove_hint(prompt: str) -> str:
    """Return what follows a bare "no" or "actually", if it is little; empty of any other prompt."""
    rest = _remove_opening(straighten(prompt), _MAY_CORRECT) or ""
    is_little = 0 < len(_list_telling(rest)) <= _MOST_IN_AN_ELLIPSIS
    is_told = is_little and not (rest.endswith("?") or is_courtesy(rest))
    return rest.lstrip(" ,.:;!") if is_told else ""


def find_answered(
    correction: str, topic: str, question: str, corrected: str, *, stood_first: bool = True
) -> str:
    """Return the question that a correction answers, to be stored with it; empty where it tells it.

    What was shown behind something else, and has no word of the question, is no answer to it.

    That of the answer, or after another correction the one that is stored with that. Where it asked
    further about the topic of one before, it is that one if the correction has words of it, or
    both.
    """
    if begins_as_correction(question):
        match = _KEPT_QUESTION.search(corrected)
        question = match[1] if match else ""
    elif is_contribution(question):
        return ""
    elif topic != question:
        is_of_topic = _measure_share(topic, correction) > 0
        question = topic if is_of_topic else f"{topic} {question}"
    question = " ".join(question.split())
    if not stood_first and not _measure_share(question, corrected):
        return ""
    is_told = _measure_share(question, correction) >= _LEAST_TOLD
    return "" if is_told or len(question) > _LONGEST_QUESTION else question


def _remove_opening(text: str, openings: Iterable[re.Pattern[str]]) -> str | None:
    """Return what follows an opening; None without one."""
    divided = fold(text).translate(_AS_COMMAS)  # an opening is as long as in its own case
    matches = (opening.match(divided) for opening in openings)
    match = next(filter(None, matches), None)
    return None if match is None else text[match.end() :]


def _list_telling(text: str) -> set[str]:
    return {word for word in split_words(text) if word not in STOP_WORDS}


def _measure_share(text: str, other: str) -> float:
    """Return which part of the telling words of a text another one has."""
    words = _list_telling(text)
    return len(words & {*split_words(other)}) / (len(words) or 1)


def _pick(rest: str, shown: Mapping[str, str], least: float) -> str | None:
    """Return what shares most of the words, the first of equals; None where nothing does."""
    shares = {thought_id: _measure_share(rest, content) for thought_id, content in shown.items()}
    best = max(shares, key=shares.__getitem__, default=None)
    return best if best is not None and shares[best] >= least else None


def _pick_first(rest: str, shown: Mapping[str, str]) -> str | None:
    """Return the first that has a number as the prompt has one, or else the first."""
    says_little = 0 < len(_list_telling(rest)) <= _MOST_IN_AN_ELLIPSIS
    if not says_little or is_courtesy(rest):
        return None
    return _pick_numbered(rest, shown) or next(iter(shown), None)


def _pick_numbered(rest: str, shown: Mapping[str, str]) -> str | None:
    """Return the first that has a number, for a prompt that says little beside one."""
    is_value = _DIGIT.search(rest) is not None and len(_list_telling(rest)) <= _MOST_IN_A_HINT
    if not is_value or speaks_of_self(rest):
        return None
    return next((each for each, content in shown.items() if _DIGIT.search(content)), None)
