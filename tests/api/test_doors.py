"""What models and Python are told where nothing is close, and how times are written for models."""

from __future__ import annotations

import pytest

from api import walls
from api.world import accepted

NEAR = "Nothing known is close to this."
ODD = "zebra quantum xylophone?"


@pytest.fixture
def owner(world):
    owner = walls.founded(world)
    owner.know("The Marlin exporter listens on port 9100.")
    return owner


@pytest.mark.parametrize("shown", [{}, {"min_relevance": 0}])
def test_models_are_told_that_nothing_is_close(owner, shown):
    result = accepted(owner.tool("recall", query=ODD, **shown))["result"]
    assert NEAR in result["content"][0]["text"]
    assert bool(result["structuredContent"]["thoughts"]) is bool(shown)


def test_a_recall_is_one_line_of_the_trail(owner):
    before = len(owner.trail())
    owner.ask("Which port does the Marlin exporter listen on?", contribute="never")
    after = owner.trail()
    own = [entry for entry in after if entry["action"] != "audit.read"]
    assert len(after) - before <= 2
    assert len([entry for entry in own if entry["action"].startswith("memory.")]) == 1
