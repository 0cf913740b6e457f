"""Sixteen clients against one: what they get done together, and that every count is exact.

One server searches alone. Another with a copy of the memory starts a process that searches beside
it when it meets the crowd.
"""

from __future__ import annotations

import shutil
from collections import Counter

from benchmarks.figures import Figure, median
from benchmarks.filling import embedded, filled
from benchmarks.load import Job, Outcome, loaded
from benchmarks.processes import Server, serving
from benchmarks.run import Run
from benchmarks.texts import questions, thoughts
from benchmarks.wire import Caller

_MANY = 16
_ROUNDS = 3
_ROUND_S = 5.0
_MET_AFTER_S = 40.0
"""Longer than a server takes to meet a crowd and to start a process for it."""
_THOUGHTS = 5_000


def measured(run: Run) -> list[Figure]:
    """Return the throughputs, taken in turns, and by how much the counts are off."""
    size = run.samples(_THOUGHTS)
    seconds = 1.0 if run.quick else _ROUND_S
    home, copy = run.folder / "home", run.folder / "copy"
    with serving(home) as server:
        filled(run, server, thoughts(size), size)
        embedded(server)
    shutil.copytree(home, copy)
    with serving(home, WELLWORN_THOUGHTS__SEARCH_PROCESSES="0") as server, serving(copy) as beside:
        asked = questions(400, seed=_ROUNDS)
        first = loaded(Job(beside.port, asked, _MANY, 1.0 if run.quick else _MET_AFTER_S))
        rounds = [
            (*_round(server, seconds, number), *_round(beside, seconds, number))
            for number in range(_ROUNDS)
        ]
        off = _miscounted(server, [outcome for four in rounds for outcome in four[:2]])
        answered = [first, *(outcome for four in rounds for outcome in four[2:])]
        off_beside = _miscounted(beside, answered)
    one, many, one_beside, many_beside = (
        median([outcome.rate for outcome in outcomes]) for outcomes in zip(*rounds, strict=True)
    )
    note = f"{many:.0f}/s against {one:.0f}/s"
    return [
        Figure.at_least(
            "throughput of 16 clients against 1",
            many_beside / one_beside,
            1.8,
            "times",
            f"{many_beside:.0f}/s against {one_beside:.0f}/s in {size:,} thoughts",
        ),
        Figure("the same, of a server that searches alone", many / one, "times", note=note),
        Figure.at_most(
            "accesses miscounted", off + off_beside, 0, "", "sum over thoughts of the difference"
        ),
    ]


def _round(server: Server, seconds: float, number: int) -> tuple[Outcome, Outcome]:
    asked = questions(400, seed=number)
    single = loaded(Job(server.port, asked, 1, seconds))
    return single, loaded(Job(server.port, asked, _MANY, seconds))


def _miscounted(server: Server, outcomes: list[Outcome]) -> int:
    """Compare what the answers showed with what the memory says it showed, thought by thought."""
    returned: Counter[str] = Counter()
    for outcome in outcomes:
        returned.update(outcome.returned)
    with Caller(server.port) as caller:
        return sum(
            abs(caller.get(f"/api/v1/thoughts/{thought}")["access_count"] - count)
            for thought, count in returned.items()
        )
