r"""Judges a prompt: does it state something worth keeping, and if not, what is it?

Two of the specification's checks stay as they are: a question (`^[^.!]*\?$`) and a reference to an
earlier answer are not stored. The third, more than fifty characters, is a matter of what a prompt
says rather than how long it is: a correction of twenty characters is knowledge, a greeting of
eighty is not. Each sentence is judged by itself, and one that states something suffices.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from typing import Final

from wellworn.domain.memory.contribution.courtesy import PHATIC, is_courtesy, remove_talk
from wellworn.domain.memory.contribution.erasing import asks_to_erase
from wellworn.domain.memory.contribution.phrases import (
    match_anywhere,
    match_start,
)
from wellworn.domain.memory.contribution.questions import QUESTION_WORDS, asks, list_words
from wellworn.engines.retrieval.text import (
    STOP_WORDS,
    detect_language,
    is_unspaced,
    list_function_words,
    split_words,
)
from wellworn.kit.words import fold, fold_phrases, load_phrases, load_words


class ContributionReason(StrEnum):
    """Why a prompt is stored or not; the first two are what the caller said."""

    ALWAYS = "always"
    NEVER = "never"
    STATEMENT = "statement"
    QUESTION = "question"
    FOLLOW_UP = "follow_up"
    ORDER = "order"
    SMALL_TALK = "small_talk"
    LOG = "log"
    LITTLE = "says_little"


@dataclass(frozen=True, slots=True)
class Contribution:
    """The judgement of a prompt."""

    reason: ContributionReason

    @property
    def is_stored(self) -> bool:
        return self.reason in {ContributionReason.STATEMENT, ContributionReason.ALWAYS}


_ONCE: Final = frozenset((ContributionReason.QUESTION, ContributionReason.ORDER))
"""Reasons that courtesies beside it do not make a statement."""
LONGEST_REMARK: Final = 50
"""Characters; so few may be words to search for, and must show that they state something."""
LEAST_SAID: Final = 2.0
"""The least a statement says: words that carry meaning, of which a value counts twice."""
LEAST_RULED: Final = 3.0
"""The least a rule of few words says: "use pnpm, not npm", and not "use the other"."""
_LONGEST: Final = 4_000
_UNSPACED_A_WORD: Final = 2
_MOST_PHATIC: Final = 3.0
_MOST_REQUESTED: Final = 6.0
_LEAST_TOLD_BY_NAME: Final = 0.5

SENTENCE: Final = re.compile(
    r"[^.!?;\n\u3002\uff01\uff1f\uff1b\u061f\u061b]+(?:\.(?=\S)[^.!?;\n\u3002\uff01\uff1f\uff1b\u061f\u061b]*)*"
    r"[.!?;\u3002\uff01\uff1f\uff1b\u061f\u061b]*"
)
_TO_MEMORY: Final = ("you ", "you're ")
_MARKS: Final = ("?", "\uff1f", "\u061f")
_VALUE: Final = re.compile(r"\d|[a-z][A-Z]|\w[/_@:]\w|\w\.\w{2,}")
_LOG_LINE: Final = re.compile(
    r"""^\s*+(?:
        [a-z][a-z0-9+.-]*://\S+                                     # a bare address
        |\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d\S*\s+\[?(?:[A-Z]{3,8}\b|\S+[=:\[])  # time and level
        |\[?(?:DEBUG|INFO|WARN(?:ING)?|ERROR|FATAL|TRACE|CRITICAL)\b[\]:\s]
        |\w{3}\s+\d+\s\d\d:\d\d:\d\d\s                              # syslog
        |(?:Traceback\s\(|File\s".*",\sline\s\d+|at\s[\w.$<>]+\()
        |[\w.]*(?:Error|Exception):\s
        |[$>\#]\s|(?:"""
    + load_phrases(__name__, "commands")
    + r""")\s(?=.*[-|/])
        |[{\[].*[}\]]\s*$                                           # a bare document
        |[0-9a-fA-F]{16,}\s*$|[A-Za-z0-9+/]{40,}={0,2}\s*$
        |\d{1,3}(?:\.\d{1,3}){3}\s-\s
    )""",
    re.VERBOSE,
)

_CONTRAST: Final = fold_phrases(load_words(__name__, "contrast"))
_FOLLOW_UPS: Final = fold_phrases(load_words(__name__, "follow_ups"))
_KEEPS: Final = fold_phrases(load_words(__name__, "keeps"))
_LASTING: Final = fold_phrases(load_words(__name__, "lasting"))
_ORDERS: Final = fold_phrases(load_words(__name__, "orders"))
_PREDICATES: Final = fold_phrases(load_words(__name__, "predicates"))
_STATING: Final = fold_phrases(load_words(__name__, "stating"))
_STATING_ENDINGS: Final = fold_phrases(load_words(__name__, "stating_endings"))
_STATING_WORDS: Final = fold_phrases(load_words(__name__, "stating_words"))
_ANYWHERE_CONTRAST: Final = match_anywhere(_CONTRAST)
_NEXT_WORD: Final = re.compile(r" ([^\W\d_]+)")
_ANYWHERE_PHATIC: Final = match_anywhere(PHATIC)
_ANYWHERE_STATING: Final = match_anywhere(_STATING)
_STARTS_ANSWERS: Final = match_start(fold_phrases(load_words(__name__, "answers")))
_STARTS_FOLLOW_UPS: Final = match_start(_FOLLOW_UPS)
_STARTS_KEEPS: Final = match_start(_KEEPS)
_STARTS_LASTING: Final = match_start(_LASTING)
_STARTS_ORDERS: Final = match_start(_ORDERS)
_STARTS_REQUESTS: Final = re.compile(rf"(?:(?:{load_phrases(__name__, 'requests')})(?!\w)[, ]*)+")
_WITHDRAWAL: Final = re.compile(rf"(?:{load_phrases(__name__, 'withdrawals')})\b[^,:]*[,:]\s*")


def judge_contribution(prompt: str, *, is_reply: bool = True) -> Contribution:
    """Return whether the prompt is stored as a thought besides being answered, and why.

    Only a prompt that `is_reply` to an answer can refer to one.
    """
    text = prompt.strip()
    if is_courtesy(text):
        return Contribution(ContributionReason.SMALL_TALK)
    bare_text = remove_talk(text)
    bare = _judge(bare_text, is_reply=is_reply)
    # An answer may tell something only with its yes or no: "no, we use Terraform".
    is_told = bare.is_stored or bare.reason in _ONCE or bare_text == text
    return bare if is_told else _judge(text, is_reply=is_reply)


def _judge(text: str, *, is_reply: bool) -> Contribution:
    if is_question(text):
        return Contribution(ContributionReason.QUESTION)
    if _is_log(text):
        return Contribution(ContributionReason.LOG)
    if is_reply and is_follow_up(text) and not _adds_to_answer(text):
        return Contribution(ContributionReason.FOLLOW_UP)
    return _judge_sentences(text)


def _judge_sentences(text: str) -> Contribution:
    language = detect_language(list_words(fold(text[:_LONGEST])))
    reasons: list[ContributionReason] = []
    total = 0.0
    for match in SENTENCE.finditer(text[:_LONGEST]):
        reason, weight = judge_sentence(match.group().strip(), language)
        if reason is not None:
            reasons.append(reason)
            total += weight
    is_rule = total >= LEAST_RULED and _rules(fold(text))
    if total >= LEAST_SAID and (len(text) > LONGEST_REMARK or is_rule or _states(text)):
        return Contribution(ContributionReason.STATEMENT)
    others = [
        reason
        for reason in reasons
        if reason not in {ContributionReason.LITTLE, ContributionReason.STATEMENT}
    ]
    return Contribution(others[0] if others else ContributionReason.LITTLE)


def is_contribution(prompt: str) -> bool:
    """Tell whether the prompt is stored as a thought besides being answered."""
    return judge_contribution(prompt).is_stored


def is_question(prompt: str) -> bool:
    r"""Tell whether the prompt only asks: it ends in `?` and no `.` or `!` stands before.

    This is the specification's `^[^.!]*\?$`, in one pass. A line break is a character like any
    other to it, so several lines of nothing but questions are still a question. Any stop counts,
    even the one in `v2.0`.
    """
    text = prompt.strip()
    return text.endswith("?") and "." not in text and "!" not in text


def is_follow_up(prompt: str) -> bool:
    """Tell whether the prompt refers back to an earlier answer, by how it starts, in any case.

    Starts are compared letter by letter as specified, so `Based online` counts as `based on`.
    """
    return prompt.strip().casefold().startswith(tuple(_FOLLOW_UPS))


def _adds_to_answer(text: str) -> bool:
    """Tell whether what follows a reference to an answer contradicts it or adds to it."""
    folded = fold(text)
    opening = _STARTS_FOLLOW_UPS.match(folded)
    rest = folded[opening.end() :] if opening else folded
    return _ANYWHERE_CONTRAST.search(rest) is not None


def judge_sentence(sentence: str, language: str) -> tuple[ContributionReason | None, float]:
    """Return what a sentence is, and how much it states; nothing for one without a word."""
    folded = fold(sentence)
    if not list_words(folded):
        return None, 0.0
    if folded.endswith(_MARKS) or asks(folded, language):
        return ContributionReason.QUESTION, 0.0
    request = _STARTS_REQUESTS.match(folded)
    asked = folded[request.end() :] if request else folded
    keeps = _STARTS_KEEPS.match(asked) or _WITHDRAWAL.match(asked)
    if keeps is None and _orders(asked, sentence, language, is_request=request is not None):
        return ContributionReason.ORDER, 0.0
    if _is_log(sentence):
        return ContributionReason.LOG, 0.0
    rest = asked[keeps.end() :] if keeps else folded
    bare = _remove_phatic(rest)
    weight = weigh(bare, sentence, language)
    is_to_memory = bare != rest or rest.startswith(_TO_MEMORY)
    if is_to_memory and weight <= _MOST_PHATIC and not (_answers(rest) or _rules(rest)):
        return ContributionReason.SMALL_TALK, 0.0
    return (
        ContributionReason.STATEMENT if weight >= LEAST_SAID else ContributionReason.LITTLE
    ), weight


def _remove_phatic(folded: str) -> str:
    """Take out thanks and the like, but not what is told of something or of the word itself.

    "The check is done", "Hello is our onboarding service", "the evening boat".
    """

    def replace(match: re.Match[str]) -> str:
        before = folded[: match.start()].split()[-2:]
        is_told = len(before) > 1 and before[1] in _PREDICATES
        is_named = not before and not _PREDICATES.isdisjoint(folded[match.end() :].split()[:1])
        following = _NEXT_WORD.match(folded, match.end())
        is_of_thing = before[-1:] == ["the"] and following and following[1] not in STOP_WORDS
        return match.group() if is_told or is_named or is_of_thing else " "

    return _ANYWHERE_PHATIC.sub(replace, folded)


def _answers(folded: str) -> bool:
    """Tell whether yes or no comes before a clause that tells something: "no, the key is lost"."""
    answer = _STARTS_ANSWERS.match(folded)
    clause = folded[answer.end() :].lstrip(" ,") if answer else ""
    return _ANYWHERE_STATING.search(clause.partition(" ")[2]) is not None


def _rules(folded: str) -> bool:
    """Tell whether a text begins as a rule that holds from now on: "always …", "please use …"."""
    request = _STARTS_REQUESTS.match(folded)
    return _STARTS_LASTING.match(folded, request.end() if request else 0) is not None


def _orders(asked: str, sentence: str, language: str, *, is_request: bool) -> bool:
    """Tell whether a sentence asks for something to be done once, and says little beside."""
    order = _STARTS_ORDERS.match(asked)
    if order is None and asks_to_erase(asked):
        return True
    if order is not None:
        rest = list_words(asked[order.end() :])
        return not _is_compound(asked[order.end() :], rest)
    is_little = asked != "" and weigh(asked, sentence, language) <= _MOST_REQUESTED
    return is_request and is_little and _STARTS_LASTING.match(asked) is None


def _is_compound(rest: str, words: Sequence[str]) -> bool:
    """Tell whether a word for an order is the first of two nouns: "list prices are net"."""
    if not words or words[0] in STOP_WORDS or words[0] in QUESTION_WORDS:
        return False
    is_labelled = rest.strip().startswith(f"{words[0]}:")
    return is_labelled or not _STATING.isdisjoint(words[1:2])


def _states(text: str) -> bool:
    """Tell whether a text of few words states something: by a verb, a value or its punctuation."""
    folded = fold(text)
    if _answers(folded):
        return True
    if is_unspaced(folded):
        stem = folded.rstrip("\u3002.! ")
        return (
            stem.endswith(tuple(_STATING_ENDINGS))
            or folded.endswith("\u3002")
            or any(word in folded for word in _STATING_WORDS)
        )
    return (
        folded.endswith((".", "!"))
        or any(sign in folded for sign in (":", "=", "->", "\u2192", ";"))
        or _ANYWHERE_STATING.search(folded) is not None
        or not _STATING_WORDS.isdisjoint(folded.split())
    )


def weigh(folded: str, sentence: str, language: str) -> float:
    """Return how much a sentence says: words that carry meaning, and values twice."""
    if is_unspaced(folded):
        letters = sum(map(str.isalnum, folded))
        return letters / _UNSPACED_A_WORD
    words = set(split_words(folded)) - _list_hollow(language)
    values = {word for word in folded.split() if _VALUE.search(word)}
    names = sum(word[:1].isupper() for word in sentence.split()[1:])
    return len(words) + len(values) + _LEAST_TOLD_BY_NAME * names


@cache
def _list_hollow(language: str) -> frozenset[str]:
    """Return the stems of words that say nothing by themselves, in English and a language."""
    words = " ".join(list_function_words(language))
    return STOP_WORDS | frozenset(split_words(words))


def _is_log(text: str) -> bool:
    lines = [line for line in text.splitlines() if line.strip()]
    like_a_log = sum(bool(_LOG_LINE.match(line)) for line in lines)
    return bool(lines) and 2 * like_a_log >= len(lines) and like_a_log > 0
