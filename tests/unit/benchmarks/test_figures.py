"""How figures are read off samples, and whether they hold."""

from __future__ import annotations

from benchmarks.figures import Figure, median, quantile


def test_quantiles_are_values_that_occurred():
    assert median([3.0, 1.0, 2.0]) == 2.0
    assert quantile([*map(float, range(100))], 0.95) == 95.0
    assert quantile([7.0], 0.99) == 7.0


def test_a_figure_knows_whether_it_holds():
    assert Figure.at_most("p95", 50, 50, "ms").holds is True
    assert Figure.at_most("p95", 50.1, 50, "ms").holds is False
    assert Figure.at_least("recall", 0.679, 0.68, "").holds is False
    assert Figure("speed", 1).holds is None
