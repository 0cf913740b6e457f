"""What an embedded index holds, and what it should hold."""

from __future__ import annotations

import pytest

from wellworn.engines.storage.vectors import VectorSettings, round_vector
from wellworn.engines.storage.vectors import shard as edge
from wellworn.testing.vectors import DIMENSIONS, SPACES

MANY = 600
# Tests wait for their builds, which would step back behind all other tests.
SETTINGS = VectorSettings(
    dimensions=DIMENSIONS, build_after=400, search_effort=1000, build_niceness=0
)


def held(index):
    """Read back every point, and what the index says it holds."""
    shard = index._shard
    page = edge.engine.ScrollRequest(0, 10_000, with_payload=True, with_vector=True)
    records, _ = shard.scroll(page)
    assert index.ids().tolist() == [record.id for record in records]
    for space in SPACES:
        assert index.count(space) == sum(r.payload["space"] == space for r in records)
    return {record.id: flat(record) for record in records}


def flat(record):
    terms = record.vector[edge.KEYWORDS]
    weights = dict(zip(terms.indices, terms.values, strict=True))
    return record.payload, record.vector[edge.MEANING], weights


def same(*batches, without=()):
    """Say what an index should hold after these batches."""
    expected = {one.id: one for batch in batches for one in batch if one.id not in without}
    return {
        one.id: (
            {
                "space": one.labels.space,
                "contributor": one.labels.contributor,
                "tags": sorted(one.labels.tags),
            },
            pytest.approx(round_vector(one.vector), abs=1e-6),
            one.terms,
        )
        for one in expected.values()
    }
