"""The trail of a thought as bars: what is known, once each, over no more days than there are."""

from __future__ import annotations

import pytest

from wellworn.interfaces.web.pages.thought import draw_trail


class Read:
    def __init__(self, day: int) -> None:
        self.timestamp = f"2026-03-{day:02}T12:00:00Z"


class Trail:
    created_at = "2026-03-01T08:00:00Z"

    def __init__(self, *days: int, more: int = 0) -> None:
        self.access_log = [Read(day) for day in days]
        self.access_count = len(days) + more


def test_nothing_read_draws_nothing():
    assert draw_trail(Trail()) == []


def test_each_day_from_the_first_has_a_bar():
    bars = draw_trail(Trail(2, 2, 4))
    assert [(bar.day, bar.reads) for bar in bars] == [
        ("2026-03-01", 0),
        ("2026-03-02", 2),
        ("2026-03-03", 0),
        ("2026-03-04", 1),
    ]


def test_of_a_longer_trail_the_bars_begin_with_what_is_known():
    [first, *_] = draw_trail(Trail(10, 12, more=50))
    assert first.day == "2026-03-10"


@pytest.mark.parametrize("last", ["2026-04-20", "2029-01-01", "2126-01-01"])
def test_however_long_it_is_no_read_is_lost_and_few_bars_are_drawn(last):
    trail = Trail(1, 2, 28)
    trail.access_log.append(Read(1))
    trail.access_log[-1].timestamp = f"{last}T12:00:00Z"
    trail.access_count += 1
    bars = draw_trail(trail)
    assert sum(bar.reads for bar in bars) == 4
    assert len(bars) <= 31
    assert bars[-1].reads == 1
