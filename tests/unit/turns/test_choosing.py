"""Which evidence answers, and what of a query is a goal."""

from __future__ import annotations

from dataclasses import replace

import pytest

from wellworn.domain.reading import PassageReader
from wellworn.domain.turns.extractive.matching import PassageMatcher, select_evidence
from wellworn.domain.turns.models import Evidence, EvidenceKind
from wellworn.domain.turns.wording import complete_goals, split_goals
from wellworn.engines.reading import ReaderService
from wellworn.testing.embedder import HashEmbedder
from wellworn.testing.reader import WordReader

READING = PassageMatcher(PassageReader(ReaderService(WordReader()), HashEmbedder()))
COMPARING = PassageMatcher(PassageReader())
LAMP = "The lamp burns oil."


def find(text, relevance=0.4, kind=EvidenceKind.KNOWLEDGE, title="Notes"):
    return Evidence(0, kind, title, text, "notes/lamp.md", relevance=relevance)


def list_answers(question, *evidence, matcher=READING):
    chosen = select_evidence(complete_goals(split_goals(question)), evidence, matcher)
    return [item.text for item in chosen if item.answers]


@pytest.mark.parametrize("matcher", [READING, COMPARING])
def test_another_identifier_is_never_meant(matcher):
    found = [find("Lamp 41 burns oil."), find("Lamp 42 burns gas.")]
    assert list_answers("What burns in lamp 42?", *found, matcher=matcher) == [found[1].text]


@pytest.mark.parametrize("matcher", [READING, COMPARING])
def test_what_was_not_searched_for_answers_unjudged(matcher):
    assert list_answers("What burns?", find("12", 1.0), matcher=matcher) == ["12"]


@pytest.mark.parametrize("matcher", [READING, COMPARING])
def test_what_is_known_of_a_user_answers_who_names_it_and_speaks_of_themselves(matcher):
    known = find("Helix", 0.0, EvidenceKind.FACT, "text editor")
    assert list_answers("What is my text editor?", known, matcher=matcher) == ["Helix"]
    assert not list_answers("Which text editor do guests have?", known, matcher=matcher)


def test_who_names_a_heading_wants_what_stands_there():
    item = find("After nine at night.", title="Opening of the gate")
    assert list_answers("gate opening", item) == [item.text]


def test_what_is_asked_several_times_is_one_goal():
    assert split_goals("Where is cube? " * 285) == ["Where is cube?"]


@pytest.mark.parametrize(
    "query",
    [
        "My switch fires twice per press. What is its delay?",
        "The proxy is down and I need the battery page. Which address has it?",
    ],
)
def test_what_is_told_before_a_question_belongs_to_it(query):
    assert split_goals(query) == [query]


@pytest.mark.parametrize(
    "query",
    [
        "I need the IP of cube. What is the port of atlas?",
        "The IP of cube, please. What is the port of atlas?",
        "We run Debian. My disk is full.",
    ],
)
def test_what_is_asked_for_in_a_sentence_of_its_own_is_a_goal(query):
    assert len(split_goals(query)) == 2


def test_requests_beside_a_question_are_goals_of_their_own():
    query = "Compare both lamps. Which lamp burns oil? We bought the lamps in May."
    assert split_goals(query) == [
        "Compare both lamps.",
        "Which lamp burns oil?",
        "We bought the lamps in May.",
    ]


def test_of_what_answers_the_same_the_newer_is_told_first():
    old, new, far = (
        Evidence(0, EvidenceKind.THOUGHT, "Bo said", text, text, thought_id=text, relevance=0.4)
        for text in ("The lamp burns oil.", "The lamp of late burns gas.", "Rain fell.")
    )
    question = "what burns the lamp"
    assert select_evidence([question], [old, new], READING)[0].text == old.text
    newer = replace(new, newer_than=("gone", old.text))
    told = select_evidence([question], [old, newer, far], READING)
    assert [each.text for each in told] == [new.text, old.text, far.text]
    # What does not answer takes nobody's place.
    rain = replace(far, newer_than=(old.text,))
    assert select_evidence([question], [old, rain], READING)[0].text == old.text
