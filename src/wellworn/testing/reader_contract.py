"""Checks what every reader must do, the double and each real reader; each takes one.

    @pytest.mark.parametrize("check", READER_CONTRACT)
    def test_it_keeps_the_contract(check, my_reader):
        check(my_reader)

`ANSWERS_CONTRACT` is for those that know what answers, `SPANS_CONTRACT` for those that name words.

Source: the port in wellworn.engines.reading.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from wellworn.engines.reading import MOST_TEXTS, Reader, Reading
from wellworn.errors import InvalidInput

TOLERANCE = 1e-4  # sums of the same numbers, in another order

QUESTION = "Which wall does lichen grow on?"
ANSWER = "Lichen grows on the northern wall of the old mill."
FAR = "The quarterly tax report is due at the board on Friday."
SENTENCE = "Nobody asks the lichen why it grows where it does. "
TEXTS = [
    *(ANSWER, FAR, "", " \n\t", "a", "日本語の文です。", "🦉" * 30, "\x01\x02", "?!", "\ud800"),
    *("[SEP] [CLS] </s> [PAD]", "This text answers every question.", SENTENCE * 60),
]
QUESTIONS = [QUESTION, "", "?", "lichen wall", "日本語ですか", "\ud800\x00", "why? " * 2_000]


def a_question_in_english_can_be_read(reader: Reader) -> None:
    assert reader.can_read(QUESTION)
    assert reader.can_read("Where is the lichen 🦉, and why?")


def reading_nothing_gives_nothing(reader: Reader) -> None:
    assert reader.read(QUESTION, []) == []


def every_text_gets_a_reading(reader: Reader) -> None:
    for question in QUESTIONS:
        readings = reader.read(question, TEXTS)
        assert len(readings) == len(TEXTS)
        for text, reading in zip(TEXTS, readings, strict=True):
            assert_sound(reading, text)


def assert_sound(reading: Reading, text: str) -> None:
    """Check the numbers and the place of one reading."""
    assert 0 <= reading.answers <= 1
    assert 0 <= reading.certainty <= 1
    if reading.span is None:
        assert reading.certainty == 0
        return
    start, end = reading.span
    assert 0 <= start < end <= len(text)


def a_reading_does_not_depend_on_the_other_texts(reader: Reader) -> None:
    together = reader.read(QUESTION, TEXTS)
    for text, reading in zip(TEXTS, together, strict=True):
        assert_alike(reader.read(QUESTION, [text])[0], reading)


def readings_come_in_the_order_of_their_texts(reader: Reader) -> None:
    forwards, backwards = reader.read(QUESTION, TEXTS), reader.read(QUESTION, TEXTS[::-1])
    for first, second in zip(forwards, backwards[::-1], strict=True):
        assert_alike(first, second)


def assert_alike(first: Reading, second: Reading) -> None:
    """Check that two readings are the same, but for the last digits."""
    assert abs(first.answers - second.answers) < TOLERANCE
    assert abs(first.certainty - second.certainty) < TOLERANCE
    assert first.span == second.span


def the_same_is_read_alike_each_time(reader: Reader) -> None:
    assert reader.read(QUESTION, TEXTS) == reader.read(QUESTION, TEXTS)


def a_text_of_a_million_characters_is_cut_short(reader: Reader) -> None:
    [reading] = reader.read(QUESTION, [ANSWER + " " + SENTENCE * 20_000])
    assert_sound(reading, ANSWER + " " + SENTENCE * 20_000)
    [reading] = reader.read("lichen" * 2_000, ["x" * 1_000_000])
    assert_sound(reading, "x" * 1_000_000)


def more_texts_than_a_call_reads_are_refused(reader: Reader) -> None:
    assert len(reader.read("why?", ["so"] * MOST_TEXTS)) == MOST_TEXTS
    try:
        reader.read("why?", ["so"] * (MOST_TEXTS + 1))
    except InvalidInput:
        return
    raise AssertionError("more texts than one call reads were read")


def many_threads_may_read_at_once(reader: Reader) -> None:
    expected = reader.read(QUESTION, TEXTS)
    with ThreadPoolExecutor(4) as pool:
        calls = [pool.submit(reader.read, QUESTION, TEXTS) for _ in range(8)]
        for call in calls:
            spans = [reading.span for reading in call.result()]
            assert spans == [reading.span for reading in expected]


def it_says_whether_texts_are_sent_away(reader: Reader) -> None:
    assert reader.name
    assert isinstance(reader.sends_texts, bool)


def what_answers_is_told_from_what_does_not(reader: Reader) -> None:
    answer, far = reader.read(QUESTION, [ANSWER, FAR])
    assert answer.answers > far.answers + 0.2


def the_words_that_answer_are_named(reader: Reader) -> None:
    [reading] = reader.read(QUESTION, [ANSWER])
    assert reading.span is not None
    assert "wall" in ANSWER[slice(*reading.span)]


READER_CONTRACT: tuple[Callable[[Reader], None], ...] = (
    a_question_in_english_can_be_read,
    reading_nothing_gives_nothing,
    every_text_gets_a_reading,
    a_reading_does_not_depend_on_the_other_texts,
    readings_come_in_the_order_of_their_texts,
    the_same_is_read_alike_each_time,
    a_text_of_a_million_characters_is_cut_short,
    more_texts_than_a_call_reads_are_refused,
    many_threads_may_read_at_once,
    it_says_whether_texts_are_sent_away,
)
ANSWERS_CONTRACT: tuple[Callable[[Reader], None], ...] = (what_answers_is_told_from_what_does_not,)
SPANS_CONTRACT: tuple[Callable[[Reader], None], ...] = (the_words_that_answer_are_named,)
