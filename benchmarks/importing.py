"""Bulk import of conversation turns, embedding included, and the same import sent once more."""

from __future__ import annotations

from benchmarks.figures import Figure
from benchmarks.filling import filled
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
        first = filled(run, server, records, count)
        again = filled(run, server, records, count)
    note = f"{count:,} turns of {words:.0f} words on average"
    return [
        Figure.at_least("bulk import, embedding included", count / first, 150, "/s", note),
        Figure("the same import again, all known", count / again, "/s"),
    ]
