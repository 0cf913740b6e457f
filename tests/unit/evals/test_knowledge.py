"""What is a hit and what is a miss, and when a bar is reached."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wellworn.application.evals.knowledge import (
    Evaluation,
    Observation,
    ShownDocument,
    Verdict,
    judge,
)
from wellworn.application.evals.knowledge_questions import Asked, Expected

AGENTS = ShownDocument("mytech/AGENTS.md", "AGENTS.md", frozenset({"servers"}))
PAGE = ShownDocument("https://example.org/a.md", "https://example.org/a.md", frozenset({""}))


def asked(*, is_term=False, **expected):
    return Asked(1, 1, "x", is_term=is_term, context="", expected=Expected(**expected))


def searched(*documents, passages=()):
    return Observation(documents, passages)


@pytest.mark.parametrize(
    ("wanted", "is_meant"),
    [
        ("mytech/AGENTS.md", True),
        ("AGENTS.md", True),
        ("mytech/AGENTS.md#servers", True),
        ("AGENTS.md#servers", True),
        ("mytech/AGENTS.md#clients", False),
        ("other/AGENTS.md", False),
        ("GENTS.md", False),
        ("#servers", False),
    ],
)
def test_a_document_is_meant_by_its_citation_or_its_path_and_an_anchor_that_was_shown(
    wanted, is_meant
):
    found = judge(asked(documents=(wanted,)), searched(PAGE, AGENTS))
    assert (found.is_right, found.documents) == (is_meant, float(is_meant))


def test_a_page_of_the_web_is_meant_by_its_address():
    assert judge(asked(documents=("https://example.org/a.md",)), searched(PAGE)).is_right


def test_half_of_the_documents_is_half_a_recall_and_no_right_answer():
    found = judge(asked(documents=("AGENTS.md", "b.md")), searched(AGENTS))
    assert (found.documents, found.is_right) == (0.5, False)
    assert found.misses == ("b.md is not among mytech/AGENTS.md",)


def test_a_sixth_document_comes_too_late():
    others = [ShownDocument(f"s/{n}.md", f"{n}.md", frozenset()) for n in range(5)]
    assert judge(asked(documents=("4.md",)), searched(*others, AGENTS)).is_right
    assert not judge(asked(documents=("AGENTS.md",)), searched(*others, AGENTS)).is_right


def test_words_are_found_however_their_lines_are_broken_and_not_in_two_passages_together():
    question = asked(text="home GPU\n server")
    assert judge(question, searched(passages=("a home\n  GPU server.",))).text is True
    found = judge(question, searched(passages=("a home GPU", "server")))
    assert found.misses == ("no passage shows “home GPU server”",)


@pytest.mark.parametrize(
    ("passage", "is_there"),
    [
        ("cube (10.0.0.1):", True),
        ("it is 10.0.0.1.", True),
        ("10.0.0.12", False),
        ("110.0.0.1", False),
        ("1.10.0.0.1", False),
        ("10.0.0.1.7", False),
        ("10.0.0.1:8080", False),
    ],
)
def test_a_value_is_no_part_of_a_longer_one(passage, is_there):
    assert judge(asked(value="10.0.0.1"), searched(passages=(passage,))).value is is_there


def test_the_value_of_a_term_must_be_answered_and_not_only_quoted():
    reply = Observation((AGENTS,), ("cube: 10.0.0.1",), values=("10.0.0.2",), outcome="resolved")
    found = judge(asked(is_term=True, value="10.0.0.1", outcome="resolved"), reply)
    assert (found.value, found.outcome) == (False, True)
    assert found.misses == ("10.0.0.1 is not among the values 10.0.0.2",)


def test_another_outcome_is_a_miss_that_says_both():
    reply = Observation((), (), values=(), outcome="ambiguous")
    found = judge(asked(is_term=True, outcome="unknown"), reply)
    assert found.misses == ("it is ambiguous, not unknown",)


def verdict(*, right=True, **measured):
    given = {"documents": None, "text": None, "value": None, "outcome": None, **measured}
    return Verdict(asked(), misses=() if right else ("x",), **given)


def test_measures_are_means_over_the_questions_that_ask_for_them():
    found = Evaluation(
        (verdict(documents=0.5, text=True), verdict(documents=1.0), verdict(outcome=False)), 0.9
    )
    assert [(one.name, one.mean, one.questions) for one in found.measures()] == [
        ("document recall@5", 0.75, 2),
        ("span hit", 1.0, 1),
        ("outcome hit", 0.0, 1),
    ]


@given(st.integers(1, 300), st.data())
def test_a_share_reaches_a_bar_that_is_that_share_and_none_above(total, data):
    right = data.draw(st.integers(0, total))
    verdicts = tuple(verdict(right=number < right) for number in range(total))
    assert Evaluation(verdicts, right / total).is_passed
    assert not Evaluation(verdicts, (right + 0.5) / total).is_passed
