"""Knowledge: syncs, reading, search and resolver on real documentation; answers to question sets.

python -m benchmarks knowledge --docs FOLDER --chunks 30000 --keep FOLDER
python -m benchmarks answers --data FOLDER
"""

from __future__ import annotations

from benchmarks import (
    knowledge_answers,
    knowledge_extraction,
    knowledge_searching,
    knowledge_syncing,
)
from benchmarks.figures import Figure
from benchmarks.knowledge_texts import Docs
from benchmarks.run import Run

_FILES_OF_A_QUICK_RUN = 40


def measured(run: Run) -> list[Figure]:
    """Return what syncing, reading, searching and resolving cost."""
    if run.docs is None or not run.docs.is_dir():
        run.console.print("knowledge: skipped, --docs names no folder of documentation")
        return []
    docs = Docs.read(run.docs, most=_FILES_OF_A_QUICK_RUN if run.quick else None)
    return [
        *knowledge_syncing.measured(run, docs),
        *knowledge_extraction.measured(run, docs),
        *knowledge_searching.measured(run, docs),
    ]


def answered(run: Run) -> list[Figure]:
    """Return how often the answer is among what is found."""
    if run.data is None or not run.data.is_dir():
        run.console.print("answers: skipped, no folder in --data or WELLWORN_BENCH_DATA")
        return []
    return knowledge_answers.measured(run, run.data)
