"""Which time words name, and which time a question is about."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wellworn.domain.thoughts.truth import TimeScope, read_scope
from wellworn.domain.thoughts.truth.periods import find_period

NOW = datetime(2026, 2, 23, 15, tzinfo=UTC).timestamp()


def day(text: str) -> float:
    return datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp()


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("what was it on 2026-02-03?", "2026-02-03", "2026-02-04"),
        ("what did we say yesterday?", "2026-02-22", "2026-02-23"),
        ("what changed last week?", "2026-02-16", "2026-02-23"),
        ("what was it last month?", "2026-01-01", "2026-02-01"),
        ("the port in November", "2025-11-01", "2025-12-01"),
        ("three days ago", "2026-02-20", "2026-02-21"),
        ("between 30 and 50 days ago", "2026-01-04", "2026-01-25"),
        ("2 to 3 months ago", "2025-11-08", "2026-01-08"),
        ("in the last 2 to 3 weeks", "2026-02-02", "2026-02-24"),
        ("vor 3 bis 5 Tagen", "2026-02-18", "2026-02-21"),
        ("in the week of 11 February", "2026-02-09", "2026-02-16"),
        ("the week starting February 11", "2026-02-11", "2026-02-18"),
        ("the week ending 11 February", "2026-02-05", "2026-02-12"),
        ("in the second week of January", "2026-01-08", "2026-01-15"),
        ("in the last week of January", "2026-01-25", "2026-02-01"),
        ("at the end of January", "2026-01-25", "2026-02-01"),
        ("early January", "2026-01-01", "2026-01-11"),
        ("mid-January", "2026-01-11", "2026-01-21"),
        ("in the first half of January", "2026-01-01", "2026-01-16"),
        ("in the second half of January", "2026-01-16", "2026-02-01"),
        ("between 3 and 9 February", "2026-02-03", "2026-02-10"),
        ("February 3-9", "2026-02-03", "2026-02-10"),
        ("from 28 January to 4 February", "2026-01-28", "2026-02-05"),
        ("between 2026-01-05 and 2026-01-08", "2026-01-05", "2026-01-09"),
        ("last weekend", "2026-02-21", "2026-02-23"),
        ("on Friday, 13 February", "2026-02-13", "2026-02-14"),
        ("between the 3rd and the 9th of February", "2026-02-03", "2026-02-10"),
        ("the weekend before 11 February", "2026-02-07", "2026-02-09"),
        ("around the middle of January", "2026-01-08", "2026-01-24"),
        ("since 3 February", "2026-02-03", "2026-02-24"),
        ("the past ten days", "2026-02-13", "2026-02-24"),
        ("in the last week", "2026-02-16", "2026-02-24"),
        ("in the last month", "2026-01-23", "2026-02-24"),
        ("over the past year", "2025-02-23", "2026-02-24"),
        ("in the previous month", "2026-01-01", "2026-02-01"),
        ("in the last weekend", "2026-02-21", "2026-02-23"),
        ("in der letzten Woche", "2026-02-16", "2026-02-24"),
        ("letzte Woche", "2026-02-16", "2026-02-23"),
        ("en la última semana", "2026-02-16", "2026-02-24"),
        ("in the last day", "2026-02-22", "2026-02-24"),
        ("vor drei Tagen", "2026-02-20", "2026-02-21"),
        ("in der zweiten Januarhälfte", "2026-01-16", "2026-02-01"),
        ("a principios de enero", "2026-01-01", "2026-01-11"),
        ("la semana pasada", "2026-02-16", "2026-02-23"),
        ("du 3 au 9 février", "2026-02-03", "2026-02-10"),
        ("tra il 3 e il 9 febbraio", "2026-02-03", "2026-02-10"),
        ("há três dias", "2026-02-20", "2026-02-21"),
        ("2月3日から9日まで", "2026-02-03", "2026-02-10"),
        ("先週", "2026-02-16", "2026-02-23"),
        ("on 2026-01-05/07", "2026-01-05", "2026-01-08"),
        ("on 2026-01-05/02-03", "2026-01-05", "2026-02-04"),
        ("on 2025-12-30/2026-01-02", "2025-12-30", "2026-01-03"),
        ("in 2025-11/12", "2025-11-01", "2026-01-01"),
        ("on 1/28/2026", "2026-01-28", "2026-01-29"),
        ("on 28/1/2026", "2026-01-28", "2026-01-29"),
        ("on 2/2/2026", "2026-02-02", "2026-02-03"),
        ("on 2026/01/05", "2026-01-05", "2026-01-06"),
        ("in Q4 2025", "2025-10-01", "2026-01-01"),
        ("in 2025 Q1", "2025-01-01", "2025-04-01"),
    ],
)
def test_a_time_in_words_is_a_period(text, start, end):
    assert find_period(text, NOW) == (day(start), day(end))


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("between 3 and 5 pm", "2026-02-23T15:00", "2026-02-23T17:00"),
        ("yesterday between 3 and 5 pm", "2026-02-22T15:00", "2026-02-22T17:00"),
        ("3-5pm on Friday", "2026-02-20T15:00", "2026-02-20T17:00"),
        ("from 9 to 5 pm", "2026-02-23T09:00", "2026-02-23T17:00"),
        ("between 9 am and noon", "2026-02-23T09:00", "2026-02-23T12:00"),
        ("between 10 pm and 2 am", "2026-02-23T22:00", "2026-02-24T02:00"),
        ("since 9 am", "2026-02-23T09:00", "2026-02-24T00:00"),
        ("after 17:00 yesterday", "2026-02-22T17:00", "2026-02-23T00:00"),
        ("before 9:30", "2026-02-23T00:00", "2026-02-23T09:30"),
        ("at 10:30 on 3 February", "2026-02-03T10:00", "2026-02-03T11:00"),
        ("yesterday afternoon", "2026-02-22T12:00", "2026-02-22T18:00"),
        ("this morning", "2026-02-23T05:00", "2026-02-23T12:00"),
        ("on Friday morning", "2026-02-20T05:00", "2026-02-20T12:00"),
        ("gestern Nachmittag", "2026-02-22T12:00", "2026-02-22T18:00"),
        ("gestern zwischen 15 und 17 Uhr", "2026-02-22T15:00", "2026-02-22T17:00"),
        ("ayer por la tarde", "2026-02-22T12:00", "2026-02-22T18:00"),
        ("entre 15h30 et 17h00", "2026-02-23T15:30", "2026-02-23T17:00"),
        ("昨日の午後", "2026-02-22T12:00", "2026-02-22T18:00"),
        ("last week between 3 and 5 pm", "2026-02-16T00:00", "2026-02-23T00:00"),
    ],
)
def test_hours_are_of_the_day_beside_them_or_of_today(text, start, end):
    assert find_period(text, NOW) == (day(start), day(end))


@pytest.mark.parametrize(
    "text", ["on 30 February 2026?", "on 2026-02-31?", "on 2026-13-01?", "on 3/4/2026?", ""]
)
def test_a_day_that_does_not_exist_is_no_period(text):
    assert find_period(text, NOW) is None


@given(st.text(max_size=60))
def test_no_words_fail(text):
    read_scope(text, NOW)


@pytest.mark.parametrize(
    "question",
    [
        "What broke in January?",
        "What did we order for the shop in the first half of January?",
        "Which deliveries arrived last week?",
        "Who complained between 3 and 9 February?",
    ],
)
def test_a_question_for_what_happened_is_about_the_time_that_it_names(question):
    assert read_scope(question, NOW) == TimeScope(within=find_period(question, NOW))


@pytest.mark.parametrize(
    "question", ["Which port was in use last week?", "What was the limit in January?"]
)
def test_a_question_for_how_something_was_is_about_a_moment(question):
    scope = read_scope(question, NOW)
    assert (scope.within, scope.about) == (None, find_period(question, NOW).end)


def test_a_question_is_about_the_present_unless_its_words_say_otherwise():
    assert read_scope("Which port does it use?", NOW) == TimeScope()
    assert read_scope("Which port did it use before?", NOW).history
    assert read_scope("What was the port on 2026-02-03?", NOW).about == day("2026-02-04")


@pytest.mark.parametrize(
    "question",
    [
        "What was the port before that?",
        "Was war die Frist vorher?",
        "¿Cuál era el puerto antes?",
        "Quel était le port avant ?",
    ],
)
def test_the_past_is_asked_for_in_several_languages(question):
    assert read_scope(question, NOW).history


@pytest.mark.parametrize(
    "question",
    [
        "What do I have to check before a release?",
        "¿Qué hay que hacer antes de publicar?",
        "Que faut-il faire avant de publier ?",
    ],
)
def test_what_is_to_be_done_before_something_is_about_the_present(question):
    assert read_scope(question, NOW) == TimeScope()
