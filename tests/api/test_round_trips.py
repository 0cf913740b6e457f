"""How often a call waits for PostgreSQL: each time it does, the network's delay is added to it."""

from __future__ import annotations

import pytest

from api.conftest import Worlds
from postgres import count_round_trips
from wellworn.testing.embedder import HashEmbedder

READ_BEFORE = 12


@pytest.fixture
def warm(opened):
    """A server that was asked before, and knows notes that share words."""
    world = Worlds(opened.home, opened.stack, in_postgresql=True)(HashEmbedder())
    for number in range(READ_BEFORE):
        world.ask(f"The cedar lantern number {number} hangs at harbour {number}.", "ann")
        world.ask(f"where does the cedar lantern number {number} hang?", "bob")
    return world


@pytest.mark.parametrize(
    ("prompt", "most"),
    [
        # What others changed, who may be asked for, neighbours, what was found and what is true of
        # it, its words; who asks, the trail, the highways, the commit.
        ("where does the cedar lantern number 3 hang?", 8),
        # Known tags and marks of words; what is said already, the thought, the index.
        ("The boat of the cedar lantern lies at the east pier.", 8),
        ("The boat with the #lantern lies at the #east pier.", 8),
    ],
)
def test_a_call_waits_for_the_database_so_often(warm, prompt, most):
    with count_round_trips() as trips:
        warm.ask(prompt, "bob")
    assert len(trips) <= most, trips
