"""Tells prompts that only talk: they ask nothing of what a memory holds, and state nothing. Pure.

Each clause of such a prompt is a courtesy with nothing beside it but words of closed classes, a
remark on what the two who talk just did, or a question to the memory about itself. Any other word
("thanks to Lena", "how are you handling retries") makes it a prompt like any other.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import StrEnum
from typing import Final

from wellworn.domain.memory.contribution.phrases import (
    join_phrases,
    match_anywhere,
    match_start,
)
from wellworn.domain.memory.contribution.questions import QUESTION_WORDS, asks, list_words
from wellworn.engines.retrieval.text import (
    STOP_WORDS,
    detect_language,
    is_unspaced,
    list_function_words,
)
from wellworn.kit.words import fold, fold_phrases, load_phrases, load_words


class Talk(StrEnum):
    """The kind of a prompt that only talks; of several, the first decides what is answered."""

    AMUSEMENT = "amusement"
    ABILITY = "ability"
    IDENTITY = "identity"
    WELLBEING = "wellbeing"
    THANKS = "thanks"
    FAREWELL = "farewell"
    GREETING = "greeting"
    REMARK = "remark"


_LONGEST: Final = 200
"""Characters; one who says more says something."""
_LONGEST_BESIDE: Final = 1_000
"""Characters; in what is longer, courtesies change nothing."""
_MOST_THANKED_FOR: Final = 3
"""Words that carry meaning: "thanks for the quick answer"."""
_MOST_FOR_LEAVING: Final = 2
_MOST_FOR_A_MOOD: Final = 1
_MARKS: Final = ("?", "\uff1f", "\u061f")
_CLAUSE: Final = re.compile(
    r"(?:[^,.!?;:()\n\u2026\u2013\u2014\u060c\u061b\u061f\u3001\u3002\uff01\uff0c\uff1b\uff1f]"
    r"|[,.!;:()](?=\S))+[?\u061f\uff1f]?"
)
_WORD: Final = re.compile(r"[^\W_]+(?:-(?!(?:tu|vous|il|ce|moi|t)\b)[^\W_]+)*")
_CODE: Final = re.compile(r"[`{}=@#$%\\/|_\[\]]")
_OPENING: Final = re.compile(r"\W*(?:(?:and|but|so|then|und|aber|y|pero|et|mais)\b\W*)*")
_OBJECTS: Final = ("it", "that", "this", "them", "these", "those")
"""A question to the memory that ends in one of these is about what was shown."""

_LANGUAGES: Final = ("english", "german", "spanish", "french")
_TELLING: Final = fold_phrases(load_words(__name__, "telling_function_words"))
_FUNCTION_WORDS: Final = (
    STOP_WORDS.union({"d"}, *map(list_function_words, _LANGUAGES)) - QUESTION_WORDS - _TELLING
)
_PAID: Final[Mapping[Talk, frozenset[str]]] = {
    Talk.WELLBEING: fold_phrases(load_words(__name__, "wellbeing")),
    Talk.THANKS: fold_phrases(load_words(__name__, "thanks")),
    Talk.FAREWELL: fold_phrases(load_words(__name__, "farewells")),
    Talk.GREETING: fold_phrases(load_words(__name__, "greetings")),
    Talk.REMARK: fold_phrases(load_words(__name__, "phatic")),
}
PHATIC: Final = frozenset[str]().union(*_PAID.values())
"""Courtesies, wherever they stand."""
_FAREWELLS_ALONE: Final = fold_phrases(load_words(__name__, "farewells_alone"))
_REMARKS_ALONE: Final = fold_phrases(load_words(__name__, "remarks_alone"))
_COURTESIES: Final = PHATIC | _FAREWELLS_ALONE | _REMARKS_ALONE
_BESIDE: Final = fold_phrases(load_words(__name__, "beside_courtesies"))
_BETWEEN_US: Final = fold_phrases(load_words(__name__, "between_us"))
_TALK: Final = fold_phrases(load_words(__name__, "talk")) | _BETWEEN_US
_ABOUT: Final[Mapping[Talk, frozenset[str]]] = {
    Talk.ABILITY: fold_phrases(load_words(__name__, "about_ability")),
    Talk.IDENTITY: fold_phrases(load_words(__name__, "about_identity")),
    Talk.WELLBEING: fold_phrases(load_words(__name__, "about_wellbeing")),
}
_BESIDE_ITSELF: Final = (
    fold_phrases((*load_words(__name__, "beside_itself"), *load_words(__name__, "addressed")))
    | _FUNCTION_WORDS
    | QUESTION_WORDS
)
_BESIDE_AMUSEMENTS: Final = fold_phrases(load_words(__name__, "beside_amusements"))

_COURTESY: Final = match_anywhere(_COURTESIES)
_OUTCRY: Final = match_anywhere(fold_phrases(load_words(__name__, "outcries")))
_STATES: Final = match_anywhere(fold_phrases(load_words(__name__, "stating")))
_IS_BESIDE: Final = match_anywhere(_BESIDE)
_KINDS: Final = {
    **dict.fromkeys(_REMARKS_ALONE, Talk.REMARK),
    **dict.fromkeys(_FAREWELLS_ALONE, Talk.FAREWELL),
    **{phrase: kind for kind, phrases in _PAID.items() for phrase in phrases},
}
_ASKS_HOW_ONE_IS: Final = match_anywhere(_PAID[Talk.WELLBEING])
_TOPICS: Final = {kind: match_anywhere(phrases) for kind, phrases in _ABOUT.items()}
_TOPIC: Final = match_anywhere(frozenset[str]().union(*_ABOUT.values()))
_ADDRESSED: Final = match_anywhere(fold_phrases(load_words(__name__, "addressed")))
_WANTED: Final = {
    Talk.AMUSEMENT: match_anywhere(fold_phrases(load_words(__name__, "amusements"))),
    Talk.ABILITY: match_anywhere(fold_phrases(load_words(__name__, "help_wanted"))),
}
_BEINGS: Final = fold_phrases(load_words(__name__, "beings"))
_TO_BE: Final = match_anywhere(fold_phrases(load_words(__name__, "to_be_addressed")))
_CONTRAST: Final = match_anywhere(fold_phrases(load_words(__name__, "contrast")))
_STARTS_ORDERS: Final = match_start(fold_phrases(load_words(__name__, "orders")))
_STARTS_THANKS_FOR: Final = match_start(fold_phrases(load_words(__name__, "thanks_for")))
_NAMED: Final = re.compile(
    rf"\b((?i:{load_phrases(__name__, 'before_a_name')}),?) "
    rf"(?:[A-Z\u00c0-\u00de]\w+|(?i:{load_phrases(__name__, 'called')}))(?=\s*(?:[,.!?]|$))"
)

_UNSPACED: Final[Mapping[Talk, tuple[str, ...]]] = {
    Talk.AMUSEMENT: load_words(__name__, "amusements_unspaced"),
    Talk.ABILITY: load_words(__name__, "about_ability_unspaced"),
    Talk.IDENTITY: load_words(__name__, "about_identity_unspaced"),
    **{kind: tuple(filter(is_unspaced, phrases)) for kind, phrases in _PAID.items()},
}
_ASKS_UNSPACED: Final = join_phrases(
    phrase for kind in (*_ABOUT, Talk.AMUSEMENT) for phrase in _UNSPACED[kind]
)
_ONLY_TALKS_UNSPACED: Final = re.compile(
    rf"\W*(?:(?:(?:{load_phrases(__name__, 'before_unspaced')}){{0,8}}(?:{_ASKS_UNSPACED})"
    rf"(?:{load_phrases(__name__, 'after_unspaced')})?"
    rf"|{join_phrases(filter(is_unspaced, _COURTESIES | _BESIDE))})[\W_]*)++"
)


def is_courtesy(prompt: str) -> bool:
    """Tell whether a prompt only talks: nothing is looked up for it, and nothing is stored."""
    return find_talk(prompt) is not None


def find_talk(prompt: str) -> Talk | None:
    """Return what a prompt does that only talks; None for one that asks or states something."""
    if len(prompt) > _LONGEST or _CODE.search(prompt):
        return None
    folded = fold(_NAMED.sub(r"\1", prompt))
    if not any(map(str.isalnum, folded)):
        return None if not folded or any(mark in folded for mark in _MARKS) else Talk.REMARK
    if is_unspaced(folded):
        return _judge_unspaced(folded)
    language = detect_language(list_words(folded))
    clauses = [clause.strip() for clause in _CLAUSE.findall(folded) if _WORD.search(clause)]
    talks = [_judge_clause(clause, language) for clause in clauses]
    if clauses and (most := _count_allowed(clauses[0], talks[0])):
        causes = (_is_cause(clause, language, most) for clause in clauses)
        talks = [
            talk or (Talk.REMARK if is_cause else None)
            for talk, is_cause in zip(talks, causes, strict=True)
        ]
    if None in talks or not (_COURTESY.search(folded) or set(talks) & {*_ABOUT, Talk.AMUSEMENT}):
        return None
    return min(filter(None, talks), key=list(Talk).index)


def remove_talk(text: str) -> str:
    """Return a text without the clauses that only talk at its beginning and its end."""
    if len(text) > _LONGEST_BESIDE:
        return text
    clauses = list(_CLAUSE.finditer(text))
    first = next(filter(_tells, clauses), None)
    last = next(filter(_tells, reversed(clauses)), None)
    return text[first.start() : last.end()].strip() if first and last else ""


def _tells(clause: re.Match[str]) -> bool:
    """Tell whether a clause does more than talk; "..., right?" makes a question of a sentence."""
    return clause.group().endswith(_MARKS) or not is_courtesy(clause.group())


def _judge_unspaced(folded: str) -> Talk | None:
    if not _ONLY_TALKS_UNSPACED.fullmatch(folded):
        return None
    kinds = (kind for kind, phrases in _UNSPACED.items() if any(map(folded.__contains__, phrases)))
    kind = next(kinds, None)
    asks_back = kind in {Talk.THANKS, Talk.REMARK} and any(mark in folded for mark in _MARKS)
    return None if asks_back else kind


def _bare(clause: str) -> str:
    """Return a clause without courtesies and what stands beside them."""
    return _IS_BESIDE.sub(" ", _COURTESY.sub(" ", clause))


def _judge_clause(clause: str, language: str) -> Talk | None:
    bare = _bare(clause)
    words = set(_WORD.findall(bare))
    telling = words - _FUNCTION_WORDS
    if not words or (not telling and _ASKS_HOW_ONE_IS.search(clause)):
        return _name_courtesy(clause)
    if wanted := _find_wanted(clause):
        return wanted
    opening = _OPENING.sub("", bare, count=1)
    is_asked = clause.endswith(_MARKS) or (opening != "" and asks(opening, language))
    if is_asked or _STARTS_ORDERS.match(opening):
        return _find_topic(clause)
    if thanks := _STARTS_THANKS_FOR.match(clause):
        return _name_courtesy(clause) if _is_thanked_for(clause[thanks.end() :]) else None
    is_remark = telling <= _TALK and not _BETWEEN_US.isdisjoint(_WORD.findall(clause))
    return _name_courtesy(clause) if is_remark or not telling else None


def _count_allowed(opening: str, talk: Talk | None) -> int:
    """Return how many telling words may give the reason: of leaving, or of a mood."""
    if talk is Talk.FAREWELL:
        return _MOST_FOR_LEAVING
    return _MOST_FOR_A_MOOD if talk and _OUTCRY.search(opening) else 0


def _is_cause(clause: str, language: str, most: int) -> bool:
    """Tell whether a clause only names why somebody leaves or sighs: "brb, phone"."""
    bare = _bare(clause)
    if clause.endswith(_MARKS) or any(map(str.isdigit, clause)) or _STATES.search(bare):
        return False
    opening = _OPENING.sub("", bare, count=1)
    if (opening and asks(opening, language)) or _STARTS_ORDERS.match(opening):
        return False
    return len(set(_WORD.findall(bare)) - _FUNCTION_WORDS) <= most


def _name_courtesy(clause: str) -> Talk:
    kinds = [_KINDS[courtesy] for courtesy in _COURTESY.findall(clause)]
    return min(kinds, key=list(Talk).index, default=Talk.REMARK)


def _find_wanted(clause: str) -> Talk | None:
    """Tell "help" and "tell me a joke" from "tell me about the joke endpoint", or just "joke"."""
    for kind, pattern in _WANTED.items():
        rest = set(_WORD.findall(pattern.sub(" ", clause)))
        is_alone = rest <= _BESIDE_AMUSEMENTS and (rest or kind is Talk.ABILITY)
        if is_alone and pattern.search(clause):
            return kind
    return None


def _find_topic(clause: str) -> Talk | None:
    """Return what a question to the memory asks about the memory itself, and about nothing else."""
    if not _ADDRESSED.search(clause) or clause.rstrip(" ?").endswith(_OBJECTS):
        return None
    rest = set(_WORD.findall(_bare(_TOPIC.sub(" ", clause))))
    if rest & _BEINGS and _TO_BE.search(clause) and rest - _BEINGS <= _BESIDE_ITSELF:
        return Talk.IDENTITY
    if not rest <= _BESIDE_ITSELF:
        return None
    return next((kind for kind, topic in _TOPICS.items() if topic.search(clause)), None)


def _is_thanked_for(reason: str) -> bool:
    """Tell whether what somebody is thanked for says too little to be looked up or stored."""
    words = set(_WORD.findall(reason))
    is_little = len(words - _FUNCTION_WORDS - _TALK) <= _MOST_THANKED_FOR
    has_value = any(map(str.isdigit, reason))
    asks_besides = not QUESTION_WORDS.isdisjoint(words) or _CONTRAST.search(reason) is not None
    return is_little and not has_value and not asks_besides
