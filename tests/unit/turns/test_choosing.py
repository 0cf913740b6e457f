"""Which evidence answers: its words, and how sure the search is that it means what is asked."""

from __future__ import annotations

from dataclasses import replace

import pytest

from wellworn.domain.turns.extractive.choosing import select_evidence
from wellworn.domain.turns.models import Evidence, EvidenceKind
from wellworn.domain.turns.wording import complete_goals, split_goals

ASKED = "What is one key advantage of breaking lighthouse repairs into separate small contracts?"
SAYING = "Breaking repairs of a lighthouse into small contracts keeps each of them cheap."
BESIDE = "The key is in one separate box; it is an advantage to know that."


def find(text, relevance, kind=EvidenceKind.KNOWLEDGE):
    return Evidence(0, kind, "Notes", text, "notes/lamp.md", relevance=relevance)


def list_answers(question, *evidence):
    chosen = select_evidence(complete_goals(split_goals(question)), evidence)
    return [item.text for item in chosen if item.answers]


@pytest.mark.parametrize(("relevance", "answers"), [(0.7, [SAYING]), (0.5, [])])
def test_half_of_the_words_answer_where_the_search_is_sure(relevance, answers):
    assert list_answers(ASKED, find(SAYING, relevance), find(BESIDE, 0.1)) == answers


def test_half_of_the_words_answer_nothing_where_nobody_speaks_of_the_rest():
    question = "Which lighthouse repairs in small contracts did auditors of mainframe clusters see?"
    assert list_answers(question, find(SAYING, 0.9), find(BESIDE, 0.1)) == []


def test_what_is_remembered_of_a_page_is_no_surer_for_its_quality():
    page = find(SAYING, 0.9, EvidenceKind.RESEARCH)
    assert list_answers(ASKED, page, find(BESIDE, 0.1)) == []


def test_another_identifier_is_never_meant():
    question = (
        "Which advantage has breaking repairs of lighthouse 42 into small separate contracts?"
    )
    assert list_answers(question, find(SAYING, 0.9), find(BESIDE, 0.1)) == []


@pytest.mark.parametrize(("relevance", "is_answer"), [(0.6, True), (0.3, False)])
def test_a_passage_that_the_search_doubts_lacks_no_word(relevance, is_answer):
    text = "Load tests show how many ships the harbour takes."
    question = "What is a full load test?"
    assert bool(list_answers(question, find(text, relevance))) == is_answer
    assert list_answers("What do load tests show?", find(text, relevance)) == [text]


def test_a_goal_with_a_pronoun_is_about_what_the_one_before_names():
    question = "Which lamps do the lighthouses of Brittany burn, and how do they differ?"
    text = "Our two boats differ."
    assert list_answers("How do the two boats differ?", find(text, 0.9)) == [text]
    assert list_answers(question, find(text, 0.9)) == []


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


def test_what_a_search_finds_by_its_meaning_alone_is_near_where_nothing_else_is():
    passage, last = find("It took under two hours.", 0.3), find("Oil is dear.", 0.1)
    near = select_evidence(["How long did the copying last?"], [passage, last])
    assert near == [replace(passage, answers=False)]
