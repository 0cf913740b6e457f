"""A reader that is a model on this machine, loaded when it is first asked.

A model's numbers become readings in one of three ways:

- Ours gives starts and ends of spans, and whether the text answers.
- Others that were trained on questions without answers give starts and ends; what they give for
  the first mark, before the question, stands for "no answer".
- A cross-encoder gives one number, or two of which the second is for "yes"; it names no words.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from threading import Lock
from typing import Final

import numpy as np

from wellworn.engines.reading.models import (
    LATER,
    FloatArray,
    PairNumbers,
    Reading,
    RunsPairs,
    check_count,
    get_logit,
    get_probability,
)
from wellworn.errors import EmbeddingFailed, ReadingFailed


@contextmanager
def _failing_as_reader() -> Generator[None]:
    """Let a model that is missing or damaged be a reader that fails."""
    try:
        yield
    except EmbeddingFailed as error:
        raise ReadingFailed(error.message) from error


class ModelReader:
    """Fills the reader port with a model of pairs; safe to share between threads."""

    sends_texts = False

    def __init__(
        self, name: str, load: Callable[[], RunsPairs], second: ModelReader | None = None
    ) -> None:
        """Take how the model is loaded, and another that is asked beside it, if there is one."""
        self.name = name
        self._load_model = load
        self._second = second
        self._lock = Lock()
        self._loaded: tuple[RunsPairs, Reads] | None = None

    def can_read(self, question: str) -> bool:
        with _failing_as_reader():
            return self._load()[0].can_read(question)

    def read(self, question: str, texts: Sequence[str]) -> list[Reading]:
        check_count(texts)
        with _failing_as_reader():
            model, reads = self._load()
            return [reads(numbers) for numbers in model.run(question, texts)] if texts else []

    def read_later(self, question: str, older: str, newer: Sequence[str]) -> list[Reading] | None:
        """Read each newer text after an older one by both readers; None without a second.

        What the first is sure of the second is not asked: it could hardly change it.
        """
        if self._second is None:
            return None
        before = f"{older}{LATER}"
        read = self.read_behind(question, before, newer)
        unsure = [at for at, each in enumerate(read) if get_logit(each.answers) > _SURELY_NOT]
        others = self._second.read_behind(question, before, [newer[at] for at in unsure])
        for at, other in zip(unsure, others, strict=True):
            read[at] = _agree(read[at], other)
        return read

    def read_behind(self, question: str, before: str, texts: Sequence[str]) -> list[Reading]:
        """Read each text behind another, of which no words count.

        Raises:
            ReadingFailed: the model is missing or damaged, or gives no starts and ends.
        """
        with _failing_as_reader():
            model, _ = self._load()
            numbers = model.run(question, [f"{before}{text}" for text in texts]) if texts else ()
            return [_read_behind(each, len(before)) for each in numbers]

    def _load(self) -> tuple[RunsPairs, Reads]:
        if self._loaded is not None:
            return self._loaded
        with self._lock:
            if self._loaded is None:
                model = self._load_model()
                self._loaded = model, choose_kind(model)
            return self._loaded


def _agree(one: Reading, other: Reading) -> Reading:
    """Return what two make of a text: the mean of their odds, and the words of the surer."""
    surer = max(one, other, key=lambda reading: reading.answers)
    logit = (get_logit(one.answers) + get_logit(other.answers)) / 2
    return replace(surer, answers=get_probability(logit))


_SURELY_NOT: Final = -5.0
"""The logit up to which a text is taken not to answer by one reader alone: for an even chance of
both the other would have to be as sure that it does."""
LONGEST_SPAN_PIECES: Final = 30
_TWO_CLASSES: Final = 2

Reads = Callable[[PairNumbers], Reading]


def choose_kind(model: RunsPairs) -> Reads:
    """Return how the model's numbers are read.

    Raises:
        ReadingFailed: it gives other things than a reader does.
    """
    outputs = {*model.outputs}
    if {"start_logits", "end_logits", "answer_logits"} <= outputs:
        return read_own
    if {"start_logits", "end_logits"} <= outputs:
        return read_extractive
    if "logits" in outputs:
        return read_cross
    raise ReadingFailed("the model gives neither spans nor how well a text answers")


def read_own(numbers: PairNumbers) -> Reading:
    """Read starts, ends, and whether the text answers."""
    return _read_behind(numbers, 0)


def _read_behind(numbers: PairNumbers, start: int) -> Reading:
    """Read what stands from a place on: it answers as far as the words that do begin there."""
    answers = get_probability(float(numbers.outputs["answer_logits"]))
    starts, ends = _take_text(numbers, "start_logits"), _take_text(numbers, "end_logits")
    behind = np.flatnonzero([place >= start for place, _ in numbers.spans])
    if not len(behind):
        return Reading(0.0 if start else answers)
    share = float(_soften(starts)[behind].sum())
    first, last, certainty = _choose_span(_soften(starts[behind]), _soften(ends[behind]))
    begin, end = numbers.spans[int(behind[first])][0], numbers.spans[int(behind[last])][1]
    return Reading(answers * share, (begin - start, end - start), certainty)


def read_extractive(numbers: PairNumbers) -> Reading:
    """Read starts and ends against those of the first mark, which stand for "no answer"."""
    starts, ends = _take_text(numbers, "start_logits"), _take_text(numbers, "end_logits")
    if not len(starts):
        return Reading(0.0)
    first, last, share = _choose_span(_soften(starts), _soften(ends))
    best = float(starts[first] + ends[last])
    none = float(numbers.outputs["start_logits"][0] + numbers.outputs["end_logits"][0])
    return Reading(
        get_probability(best - none), (numbers.spans[first][0], numbers.spans[last][1]), share
    )


def read_cross(numbers: PairNumbers) -> Reading:
    """Read how well a text answers.

    Raises:
        ReadingFailed: the model has more than two classes.
    """
    logits = numbers.outputs["logits"]
    if logits.shape == (1,):
        return Reading(get_probability(float(logits[0])))
    if logits.shape == (_TWO_CLASSES,):
        return Reading(get_probability(float(logits[1] - logits[0])))
    raise ReadingFailed("the model sorts into more than two classes, so it is no cross-encoder")


def _take_text(numbers: PairNumbers, name: str) -> FloatArray:
    logits = numbers.outputs[name]
    if logits.ndim != 1 or len(logits) < numbers.first + len(numbers.spans):
        raise ReadingFailed("the model does not give one number for each piece of a text")
    return logits[numbers.first : numbers.first + len(numbers.spans)]


def _choose_span(starts: FloatArray, ends: FloatArray) -> tuple[int, int, float]:
    joint = np.triu(starts[:, None] * ends[None, :])
    joint -= np.triu(joint, LONGEST_SPAN_PIECES)
    first, last = divmod(int(joint.argmax()), len(starts))
    return first, last, float(joint[first, last])


def _soften(logits: FloatArray) -> FloatArray:
    shares = np.exp(logits - logits.max())
    return shares / shares.sum()
