"""Which of the thoughts that the last answer showed a prompt corrects, if any. Pure.

"That's wrong, it is 3300" says nothing by itself: what it is about was shown before it. A prompt
that begins as a correction means what shares most of its words, or else what was shown first. So
does one after a bare "no" or "actually", if it has a value of a kind that was shown, or a pronoun.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Set
from typing import Final

from wellworn.domain.memory.contribution import is_contribution, is_courtesy
from wellworn.domain.memory.contribution.phrases import match_anywhere, match_start
from wellworn.domain.memory.likeness import PromptWords
from wellworn.domain.thoughts.truth import Statement
from wellworn.engines.retrieval.text import (
    FIRST_PERSON,
    is_function_word,
    is_unspaced,
)
from wellworn.kit.words import fold, fold_phrases, load_words, straighten

_LEAST_SHARE: Final = 0.2
"""Of a prompt's telling words: what says so many is of the same matter."""
_LEAST_SHARE_OF_A_HINT: Final = 0.4
"""The same of a prompt whose beginning does not tell for sure that it corrects something."""
_MOST_BESIDE_A_PRONOUN: Final = 6
"""Telling words of a prompt that shares none with what it corrects: "it is on Thursday"."""
_MOST_IN_A_HINT: Final = 4
_LEAST_TOLD: Final = 0.5
"""Of the telling words of a question: a correction that has so many says what it is about."""
_LONGEST_QUESTION: Final = 200
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
_DENIES: Final = (_match_opening(load_words(__name__, "denies_answer")),)
_OBJECTIONS: Final = fold_phrases(load_words(__name__, "objects"))
_OBJECTS: Final = match_anywhere(_OBJECTIONS)
_POINTS: Final = match_anywhere(fold_phrases(load_words(__name__, "points_back")))
_IS_OF_GROUP: Final = match_start(fold_phrases(FIRST_PERSON.plural))
_IS_OF_SPEAKER: Final = match_start(fold_phrases(FIRST_PERSON.singular))
_PLACE: Final = re.compile(
    rf"(?<!\w)(?:{'|'.join(load_words(__name__, 'place_prepositions'))})((?: \w[\w'-]*){{1,3}})"
)
_NAME: Final = re.compile(r"\b[A-Z\u00c0-\u00de][\w'-]*")
_LOWER_CASE: Final = re.compile(r" (?!\d)[^\W_A-Z]")
_NUMBER: Final = "number"
_KEPT_QUESTION: Final = re.compile(r"\(([^()]+)\)$")
_OBJECTS_UNSPACED: Final = re.compile("|".join(filter(is_unspaced, _OBJECTIONS)))


def begins_as_correction(prompt: str) -> bool:
    """Tell whether a prompt may correct the answer before it, by how it begins."""
    text = straighten(prompt)
    openings = (_CORRECTS, _QUOTES, _DENIES, _MAY_CORRECT)
    begins = any(_remove_opening(text, each) for each in openings) or _points_at_change(text)
    return begins and len(prompt) <= _LONGEST


def only_objects(prompt: str) -> bool:
    """Tell whether a prompt says that something is wrong, and nothing of what is so instead."""
    rest = _remove_opening(f"{straighten(prompt)}.", _CORRECTS)
    return rest is not None and not any(map(str.isalnum, rest))


def find_corrected(prompt: str, shown: Mapping[str, str]) -> str | None:
    """Return the id of what a prompt corrects; `shown` are contents by id, best first."""
    text = straighten(prompt)
    if (rest := _remove_opening(text, _CORRECTS)) is not None:
        return _pick(rest, shown) or _pick_named(rest, shown) or _pick_first(rest, shown)
    if (rest := _remove_opening(text, _DENIES)) is not None:
        # What only denies asserts nothing.
        return (
            (_pick(rest, shown) or _pick_first(rest, shown)) if Statement(prompt).asserts else None
        )
    if (rest := _remove_opening(text, _QUOTES)) is not None:
        objects = _OBJECTS_UNSPACED if is_unspaced(text) else _OBJECTS
        return _pick(rest, shown) if objects.search(fold(rest)) else None
    rest = _remove_opening(text, _MAY_CORRECT)
    if rest is None:
        is_meant = _points_at_change(text) and not _is_of_another_matter(text)
        return _find_of_a_kind(text, shown) if is_meant else None
    statement = Statement(rest)
    rivals = {
        thought_id: content
        for thought_id, content in shown.items()
        if not statement.is_about_another(Statement(content))
    }
    return _pick(rest, rivals, least=_LEAST_SHARE_OF_A_HINT) or _pick_for_ellipsis(
        rest, shown, rivals
    )


