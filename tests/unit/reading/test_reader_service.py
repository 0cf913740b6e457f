"""A reader that fails is no failure of the call: nothing is read, and `health` says why."""

from __future__ import annotations

import pytest

from wellworn.engines.reading import MOST_TEXTS, ReaderService
from wellworn.errors import InvalidInput, ReadingFailed
from wellworn.testing.reader import WordReader

TEXTS = ["The tide is low at noon.", "Nobody knows."]


class FailingReader(WordReader):
    """Fails while it is told to."""

    name = "failing"
    is_away = True

    def read(self, question, texts):
        if self.is_away:
            raise ReadingFailed("the model is away")
        return super().read(question, texts)


def test_without_a_reader_nothing_is_read():
    service = ReaderService()
    assert service.name is None
    assert service.read("tide?", TEXTS) is None
    assert service.check() == ""


def test_a_failure_is_told_until_the_reader_answers_again():
    reader = FailingReader()
    service = ReaderService(reader)
    assert service.read("When is the tide low?", TEXTS) is None
    assert service.failure == service.check() == "the model is away"
    reader.is_away = False
    readings = service.read("When is the tide low?", TEXTS)
    assert readings[0].answers > readings[1].answers
    assert service.failure == ""


def test_what_costs_money_is_not_asked_how_it_is():
    service = ReaderService(FailingReader(), is_paid=True)
    assert service.check() == ""
    service.read("When is the tide low?", TEXTS)
    assert service.check() == "the model is away"


def test_too_many_texts_are_the_fault_of_the_caller():
    with pytest.raises(InvalidInput):
        ReaderService(WordReader()).read("tide?", ["x"] * (MOST_TEXTS + 1))


class EnglishReader(WordReader):
    """Knows no other words than English ones."""

    name = "english"

    def can_read(self, question):
        return question.isascii()


def test_a_question_whose_words_the_reader_lacks_is_not_read_and_no_failure():
    service = ReaderService(EnglishReader())
    assert service.read("昨晚", TEXTS) is None
    assert service.failure == ""
    assert service.read("When is the tide low?", TEXTS) is not None


def test_a_reader_that_never_learned_of_later_texts_reads_none():
    assert ReaderService(WordReader()).read_later("tide?", "It was noon.", TEXTS) is None
    assert ReaderService().read_later("tide?", "It was noon.", TEXTS) is None
