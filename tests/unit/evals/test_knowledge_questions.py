"""Files of questions: what they may say, and which line a complaint is about."""

from __future__ import annotations

import re
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wellworn.application.evals import QuestionsUnusable, questions
from wellworn.application.evals.knowledge_questions import OUTCOMES, Asked, Expected

WHOLE = """\
# What the night shift asks
- ask: where do the web apps run?
  expect:
    document: [mytech/AGENTS.md#servers, mytech/README.md]
    text: production VPS
    value: 5.161.97.53
- resolve: hdrpop
  context: the daily digest
  expect: {outcome: resolved, value: "https://hdrpop.example/api"}
- resolve: zebra
  expect: {outcome: unknown}
"""
BAD = {
    "": "not a list of questions",
    "- ": "line 1, entry 1: the entry is no mapping",
    "ask: x": "not a list of questions",
    "- ask: x": "line 1, entry 1: it does not say what to expect",
    "- ask: x\n  expect: {}": "line 1, entry 1: expect has none of document, text, value, outcome",
    "- ask: x\n  expect: cube": "line 2, entry 1: expect is no mapping",
    "- expect: {text: x}": "line 1, entry 1: it must have either ask or resolve",
    "- {ask: x, resolve: y, expect: {text: x}}": "either ask or resolve",
    "- {ask: x, context: y, expect: {text: x}}": "context is for resolve",
    "- {ask: x, expect: {text: }}": "entry 1: expect.text is empty",
    "- {ask: ' ', expect: {text: x}}": "entry 1: ask is empty",
    "- {ask: [x], expect: {text: x}}": "entry 1: ask is no text",
    "- {ask: x, expect: {outcome: resolved}}": "expect.outcome is for resolve",
    "- {resolve: x, expect: {outcome: found}}": "'found', and not resolved, ambiguous, ",
    "- {resolve: x, expect: {outcome: unknown, value: 1}}": "nothing else can be expected",
    "- {ask: x, expect: {document: []}}": "names 0 documents",
    "- {ask: x, expect: {document: [a, b, c, d, e, f]}}": "names 6 documents",
    "- {ask: x, expects: {text: x}}": "'expects', and may only have ask, resolve, context, expect",
    "- {ask: x, expect: {span: x}}": "'span', and may only have document, text, value, outcome",
    "- {ask: x, expect: {text: x}}\n- ask: y\n  expect: {text: x}\n  ask: z": (
        "line 4, entry 2: the entry has ask twice; is a dash missing?"
    ),
    "- ask: 'x": "line 1: this is not YAML",
    "- a: b\n c": "line 2: this is not YAML",
    "- ask: \x00": "characters that cannot be read",
    '- {ask: "\\ud800", expect: {text: x}}': "ask has characters that no document has",
    f"- {{resolve: {'x' * 201}, expect: {{outcome: unknown}}}}": "longer than 200 characters",
    "#" * 1_000_001: "larger than 1000 KB",
    # What makes other readers run out of memory, recurse without end, or run programs.
    "[" * 20_000: "nested too deep",
    "&a [*a]": "entry 1: the entry is no mapping",
    "- &a {ask: x, expect: *a}": "expect has 'ask'",
    "- *nowhere": "undefined alias",
    "!!python/object/apply:os.system [touch /]": "entry 1: the entry is no mapping",
    "a: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]": "not a list of questions",
    "- &a {ask: x, expect: {text: y}}\n- {<<: [*a, *a]}": "the entry has '<<'",
}


def test_a_file_is_read_with_lines_and_letters_as_they_stand():
    assert questions(WHOLE) == (
        Asked(
            number=1,
            line=2,
            text="where do the web apps run?",
            is_term=False,
            context="",
            expected=Expected(
                ("mytech/AGENTS.md#servers", "mytech/README.md"), "production VPS", "5.161.97.53"
            ),
        ),
        Asked(
            number=2,
            line=7,
            text="hdrpop",
            is_term=True,
            context="the daily digest",
            expected=Expected(value="https://hdrpop.example/api", outcome="resolved"),
        ),
        Asked(3, 10, "zebra", is_term=True, context="", expected=Expected(outcome="unknown")),
    )


@pytest.mark.parametrize("text", ["1.10", "007", "yes", "2024-01-31", "0x1F", "1e3", "null"])
def test_what_looks_like_a_number_a_date_or_a_truth_stays_as_it_is_written(text):
    [asked] = questions(f"- {{resolve: {text}, expect: {{value: {text}}}}}")
    assert (asked.text, asked.expected.value) == (text, text)


@pytest.mark.parametrize("text", BAD, ids=lambda text: text[:40])
def test_a_file_that_is_none_is_refused_with_the_line_and_the_reason(text):
    with pytest.raises(QuestionsUnusable, match=re.escape(BAD[text])):
        questions(text)


def test_an_anchor_may_stand_for_what_is_expected_twice():
    found = questions("- {ask: x, expect: &same {text: z}}\n- {ask: y, expect: *same}")
    assert [one.expected.text for one in found] == ["z", "z"]


@given(st.text(st.characters(codec="utf-8", categories=("L", "N", "P")), min_size=1))
def test_any_words_in_quotes_come_back_as_they_were(words):
    quoted = "'" + words.replace("'", "''") + "'"
    [asked] = questions(f"- ask: {quoted}\n  expect: {{text: {quoted}, value: {quoted}}}")
    assert {asked.text, asked.expected.text, asked.expected.value} == {words}


@given(st.text(max_size=300))
def test_no_text_at_all_is_read_as_anything_but_questions_or_a_complaint(text):
    found = ()
    with suppress(QuestionsUnusable):
        found = questions(text)
    assert all(one.expected.outcome in {"", *OUTCOMES} for one in found)
