"""The public data sets as tasks: one module for each family, one table of all.

Source: issue 4, point 8.
"""

from __future__ import annotations

from wellworn.application.evals.tasks.catalogue import TASKS, Entry, load
from wellworn.application.evals.tasks.splits import Split

__all__ = ["TASKS", "Entry", "Split", "load"]
