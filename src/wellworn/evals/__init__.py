"""Measuring retrieval on public data: what is asked, how it is judged, and by what it is known.

A system is two methods, `index` and `search`, so that anything can be measured like wellworn.
`wellworn.evals.tasks` has the data sets, `wellworn.evals.metrics` the metrics.

Source: issue 4, point 8.
"""

from __future__ import annotations

from wellworn.evals.knowledge import Evaluation, evaluated
from wellworn.evals.knowledge_questions import Asked, questions
from wellworn.evals.models import DataUnusable, Task
from wellworn.evals.report import Report, reported
from wellworn.evals.runner import Answer, answered
from wellworn.evals.runs import Comparison, compared
from wellworn.evals.served import ServedMemory
from wellworn.evals.tasks import TASKS, load

__all__ = [
    "TASKS",
    "Answer",
    "Asked",
    "Comparison",
    "DataUnusable",
    "Evaluation",
    "Report",
    "ServedMemory",
    "Task",
    "answered",
    "compared",
    "evaluated",
    "load",
    "questions",
    "reported",
]
