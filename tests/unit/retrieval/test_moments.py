"""Days that a question names."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from wellworn.engines.retrieval.text import count_time_words
from wellworn.engines.retrieval.text.moments import (
    MONTHS,
    NamedDay,
    asks_when,
    find_days,
    score_nearest_day,
)

DAYS = st.dates(date(1000, 1, 1), date(9998, 12, 31))
MAY_8 = [NamedDay(2023, 5, 8)]

WRITTEN = {
    "What happened on 8 May 2023?": NamedDay(2023, 5, 8),
    "What happened on 8 MAY 2023?": NamedDay(2023, 5, 8),
    "on the 8th of May, 2023": NamedDay(2023, 5, 8),
    "on May 8, 2023": NamedDay(2023, 5, 8),
    "on May 8th, 2023": NamedDay(2023, 5, 8),
    "May 8th": NamedDay(None, 5, 8),
    "the 3rd of Sept. 2022": NamedDay(2022, 9, 3),
    "1st Jan 2024": NamedDay(2024, 1, 1),
    "2023-05-08": NamedDay(2023, 5, 8),
    "since 2023-05": NamedDay(2023, 5, None),
    "am 29.12.2023 in Wien": NamedDay(2023, 12, 29),
    "What did she do in May?": NamedDay(None, 5, None),
    "what happened last march": NamedDay(None, 3, None),
    "in June 2023": NamedDay(2023, 6, None),
    "Where was she in October?": NamedDay(None, 10, None),
    "May 2023": NamedDay(2023, 5, None),
    "What happened in 2023?": NamedDay(2023, None, None),
    "29 February": NamedDay(None, 2, 29),
    "29 February 2024": NamedDay(2024, 2, 29),
}


@pytest.mark.parametrize(("text", "named"), WRITTEN.items(), ids=WRITTEN)
def test_a_day_is_read_as_it_is_written(text: str, named: NamedDay):
    assert find_days(text) == [named]


@given(DAYS)
def test_every_day_is_read_in_all_its_forms(day: date):
    month = MONTHS[day.month - 1]
    for text in (
        day.isoformat(),
        f"{day.day}.{day.month}.{day.year:04}",
        f"{day.day} {month} {day.year:04}",
        f"{month} {day.day}, {day.year:04}",
        f"the {day.day}th of {month[:3]}, {day.year:04}",
    ):
        assert find_days(f"What did she say on {text}?") == [NamedDay(*day.timetuple()[:3])]


@pytest.mark.parametrize("text", ["2023-05-08T13:56:00Z", "2023-05-08T13:56"])
def test_a_time_of_the_day_does_not_hide_the_day(text: str):
    assert find_days(f"What was said at {text}?") == MAY_8


def test_two_days_are_both_named():
    assert find_days("between 8 May 2023 and 2 June") == [
        NamedDay(2023, 5, 8),
        NamedDay(None, 6, 2),
    ]


def test_a_year_counts_alone_only_where_nothing_better_is_named():
    assert find_days("in 2022, not on 8 May 2023") == MAY_8


@pytest.mark.parametrize(
    "text",
    [
        "30 February",
        "February 30th, 2023",
        "29 February 2023",
        "31.4.2023",
        "31.4.",
        "2023-13-01",
        "2023-13",
        "2023-00-10",
        "2023-05-00",
        "0000-05-08",
        "9999-05-08",
        "8 May 0000",
        "8 May 9999",
        "0 May 2023",
        "32.12.2023",
        "in 9999",
    ],
)
def test_a_day_that_does_not_exist_is_not_named(text: str):
    assert find_days(f"What happened on {text}?") == []


def test_a_day_that_exists_is_named_beside_one_that_does_not():
    assert find_days("on 30 February or 8 May 2023") == MAY_8


@pytest.mark.parametrize(
    "text",
    [
        "May I come in?",
        "She may know what to do",
        "Did they march for peace?",
        "march on",
        "how to mar a surface",
        "a maybe, marching, augustus, decide, junk, second marble",
    ],
)
def test_verbs_and_other_words_are_no_months(text: str):
    assert find_days(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "Qu'est-ce qui s'est passé le huit mai ?",
        "Was geschah am achten Mai?",
        "去年五月八日发生了什么？",
        "8 мая прошлого года",
        "٨ مايو",
        "🦉🦉",
        "",
        "(may|[",
        "\x01\x02",
        "\ud83d",
    ],
)
def test_in_other_languages_nothing_is_found_and_nothing_fails(text: str):
    assert find_days(text) == []
    assert not asks_when(text)
    assert count_time_words(text) == 0


@pytest.mark.parametrize("text", ["ſept 2023", "ſEPTEMBER 2023", "aprİl 2023", "Auguſt 2023"])
def test_letters_that_fold_into_others_do_no_harm(text: str):
    assert {one.year for one in find_days(text)} <= {2023}


@given(st.text())
def test_any_text_names_only_days_that_exist(text: str):
    for year, month, day in find_days(text):
        date(year or 2000, month or 1, day or 1)
    assert asks_when(f"When {text}")
    assert not asks_when(f"Ben {text}")
    assert 1 <= count_time_words(f"yesterday {text}") <= 2


DATE_LIKE = st.lists(
    st.sampled_from(
        ["8", "31", "th", "of", "May", "mar", "sept.", "2023", "in", " ", "  ", ",", "-", "."]
    ),
    max_size=30,
).map("".join)


@given(DATE_LIKE)
def test_whatever_looks_like_days_names_only_days_that_exist(text: str):
    for year, month, day in find_days(text):
        date(year or 2000, month or 1, day or 1)


def test_at_most_eight_days_are_named():
    assert len(find_days(" and ".join(f"{day} June" for day in range(1, 31)))) == 8


@pytest.mark.parametrize(
    "hostile", ["may ", "1 ", "in ", " ", "8 of ", "may 1", "2023-", "1.", "in may "]
)
def test_of_a_hostile_text_only_the_beginning_is_read(hostile: str):
    text = hostile * (2_000 // len(hostile) + 1)
    assert find_days(text + "8 June 2023") == find_days(text)
    assert count_time_words("." * 2_000 + "yesterday") == 0
    assert not asks_when(" " * 2_000 + "when")


# ---------------------------------------------------------------- asking and telling


@pytest.mark.parametrize(
    "text",
    [
        "When did she move?",
        "  when?",
        '"How long was it?',
        "What date is it",
        "in which year",
        "WHICH MONTH",
    ],
)
def test_a_question_for_a_time_is_told(text: str):
    assert asks_when(text)


@pytest.mark.parametrize(
    "text", ["What did she do when it rained?", "whenever", "Where?", "what dates"]
)
def test_other_questions_ask_for_no_time(text: str):
    assert not asks_when(text)


def test_words_that_tell_a_time_are_counted_up_to_two():
    assert count_time_words("I moved") == 0
    assert count_time_words("I moved last") == 1
    assert count_time_words("I moved yesterday, on Monday, two weeks ago") == 2


@pytest.mark.parametrize("text", ["I may go", "They march for peace", "to mar it"])
def test_a_verb_tells_no_time(text: str):
    assert count_time_words(text) == 0


# ---------------------------------------------------------------- nearness


@pytest.mark.parametrize(
    ("day", "fit"),
    [
        (date(2023, 5, 8), 2.0),
        (date(2023, 5, 9), 1.5),
        (date(2023, 5, 6), 1 + 1 / 3),
        (date(2023, 5, 15), 1.125),
        (date(2023, 5, 1), 1.125),
        (date(2023, 5, 16), 1.0),
        (date(2023, 5, 31), 1.0),
        (date(2023, 6, 8), 0.0),
        (date(2022, 5, 8), 0.0),
        (date(2024, 5, 8), 0.0),
    ],
)
def test_the_nearer_to_a_named_day_the_better_it_fits(day: date, fit: float):
    assert score_nearest_day(day, MAY_8) == pytest.approx(fit)


def test_a_week_around_a_day_reaches_into_the_next_month_and_year():
    assert score_nearest_day(date(2023, 6, 2), [NamedDay(2023, 5, 30)]) == 1.25
    assert score_nearest_day(date(2023, 12, 31), [NamedDay(2024, 1, 1)]) == 1.5


def test_a_month_or_year_fits_all_its_days_alike():
    for day in (date(2023, 5, 1), date(2023, 5, 31)):
        assert score_nearest_day(day, [NamedDay(2023, 5, None)]) == 1.0
        assert score_nearest_day(day, [NamedDay(None, 5, None)]) == 1.0
        assert score_nearest_day(day, [NamedDay(2023, None, None)]) == 1.0
        assert score_nearest_day(day, [NamedDay(2022, None, None), NamedDay(None, 4, None)]) == 0.0


def test_a_day_without_a_year_is_of_any_year():
    for year in (1999, 2023, 2024):
        assert score_nearest_day(date(year, 5, 8), [NamedDay(None, 5, 8)]) == 2.0


def test_leap_days_fit_where_they_exist_and_their_month_where_they_do_not():
    assert score_nearest_day(date(2024, 2, 29), [NamedDay(None, 2, 29)]) == 2.0
    assert score_nearest_day(date(2024, 3, 1), [NamedDay(None, 2, 29)]) == 1.5
    assert score_nearest_day(date(2023, 2, 28), [NamedDay(None, 2, 29)]) == 1.0
    assert score_nearest_day(date(2023, 3, 1), [NamedDay(None, 2, 29)]) == 0.0


def test_the_best_of_several_days_counts():
    assert score_nearest_day(date(2023, 5, 8), [NamedDay(2020, None, None), *MAY_8]) == 2.0
    assert score_nearest_day(date(2023, 5, 8), []) == 0.0


@given(DAYS, st.integers(-400, 400))
def test_nearness_never_rises_with_distance(day: date, away: int):
    assume(day.year > 1002 and day.year < 9990)
    named = [NamedDay(*day.timetuple()[:3])]
    step = 1 if away >= 0 else -1
    here = score_nearest_day(day + timedelta(days=away), named)
    farther = score_nearest_day(day + timedelta(days=away + step), named)
    assert 0 <= farther <= here <= 2


@pytest.mark.parametrize("text", ["in May", "last march", "on 8 May", "in June", "since 2019"])
def test_a_month_after_a_word_that_leads_to_it_tells_a_time(text: str):
    assert count_time_words(f"I moved {text}") >= 1


@pytest.mark.parametrize("text", ["on Tue\u017fday", "Fr\u0131day", "na\u00efve, on Friday"])
def test_a_time_is_told_whatever_letters_tell_it(text: str):
    assert count_time_words(text) == 1
