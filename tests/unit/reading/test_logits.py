"""What the numbers of the three kinds of models say."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from wellworn.engines.embedding.pair_model import PairLogits
from wellworn.engines.reading.model_reader import choose_kind
from wellworn.errors import ReadingFailed

SPANS = ((0, 4), (5, 6), (7, 12), (13, 15))


def read(outputs: dict[str, list[float]], spans=SPANS, first: int = 3):
    arrays = {name: np.array(values, np.float32) for name, values in outputs.items()}
    kind = choose_kind(SimpleNamespace(name="", outputs=(*outputs,)))
    return kind(PairLogits(arrays, first, spans))


def test_our_own_says_whether_and_where():
    starts, ends = [9, 9, 9, 0, 0, 0, 6, 0], [9, 9, 9, 0, 0, 0, 6, 0]
    reading = read({"start_logits": starts, "end_logits": ends, "answer_logits": 2.0})
    assert reading.span == (13, 15)
    assert reading.answers == pytest.approx(0.881, abs=0.001)
    assert reading.certainty > 0.9


def test_a_span_never_ends_before_it_starts_nor_runs_on_for_ever():
    count = 60
    spans = tuple((at, at + 1) for at in range(count))
    starts, ends = np.zeros(count), np.zeros(count)
    starts[40], ends[10], ends[45] = 8, 9, 4
    outputs = {"start_logits": starts, "end_logits": ends, "answer_logits": 0.0}
    assert read(outputs, spans, 0).span == (40, 46)
    starts[:], ends[:] = 0, 0
    starts[0], ends[59] = 9, 9
    start, end = read(outputs, spans, 0).span
    assert end - start <= 30


@pytest.mark.parametrize(("none", "answers"), [(-5.0, 1.0), (5.0, 0.0)])
def test_of_others_the_first_mark_stands_for_no_answer(none, answers):
    row = [none, 0, 0, 0, 0, 2, 0, 0]
    reading = read({"start_logits": row, "end_logits": row})
    assert reading.span == (7, 12)
    assert reading.answers == pytest.approx(answers, abs=0.01)


@pytest.mark.parametrize(
    ("logits", "answers"), [([0.0], 0.5), ([900.0], 1.0), ([1.0, 1.0], 0.5), ([9.0, 1.0], 0.0)]
)
def test_a_cross_encoder_names_no_words(logits, answers):
    reading = read({"logits": logits})
    assert (reading.span, reading.certainty) == (None, 0.0)
    assert reading.answers == pytest.approx(answers, abs=0.01)


@pytest.mark.parametrize(
    "outputs",
    [
        {"last_hidden_state": [1.0]},
        {"logits": [1.0, 2.0, 3.0]},
        {"start_logits": [1.0], "end_logits": [1.0]},
    ],
)
def test_what_is_no_reader_is_refused(outputs):
    with pytest.raises(ReadingFailed):
        read(outputs)


def test_a_text_without_words_answers_nothing_in_particular():
    row = [1.0, 1.0, 1.0]
    own = read({"start_logits": row, "end_logits": row, "answer_logits": -1.0}, (), 3)
    assert (own.span, own.certainty) == (None, 0.0)
    assert read({"start_logits": row, "end_logits": row}, (), 3).answers == 0
