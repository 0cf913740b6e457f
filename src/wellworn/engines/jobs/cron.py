"""Cron schedules: validation, the next run, and a description in English.

Exactly five fields: with a field for seconds, a typo could poll a site every second. Around
daylight saving time, as in Debian's cron, a skipped fixed hour fires after the clocks have jumped,
and a repeated one fires once.

Source: cronsim (the schedules of healthchecks.io); crontab(5).
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, tzinfo
from itertools import pairwise
from math import inf

from cronsim import CronSim, CronSimError

_FIELDS = 5
_LONGEST = 100
_DAY_S = 86_400
_EXAMPLE = '; write for example "0 3 * * *" for 3 o\'clock every night'
# The calendar repeats itself after 28 years.
_FROM = datetime(2024, 1, 1, tzinfo=UTC) - timedelta(seconds=1)
_UNTIL = datetime(2052, 1, 1, tzinfo=UTC)


def compute_next_run(expression: str, after: datetime, zone: tzinfo = UTC) -> datetime:
    """Return the first moment after `after`, in UTC, at which a schedule fires in a time zone.

    Raises:
        ValueError: the expression is none that `schedule_problem` passes.
    """
    start = after.astimezone(zone)
    try:
        for moment in _simulate(expression, start):
            # An hour that comes twice can lead back to its first round.
            if (moment_utc := moment.astimezone(UTC)) > after:
                return moment_utc
    except CronSimError as error:
        raise ValueError("this is no schedule") from error
    raise ValueError("this schedule never fires")


def find_schedule_problem(expression: str, minimum_interval_s: float = 300.0) -> str | None:
    """Return what is wrong with a schedule as a sentence for users, or None.

    The interval is judged by wall-clock time; the two days a year on which it jumps are ignored.
    """
    try:
        schedule = _simulate(expression, _FROM)
        next(schedule)
    except (CronSimError, StopIteration):
        return f"this is no schedule of five fields that ever fires{_EXAMPLE}"
    if _compute_shortest_interval_s(schedule) < minimum_interval_s:
        return f"this fires more often than every {minimum_interval_s:g} seconds{_EXAMPLE}"
    return None


def describe_schedule(expression: str) -> str:
    """Return a schedule as an English phrase, such as `At 03:00 every day`.

    Raises:
        ValueError: the expression is none that `schedule_problem` passes.
    """
    try:
        return _simulate(expression, _FROM).explain()
    except CronSimError as error:
        raise ValueError("this is no schedule") from error


def _simulate(expression: str, after: datetime) -> CronSim:
    if len(expression) > _LONGEST or len(expression.split()) != _FIELDS:
        raise CronSimError("Wrong number of fields")
    return CronSim(expression, after)


def _compute_shortest_interval_s(schedule: CronSim) -> float:
    """Return the shortest interval between two firings, in seconds."""
    times = sorted(
        3600 * hour + 60 * minute for hour in schedule.hours for minute in schedule.minutes
    )
    within = min((later - earlier for earlier, later in pairwise(times)), default=inf)
    over_night = _DAY_S * _compute_shortest_days(schedule) - (times[-1] - times[0])
    return min(within, over_night)


def _compute_shortest_days(schedule: CronSim) -> int:
    """Return the fewest days between two days on which a schedule fires."""
    days = CronSim(" ".join(["0", "0", *schedule.parts[3:]]), _FROM)
    shortest, earlier = 366, None
    for moment in days:
        if earlier is not None:
            shortest = min(shortest, (moment - earlier).days)
        if shortest == 1 or moment > _UNTIL:
            break
        earlier = moment
    return shortest
