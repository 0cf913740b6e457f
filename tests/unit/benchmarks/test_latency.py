"""Which figures a memory's size is held to."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from benchmarks.latency import Place, list_costs, list_growth


def place(size: int, milliseconds: float) -> Place:
    server = SimpleNamespace(resident_mb=lambda: 601.0)
    return Place(size, server, [milliseconds / 1e3] * 20)  # type: ignore[arg-type]


@pytest.mark.parametrize(("size", "holds"), [(10_000, False), (1_000, None)])
def test_a_call_is_held_to_twice_its_embedding_in_a_memory_of_usual_size(size, holds):
    figures = {figure.name: figure for figure in list_costs(place(size, 21.0), [0.01] * 20)}
    against = figures[f"memory p50 against its embedding, {size:,} thoughts"]
    assert (round(against.value, 3), against.holds) == (2.1, holds)


def test_a_large_memory_is_held_to_one_of_usual_size():
    places = [place(1_000, 10.0), place(10_000, 20.0), place(100_000, 29.0)]
    figures = {figure.name: figure for figure in list_growth(places)}
    slowest = figures["p95 at 100,000 against p50 at 10,000"]
    assert (round(slowest.value, 3), slowest.holds) == (1.45, True)
    assert figures["p50 at 100,000 against 1,000"].holds is False
    assert figures["resident memory at 100,000"].holds is False
    assert {figure.holds for figure in list_growth(places[:1])[1:]} == {True, None}
