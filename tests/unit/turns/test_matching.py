"""Which stretch of a passage says what is asked, and whether it answers."""

from __future__ import annotations

import pytest

from wellworn.domain.turns.extractive.choosing import select_evidence
from wellworn.domain.turns.extractive.matching import PassageMatcher
from wellworn.domain.turns.models import Evidence, EvidenceKind
from wellworn.errors import EmbeddingFailed
from wellworn.testing.embedder import HashEmbedder

RAIN = "It rains on most days of the year in these hills and nobody minds. " * 8
LAMP = "The lamp of the tower burns oil."
ASKED = "does the lamp of the tower burns oil"


class FailingEmbedder(HashEmbedder):
    def encode(self, texts):
        raise EmbeddingFailed("the model file is missing")


def find(text, title="Notes", relevance=0.4):
    return Evidence(0, EvidenceKind.KNOWLEDGE, title, text, "notes.md", relevance=relevance)


def list_answers(question, *evidence, matcher):
    return [item.text for item in select_evidence([question], evidence, matcher) if item.answers]


def test_the_best_stretch_is_quoted_as_it_stands():
    text = f"{RAIN}\n\n{LAMP}\n\n{RAIN}"
    match = PassageMatcher(HashEmbedder()).find_best(ASKED, find(text))
    assert match is not None
    assert LAMP in match.quote
    assert match.quote in text


def test_headings_above_count_for_every_stretch():
    matcher = PassageMatcher(HashEmbedder())
    under = matcher.find_best(ASKED, find("It burns oil.", title="The lamp of the tower"))
    beside = matcher.find_best(ASKED, find("It burns oil.", title="Weather"))
    assert under is not None
    assert beside is not None
    assert under.likeness > beside.likeness


@pytest.mark.parametrize("embedder", [None, FailingEmbedder()])
def test_without_an_encoder_words_decide(embedder):
    matcher = PassageMatcher(embedder)
    assert matcher.find_best(ASKED, find(LAMP)) is None
    assert list_answers(
        "What oil does the lamp burn?", find(LAMP, relevance=0.6), matcher=matcher
    ) == [LAMP]


def test_a_passage_that_is_like_the_question_answers_though_a_word_is_missing():
    matcher = PassageMatcher(HashEmbedder())
    question = f"{ASKED} nightly"
    assert list_answers(question, find(RAIN), find(LAMP), matcher=matcher) == [LAMP]


def test_a_passage_about_another_name_does_not_answer():
    matcher = PassageMatcher(HashEmbedder())
    item = find("So the lamp of Ushant burns.")
    assert list_answers("So the lamp burns of Ushant nightly as ever", item, matcher=matcher)
    assert not list_answers("So the lamp burns of Fastnet nightly as ever", item, matcher=matcher)


def test_what_stands_in_a_longer_passage_is_quoted_once():
    matcher = PassageMatcher(HashEmbedder())
    whole = f"{LAMP} It is lit at dusk."
    assert list_answers(f"{ASKED} nightly", find(LAMP), find(whole), matcher=matcher) == [whole]


def test_a_table_row_is_quoted_without_its_neighbours():
    rows = ["| fog horn | sounds in any fog |", "| lamp | burns oil |", "| bell | rings |"]
    text = "\n".join(["| thing | does |", "| --- | --- |", *rows])
    match = PassageMatcher(HashEmbedder()).find_best("what does the lamp burns oil", find(text))
    assert match is not None
    assert match.quote == rows[1]


def test_the_row_of_the_thing_that_is_named_is_quoted():
    rows = ["| `lamp-02` | burns oil | 40 |", "| `lamp-03` | 50 |"]
    text = "\n".join(["| name | burns | watts |", "| --- | --- | --- |", *rows])
    match = PassageMatcher(HashEmbedder()).find_best("what oil does lamp-03 burns", find(text))
    assert match is not None
    assert match.quote == rows[1]


def test_a_number_alone_names_nothing():
    rows = ["| the lamp in hall 3 | is dark |", "| the tower | has a red and a green lamp |"]
    text = "\n".join(["| thing | does |", "| --- | --- |", *rows])
    match = PassageMatcher(HashEmbedder()).find_best("has the tower a green lamp or 3", find(text))
    assert match is not None
    assert match.quote == rows[1]


@pytest.mark.parametrize(
    ("asked", "quote"),
    [
        ("does the kitchen close", "The kitchen does close at two."),
        ("what else is there", None),
    ],
)
def test_of_a_short_page_the_sentence_that_alone_is_asked_for_is_quoted(asked, quote):
    page = "Lunch waits inside. The kitchen does close at two. Guests sign books."
    match = PassageMatcher(HashEmbedder()).find_best(asked, find(page, title="Hall"))
    assert match is not None
    assert match.quote == (quote or page)
