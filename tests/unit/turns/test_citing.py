"""How evidence is called and cited."""

from __future__ import annotations

from wellworn.domain.knowledge import Answer, QuotedSpan, ResolutionOutcome
from wellworn.domain.knowledge.answers import ResolverStep
from wellworn.domain.turns.citing import cite_answer

QUESTION = "Which machine keeps the backups?"


def test_a_quote_is_called_by_its_document_or_where_that_has_no_title_by_its_place():
    quotes = (
        QuotedSpan(1, "notes", "servers.md", "cube", "Backups run nightly.", 0, 20, "Servers"),
        QuotedSpan(2, "notes", "todo.txt", "", "Check the backups.", 0, 18),
    )
    answer = Answer(QUESTION, ResolutionOutcome.AMBIGUOUS, ResolverStep.NOTHING, evidence=quotes)
    assert [item.title for item in cite_answer(answer, QUESTION)] == ["Servers", "notes/todo.txt"]
