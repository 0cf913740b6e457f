"""How evidence is called and cited."""

from __future__ import annotations

from dataclasses import replace

import pytest

from wellworn.domain.knowledge import Answer, QuotedSpan, ResolutionOutcome
from wellworn.domain.knowledge.answers import ResolverStep
from wellworn.domain.thoughts import FoundThought
from wellworn.domain.thoughts.truth import LinkedThought
from wellworn.domain.turns.citing import cite_answer, cite_evidence, cite_thought, number_sources
from wellworn.domain.turns.models import Evidence, EvidenceKind

QUESTION = "Which machine keeps the backups?"


def test_a_quote_is_called_by_its_document_or_where_that_has_no_title_by_its_place():
    quotes = (
        QuotedSpan(1, "notes", "servers.md", "cube", "Backups run nightly.", 0, 20, "Servers"),
        QuotedSpan(2, "notes", "todo.txt", "", "Check the backups.", 0, 18),
    )
    answer = Answer(QUESTION, ResolutionOutcome.AMBIGUOUS, ResolverStep.NOTHING, evidence=quotes)
    assert [item.title for item in cite_answer(answer, QUESTION)] == ["Servers", "notes/todo.txt"]


def test_a_quote_of_what_its_source_has_no_more_is_stale():
    quote = QuotedSpan(1, "notes", "servers.md", "cube", "Backups run nightly.", 0, 20)
    quotes = (quote, replace(quote, is_stale=True))
    answer = Answer(QUESTION, ResolutionOutcome.RESOLVED, ResolverStep.FACTS, evidence=quotes)
    assert [item.is_stale for item in cite_answer(answer, QUESTION)] == [False, True]


def make_thought(*, outdated_at=None, contested=None, is_doubted=False):
    links = ()
    if contested is not None:
        links = (
            LinkedThought(
                "new",
                "Ana",
                0.0,
                "It runs on 16.",
                stated=True,
                confidence=1.0,
                reason="",
                contested=contested,
            ),
        )
    return FoundThought(
        1,
        "old",
        "It runs on 14.",
        "bo",
        "Bo",
        0.9,
        1.0,
        1.0,
        {},
        (),
        0.0,
        0,
        0,
        0.0,
        replaced_by=links,
        outdated_at=outdated_at,
        contested=is_doubted,
    )


@pytest.mark.parametrize(
    ("fields", "note"),
    [
        ({}, ""),
        ({"contested": True}, ""),
        ({"contested": False}, "replaced by Ana on 1970-01-01: It runs on 16."),
        ({"outdated_at": 86_400.0}, "outdated since 1970-01-02"),
    ],
)
def test_a_thought_that_is_true_no_more_says_so_and_answers_only_who_asks_of_then(fields, note):
    now, past = (
        cite_thought(make_thought(**fields), asks_of_past=asks_of_past)
        for asks_of_past in (False, True)
    )
    assert (now.note, now.answers) == (note, not note)
    assert (past.note, past.answers) == (note, True)


@pytest.mark.parametrize(
    ("score", "keyword", "answers"), [(0.39, 2.0, True), (0.39, 0.0, False), (0.3, 2.0, False)]
)
def test_a_thought_that_shares_words_is_about_the_query_from_less_far(score, keyword, answers):
    thought = replace(make_thought(), score=score, keyword=keyword)
    assert cite_thought(thought, asks_of_past=False).answers is answers


def make_passage(number, text, source="notes/servers.md#cube"):
    return Evidence(number, EvidenceKind.KNOWLEDGE, "Servers", text, source)


def test_sources_are_counted_from_one_in_the_order_of_citing_and_unknown_ones_are_not():
    evidence = [make_passage(number, f"Line {number}.") for number in (1, 2, 3)]
    assert number_sources([3, 9, 1, 3], evidence) == {3: 1, 1: 2}
    cited = cite_evidence({3: 1, 1: 2}, evidence)
    assert [(item.number, item.text) for item in cited] == [(1, "Line 3."), (2, "Line 1.")]


def test_a_passage_that_was_found_twice_is_one_source_and_the_longer_stretch_of_it():
    whole = "Backups run nightly. Ben looks after them."
    evidence = [
        make_passage(1, "Ben looks after them."),
        make_passage(2, "The port is 80.", "notes/ports.md"),
        make_passage(3, whole),
        make_passage(4, whole, "copies/servers.md#cube"),
    ]
    numbers = number_sources([2, 1, 3, 4], evidence)
    assert numbers == {2: 1, 1: 2, 3: 2, 4: 3}
    cited = cite_evidence(numbers, evidence)
    assert [item.text for item in cited] == ["The port is 80.", whole, whole]


def test_two_passages_that_have_a_stretch_in_common_are_two_sources():
    texts = (
        "Ben looks after it.",
        "It is old. Ben looks after it.",
        "Ben looks after it. So be it.",
    )
    evidence = [make_passage(number, text) for number, text in enumerate(texts, 1)]
    assert number_sources([1, 2, 3], evidence) == {1: 1, 2: 1, 3: 2}


@pytest.mark.parametrize(("contested", "newer_than"), [(False, ("new",)), (True, ())])
def test_a_thought_says_what_it_is_newer_than_unless_another_member_said_it(contested, newer_than):
    thought = make_thought(contested=contested)
    thought = replace(thought, replaces=thought.replaced_by, replaced_by=())
    assert cite_thought(thought, asks_of_past=False).newer_than == newer_than
