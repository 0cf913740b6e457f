from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from wellworn.engines.jobs import compute_next_run, describe_schedule, find_schedule_problem

BERLIN = ZoneInfo("Europe/Berlin")


def firings(expression, start, *, days, zone=UTC):
    moment, end = start, start + timedelta(days=days)
    while (moment := compute_next_run(expression, moment, zone)) < end:
        yield moment


@pytest.mark.parametrize(
    "expression",
    [
        "",
        "* * * *",
        "0 0 3 * * *",
        "@daily",
        "0 0 30 2 *",
        "0 0 31 2 *",
        "0 0 61 2 *",
        "61 * * * *",
        "0 24 * * *",
        "0 0 31 4,6 *",
        "*/0 * * * *",
        "0 3 * * " + "1" * 5_000,
    ],
)
def test_what_never_fires_is_refused_with_an_example(expression):
    problem = find_schedule_problem(expression)
    assert problem is not None
    assert "0 3 * * *" in problem


@pytest.mark.parametrize(
    ("expression", "is_fine"),
    [
        ("*/5 * * * *", True),
        ("*/4 * * * *", False),
        ("* * * * *", False),
        ("*/7 * * * *", False),  # from minute 56 to the full hour are four
        ("0,58 * * * *", False),
        ("0,58 0,23 * * *", False),  # over midnight
        ("0,58 0,23 * * MON", True),  # there is no midnight between two Mondays
        ("0,58 0,23 1,15 * *", True),
        ("0,58 0,23 28,1 * *", False),  # February has 28 days in most years
        ("0 0 29 2 *", True),
    ],
)
def test_five_minutes_lie_between_two_firings(expression, is_fine):
    assert (find_schedule_problem(expression) is None) is is_fine


def test_the_least_interval_is_the_callers():
    assert find_schedule_problem("*/5 * * * *", 301) is not None
    assert find_schedule_problem("* * * * *", 60) is None
    assert find_schedule_problem("0 3 * * *", 86_400) is None
    assert find_schedule_problem("0 3 * * *", 86_401) is not None
    assert find_schedule_problem("0 3 * * MON", 7 * 86_400) is None
    # 29 February is a Friday or a Sunday only after 2031.
    assert find_schedule_problem("0 3 29 2 SAT", 2 * 86_400) is not None


minutes = st.lists(st.integers(0, 59), min_size=1, max_size=3)
hours = st.lists(st.integers(0, 23), min_size=1, max_size=3)
day = st.sampled_from(["*", "1", "28,1", "*/2", "L", "31"])
weekday = st.sampled_from(["*", "MON", "0,1", "5L", "MON#1"])


@settings(max_examples=40)
@given(minutes, hours, day, weekday, st.sampled_from([120, 300, 3_600, 90_000]))
# The last Friday and the 31st are neighbours in August 2024, and not in the year before.
@example([0], [0], "31", "5L", 90_000)
def test_the_judgement_on_intervals_is_that_of_counting(minute, hour, day, weekday, least):
    expression = f"{','.join(map(str, minute))} {','.join(map(str, hour))} {day} * {weekday}"
    # Months of every length begin on every day of the week within eight years.
    midnights = firings(f"0 0 {day} * {weekday}", datetime(2023, 1, 1, tzinfo=UTC), days=2_922)
    times = {timedelta(hours=h, minutes=m) for h in hour for m in minute}
    found = sorted(midnight + time for midnight in midnights for time in times)
    shortest = min((later - earlier).total_seconds() for earlier, later in pairwise(found))
    assert (find_schedule_problem(expression, least) is None) == (shortest >= least)


@given(st.text(max_size=40) | st.text(alphabet="0123456789*/-,L#W MONJAN", max_size=40))
def test_any_text_is_a_schedule_or_told_to_be_none(text):
    if find_schedule_problem(text, 0) is None:
        assert compute_next_run(text, datetime(2026, 1, 1, tzinfo=UTC)).tzinfo is UTC
        assert describe_schedule(text)
    else:
        with pytest.raises(ValueError, match="schedule"):
            compute_next_run(text, datetime(2026, 1, 1, tzinfo=UTC))


def test_an_hour_is_that_of_the_zone():
    summer = datetime(2026, 7, 1, tzinfo=UTC)
    winter = datetime(2026, 1, 1, tzinfo=UTC)
    assert compute_next_run("0 3 * * *", summer, BERLIN) == datetime(2026, 7, 1, 1, tzinfo=UTC)
    assert compute_next_run("0 3 * * *", winter, BERLIN) == datetime(2026, 1, 1, 2, tzinfo=UTC)


def test_an_hour_that_is_skipped_fires_when_the_clocks_have_jumped():
    night = datetime(2026, 3, 28, 12, tzinfo=UTC)  # at 01:00 UTC the clocks go from 2 to 3
    found = list(firings("30 2 * * *", night, days=2, zone=BERLIN))
    assert found == [
        datetime(2026, 3, 29, 1, 0, tzinfo=UTC),
        datetime(2026, 3, 30, 0, 30, tzinfo=UTC),
    ]


def test_an_hour_that_comes_twice_fires_once():
    night = datetime(2026, 10, 24, 12, tzinfo=UTC)  # at 01:00 UTC the clocks go from 3 to 2
    found = list(firings("30 2 * * *", night, days=2, zone=BERLIN))
    assert found == [
        datetime(2026, 10, 25, 0, 30, tzinfo=UTC),
        datetime(2026, 10, 26, 1, 30, tzinfo=UTC),
    ]


def test_asked_within_the_second_round_of_an_hour_the_answer_lies_ahead():
    second_round = datetime(2026, 10, 25, 1, 15, tzinfo=UTC)
    assert compute_next_run("30 2 * * *", second_round, BERLIN) == datetime(
        2026, 10, 26, 1, 30, tzinfo=UTC
    )


def test_every_quarter_of_an_hour_stays_one_when_the_clocks_jump():
    for start in (datetime(2026, 3, 28, 12, tzinfo=UTC), datetime(2026, 10, 24, 12, tzinfo=UTC)):
        found = list(firings("*/15 * * * *", start, days=1, zone=BERLIN))
        assert {later - earlier for earlier, later in pairwise(found)} == {timedelta(minutes=15)}


@given(
    st.integers(1_580_000_000, 2_200_000_000),
    st.sampled_from(
        ["*/15 * * * *", "30 2 * * *", "0,30 1-3 * * *", "0 0 L * *", "15 */3 * * 1-5"]
    ),
    st.sampled_from(["Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kolkata"]),
)
def test_what_comes_next_is_always_later(moment, expression, zone):
    after = datetime.fromtimestamp(moment, tz=UTC)
    found = compute_next_run(expression, after, ZoneInfo(zone))
    assert found > after
    assert found.second == found.microsecond == 0


def test_a_schedule_is_told_in_words():
    assert describe_schedule("0 3 * * *") == "At 03:00 every day"
    with pytest.raises(ValueError, match="schedule"):
        describe_schedule("0 0 30 2 *")
