"""`observability/daily/`: what a user's turns of a day came to, one file a day.

Each turn is counted once, also when it is saved again after a crash.

Source: the specification of document IO, section 13.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, Final

from pydantic import TypeAdapter, ValidationError

from wellworn.domain.turns.files import Vault
from wellworn.domain.turns.models import Turn, TurnStatus
from wellworn.domain.turns.webpages import read_json, write_json
from wellworn.kit.clock import format_day

FOLDER: Final = "observability/daily"


@dataclass(frozen=True, slots=True)
class DailyMetrics:
    """The turns that ended on a day, UTC.

    Attributes:
        total_duration_ms: of all phases of all turns.
        longest_duration_ms: of the slowest turn.
        turn_numbers: of those that are counted.
    """

    day: str
    turns: int = 0
    done: int = 0
    clarify: int = 0
    failed: int = 0
    total_duration_ms: float = 0.0
    longest_duration_ms: float = 0.0
    tool_calls: int = 0
    evidence: int = 0
    revisions: int = 0
    retries: int = 0
    turn_numbers: tuple[int, ...] = ()

    @property
    def mean_duration_ms(self) -> float:
        return round(self.total_duration_ms / self.turns, 1) if self.turns else 0.0


_DAY: Final = TypeAdapter(DailyMetrics)


def count_turn(vault: Vault, turn: Turn, metrics: Mapping[str, Any]) -> None:
    """Add an ended turn to its day, once."""
    day = format_day(turn.ended_at or turn.created_at)
    known = read_day(vault, day) or DailyMetrics(day)
    if turn.number not in known.turn_numbers:
        write_day(vault, add_turn(known, turn, metrics))


def add_turn(day: DailyMetrics, turn: Turn, metrics: Mapping[str, Any]) -> DailyMetrics:
    """Return a day with one more turn."""
    duration_ms = float(metrics["total_duration_ms"])
    return replace(
        day,
        turns=day.turns + 1,
        done=day.done + (turn.status is TurnStatus.DONE),
        clarify=day.clarify + (turn.status is TurnStatus.CLARIFY),
        failed=day.failed + (turn.status is TurnStatus.FAILED),
        total_duration_ms=round(day.total_duration_ms + duration_ms, 1),
        longest_duration_ms=max(day.longest_duration_ms, duration_ms),
        tool_calls=day.tool_calls + int(metrics["tool_calls"]),
        evidence=day.evidence + int(metrics["evidence"]),
        revisions=day.revisions + int(metrics["revisions"]),
        retries=day.retries + int(metrics["retries"]),
        turn_numbers=(*day.turn_numbers, turn.number),
    )


def write_day(vault: Vault, day: DailyMetrics) -> None:
    data = asdict(day) | {"mean_duration_ms": day.mean_duration_ms}
    write_json(vault, f"{FOLDER}/{day.day}.json", data)


def read_day(vault: Vault, day: str) -> DailyMetrics | None:
    """Return a day; None where there is no file, or people made something else of it."""
    data = read_json(vault, f"{FOLDER}/{day}.json")
    try:
        return _DAY.validate_python(data)
    except ValidationError:
        return None


def read_days(vaults: Iterable[Vault], *, limit: int) -> list[DailyMetrics]:
    """Return the newest days of one or several users, each of all of them, newest first."""
    known = {vault: _list_days(vault) for vault in vaults}
    newest = sorted({day for days in known.values() for day in days}, reverse=True)[:limit]
    read = [
        day
        for vault, days in known.items()
        for name in days
        if name in newest and (day := read_day(vault, name))
    ]
    return join_days(read)


def _list_days(vault: Vault) -> list[str]:
    paths = vault.list_paths(FOLDER)
    return [path.rpartition("/")[2].removesuffix(".json") for path in paths]


def join_days(days: Iterable[DailyMetrics]) -> list[DailyMetrics]:
    """Return the days of several users as one each, newest first."""
    joined: dict[str, DailyMetrics] = {}
    for day in days:
        known = joined.get(day.day, DailyMetrics(day.day))
        joined[day.day] = DailyMetrics(
            day=day.day,
            turns=known.turns + day.turns,
            done=known.done + day.done,
            clarify=known.clarify + day.clarify,
            failed=known.failed + day.failed,
            total_duration_ms=round(known.total_duration_ms + day.total_duration_ms, 1),
            longest_duration_ms=max(known.longest_duration_ms, day.longest_duration_ms),
            tool_calls=known.tool_calls + day.tool_calls,
            evidence=known.evidence + day.evidence,
            revisions=known.revisions + day.revisions,
            retries=known.retries + day.retries,
        )
    return sorted(joined.values(), key=lambda day: day.day, reverse=True)
