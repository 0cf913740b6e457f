"""What models and Python are told where nothing is close, and how times are written for models."""

from __future__ import annotations

import pytest

from api import walls
from api.world import accepted

NEAR = "Nothing known is close to this."
ODD = "zebra quantum xylophone?"


@pytest.fixture
def owner(meaning):
    owner = walls.founded(meaning)
    owner.know("The Marlin exporter listens on port 9100.")
    return owner


@pytest.mark.parametrize("shown", [{}, {"min_relevance": 0}])
def test_models_are_told_that_nothing_is_close(owner, shown):
    result = accepted(owner.tool("recall", query=ODD, **shown))["result"]
    assert NEAR in result["content"][0]["text"]
    assert bool(result["structuredContent"]["thoughts"]) is bool(shown)


def test_a_recall_is_one_line_of_the_trail(owner):
    before = {entry["seq"] for entry in owner.trail()}
    owner.ask("Which port does the Marlin exporter listen on?", contribute="never")
    new = [entry["action"] for entry in owner.trail() if entry["seq"] not in before]
    assert [action for action in new if not action.startswith("audit.")] == ["memory.recalled"]
