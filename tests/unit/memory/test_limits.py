"""Whose words, and of which time, a question asks for: read by names, times and what is beside."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wellworn.domain.memory.limits import read_limits
from wellworn.domain.memory.wording import tell_limits

NOW = datetime(2026, 2, 23, 18, tzinfo=UTC).timestamp()
KNOWN = [
    (name, name)
    for name in ("ana", "Ana", "bo", "Ana Lopez", "dev-agent-1", "assistant", "ben", "ella")
]
MEMBER = ("Cy", "a6a6d5a4-member")


def read(question):
    return read_limits(question, NOW, [*KNOWN, MEMBER], asker="kim")


def tell(question):
    return [(limit.words, str(limit.state)) for limit in read(question).limits]


@pytest.mark.parametrize(
    ("question", "people"),
    [
        ("What did Ana say about the lift?", ["ana"]),
        ("what has ana ever told us about the lift", ["ana"]),
        ("Show me everything Ana wrote about the lift", ["ana"]),
        ("Which lift did Ana mention?", ["ana"]),
        ("When did Ana say that the lift broke?", ["ana"]),
        ("What was said by Ana about the lift?", ["ana"]),
        ("Anything from Ana about the lift?", ["ana"]),
        ("Ana's notes about the lift", ["ana"]),
        ("According to Ana, where is the key?", ["ana"]),
        ("Where is the key according to Ana Lopez?", ["ana lopez"]),
        ("What did Ana and bo say about the lift?", ["ana", "bo"]),
        ("What did bo tell Ana about the lift?", ["bo"]),
        ("What did dev-agent-1 say about the lift?", ["dev-agent-1"]),
        ("What did Cy say about the lift?", ["a6a6d5a4-member"]),
        ("What did the assistant say about the lift?", ["assistant"]),
        ("What did Ana report about the lift?", ["ana"]),
        ("What did I say about the lift?", ["kim"]),
        ("Was hat Ana über den Aufzug gesagt?", ["ana"]),
        ("Was sagte Ana zum Aufzug?", ["ana"]),
        ("¿Qué dijo Ana sobre el ascensor?", ["ana"]),
        ("Qu'est-ce qu'Ana a dit ?", ["ana"]),
        ("What did Ben tell us about the lift?", ["ben"]),
        ("Was hat Ben gesagt?", ["ben"]),
        ("Ben's notes about the lift", ["ben"]),
        ("According to Ella, where is the key?", ["ella"]),
    ],
)
def test_whose_words_are_asked_for_is_known_by_the_whole_name(question, people):
    assert read(question).scope.people == tuple(people)


@pytest.mark.parametrize(
    "question",
    [
        "What does Ana like?",
        "Where is Ana's key?",
        "Who told Ana about the lift?",
        "What was said about Ana?",
        "What did the manual say?",
        "What did our vendor say about prices?",
        "Which lift did they mention?",
        "Did anyone find the analogue meter?",
        "What does policy say about leave?",
        "What does Carel say about defrosting?",
        "What did servers.md say about the lift?",
        "What did https://example.org/lifts say about lifts?",
    ],
)
def test_who_is_spoken_of_limits_nothing(question):
    assert read(question).limits == ()
    assert read(question).scope.people is None


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("What did Zoe say about the lift?", [("Zoe", "nobody")]),
        ("what did zoe miller say?", [("zoe miller", "nobody")]),
        ("Show me what Zoe said about the lift", [("Zoe", "nobody")]),
        ("Has Zoe said anything about the lift?", [("Zoe", "nobody")]),
        ("Anything from Zoe?", [("Zoe", "nobody")]),
        ("What did everyone but Ana say about the lift?", [("but Ana", "unknown")]),
        ("What did everyone except Ana say?", [("except Ana", "unknown")]),
        ("What did her boss Ana say?", [("boss Ana", "unknown")]),
    ],
)
def test_who_is_not_known_is_told(question, told):
    assert tell(question) == told
    assert read(question).scope.people is None


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("What did Ana say on Monday?", [("Ana", "kept"), ("Monday", "kept")]),
        ("What was tarred in the last 3 days?", [("last 3 days", "kept")]),
        ("What is new with the lift in the last 3 days?", [("last 3 days", "preferred")]),
        ("What broke in October?", [("October", "preferred")]),
        ("What happened twenty days ago?", [("twenty days ago", "unknown")]),
        (
            "Was sagte Ana vor mehr als 30 Tagen?",
            [("Ana", "kept"), ("vor mehr als 30 Tagen", "unknown")],
        ),
        (
            "What did Ana say in the last 25 or so days?",
            [("Ana", "kept"), ("last 25 or so days", "unknown")],
        ),
        ("What broke in the last 1.5 hours?", [("last 1.5 hours", "unknown")]),
        ("What did Ana say since Easter?", [("Ana", "kept"), ("since Easter", "unknown")]),
        ("What did Ana say in the afternoon?", [("Ana", "kept"), ("afternoon", "unknown")]),
        ("What did Ana say lately?", [("Ana", "kept"), ("lately", "preferred")]),
        ("What did Ana say about the lift lately?", [("Ana", "kept"), ("lately", "unknown")]),
        (
            "What did Ana say yesterday about the train at 3 pm?",
            [("Ana", "kept"), ("yesterday", "kept"), ("3 pm", "unknown")],
        ),
        (
            "What did Ana say is due on 1 December?",
            [("Ana", "kept"), ("1 December", "kept")],
        ),
        (
            "What does Ana say is due on 1 December?",
            [("Ana", "kept"), ("1 December", "unknown")],
        ),
        ("What is due on 1 December?", []),
        ("Which train leaves at 3 pm?", []),
        ("Who opens the gate in the morning?", []),
    ],
)
def test_a_time_is_kept_or_said_not_to_be(question, told):
    assert tell(question) == told


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("more than 30 days ago", "“30 days ago” is read as 2026-01-24, in UTC."),
        ("twenty five days ago", "“five days ago” is read as 2026-02-18, in UTC."),
        ("two weeks ago", "“two weeks ago” is read as 2026-02-06 to 2026-02-12, in UTC."),
        ("over 3 hours ago", "“3 hours ago” is read as 2026-02-23 14:00 to 2026-02-23 16:00"),
        ("in the last 30 days", ""),
        ("yesterday", ""),
        ("since 3 days ago", ""),
    ],
)
def test_how_long_ago_is_told_as_it_is_read_for_more_may_be_meant(question, said):
    assert tell_limits(read(f"What did Ana say {question}?").limits).startswith(said)
    assert bool(tell_limits(read(f"What did Ana say {question}?").limits)) is bool(said)


def test_hours_without_a_day_are_of_today():
    assert read("What happened between 3 and 5 pm?").limits[0].is_of_today
    assert not read("What happened yesterday between 3 and 5 pm?").limits[0].is_of_today


@given(st.text(max_size=80), st.lists(st.text(min_size=1, max_size=8), max_size=3))
def test_any_text_has_its_limits(question, names):
    limits = read_limits(question, NOW, [(name, name) for name in names], asker="kim")
    while limits is not None:
        limits = limits.relax()


@pytest.mark.parametrize(
    "date",
    ["2026-02-30", "31 February 2026", "February 31 2026", "3/4/2026", "13/25/2026", "3/4/26"],
)
def test_a_date_that_does_not_exist_or_may_be_another_is_said_not_to_be_understood(date):
    assert tell(f"What did Ana say on {date}?") == [("Ana", "kept"), (date, "unknown")]


def test_a_number_with_dots_is_no_date():
    assert tell("What did Ana say about section 1.13.?") == [("Ana", "kept")]
