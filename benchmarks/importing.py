"""Bulk import of conversation turns until found by words and by meaning, and the same once more."""

from __future__ import annotations

import time

from benchmarks.figures import Figure
from benchmarks.filling import embedded, filled
from benchmarks.processes import serving
from benchmarks.run import Run
from benchmarks.texts import turns

_TURNS = 6_000


def measured(run: Run) -> list[Figure]:
    """Return the thoughts a second of a first import and of a repeated one."""
    count = run.samples(_TURNS)
    records = list(turns(count))
    words = sum(len(record["content"].split()) for record in records) / count
    with serving(run.folder / "home") as server:
        began = time.perf_counter()
        first = filled(run, server, records, count)
        again = filled(run, server, records, count)
        embedded(server)
        whole = time.perf_counter() - began - again
    note = f"{count:,} turns of {words:.0f} words on average"
    return [
        Figure.at_least("bulk import, until found by words", count / first, 1_500, "/s", note),
        Figure("the same, until embedded", count / whole, "/s"),
        Figure("the same import again, all known", count / again, "/s"),
    ]
