"""Divides a prompt into what it states, which is stored, and what it asks beside it. Pure.

"The Heron probe is red. Also, who leads support?" is knowledge of a probe, and a question. Where a
question may belong to what is stated, as its topic or to be answered by it, the prompt stays one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import takewhile
from typing import Final, NamedTuple

from wellworn.domain.memory.contribution.courtesy import is_courtesy
from wellworn.domain.memory.contribution.phrases import match_anywhere, match_start
from wellworn.domain.memory.contribution.questions import list_words
from wellworn.domain.memory.contribution.rule import (
    SENTENCE,
    ContributionReason,
    judge_contribution,
    judge_sentence,
    weigh,
)
from wellworn.engines.retrieval.text import detect_language, split_words
from wellworn.kit.words import fold, fold_phrases, load_words

_LONGEST: Final = 1_000
"""Characters; a longer text is a document, whose questions are part of it."""
_LEAST_ASKED: Final = 1.0
"""Words that carry meaning."""
_LEAST_OF_A_REFERENCE: Final = 2.0
"""The same beside a word for what was stated: "is that right?" belongs to it."""
_QUOTES: Final = re.compile(r"[\"\u00ab\u00bb\u201c\u201d\u201e]")
_TURNS: Final = match_start(fold_phrases(load_words(__name__, "turning")))
_BEGINS_ANEW: Final = match_start(fold_phrases(load_words(__name__, "beginning_anew")))
_EXPLAINS: Final = match_start(fold_phrases(load_words(__name__, "asking_for_reasons")))
_REFERS: Final = match_anywhere(fold_phrases(load_words(__name__, "referring_to_a_question")))
_ASKING: Final = {ContributionReason.QUESTION, ContributionReason.ORDER}


class DividedPrompt(NamedTuple):
    """The sentences of a prompt that state something, and those that ask something else.

    Attributes:
        question: all of the prompt, where it cannot be understood without the statement.
    """

    statement: str
    question: str


class _Sentence(NamedTuple):
    start: int
    end: int
    text: str
    reason: ContributionReason | None

    @property
    def asks(self) -> bool:
        return self.reason in _ASKING


def divide(prompt: str) -> DividedPrompt | None:
    """Return what a prompt states and what it asks beside it; None unless it does both."""
    text = prompt.strip()
    if len(text) > _LONGEST or _QUOTES.search(text):
        return None
    language = detect_language(list_words(fold(text)))
    sentences = [
        _Sentence(*match.span(), match.group().strip(), _judge(match.group().strip(), language))
        for match in SENTENCE.finditer(text)
        if match.group().strip()
    ]
    first = _count_leading(sentences)
    last = len(sentences) - _count_leading(list(reversed(sentences)))
    if first >= last:
        return None
    statement = text[sentences[first].start : sentences[last - 1].end].strip()
    before = [sentence.text for sentence in sentences[:first] if sentence.asks]
    if before and not _is_of_another(statement, before):
        return None
    asked = [*before, *(sentence.text for sentence in sentences[last:] if sentence.asks)]
    question = " ".join(asked)
    refers = _REFERS.search(fold(question)) is not None
    least = _LEAST_OF_A_REFERENCE if refers else _LEAST_ASKED
    asks_much = any(weigh(fold(each), each, language) >= least for each in asked)
    if not asks_much or not judge_contribution(statement, is_reply=False).is_stored:
        return None
    return DividedPrompt(statement, text if refers else question)


def _judge(sentence: str, language: str) -> ContributionReason | None:
    """Return what a sentence is, whatever word it turns to another matter with: "Also, who …"."""
    folded = fold(sentence)
    turn = _TURNS.match(folded)
    rest = folded[turn.end() :].lstrip(" ,:") if turn else ""
    return judge_sentence(rest or sentence, language)[0]


def _count_leading(sentences: Sequence[_Sentence]) -> int:
    """Return how many sentences ask, thank or greet before one that tells; 0 if none asks.

    What is neither stored nor asked is lost, so all of it must be a courtesy.
    """
    leading = [*takewhile(lambda each: each.asks or is_courtesy(each.text), sentences)]
    return len(leading) if any(sentence.asks for sentence in leading) else 0


def _is_of_another(statement: str, questions: Iterable[str]) -> bool:
    """Tell whether a statement answers none of the questions that stand before it."""
    folded = fold(statement)
    if _TURNS.match(folded):
        return True
    asked = " ".join(questions)
    words = set(split_words(asked)) & set(split_words(statement))
    return (
        _BEGINS_ANEW.match(folded) is not None
        and _EXPLAINS.match(fold(asked)) is None
        and _REFERS.search(folded) is None
        and not words
    )
