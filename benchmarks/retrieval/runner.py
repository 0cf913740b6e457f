"""Asking a system every question of a task, one corpus after the other."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Final

from benchmarks.retrieval.metrics import collapsed, scores
from benchmarks.retrieval.models import Query, System, Task

UNIT_METRICS: Final = (
    *("hit@5", "hit@10", "recall@5", "recall@10"),
    *("all@10", "ndcg@10", "mrr@10"),
)
GROUP_METRICS: Final = (
    *("hit@1", "hit@5", "recall@5", "all@5", "recall@10"),
    *("all@10", "ndcg@10", "ndcg_lme@10"),
)
DEPTH: Final = 100
"""Results asked for; groups are judged by all of them."""
_SHOWN: Final = 10


@dataclass(frozen=True, slots=True)
class Answer:
    """One question's result; a line of the files that runs are compared by.

    Attributes:
        query: the question's id, unique in its task.
        seconds: from question to ids.
        index_seconds_per_doc: of the corpus that was asked.
        top: the first ten ids, best first.
        metrics: by name, such as `recall@10` and `group.hit@5`; 0 to 1.
    """

    task: str
    corpus: str
    query: str
    category: str
    seconds: float
    index_seconds_per_doc: float
    top: tuple[str, ...]
    metrics: dict[str, float]

    def as_line(self) -> str:
        """Return the answer as a line of a file, its end included."""
        return json.dumps(asdict(self), ensure_ascii=False) + "\n"


def answered(
    system: System, task: Task, *, prepare: Callable[[], None] = lambda: None
) -> Iterator[Answer]:
    """Index each corpus, ask its questions, and yield each answer as it comes.

    Args:
        system: what is measured.
        task: what it is asked.
        prepare: called before each corpus, off the clock.

    Raises:
        ValueError: the system returned the same unit twice.
    """
    for corpus in task.corpora:
        prepare()
        began = time.perf_counter()
        system.index(corpus.docs)
        pace = (time.perf_counter() - began) / max(len(corpus.docs), 1)
        groups = corpus.groups()
        for query in corpus.queries:
            seconds, ranking = _asked(system, query)
            yield Answer(
                task=task.name,
                corpus=corpus.id,
                query=query.id,
                category=query.category,
                seconds=seconds,
                index_seconds_per_doc=pace,
                top=tuple(ranking[:_SHOWN]),
                metrics=_judged(ranking, query, groups if task.grouped else {}),
            )


def _asked(system: System, query: Query) -> tuple[float, Sequence[str]]:
    began = time.perf_counter()
    ranking = system.search(query.text, DEPTH, asked_at=query.asked_at)
    seconds = time.perf_counter() - began
    if len(set(ranking)) != len(ranking):
        raise ValueError(f"{query.id}: the answer holds a unit twice")
    return seconds, ranking


def _judged(ranking: Sequence[str], query: Query, groups: dict[str, str]) -> dict[str, float]:
    found = scores(ranking, query.relevant, UNIT_METRICS)
    if not groups:
        return found
    relevant = frozenset(groups[unit] for unit in query.relevant)
    by_group = scores(collapsed(ranking, groups), relevant, GROUP_METRICS)
    return found | {f"group.{name}": value for name, value in by_group.items()}
