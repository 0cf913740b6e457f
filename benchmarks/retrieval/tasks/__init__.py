"""The public data sets as tasks: one module for each family, one table of all."""

from __future__ import annotations

from benchmarks.retrieval.tasks.catalogue import TASKS, Entry, load
from benchmarks.retrieval.tasks.splits import Split

__all__ = ["TASKS", "Entry", "Split", "load"]
