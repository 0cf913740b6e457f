"""How evidence is called and cited."""

from __future__ import annotations

import pytest

from wellworn.domain.knowledge import Answer, QuotedSpan, ResolutionOutcome
from wellworn.domain.knowledge.answers import ResolverStep
from wellworn.domain.thoughts import FoundThought
from wellworn.domain.thoughts.truth import LinkedThought
from wellworn.domain.turns.citing import cite_answer, cite_thought

QUESTION = "Which machine keeps the backups?"


def test_a_quote_is_called_by_its_document_or_where_that_has_no_title_by_its_place():
    quotes = (
        QuotedSpan(1, "notes", "servers.md", "cube", "Backups run nightly.", 0, 20, "Servers"),
        QuotedSpan(2, "notes", "todo.txt", "", "Check the backups.", 0, 18),
    )
    answer = Answer(QUESTION, ResolutionOutcome.AMBIGUOUS, ResolverStep.NOTHING, evidence=quotes)
    assert [item.title for item in cite_answer(answer, QUESTION)] == ["Servers", "notes/todo.txt"]


def make_thought(*, outdated_at=None, contested=None):
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
