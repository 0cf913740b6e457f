from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wellworn.domain.memory.routing import (
    LONGEST,
    HighwaysRequest,
    OutlineRequest,
    TimelineRequest,
    parse_request,
)


@pytest.mark.parametrize(
    "prompt",
    [
        "What is trending?",
        "what's trending right now",
        "What’s trending lately?",
        "What are the highways?",
        "Which highways are there?",
        "Please show me the highways.",
        "which topics are trending?",
        "  show   the current highways  ",
    ],
)
def test_a_question_for_highways_is_known(prompt):
    assert parse_request(prompt) == HighwaysRequest()


@pytest.mark.parametrize(
    ("prompt", "name", "depth"),
    [
        ("Show the outline of deploy", "deploy", 2),
        ("outline of runbook.md", "runbook.md", 2),
        ("Outline of 'Ops/Runbook.md'?", "ops/runbook.md", 2),
        ("Can you show me the table of contents for the guide?", "guide", 2),
        ("What is the outline of doc:04fe73413ba434f9#2?", "doc:04fe73413ba434f9#2", 2),
        ("show me the outline", "", 2),
        ("Show the whole outline of this space.", "", 2),
        ("list the topics", "topics", 1),
        ("List all tags", "tags", 1),
        ("What documents are there?", "documents", 1),
        ("which conversations do you have?", "sessions", 1),
    ],
)
def test_a_question_for_an_outline_is_known(prompt, name, depth):
    assert parse_request(prompt) == OutlineRequest(name, depth)


@pytest.mark.parametrize(
    ("prompt", "wanted"),
    [
        ("What have we decided lately?", TimelineRequest(when="lately")),
        ("What did we agree on last week?", TimelineRequest(when="last week")),
        ("What was going on last week?", TimelineRequest(when="last week")),
        ("¿Qué pasó la semana pasada?", TimelineRequest(when="semana pasada")),
        ("先週は何がありましたか？", TimelineRequest(when="先週")),
        ("Was gibt\u2019s Neues?", TimelineRequest()),
        ("\u00bfQu\u00e9 hay de nuevo?", TimelineRequest()),
        ("Quoi de neuf ?", TimelineRequest()),
        ("Was wei\u00dft du \u00fcber mich?", TimelineRequest(own=True)),
        ("\u00bfQu\u00e9 sabes de m\u00ed?", TimelineRequest(own=True)),
        ("Que sais-tu de moi ?", TimelineRequest(own=True)),
    ],
)
def test_a_question_for_what_was_said_is_known(prompt, wanted):
    assert parse_request(prompt) == wanted


@pytest.mark.parametrize(
    "prompt",
    [
        "highways",
        "What did we decide about hosting last week?",
        "outline",
        "topics",
        "What is trending in the deploy logs?",
        "What are the highways of Spain like?",
        "Which highways lead to the harbour?",
        "Who wrote the outline of the book?",
        "I wrote an outline of runbook.md yesterday.",
        "Show me what the outline of deploy forgot",
        "How do I list tags in git?",
        "what is the outline",
        "list the documents that mention salt",
        "Was ist im Trend?",
        "显示大纲",
        "",
        "?",
        "outline of " + "x" * LONGEST,
    ],
)
def test_everything_else_is_a_search(prompt):
    assert parse_request(prompt) is None


@given(st.text(max_size=LONGEST + 50))
def test_any_text_is_judged_and_case_and_blanks_do_not_matter(text):
    judged = parse_request(text)
    if text.isascii() and len(text) < LONGEST - 4:
        assert parse_request(f"  {text.swapcase()}\n") == judged


@given(st.text(alphabet="abc xyz", min_size=1, max_size=40).map(str.strip).filter(bool))
def test_an_outline_is_of_the_whole_name(name):
    asked = parse_request(f"outline of {name}")
    assert isinstance(asked, OutlineRequest)
    assert asked.name == " ".join(name.split())
