"""What an answer of the resolver is worth."""

from __future__ import annotations

import pytest
from benchmarks.resolving import WRONG, judge

from wellworn.domain.knowledge import (
    Answer,
    AnswerCandidate,
    QuotedSpan,
    ResolutionOutcome,
    ResolverStep,
    Value,
)

QUOTE = QuotedSpan(1, "docs", "net.md", "", "cube is at **10.0.0.5**", 0, 23)
VALUE = Value("cube", "ip", "ip", "10.0.0.5", 13, 21, 0.9, "rules", 0.0, QUOTE)
RESOLVED, AMBIGUOUS = ResolutionOutcome.RESOLVED, ResolutionOutcome.AMBIGUOUS
NOT_STATED, UNKNOWN = ResolutionOutcome.NOT_STATED, ResolutionOutcome.UNKNOWN


def answer(outcome, *, values=(), evidence=(), candidates=(), step=ResolverStep.FACTS):
    return Answer("cube", outcome, step, values=values, evidence=evidence, candidates=candidates)


def judged(kind, wanted, given):
    return judge({"kind": kind, "values": wanted, "document": "net.md"}, given)


@pytest.mark.parametrize(
    ("wanted", "given", "worth"),
    [
        ("10.0.0.5", answer(RESOLVED, values=(VALUE,)), "right"),
        ("10.0.0.6", answer(RESOLVED, values=(VALUE,)), WRONG),
        ("10.0.0.5", answer(NOT_STATED, evidence=(QUOTE,)), "quoted"),
        ("10.0.0.6", answer(NOT_STATED, evidence=(QUOTE,)), "not_stated"),
        ("10.0.0.5", answer(UNKNOWN), "unknown"),
        ("c", answer(AMBIGUOUS, candidates=(AnswerCandidate("C", "", ""),)), "asked back"),
        ("x", answer(AMBIGUOUS, candidates=(AnswerCandidate("C", "", ""),)), "asked in vain"),
    ],
)
def test_a_value_is_right_quoted_asked_back_or_wrong_and_sure(wanted, given, worth):
    assert judged("value", [wanted], given) == worth


@pytest.mark.parametrize(
    ("kind", "given", "worth"),
    [
        ("describe", answer(RESOLVED, evidence=(QUOTE,)), "right"),
        ("describe", answer(RESOLVED), WRONG),
        ("describe", answer(UNKNOWN, evidence=(QUOTE,)), "unknown"),
        ("unknown", answer(UNKNOWN), "right"),
        ("unknown", answer(RESOLVED), WRONG),
        ("not_stated", answer(NOT_STATED), "right"),
        ("not_stated", answer(RESOLVED, values=(VALUE,)), WRONG),
        ("ambiguous", answer(AMBIGUOUS), "right"),
        ("ambiguous", answer(RESOLVED), WRONG),
        ("misspelt", answer(RESOLVED), WRONG),
    ],
)
def test_every_kind_of_question_has_its_own_right_answer(kind, given, worth):
    assert judged(kind, [], given) == worth
