"""Figures: what was measured beside what is to be reached, as a table and as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from rich.table import Table

from benchmarks.machine import Machine


@dataclass(frozen=True)
class Figure:
    """One measured value; `holds` is None where nothing is to be reached."""

    name: str
    value: float
    unit: str = ""
    goal: str = ""
    holds: bool | None = None
    note: str = ""

    @classmethod
    def at_most(cls, name: str, value: float, limit: float, unit: str, note: str = "") -> Figure:
        """Return a figure that is not to exceed a limit."""
        return cls(name, value, unit, f"at most {limit:g}", value <= limit, note)

    @classmethod
    def at_least(cls, name: str, value: float, limit: float, unit: str, note: str = "") -> Figure:
        """Return a figure that is to reach a limit."""
        return cls(name, value, unit, f"at least {limit:g}", value >= limit, note)


def quantile(values: Sequence[float], share: float) -> float:
    """Return the smallest value that `share` of the values do not exceed."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def median(values: Sequence[float]) -> float:
    """Return the middle value."""
    return quantile(values, 0.5)


def shown(title: str, figures: Sequence[Figure]) -> Table:
    """Return the figures as a table for people."""
    table = Table(title=title, title_justify="left", title_style="bold")
    for heading in ("figure", "to reach", "measured", "holds", "note"):
        right = heading == "measured"
        table.add_column(heading, justify="right" if right else "left", no_wrap=right)
    for figure in figures:
        holds = {None: "", True: "[green]yes[/green]", False: "[red]no[/red]"}[figure.holds]
        measured = f"{_number(figure.value)} {figure.unit}".strip()
        table.add_row(figure.name, figure.goal, measured, holds, figure.note)
    return table


def as_json(machine: Machine, figures: Sequence[Figure]) -> dict[str, Any]:
    """Return everything for a file."""
    return {"machine": asdict(machine), "figures": [asdict(figure) for figure in figures]}


def _number(value: float) -> str:
    if value == int(value):
        return f"{int(value):,}"
    return f"{value:.3f}" if abs(value) < 10 else f"{value:.1f}"  # noqa: PLR2004 — two scales of reading
