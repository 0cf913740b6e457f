r"""Judges a prompt: does it state something worth keeping, and if not, what is it?

Two of the specification's checks stay as they are: a question (`^[^.!]*\?$`) and a reference to an
earlier answer are not stored. The third, more than fifty characters, is a matter of what a prompt
says rather than how long it is: a correction of twenty characters is knowledge, a greeting of
eighty is not. Each sentence is judged by itself, and one that states something suffices.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from wellworn.engines.retrieval.text import STOP_WORDS, is_unspaced, split_words
from wellworn.kit.words import load_phrases, load_words


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
    """The judgement of a prompt; one that is `doubtful` states something and is not stored."""

    reason: ContributionReason
    is_doubtful: bool = False

    @property
    def is_stored(self) -> bool:
        return self.reason in {ContributionReason.STATEMENT, ContributionReason.ALWAYS}


LONGEST_REMARK: Final = 50
"""Characters; so few may be words to search for, and must show that they state something."""
LEAST_SAID: Final = 2.0
"""What a statement must say: words that carry meaning, of which a value counts twice."""
_LONGEST: Final = 4_000
_UNSPACED_A_WORD: Final = 2
_AUXILIARY_WITHIN: Final = 5
_MOST_PHATIC: Final = 3.0
_MOST_REQUESTED: Final = 6.0
_LEAST_TOLD_BY_NAME: Final = 0.5

_SENTENCE: Final = re.compile(
    r"[^.!?;\n\u3002\uff01\uff1f\uff1b\u061f\u061b]+(?:\.(?=\S)[^.!?;\n\u3002\uff01\uff1f\uff1b\u061f\u061b]*)*"
    r"[.!?;\u3002\uff01\uff1f\uff1b\u061f\u061b]*"
)
_TO_MEMORY: Final = ("you ", "you're ")
_MARKS: Final = ("?", "\uff1f", "\u061f")
_WORD: Final = re.compile(r"'(?:s|re|d|ll)\b|[^\W_]+(?:['-][^\W_]+)*")
_VALUE: Final = re.compile(r"\d|[a-z][A-Z]|\w[/_@:]\w|\w\.\w{2,}")
_LOG_LINE: Final = re.compile(
    r"""^\s*(?:
        [a-z][a-z0-9+.-]*://\S+                                     # a bare address
        |\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d\S*\s+\[?(?:[A-Z]{3,8}\b|\S+[=:\[])  # time and level
        |\[?(?:DEBUG|INFO|WARN(?:ING)?|ERROR|FATAL|TRACE|CRITICAL)\b[\]:\s]
        |\w{3}\s+\d+\s\d\d:\d\d:\d\d\s                              # syslog
        |(?:Traceback\s\(|\s*File\s".*",\sline\s\d+|\s*at\s[\w.$<>]+\()
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


def _phrases(words: Sequence[str]) -> frozenset[str]:
    return frozenset(word.replace("_", " ") for word in words)


def _starts(phrases: Iterable[str]) -> re.Pattern[str]:
    choices = "|".join(map(re.escape, sorted(phrases, key=len, reverse=True)))
    return re.compile(rf"(?:{choices})(?!\w)")


def _anywhere(phrases: Iterable[str]) -> re.Pattern[str]:
    choices = "|".join(map(re.escape, sorted(phrases, key=len, reverse=True)))
    return re.compile(rf"(?<![^\W_])(?:{choices})(?![^\W_])")


_ARABIC_QUESTIONS: Final = _phrases(load_words(__name__, "arabic_questions"))
_ASKING_ENDINGS: Final = _phrases(load_words(__name__, "asking_endings"))
_ASKING_WORDS: Final = _phrases(load_words(__name__, "asking_words"))
_AUXILIARIES: Final = _phrases(load_words(__name__, "auxiliaries"))
_CONTRAST: Final = _phrases(load_words(__name__, "contrast"))
_EMPTY_SUBJECTS: Final = _phrases(load_words(__name__, "empty_subjects"))
_FOLLOW_UPS: Final = _phrases(load_words(__name__, "follow_ups"))
_HOLLOW: Final = STOP_WORDS | set(split_words(" ".join(load_words(__name__, "hollow"))))
_INVERTED: Final = _phrases(load_words(__name__, "inverted"))
_KEEPS: Final = _phrases(load_words(__name__, "keeps"))
_NOUN_LINKS: Final = _phrases(load_words(__name__, "noun_links"))
_ORDERS: Final = _phrases(load_words(__name__, "orders"))
_PHATIC: Final = _phrases(load_words(__name__, "phatic"))
_PREDICATES: Final = _phrases(load_words(__name__, "predicates"))
_QUESTION_WORDS: Final = _phrases(load_words(__name__, "question_words"))
_STATING: Final = _phrases(load_words(__name__, "stating"))
_STATING_ENDINGS: Final = _phrases(load_words(__name__, "stating_endings"))
_STATING_WORDS: Final = _phrases(load_words(__name__, "stating_words"))
_SUBJECTS: Final = _phrases(load_words(__name__, "subjects"))
_ANYWHERE_CONTRAST: Final = _anywhere(_CONTRAST)
_ANYWHERE_PHATIC: Final = _anywhere(_PHATIC)
_ANYWHERE_STATING: Final = _anywhere(_STATING)
_STARTS_FOLLOW_UPS: Final = _starts(_FOLLOW_UPS)
_STARTS_INVERTED: Final = _starts(_INVERTED)
_STARTS_KEEPS: Final = _starts(_KEEPS)
_STARTS_LASTING: Final = _starts(_phrases(load_words(__name__, "lasting")))
_STARTS_ORDERS: Final = _starts(_ORDERS)
_STARTS_REQUESTS: Final = re.compile(rf"(?:(?:{load_phrases(__name__, 'requests')})(?!\w)[, ]*)+")
_WITHDRAWAL: Final = re.compile(rf"(?:{load_phrases(__name__, 'withdrawals')})\b[^,:]*[,:]\s*")


def judge_contribution(prompt: str, *, is_reply: bool = True) -> Contribution:
    """Return whether the prompt is stored as a thought besides being answered, and why.

    Only a prompt that `is_reply` to an answer can refer to one.
    """
    text = prompt.strip()
    if is_question(text):
        return Contribution(ContributionReason.QUESTION)
    if _is_log(text):
        return Contribution(ContributionReason.LOG)
    if is_reply and is_follow_up(text) and not _adds_to_answer(text):
        return Contribution(ContributionReason.FOLLOW_UP, is_doubtful=True)
    reasons: list[ContributionReason] = []
    total = 0.0
    for match in _SENTENCE.finditer(text[:_LONGEST]):
        reason, weight = _judge_sentence(match.group().strip())
        if reason is not None:
            reasons.append(reason)
            total += weight
    if total >= LEAST_SAID and (len(text) > LONGEST_REMARK or _states(text)):
        return Contribution(ContributionReason.STATEMENT)
    others = [
        reason
        for reason in reasons
        if reason not in {ContributionReason.LITTLE, ContributionReason.STATEMENT}
    ]
    if others:
        return Contribution(others[0])
    return Contribution(ContributionReason.LITTLE, is_doubtful=bool(reasons) and _states(text))


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
    folded = _fold(text)
    opening = _STARTS_FOLLOW_UPS.match(folded)
    rest = folded[opening.end() :] if opening else folded
    return _ANYWHERE_CONTRAST.search(rest) is not None


def _judge_sentence(sentence: str) -> tuple[ContributionReason | None, float]:
    """Return what a sentence is, and how much it states; nothing for one without a word."""
    folded = _fold(sentence)
    if not _WORD.search(folded):
        return None, 0.0
    if folded.endswith(_MARKS) or _asks(folded):
        return ContributionReason.QUESTION, 0.0
    request = _STARTS_REQUESTS.match(folded)
    asked = folded[request.end() :] if request else folded
    keeps = _STARTS_KEEPS.match(asked) or _WITHDRAWAL.match(asked)
    if keeps is None and _orders(asked, sentence, is_request=request is not None):
        return ContributionReason.ORDER, 0.0
    if _is_log(sentence):
        return ContributionReason.LOG, 0.0
    rest = asked[keeps.end() :] if keeps else folded
    bare = _remove_phatic(rest)
    weight = _weigh(bare, sentence)
    is_to_memory = bare != rest or rest.startswith(_TO_MEMORY)
    if is_to_memory and weight <= _MOST_PHATIC:
        return ContributionReason.SMALL_TALK, 0.0
    return (
        ContributionReason.STATEMENT if weight >= LEAST_SAID else ContributionReason.LITTLE
    ), weight


def _remove_phatic(folded: str) -> str:
    """Take out thanks and the like, but not what is told of something: "the check is done"."""

    def replace(match: re.Match[str]) -> str:
        before = folded[: match.start()].split()[-2:]
        is_told = len(before) > 1 and before[1] in _PREDICATES and before[0] not in _EMPTY_SUBJECTS
        return match.group() if is_told else " "

    return _ANYWHERE_PHATIC.sub(replace, folded)


def _asks(folded: str) -> bool:
    words = _WORD.findall(folded)
    first, rest = words[0], words[1:]
    if folded.startswith("\u00bf") or first in _ARABIC_QUESTIONS:
        return True
    if is_unspaced(folded):
        stem = folded.rstrip("\u3002.! ")
        return stem.endswith(tuple(_ASKING_ENDINGS)) or any(
            word in folded for word in _ASKING_WORDS
        )
    if _STARTS_INVERTED.match(folded):
        return rest != [] and not _forbids(first, rest[0]) and not _is_named(first, rest[0])
    if first not in _QUESTION_WORDS or ":" in folded:
        return False
    if first not in _ENGLISH_QUESTION_WORDS:
        return True
    near = _before_subject(first, rest[:_AUXILIARY_WITHIN])
    return not _AUXILIARIES.isdisjoint(near)


_ENGLISH_QUESTION_WORDS: Final = frozenset(
    ("what", "which", "who", "whom", "whose", "where", "when", "why", "how")
)
_ALSO_NAMES: Final = frozenset(("may", "will", "might"))
_TAKES_A_NOUN: Final = frozenset(("what", "which", "whose", "how"))
_TAKES_A_VERB: Final = frozenset(("who",))


def _forbids(first: str, second: str) -> bool:
    """Tell "do not restart …" and "don't trust …" from "don't you know …"."""
    return second in {"not", "never"} or (first == "don't" and second not in _SUBJECTS)


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


def _orders(asked: str, sentence: str, *, is_request: bool) -> bool:
    """Tell whether a sentence asks for something to be done once, and says little beside."""
    order = _STARTS_ORDERS.match(asked)
    if order is not None:
        return not _continues_noun(_WORD.findall(asked[order.end() :]))
    is_little = asked != "" and _weigh(asked, sentence) <= _MOST_REQUESTED
    return is_request and is_little and _STARTS_LASTING.match(asked) is None


def _continues_noun(words: Sequence[str]) -> bool:
    """Tell whether what follows a word for an order shows that the word is a noun."""
    if not words or words[0] not in _NOUN_LINKS:
        return False
    telling = (word for word in words if word in _PREDICATES or word in _QUESTION_WORDS)
    return next(telling, "") in _PREDICATES


def _states(text: str) -> bool:
    """Tell whether a text of few words states something: by a verb, a value or its punctuation."""
    folded = _fold(text)
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


def _weigh(folded: str, sentence: str) -> float:
    """Return how much a sentence says: words that carry meaning, and values twice."""
    if is_unspaced(folded):
        letters = sum(map(str.isalnum, folded))
        return letters / _UNSPACED_A_WORD
    words = {word for word in split_words(folded) if word not in _HOLLOW}
    values = {word for word in folded.split() if _VALUE.search(word)}
    names = sum(word[:1].isupper() for word in sentence.split()[1:])
    return len(words) + len(values) + _LEAST_TOLD_BY_NAME * names


def _is_log(text: str) -> bool:
    lines = [line for line in text.splitlines() if line.strip()]
    like_a_log = sum(bool(_LOG_LINE.match(line)) for line in lines)
    return bool(lines) and 2 * like_a_log >= len(lines) and like_a_log > 0


def _fold(text: str) -> str:
    return " ".join(text.casefold().replace("\u2019", "'").split())
