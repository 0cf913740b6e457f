"""Moments that are written, read again, and taken as a limit."""

from __future__ import annotations

import pytest

from wellworn.kit.clock import SystemClock, end_of, from_iso, to_iso


def test_a_moment_that_was_written_and_read_is_the_same_moment():
    moments = [SystemClock().now() for _ in range(200)]
    assert [from_iso(to_iso(moment)) for moment in moments] == moments


@pytest.mark.parametrize("day", ["2026-02-23", "20260223"])
def test_a_day_counts_to_its_end(day):
    assert end_of(day) == from_iso("2026-02-24")


@pytest.mark.parametrize("second", ["2026-02-23T15:00:07Z", "2026-02-23T16:00:07+01:00"])
def test_a_time_without_a_fraction_counts_to_the_end_of_its_second(second):
    assert from_iso("2026-02-23T15:00:07.999Z") < end_of(second) < from_iso("2026-02-23T15:00:08Z")


def test_a_time_with_a_fraction_is_that_moment():
    assert end_of("2026-02-23T15:00:07.250Z") == from_iso("2026-02-23T15:00:07.250Z")


@pytest.mark.parametrize("time", ["15:00:00", "15:00", "15:00:00.25"])
@pytest.mark.parametrize("between", ["T", " "])
def test_the_plus_of_a_zone_may_have_become_a_blank(between, time):
    moment = f"2026-02-23{between}{time}"
    assert from_iso(f"{moment} 01:00") == from_iso(f"{moment}+01:00")
    assert from_iso(moment) == from_iso(f"{moment}Z")


@pytest.mark.parametrize("text", ["2026-02-23 15:00 x", "15:00 01:00", "2026-02-23 15:00  01:00"])
def test_other_texts_with_a_blank_are_no_times(text):
    with pytest.raises(ValueError, match="isoformat"):
        from_iso(text)
