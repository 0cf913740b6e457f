"""When a schedule fires next, in what words it is told, and what is wrong with it.

Five fields and no more: a field for seconds would let a slip of the hand ask a site every second.
In a zone with summer time a fixed hour that is skipped fires when the clocks have jumped, and one
that comes twice fires once, as Debian's cron does.

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
# A year whose successors hold every kind: with 29 February, and beginning on any day of the week.
_FROM = datetime(2024, 1, 1, tzinfo=UTC) - timedelta(seconds=1)
_UNTIL = datetime(2032, 1, 1, tzinfo=UTC)


def next_after(expression: str, after: datetime, zone: tzinfo = UTC) -> datetime:
    """Return the first moment later than `after`, in UTC, at which a schedule fires in a zone.

    Raises:
        ValueError: the expression is none that `schedule_problem` passes.
    """
    start = after.astimezone(zone)
    try:
        for moment in _simulated(expression, start):
            # An hour that comes twice can lead back to its first round.
            if (found := moment.astimezone(UTC)) > after:
                return found
    except CronSimError as error:
        raise ValueError("this is no schedule") from error
    raise ValueError("this schedule never fires")


def schedule_problem(expression: str, minimum_interval_s: float = 300.0) -> str | None:
    """Return what is wrong with a schedule as a sentence to show, or None.

    The interval is judged by the clock on the wall: the two days a year on which it jumps are
    passed over.
    """
    try:
        schedule = _simulated(expression, _FROM)
        next(schedule)
    except (CronSimError, StopIteration):
        return f"this is no schedule of five fields that ever fires{_EXAMPLE}"
    if _shortest_interval_s(schedule) < minimum_interval_s:
        return f"this fires more often than every {minimum_interval_s:g} seconds{_EXAMPLE}"
    return None


def schedule_in_words(expression: str) -> str:
    """Return a schedule as an English phrase, such as `At 03:00 every day`.

    Raises:
        ValueError: the expression is none that `schedule_problem` passes.
    """
    try:
        return _simulated(expression, _FROM).explain()
    except CronSimError as error:
        raise ValueError("this is no schedule") from error


def _simulated(expression: str, after: datetime) -> CronSim:
    if len(expression) > _LONGEST or len(expression.split()) != _FIELDS:
        raise CronSimError("Wrong number of fields")
    return CronSim(expression, after)


def _shortest_interval_s(schedule: CronSim) -> float:
    """Return the least number of seconds between two firings, here from the times of one day."""
    times = sorted(
        3600 * hour + 60 * minute for hour in schedule.hours for minute in schedule.minutes
    )
    within = min((later - earlier for earlier, later in pairwise(times)), default=inf)
    over_night = _DAY_S * _shortest_days(schedule) - (times[-1] - times[0])
    return min(within, over_night)


def _shortest_days(schedule: CronSim) -> int:
    """Return the least number of days between two days on which a schedule fires."""
    days = CronSim(" ".join(["0", "0", *schedule.parts[3:]]), _FROM)
    shortest, earlier = 366, None
    for moment in days:
        if earlier is not None:
            shortest = min(shortest, (moment - earlier).days)
        if shortest == 1 or moment > _UNTIL:
            break
        earlier = moment
    return shortest
