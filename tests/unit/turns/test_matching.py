"""What is made of a source: read where there is a reader, else only compared."""

from __future__ import annotations

import pytest

from wellworn.domain.reading import MOST_READ, PassageReader
from wellworn.domain.turns.extractive.matching import PassageMatcher
from wellworn.domain.turns.models import Evidence, EvidenceKind
from wellworn.engines.reading import ReaderService
from wellworn.errors import EmbeddingFailed
from wellworn.testing.embedder import HashEmbedder
from wellworn.testing.reader import WordReader

RAIN = "It rains on most days of the year in these hills and nobody minds. " * 8
LAMP = "The lamp of the tower burns oil."
ASKED = "does the lamp of the tower burns oil"


class FailingEmbedder(HashEmbedder):
    def encode(self, texts):
        raise EmbeddingFailed("the model file is missing")


def find(text, title="Notes"):
    return Evidence(0, EvidenceKind.KNOWLEDGE, title, text, "notes.md", relevance=0.4)


def read(item, question=ASKED, *, reader=None, embedder=None):
    passages = PassageReader(ReaderService(reader), embedder or HashEmbedder())
    return PassageMatcher(passages).read(question, [item]).get(0)


@pytest.mark.parametrize("embedder", [None, FailingEmbedder()])
def test_what_is_closest_is_quoted_as_it_stands_and_names_no_value(embedder):
    text = f"{RAIN}\n\n{LAMP}\n\n{RAIN}".strip()
    closest = read(find(text), embedder=embedder)
    assert closest.answers
    assert LAMP in closest.quote
    assert closest.quote in text
    assert closest.value == ""


def test_what_is_read_has_the_sentence_and_the_words_that_answer():
    item = read(find(LAMP), reader=WordReader())
    assert item.quote == LAMP
    assert item.value in LAMP
    assert item.confidence > 0.5


def test_headings_above_count_for_every_stretch():
    under = read(find("It burns oil.", title="The lamp of the tower"))
    beside = read(find("It burns oil.", title="Weather"))
    assert under.rating > beside.rating


def test_what_lacks_a_name_with_a_number_is_not_read():
    assert read(find("Lamp 41 burns oil."), "What burns in lamp 42?") is None


def test_what_is_far_does_not_answer():
    assert not read(find(RAIN), "Who sold the lamp?").answers


class CountingReader(WordReader):
    def __init__(self):
        self.texts = 0

    def read(self, question, texts):
        self.texts += len(texts)
        return super().read(question, texts)


@pytest.mark.parametrize(("questions", "most"), [(1, 1), (2, 2), (5, 2), (40, 7)])
def test_the_questions_of_a_turn_share_what_is_read(questions, most):
    reader = CountingReader()
    matcher = PassageMatcher(PassageReader(ReaderService(reader), HashEmbedder()))
    lines = [f"The lamp number {number} burns oil.\n\n{RAIN}" for number in range(100)]
    for number in range(questions):
        asked = f"does the lamp of tower {'abcdefgh'[number % 8]}{'x' * number} burn oil"
        matcher.share_among(questions).read(asked, [find(line) for line in lines])
    assert 0 < reader.texts <= most * MOST_READ
    assert LAMP in matcher.share_among(questions).read(ASKED, [find(LAMP)])[0].quote
