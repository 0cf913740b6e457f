"""By which weights a space ranks is told, with what they were learned from and what is missing."""

from __future__ import annotations

import pytest

from api.world import ids
from wellworn.engines.retrieval import POLICY_VERSION
from wellworn.engines.retrieval.learning import REASONS, TrainingResult

LAMP = "The lamp of the north tower burns whale oil."
ROPE = "Ropes of the ferry are changed in March."


def test_the_shipped_weights_are_told_with_what_is_missing_to_learn(world):
    world.know(LAMP)
    world.know(ROPE)
    nothing = {"gain": None, "low": None, "high": None, "factors": [], "queries": 0}
    assert world.read("policy") == nothing | {
        "is_on": False,
        "in_use": "shipped",
        "version": POLICY_VERSION,
        "learned_at": None,
        "labelled": 0,
        "needed": 100,
    }
    reply = world.ask("Which oil burns in the north tower, and what of ropes?", "dev", limit=2)
    world.feedback(reply["trace"]["session_id"], ids(reply)[0], "useful")
    assert len(ids(reply)) == 2
    assert world.read("policy")["labelled"] == 1


def test_what_was_learned_is_told_and_is_gone_when_it_is_taken_back(world):
    learner = world.app.thoughts.learner
    learner._adopt("ks-default", TrainingResult({REASONS[0]: 2.0}, 0.1, 0.02, 0.2, 60))
    found = world.read("policy")
    day = int(world.clock.now() // 86_400)
    assert (found["in_use"], found["version"]) == ("learned", POLICY_VERSION + 1_000 * day)
    assert found["factors"] == [{"reason": REASONS[0], "factor": 2.0}]
    assert (found["gain"], found["low"], found["high"]) == pytest.approx((0.1, 0.02, 0.2))
    assert found["queries"] == 60
    learner.forget(world.app.enter(None, None, writes=False))
    found = world.read("policy")
    assert (found["in_use"], found["version"], found["gain"]) == ("shipped", POLICY_VERSION, None)
