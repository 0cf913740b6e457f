"""Makes pairs of what people asked: with answers, and with the likest texts that have none."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from random import Random
from typing import Final

from training.likeness import LikestTexts
from training.pairs import Pair, unanswered
from training.scenes import stand_beside
from training.sources import (
    QAMR,
    SHIFTS,
    Question,
    join_tokens,
    name_article,
    read_qamr,
    read_sentences,
    read_squad,
)
from training.typed import type_casually
from training.values import read_stock
from training.windows import cut_window, cut_windows_of_three, holds_any, list_sentences

_LONGEST_ANSWER_WORDS: Final = 14
_NEAREST: Final = 8
_TYPED_SHARE: Final = 0.3
_VAGUE_ANSWER_WORDS: Final = 6
_BEFORE_ANSWER: Final = re.compile(
    r"\b(?:in|on|at|by|of|from|to|for|with|the|a|an|about|until)\s+$"
)


@dataclass(frozen=True)
class Corpus:
    """Questions of one source, and its texts by article.

    Attributes:
        texts: each short text with its article.
    """

    name: str
    questions: Sequence[Question]
    texts: Sequence[tuple[str, str]]

    @cached_property
    def index(self) -> LikestTexts:
        """Find the likest of the texts."""
        return LikestTexts([text for text, _ in self.texts])

    @cached_property
    def by_article(self) -> dict[str, tuple[list[str], LikestTexts]]:
        """Group the texts by their article, and find the likest of each."""
        grouped: dict[str, list[str]] = defaultdict(list)
        for text, article in self.texts:
            grouped[article].append(text)
        return {article: (texts, LikestTexts(texts)) for article, texts in grouped.items()}


def read_corpora(folder: Path) -> list[Corpus]:
    """Read every source that may be learned from."""
    sentences = [
        (join_tokens(tokens)[0], name_article(name))
        for name, tokens in read_sentences(folder).items()
    ]
    corpora = [Corpus(QAMR[0], read_qamr(folder), sentences)]
    for name in SHIFTS:
        questions = read_squad(folder, name)
        paragraphs = dict.fromkeys((each.context, each.article) for each in questions)
        windows = [
            (context[start:end], article)
            for context, article in paragraphs
            for start, end in cut_windows_of_three(context)
        ]
        corpora.append(Corpus(name, questions, windows))
    return corpora


def list_answers(question: Question) -> list[str]:
    """Return every answer that somebody gave."""
    return [question.context[start:end] for start, end in question.spans]


def phrase(question: Question, rng: Random) -> str:
    """Return the question as it is, or as somebody may type it."""
    if rng.random() < _TYPED_SHARE:
        return type_casually(question.text, rng)
    return question.text


def make_answered(question: Question, rng: Random) -> Pair | None:
    """Make a pair of a question and a window around its answer; None for very long answers."""
    start, end = min(question.spans, key=lambda span: (span[1] - span[0], span))
    text = question.context
    answer = text[start:end]
    if not answer.strip() or len(answer.split()) > _LONGEST_ANSWER_WORDS:
        return None
    is_long = rng.random() < 0.25
    least, most = (60, 100) if is_long else (12, 50)
    if len(text.split()) > least:
        begin, finish = cut_window(text, (start, end), rng, least=least, most=most)
        text, start, end = text[begin:finish], start - begin, end - begin
    if rng.random() < 0.08:
        before = text
        text = stand_beside(text, rng, share=1.0)
        start, end = start + text.index(before), end + text.index(before)
    return Pair("found", phrase(question, rng), text, start, end, question.article)


def list_beside(question: Question, corpus: Corpus, rng: Random) -> Iterator[Pair]:
    """Yield pairs with what stands beside the answer, or is likest to the question, without it."""
    answers = list_answers(question)
    asked = phrase(question, rng)
    sentences = [question.context[a:b] for a, b in list_sentences(question.context)]
    beside = [it for it in sentences if not holds_any(it, answers) and len(it.split()) > 3]
    if beside:
        text = LikestTexts(beside).rank(asked, 1)
        if text:
            yield unanswered("beside", asked, beside[text[0]], question.article)
    own, index = corpus.by_article[question.article]
    others = [
        own[at]
        for at in index.rank(asked, 6)
        if own[at] not in question.context and not holds_any(own[at], answers)
    ]
    if others:
        yield unanswered("article", asked, rng.choice(others), question.article)


def make_likest(question: Question, corpus: Corpus, rng: Random) -> Pair | None:
    """Make a pair with a text of any article that is among the likest, and lacks the answer."""
    answers = list_answers(question)
    asked = phrase(question, rng)
    candidates = [
        text
        for text, article in (corpus.texts[at] for at in corpus.index.rank(asked, _NEAREST))
        if article != question.article and not holds_any(text, answers)
    ]
    if not candidates:
        return None
    return unanswered("likest", asked, rng.choice(candidates), question.article)


def make_vague(pair: Pair, rng: Random) -> Pair | None:
    """Take out of an answered pair what answers, so that the text speaks of it without saying."""
    answer = pair.answer
    is_repeated = holds_any(pair.text[: pair.start] + pair.text[pair.end :], [answer])
    if is_repeated or len(answer.split()) > _VAGUE_ANSWER_WORDS:
        return None
    before, after = pair.text[: pair.start], pair.text[pair.end :]
    if rng.random() < 0.4:
        text = f"{_BEFORE_ANSWER.sub('', before).rstrip()} {after.lstrip()}"
        text = re.sub(r"\s+([.,;:!?)])", r"\1", text).strip(" ,;:")
    else:
        word = _choose_vague(answer, rng)
        text = before + (word.capitalize() if not before.strip() else word) + after
    if len(text.split()) < 4:
        return None
    return unanswered("vague", pair.question, text, pair.source)


def _choose_vague(answer: str, rng: Random) -> str:
    if rng.random() < 0.3:
        return rng.choice(read_stock()["without"]["vague"])
    if any(map(str.isdigit, answer)):
        return rng.choice(("some", "a number of", "several", "a certain amount", "some time"))
    if answer[:1].isupper():
        return rng.choice(("somebody", "someone", "a place", "something", "one of them", "they"))
    return rng.choice(("something", "this", "that", "it", "a thing", "one of these"))
