"""Checks that a vector index holds its points over a restart, as a suite to run over each.

A test module subclasses `PersistentContract` and gives it `open_index`.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from wellworn.engines.storage.vectors import VectorIndex, Where
from wellworn.testing.vectors import SPACES, axis, point, points, vector


class PersistentContract:
    """Behaviour of an index that outlives its process; `open_index` opens the same one again."""

    @pytest.fixture
    def open_index(self) -> Callable[[], VectorIndex]:
        raise NotImplementedError

    def test_opening_again_finds_everything(self, open_index: Callable[[], VectorIndex]) -> None:
        index = open_index()
        index.upsert(points(1, 60))
        index.upsert([point(3, axis(0), {1: 1.0})])
        index.delete([5, 6])
        before = answers(index)
        index.close()
        again = open_index()
        assert answers(again) == before
        again.close()


def answers(index: VectorIndex) -> list[object]:
    """Return all answers of an index of at most 1,000 points, to compare two states of it."""
    state: list[object] = [index.ids().tolist()]
    for space in SPACES:
        state.append(index.count(space))
        for seed in range(3):
            terms = {seed: 1.0, seed + 5: 0.5}
            candidates = sorted(index.candidates(vector(seed), terms, Where(space), limit=1000))
            state += [(hit.id, round(hit.cosine, 3), round(hit.keyword, 3)) for hit in candidates]
    return state
