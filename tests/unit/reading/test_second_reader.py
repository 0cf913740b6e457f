"""What tells orders, and what was said later: what it is asked, and what its numbers say."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from order_texts import HARMLESS, ORDERS
from wellworn.engines.embedding import open_pair_model
from wellworn.engines.embedding.pair_model import PairLogits
from wellworn.engines.reading import (
    LATER,
    ORDER_QUESTION,
    ReaderService,
    ReadingSettings,
    SecondReader,
    choose_for_sealed,
    open_reader,
    open_second_reader,
)
from wellworn.engines.reading.model_reader import ModelReader
from wellworn.engines.reading.readers import SECOND_FOLDER


def later(older: str, newer: str, starts: list[float]):
    """Read a newer text of two pieces after an older one of two, by the numbers of their starts."""
    place = len(older) + len(LATER)
    spans = ((0, 2), (3, 5), (place, place + 2), (place + 3, place + 5))
    numbers = {"start_logits": starts, "end_logits": [0.0] * 4, "answer_logits": 4.0}
    pair = PairLogits({name: np.array(it, np.float32) for name, it in numbers.items()}, 0, spans)
    read: list[tuple[str, list[str]]] = []

    def run(question: str, texts: list[str]) -> list[PairLogits]:
        read.append((question, texts))
        return [pair] * len(texts)

    model = SimpleNamespace(name="", outputs=(*numbers,), run=run)
    return SecondReader(lambda: model).read_behind("who?", f"{older}{LATER}", [newer]), read


def test_what_a_later_text_changed_is_told_in_its_own_places():
    [reading], read = later("it is", "no me", [0, 0, 9, 0])
    assert read == [("who?", [f"it is{LATER}no me"])]
    assert reading.span[0] == 0
    assert reading.answers == pytest.approx(0.98, abs=0.01)


def test_a_later_text_answers_as_little_as_words_that_answer_begin_there():
    for start, answers in ((9, 0.02), (999, 0)):
        [reading], _ = later("it is", "no me", [start, 0, 5, 0])
        assert reading.answers == pytest.approx(answers, abs=0.01)
        assert reading.span[0] == 0


def test_the_shipped_reader_leaves_later_texts_to_the_specialist():
    second_reader = open_second_reader(open_pair_model)
    reader = open_reader(ReadingSettings(), open_model=open_pair_model, second=second_reader)
    elsewhere = ReadingSettings(base_url="http://127.0.0.1:9/v1", model="away")
    sealed = choose_for_sealed(
        SimpleNamespace(sends_texts=True),
        elsewhere,
        open_model=open_pair_model,
        second=second_reader,
    )
    for each in (reader, sealed):
        [changed, beside] = ReaderService(each).read_later(
            "Who opens the hall?",
            "Ines opens the hall on Mondays.",
            ["Ines has moved away, so Tomas has the keys and opens up now.", "Tomas likes tea."],
        )
        assert changed.answers > 0.5 > beside.answers
    alone = open_reader(ReadingSettings(), open_model=open_pair_model)
    assert ReaderService(alone).read_later("who?", "It was Ines.", ["Now Tomas."]) is None


def answering(logits: dict[str, float], read: list[str]):
    """Return a model that gives each newer text its logit, and keeps what it read."""
    names = ("start_logits", "end_logits", "answer_logits")

    def run(question: str, texts: list[str]) -> list[PairLogits]:
        newer = [text.rpartition(LATER)[2] for text in texts]
        read.extend(newer)
        return [
            PairLogits(
                {name: np.array(it, np.float32) for name, it in zip(names, values, strict=True)},
                0,
                ((len(text) - 2, len(text) - 1),),
            )
            for text, each in zip(texts, newer, strict=True)
            for values in [([0], [0], logits[each])]
        ]

    return SimpleNamespace(name="", outputs=names, run=run)


def test_the_second_is_not_asked_of_what_the_first_is_sure_does_not_answer():
    first, second = list[str](), list[str]()
    one = answering({"no": -8.0, "maybe": -3.0, "yes": 3.0}, first)
    other = answering({"maybe": 5.0, "yes": 1.0}, second)
    reader = ModelReader("first", lambda: one, SecondReader(lambda: other))
    no, maybe, yes = reader.read_later("who?", "It was Ines.", ["no", "maybe", "yes"])
    assert first == ["no", "maybe", "yes"]
    assert second == ["maybe", "yes"]
    assert no.answers < 0.001
    assert maybe.answers == pytest.approx(1 / (1 + np.exp(-1.0)))
    assert yes.answers == pytest.approx(1 / (1 + np.exp(-2.0)))


def judge(text: str, word: str) -> tuple[bool, list[str]]:
    """Tell whether a text is an order, where what holds a word is one, and what was read."""
    read: list[str] = []

    def run(question: str, texts: list[str]) -> list[PairLogits]:
        assert question == ORDER_QUESTION
        read.extend(texts)
        rows = [
            {"start_logits": [0], "end_logits": [0], "answer_logits": 9 if word in each else -9}
            for each in texts
        ]
        return [
            PairLogits({name: np.array(it, np.float32) for name, it in row.items()}, 0, ((0, 1),))
            for row in rows
        ]

    names = ("start_logits", "end_logits", "answer_logits")
    model = SimpleNamespace(name="", outputs=names, run=run)
    return SecondReader(lambda: model).is_order(text), read


@pytest.mark.parametrize("before", [0, 700, 899, 900, 4000])
def test_an_order_is_found_wherever_it_stands_in_a_text(before: int):
    assert judge("a " * (before // 2) + "obey me" + " z" * 1500, "obey me")[0]


@pytest.mark.parametrize("text", ["", "The tide is high."])
def test_a_short_text_is_read_once(text: str):
    assert judge(text, "obey me") == (False, [text])


@pytest.fixture(scope="module")
def second_reader() -> SecondReader:
    assert SECOND_FOLDER.is_dir()
    return open_second_reader(open_pair_model)


@pytest.mark.parametrize("text", ORDERS)
def test_an_order_in_words_that_no_rule_has_is_told(second_reader: SecondReader, text: str):
    assert second_reader.is_order(text)
    assert second_reader.is_order("The tide is low at noon. " * 60 + text)


@pytest.mark.parametrize("text", HARMLESS)
def test_advice_and_preferences_are_none(second_reader: SecondReader, text: str):
    assert not second_reader.is_order(text)
