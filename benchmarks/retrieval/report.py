"""What a run says in all: means, intervals, latency, pace."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

import numpy as np

from benchmarks.retrieval.certainty import Mean
from benchmarks.retrieval.models import Task
from benchmarks.retrieval.runner import Answer


@dataclass(frozen=True, slots=True)
class Category:
    """The primary metric over the questions of one kind."""

    mean: float
    questions: int


@dataclass(frozen=True, slots=True)
class Report:
    """One task's figures.

    Attributes:
        task: its name.
        split: "dev", "test" or "all".
        corpora: haystacks that were indexed.
        units: what they hold together.
        questions: how many were asked.
        primary: name of the metric that the task is known by.
        mean: the mean of that metric, with its interval.
        metrics: the means of all metrics, by name.
        categories: the primary metric by kind of question.
        p50_ms: median time of an answer.
        p95_ms: what 19 of 20 answers do not exceed.
        units_per_s: units indexed in a second, embedding included.
    """

    task: str
    split: str
    corpora: int
    units: int
    questions: int
    primary: str
    mean: Mean
    metrics: dict[str, float]
    categories: dict[str, Category]
    p50_ms: float
    p95_ms: float
    units_per_s: float


def reported(task: Task, answers: Sequence[Answer]) -> Report:
    """Sum up the answers to a task, of which there is at least one."""
    units = {corpus.id: len(corpus.docs) for corpus in task.corpora}
    pace = {answer.corpus: answer.index_seconds_per_doc for answer in answers}
    seconds = sum(units[corpus] * each for corpus, each in pace.items())
    p50, p95 = np.quantile([answer.seconds for answer in answers], (0.5, 0.95))
    return Report(
        task=task.name,
        split=task.split,
        corpora=len(task.corpora),
        units=task.units,
        questions=len(answers),
        primary=task.primary,
        mean=Mean.of([answer.metrics[task.primary] for answer in answers]),
        metrics={
            name: fmean(answer.metrics[name] for answer in answers) for name in answers[0].metrics
        },
        categories=_by_category(task.primary, answers),
        p50_ms=1e3 * float(p50),
        p95_ms=1e3 * float(p95),
        units_per_s=task.units / seconds if seconds else 0.0,
    )


def _by_category(metric: str, answers: Sequence[Answer]) -> dict[str, Category]:
    values: defaultdict[str, list[float]] = defaultdict(list)
    for answer in answers:
        values[answer.category].append(answer.metrics[metric])
    return {name: Category(fmean(found), len(found)) for name, found in sorted(values.items())}
