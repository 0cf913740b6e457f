"""The part of the vector index contract about questions whose meaning is not known."""

from __future__ import annotations

import numpy as np

from wellworn.engines.storage.vectors import VectorIndex, Where
from wellworn.testing.vectors import DIMENSIONS, point

_HERE = Where("meadow")


class QuestionsContract:
    """Behaviour of every index for questions that have words alone."""

    def test_a_question_without_a_meaning_is_asked_by_its_words(self, index: VectorIndex) -> None:
        index.upsert([point(1), point(2, terms={7: 1.0}), point(3), point(4, terms={8: 1.0})])
        nothing = np.zeros(DIMENSIONS, dtype=np.float32)
        assert index.candidates(nothing, {}, _HERE, limit=9) == []
        [hit] = index.candidates(nothing, {7: 1.0}, _HERE, limit=9)
        assert (hit.id, hit.cosine) == (2, 0.0)
        assert hit.keyword > 0
        [named] = index.candidates(nothing, {}, _HERE, limit=9, names={8: 1.0})
        assert (named.id, named.keyword) == (4, 0.0)
        assert named.name > 0
