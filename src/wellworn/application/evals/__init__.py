"""Measuring retrieval on public data: what is asked, how it is judged, and by what it is known.

A system is two methods, `index` and `search`, so that anything can be measured like wellworn.
`tasks` has the data sets, `metrics` the metrics.

Source: issue 4, point 8.
"""

from __future__ import annotations

from wellworn.application.evals.knowledge import Evaluation, evaluated
from wellworn.application.evals.knowledge_questions import Asked, questions
from wellworn.application.evals.models import DataUnusable, Task
from wellworn.application.evals.report import Report, reported
from wellworn.application.evals.runner import Answer, answered
from wellworn.application.evals.runs import Comparison, compared
from wellworn.application.evals.served import ServedMemory
from wellworn.application.evals.tasks import TASKS, load

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
