"""LoCoMo through the running server: the task `locomo` of `retrieval`, with goals.

Each conversation gets a server of its own, for the default way of searching and once more for
vectors alone.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from benchmarks.figures import Figure
from benchmarks.memorybench import make, make_vector
from benchmarks.retrieval.certainty import Mean
from benchmarks.retrieval.models import Task
from benchmarks.retrieval.report import Report, reported
from benchmarks.retrieval.runner import Answer, answered
from benchmarks.retrieval.served import ServedMemory
from benchmarks.retrieval.tasks import load
from benchmarks.run import Run

TASK: Final = "locomo"
FILE: Final = "locomo/locomo10.json"
MEASURES: Final = {
    "turn recall@10": "recall@10",
    "turn nDCG@10": "ndcg@10",
    "session hit@5": "group.hit@5",
}
GOALS: Final = {"turn recall@10": 0.89, "turn nDCG@10": 0.76, "session hit@5": 0.96}


def measured(run: Run) -> list[Figure]:
    """Return the measures of both methods, by category for the default one."""
    if run.data is None or not (run.data / FILE).is_file():
        run.console.print(f"locomo: skipped, no {FILE} in --data or WELLWORN_BENCH_DATA")
        return []
    task = load(TASK, run.data, "all")
    task = replace(task, corpora=task.corpora[: 1 if run.quick else run.conversations])
    hybrid = _answers(run, task, make(), "hybrid")
    vector = _answers(run, task, make_vector(), "vector")
    figures = [_figure(name, hybrid, goal=GOALS[name]) for name in MEASURES]
    figures += [_figure(name, vector, prefix="vector alone: ") for name in MEASURES]
    for category in sorted({answer.category for answer in hybrid}):
        found = [answer for answer in hybrid if answer.category == category]
        figures += [_figure(name, found, prefix=f"{category}: ") for name in MEASURES]
    latencies = {"hybrid": reported(task, hybrid), "vector": reported(task, vector)}
    return figures + [_latency(method, report) for method, report in latencies.items()]


def _answers(run: Run, task: Task, memory: ServedMemory, method: str) -> list[Answer]:
    answers: list[Answer] = []
    with memory, run.progress(f"{task.name}, {method}", task.questions) as advance:
        for answer in answered(memory, task, prepare=memory.renew):
            answers.append(answer)
            advance(1)
    return answers


def _figure(
    name: str, answers: list[Answer], *, goal: float | None = None, prefix: str = ""
) -> Figure:
    mean = Mean.of([answer.metrics[MEASURES[name]] for answer in answers])
    note = f"95 % {mean.low:.3f} to {mean.high:.3f}, {mean.count} questions"
    if goal is None:
        return Figure(prefix + name, mean.value, note=note)
    return Figure.at_least(prefix + name, mean.value, goal, "", note)


def _latency(method: str, report: Report) -> Figure:
    note = f"p95 {report.p95_ms:.1f} ms; at most 50 results each"
    return Figure(f"answer p50, {method}", report.p50_ms, "ms", note=note)
