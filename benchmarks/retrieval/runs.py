"""Runs on disk: one JSON line for each question, so that two runs can be compared by question."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from benchmarks.retrieval.certainty import Difference
from benchmarks.retrieval.models import DataUnusable

ALL_TASKS = "all"


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two runs on the questions of a task that both were asked; the means are the runs' own."""

    task: str
    metric: str
    first: float
    second: float
    difference: Difference


def compared(first: Path, second: Path, metric: str) -> list[Comparison]:
    """Compare two runs, each a file or a folder of files, by task and, if several, in all.

    Raises:
        DataUnusable: a file is no run, or the runs share no question judged by this metric.
    """
    values, others = _values(first, metric), _values(second, metric)
    shared = sorted(values.keys() & others.keys())
    if not shared:
        raise DataUnusable(f"the two runs share no question that was judged by {metric}")
    by_task = {task: [key for key in shared if key[0] == task] for task, _ in shared}
    if len(by_task) > 1:
        by_task[ALL_TASKS] = shared
    return [
        _comparison(task, metric, [values[key] for key in keys], [others[key] for key in keys])
        for task, keys in by_task.items()
    ]


def _comparison(task: str, metric: str, first: list[float], second: list[float]) -> Comparison:
    means = sum(first) / len(first), sum(second) / len(second)
    return Comparison(task, metric, *means, Difference.between(first, second))


def _values(path: Path, metric: str) -> dict[tuple[str, str], float]:
    files: Iterable[Path] = sorted(path.glob("*.jsonl")) if path.is_dir() else [path]
    return {
        (record["task"], record["query"]): float(record["metrics"][metric])
        for file in files
        for record in _records(file)
        if metric in record["metrics"]
    }


def _records(file: Path) -> Iterator[dict[str, Any]]:
    with file.open(encoding="utf-8") as lines:
        for number, text in enumerate(lines, start=1):
            try:
                record: object = json.loads(text)
            except ValueError:
                record = None
            if not isinstance(record, dict) or not {"task", "query", "metrics"} <= record.keys():
                raise DataUnusable(f"{file.name}, line {number}, is no answer of a run")
            yield cast("dict[str, Any]", record)
