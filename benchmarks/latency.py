"""What an answer costs: over the embedding alone, and as the memory grows.

All memories are up at once and every question goes to each of them in turn, and to the encoder in
this process, so that whatever else the machine does falls on all alike.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field

from benchmarks.figures import Figure, median, quantile
from benchmarks.filling import embedded, filled
from benchmarks.processes import Server, serving
from benchmarks.run import Run
from benchmarks.texts import questions, thoughts
from benchmarks.wire import Caller
from wellworn.engines.embedding import EmbeddingSettings, MiniLM

_QUESTIONS = 400
_WARM_UP = 20
_USUAL = 10_000
_LARGE = 100_000
_LARGE_MB = 600


@dataclass
class Place:
    """A memory of a size, and the seconds each of its answers took."""

    size: int
    server: Server
    seconds: list[float] = field(default_factory=list)


def memory(run: Run) -> list[Figure]:
    """Return what a call costs over the embedding alone, in a memory of usual size."""
    size = min(run.sizes, key=lambda size: abs(size - _USUAL))
    with ExitStack() as stack:
        place = _opened(run, stack, size)
        embedding = _questioned(run, [place])
    return list_costs(place, embedding)


def scale(run: Run) -> list[Figure]:
    """Return the same for every size, and the largest against the smallest."""
    with ExitStack() as stack:
        places = [_opened(run, stack, size) for size in run.sizes]
        embedding = _questioned(run, places)
        figures = [figure for place in places for figure in list_costs(place, embedding)]
        figures += list_growth(places)
        return figures


def _opened(run: Run, stack: ExitStack, size: int) -> Place:
    server = stack.enter_context(serving(run.folder / f"of-{size}"))
    filled(run, server, thoughts(size), size)
    waited = embedded(server)
    run.console.print(f"{size:,} thoughts are in, and were embedded {waited:.0f} s later")
    return Place(size, server)


def _questioned(run: Run, places: list[Place]) -> list[float]:
    """Ask every place every question; return the seconds of embedding alone."""
    model = MiniLM(EmbeddingSettings())
    embedding: list[float] = []
    count = run.samples(_QUESTIONS)
    with ExitStack() as stack, run.progress("asking", count + _WARM_UP) as advance:
        callers = [stack.enter_context(Caller(place.server.port)) for place in places]
        for number, question in enumerate(questions(count + _WARM_UP)):
            began = time.perf_counter()
            model.encode_query(question)
            took = time.perf_counter() - began
            answers = [caller.asked(question)[0] for caller in callers]
            advance(1)
            if number < _WARM_UP:
                continue
            embedding.append(took)
            for place, seconds in zip(places, answers, strict=True):
                place.seconds.append(seconds)
    return embedding


def list_costs(place: Place, embedding: list[float]) -> list[Figure]:
    """Return what an answer costs, over the seconds of embedding alone and against them."""
    middle, base = 1e3 * median(place.seconds), 1e3 * median(embedding)
    note = f"p95 {1e3 * quantile(place.seconds, 0.95):.1f}; embedding alone {base:.1f}"
    name = f"memory p50, {place.size:,} thoughts"
    over = f"memory p50 over embedding, {place.size:,} thoughts"
    against = f"memory p50 against its embedding, {place.size:,} thoughts"
    if place.size != _USUAL:
        return [
            Figure(name, middle, "ms", note=note),
            Figure(over, middle - base, "ms"),
            Figure(against, middle / base, "times"),
        ]
    return [
        Figure(name, middle, "ms", note=note),
        Figure.at_most(over, middle - base, 5, "ms"),
        Figure.at_most(against, middle / base, 2, "times"),
    ]


def list_growth(places: Sequence[Place]) -> list[Figure]:
    """Return what the largest of memories, which comes last, costs against smaller ones."""
    small, large = places[0], places[-1]
    ratio = median(large.seconds) / median(small.seconds)
    slowest = 1e3 * quantile(large.seconds, 0.95)
    megabytes = large.server.resident_mb()
    resident = f"resident memory at {large.size:,}"
    return [
        Figure.at_most(f"p50 at {large.size:,} against {small.size:,}", ratio, 1.5, "times"),
        *(
            Figure.at_most(
                f"p95 at {large.size:,} against p50 at {place.size:,}",
                slowest / (1e3 * median(place.seconds)),
                1.5,
                "times",
            )
            for place in places[:-1]
            if place.size == _USUAL
        ),
        Figure.at_most(f"recall p95 at {large.size:,}", slowest, 50, "ms", "embedding included"),
        Figure.at_most(resident, megabytes, _LARGE_MB, "MB")
        if large.size == _LARGE
        else Figure(resident, megabytes, "MB"),
    ]
