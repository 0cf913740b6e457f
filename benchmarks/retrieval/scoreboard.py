"""What `retrieval` prints for people: a table for each task, comparisons, the list."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

from rich.console import Console
from rich.table import Table

from benchmarks.retrieval.report import Report
from benchmarks.retrieval.runs import Comparison
from wellworn.interfaces.cli.output import clean

_NARROWEST = 110
_COLUMNS = (
    *("hit@1", "hit@5", "hit@10", "recall@5", "recall@10"),
    *("all@5", "all@10", "ndcg@10", "mrr@10"),
)
_GROUP = "group."


def show_report(report: Report, units: str) -> None:
    """Print one task: its figures by unit and by group, then what one line can say of the rest."""
    sizes = (
        f"{report.units:,} {units} in {_counted(report.corpora)}, {report.questions:,} questions"
    )
    table = _table(f"{report.task}, {report.split}: {sizes}", "judged by", *_COLUMNS)
    table.add_row(units, *_row(report.metrics, ""))
    if any(name.startswith(_GROUP) for name in report.metrics):
        table.add_row("group", *_row(report.metrics, _GROUP))
    mean = report.mean
    lines = [f"{report.primary} {mean.value:.3f}, 95 % {mean.low:.3f} to {mean.high:.3f}"]
    if len(report.categories) > 1:
        kinds = report.categories.items()
        told = [f"{clean(name)} {kind.mean:.3f} of {kind.questions}" for name, kind in kinds]
        lines.append(f"by kind: {', '.join(told)}")
    pace = f"{report.units_per_s:,.0f} {units}/s indexed"
    lines.append(f"answer p50 {report.p50_ms:.1f} ms, p95 {report.p95_ms:.1f} ms; {pace}")
    _print(table, *lines, "")


def show_comparisons(comparisons: Iterable[Comparison], names: tuple[Path, Path]) -> None:
    """Print the difference of two runs, task by task."""
    first, second = (clean(name.name) for name in names)
    title = f"{first} against {second}, on the questions that both were asked"
    headings = ("A", "B", "A - B", "95 %", "questions", "better", "worse", "p")
    table = _table(title, "task", "metric", *headings)
    for one in comparisons:
        mean = one.difference.mean
        table.add_row(
            *(clean(one.task), one.metric, f"{one.first:.3f}", f"{one.second:.3f}"),
            *(f"{mean.value:+.3f}", f"{mean.low:+.3f} to {mean.high:+.3f}", f"{mean.count:,}"),
            *(f"{one.difference.better:,}", f"{one.difference.worse:,}"),
            f"{one.difference.p:.4f}",
        )
    _print(table)


def show_tasks(tasks: Iterable[Mapping[str, str]]) -> None:
    """Print the tasks there are, each a mapping with the same keys."""
    listed = list(tasks)
    table = Table(*listed[0], title="tasks", title_justify="left")
    for task in listed:
        table.add_row(*task.values())
    _print(table)


def _table(title: str, *headings: str) -> Table:
    table = Table(title=title, title_justify="left")
    for number, heading in enumerate(headings):
        table.add_column(heading, justify="right" if number else "left", no_wrap=True)
    return table


def _row(metrics: Mapping[str, float], prefix: str) -> list[str]:
    found = [metrics.get(prefix + name) for name in _COLUMNS]
    return ["" if value is None else f"{value:.3f}" for value in found]


def _counted(corpora: int) -> str:
    return "1 corpus" if corpora == 1 else f"{corpora} corpora"


def _print(table: Table, *lines: str) -> None:
    console = Console(file=sys.stdout, markup=False, highlight=False)
    if not console.is_terminal:
        console.width = max(console.width, _NARROWEST)
    console.print(table)
    for line in lines:
        console.print(line)