def find_answered(correction: str, topic: str, question: str, corrected: str) -> str:
    """Return the question that a correction answers, to be kept with it; empty where it tells it.

    That of the answer, or after another correction the one that is kept with that. Where it asked
    further about the topic of one before, it is that one if the correction has words of it, or
    both.
    """
    if begins_as_correction(question):
        match = _KEPT_QUESTION.search(corrected)
        question = match[1] if match else ""
    elif is_contribution(question):
        return ""
    elif topic != question:
        is_of_topic = PromptWords(topic).measure_share(correction) > 0
        question = topic if is_of_topic else f"{topic} {question}"
    question = " ".join(question.split())
    is_told = PromptWords(question).measure_share(correction) >= _LEAST_TOLD
    return "" if is_told or len(question) > _LONGEST_QUESTION else question


def _points_at_change(text: str) -> bool:
    """Tell whether a prompt begins with a pronoun and says what changed: "it's Petra now"."""
    return _POINTS.match(fold(text)) is not None and bool(Statement(text).change)


def _remove_opening(text: str, openings: Iterable[re.Pattern[str]]) -> str | None:
    """Return what follows an opening; None without one."""
    divided = fold(text).translate(_AS_COMMAS)  # an opening is as long as in its own case
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


def _pick_named(rest: str, shown: Mapping[str, str]) -> str | None:
    """Return the first that has a name of the prompt and another value of a kind of the prompt's.

    "No wait, Delvaux comes on Wednesdays, I mixed it up" after "… Delvaux, they come on Fridays".
    """
    statement, names = Statement(rest), _list_names(rest)
    if not statement.asserts:
        return None
    named = ((seen, Statement(text)) for seen, text in shown.items() if names & _list_names(text))
    return next((seen for seen, other in named if statement.has_other_value_than(other)), None)


def _list_names(text: str) -> Set[str]:
    names = (name.casefold() for name in _NAME.findall(text))
    return {name for name in names if not is_function_word(name)}


def _pick_first(rest: str, shown: Mapping[str, str]) -> str | None:
    """Return the first that has a value of a kind that the prompt has too, or else the first."""
    if not (shown and _says_little(rest, _MOST_BESIDE_A_PRONOUN)):
        return None
    return _find_of_a_kind(rest, shown) or next(iter(shown))


def _pick_for_ellipsis(
    rest: str, shown: Mapping[str, str], rivals: Mapping[str, str]
) -> str | None:
    """Return what a bare "no" denies: the first with a value of a kind that the prompt has too.

    Or the first of all for a prompt with a pronoun, if it tells anything that may be instead. "No
    rush" and "no, I was just curious" deny nothing of what was shown.
    """
    if not shown or _is_of_another_matter(rest):
        return None
    kinds, change = _list_kinds(rest), Statement(rest).change
    if _POINTS.search(fold(rest)):
        return _find_of_a_kind(rest, shown) or (next(iter(shown)) if kinds or change else None)
    return _find_of_a_kind(rest, rivals) if change or _is_fragment(rest) else None


def _is_of_another_matter(rest: str) -> bool:
    """Tell whether what follows a bare "no" is of no answer, but of a thing or of the speaker."""
    words = fold(rest).lstrip(" ,.:;!-\u2013\u2014")
    is_of_a_thing = _LOWER_CASE.match(rest) is not None and not is_function_word(
        words.partition(" ")[0].rstrip(",.:;!")
    )
    statement = Statement(rest)
    refers = bool(statement.change or _POINTS.search(words))
    return (
        is_of_a_thing
        or _IS_OF_SPEAKER.match(words) is not None
        or (_IS_OF_GROUP.match(words) is not None and not refers)
        or not _says_little(rest, _MOST_BESIDE_A_PRONOUN if refers else _MOST_IN_A_HINT)
        or (statement.is_negated and not statement.values)
    )


def _is_fragment(rest: str) -> bool:
    """Tell whether a prompt is a name or a place alone, or a value with at most a word beside."""
    bare = _PLACE.sub(" ", fold(_NAME.sub(" ", rest)))
    values = Statement(rest).values
    words = PromptWords(bare).telling - values.keys()
    return sum(not any(map(str.isdigit, word)) for word in words) <= bool(values)


def _says_little(rest: str, most: int) -> bool:
    """Tell whether a prompt states something, and too little to be of another matter."""
    is_short = 0 < len(PromptWords(rest).telling) <= most
    return is_short and Statement(rest).asserts and not is_courtesy(rest)


def _find_of_a_kind(rest: str, shown: Mapping[str, str]) -> str | None:
    """Return the first that has a value of a kind that a prompt has too."""
    kinds = _list_kinds(rest)
    of_a_kind = (thought_id for thought_id, text in shown.items() if kinds & _list_kinds(text))
    return next(of_a_kind, None)


def _list_kinds(text: str) -> Set[str]:
    """Return of which kinds a text has values, names and places among them."""
    kinds = set(Statement(text).values)
    if any(map(str.isdigit, text)):
        kinds.add(_NUMBER)
    if _list_names(text):
        kinds.add("name")
    places = (match[1].split() for match in _PLACE.finditer(fold(text)))
    if any(not all(map(is_function_word, words)) for words in places):
        kinds.add("place")
    return kinds
