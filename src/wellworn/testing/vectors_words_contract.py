"""The part of the vector index contract about points that are not embedded yet."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import numpy as np
import pytest

from wellworn.engines.storage.vectors import Labels, VectorIndex, Where
from wellworn.testing.vectors import axis, point, without_vector

_HERE = Where("meadow")
WORD_ROUNDING: Final = 1e-4
"""Of scores of words and names, whose last digits are left out."""
ROUNDING: Final = 1e-3
"""The most that rounding may move a cosine; in vectors of more dimensions it evens out."""


class WordsContract:
    """Behaviour of every index for points without a vector."""

    def test_a_point_without_a_vector_is_found_by_its_terms_alone(self, index: VectorIndex) -> None:
        index.upsert([point(1, -axis(0)), without_vector(point(2, axis(0), {7: 1.0}))])
        assert [hit.id for hit in index.candidates(axis(0), {}, _HERE, limit=5)] == [1]
        by_word = index.candidates(axis(0), {7: 1.0}, _HERE, limit=5)
        assert [(hit.id, hit.cosine, hit.has_vector) for hit in by_word] == [
            (2, 0.0, False),
            (1, pytest.approx(-1.0, abs=ROUNDING), True),
        ]
        assert by_word[0].keyword > 0
        among = Where("meadow", among=frozenset({2}))
        assert index.candidates(axis(0), {}, among, limit=5) == []
        assert index.count("meadow") == 2
        assert index.ids().tolist() == [1, 2]

    def test_ids_are_those_of_a_space_that_hold_a_term(self, index: VectorIndex) -> None:
        there = replace(point(5, axis(0), {7: 1.0}), labels=Labels("forest"))
        index.upsert([point(3, axis(0), {7: 1.0}), without_vector(point(2, axis(1), {7: 2.0}))])
        index.upsert([point(1, axis(0), {8: 1.0}), there])
        assert index.ids(term=7).tolist() == [2, 3, 5]
        assert index.ids("meadow").tolist() == [1, 2, 3]
        assert index.ids("meadow", 7).tolist() == [2, 3]
        index.upsert([point(3, axis(0), {9: 1.0})])
        index.delete([5])
        assert index.ids("meadow", 7).tolist() == [2]
        assert index.ids("forest", 7).tolist() == index.ids("moor", 7).tolist() == []
        assert index.ids("meadow", 7).dtype == np.int64

    def test_a_point_gets_and_loses_its_vector(self, index: VectorIndex) -> None:
        whole = point(2, axis(0), {7: 1.0})
        for stored, nearest in ((without_vector(whole), []), (whole, [2])) * 2:
            index.upsert([stored])
            assert [hit.id for hit in index.candidates(axis(0), {}, _HERE, limit=5)] == nearest
            assert [hit.id for hit in index.candidates(axis(0), {7: 1.0}, _HERE, limit=5)] == [2]
