"""By which weights a space ranks is told, with what they were learned from and what is missing."""

from __future__ import annotations

from contextlib import suppress

import numpy as np
import pytest

from api.sealed_world import founded
from api.world import accepted, ids, refused
from wellworn.application.settings import Settings
from wellworn.domain.thoughts import ThoughtSettings
from wellworn.domain.thoughts import learning as background
from wellworn.domain.thoughts.store import policies
from wellworn.engines.retrieval import POLICY_VERSION
from wellworn.engines.retrieval.learning import (
    REASONS,
    TrainingQuery,
    TrainingResult,
    is_control,
)
from wellworn.kit.clock import to_iso
from wellworn.testing.embedder import HashEmbedder

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
        "versions": [],
        "changes": None,
    }
    reply = world.ask("Which oil burns in the north tower, and what of ropes?", "dev", limit=2)
    world.feedback(reply["trace"]["session_id"], ids(reply)[0], "useful")
    assert len(ids(reply)) == 2
    assert world.read("policy")["labelled"] == 1


def lesson(reason=REASONS[0], factor=2.0):
    return TrainingResult({reason: factor}, 0.1, 0.02, 0.2, 60)


@pytest.fixture
def learning(opened):
    """A server that learns weights, and what its default space was taught."""
    settings = Settings(thoughts=ThoughtSettings(learned_weights=True))
    return opened(HashEmbedder(), settings)


def teach(place, *lessons):
    """Adopt lessons, one a day."""
    for each in lessons:
        place.clock.advance(hours=24)
        adopt(place, "ks-default", each)
    return place.read("policy")


def adopt(place, space, lesson, asked=()):
    learner = place.app.thoughts.learner
    return learner._adopt(space, lesson, asked, learner._count_taken_back(space))


def in_force(place):
    return place.app.thoughts.searcher.state.policies["ks-default"].version


def test_every_version_is_kept_with_what_it_was_learned_from(learning, opened):
    found = teach(learning, lesson(), lesson(factor=3.0), lesson(factor=3.0))
    newer, older = found["versions"]
    assert newer == {
        "version": found["version"],
        "learned_at": "2026-02-25T15:00:00.000000Z",
        "factors": [{"reason": REASONS[0], "factor": 3.0}],
        "gain": 0.1,
        "low": 0.02,
        "high": 0.2,
        "queries": 60,
        "withdrawn_at": None,
    }
    assert (older["factors"], older["version"]) == (
        [{"reason": REASONS[0], "factor": 2.0}],
        found["version"] - 1_000,
    )
    learning.app.close()
    again = opened(HashEmbedder(), Settings(thoughts=ThoughtSettings(learned_weights=True)))
    assert again.read("policy")["versions"] == found["versions"]
    assert in_force(again) == found["version"]


def test_one_switch_goes_back_to_the_version_before_and_then_to_the_shipped(learning):
    found = teach(learning, lesson(), lesson(factor=3.0))
    back = accepted(learning.post("policy/back", None))
    assert (back["version"], back["factors"]) == (
        found["version"] - 1_000,
        [{"reason": REASONS[0], "factor": 2.0}],
    )
    assert back["versions"][0]["withdrawn_at"] == "2026-02-25T15:00:00.000000Z"
    assert in_force(learning) == back["version"]
    for _ in range(2):
        back = accepted(learning.post("policy/back", None))
        assert (back["in_use"], back["version"]) == ("shipped", POLICY_VERSION)
        assert in_force(learning) == POLICY_VERSION


def test_after_it_nothing_is_learned_until_enough_new_questions_tell_something(learning):
    learning.know(LAMP)
    learning.ask("Which oil burns in the north tower?", "dev")
    teach(learning, lesson())
    accepted(learning.post("policy/back", None))
    assert teach(learning, lesson(factor=3.0))["in_use"] == "shipped"
    parts = np.zeros((2, len(REASONS)))
    asked = [
        TrainingQuery(number, "dev", "s", parts, np.array([1.0, 0.0]), 2)
        for number in range(1, 102)
    ]
    adopt(learning, "ks-default", lesson(factor=3.0), asked[:-1])
    assert in_force(learning) == POLICY_VERSION
    adopt(learning, "ks-default", lesson(factor=3.0), asked)
    assert learning.read("policy")["factors"] == [{"reason": REASONS[0], "factor": 3.0}]


def test_what_it_would_change_is_told_by_the_last_questions(learning):
    """The words say the one, the meaning the other; what is learned is to look at words alone."""
    wordy = learning.know(
        "Lamp lamp lamp: " + "the north tower and its keeper and its stairs. " * 9
    )
    plain = learning.know("The lamp.")
    asked = [text for n in range(40) if not is_control(text := f"the lamp of night {n}?")][:3]
    control = next(text for n in range(99) if is_control(text := f"the lamp of week {n}?"))
    before = [ids(learning.ask(text, "dev", limit=2, contribute="never")) for text in asked]
    assert learning.read("policy")["changes"] is None
    reply = learning.ask(control, "eve", limit=2, contribute="never")
    first = before[0][0]
    last = wordy if first == plain else plain
    learning.feedback(reply["trace"]["session_id"], last, "useful")
    reply = learning.ask(asked[0], "eve", limit=2, contribute="never")
    learning.feedback(reply["trace"]["session_id"], last, "useful")
    away = {"meaning", "words", "pieces", "nearby", "around"}
    found = teach(learning, TrainingResult(dict.fromkeys(away, -1.0), 0.1, 0.02, 0.2, 60))
    told = found["changes"]
    assert (told["version"], told["questions"], told["controls"]) == (found["version"], 5, 1)
    assert (told["reordered"], told["first_places"]) == (4, 4)
    assert (told["gained"], told["lost"]) == (0, 0)
    change = told["changes"][0]
    assert change["question"] == asked[0]
    assert (change["shipped"]["thought_id"], change["learned"]["thought_id"]) == (first, last)
    assert (change["shipped"]["evidence"], change["learned"]["evidence"]) == ("shown", "unknown")
    assert change["reason"] in away
    assert learning.read("policy", questions=1)["changes"]["questions"] == 1
    assert learning.read("policy", questions=0)["changes"] is None


def test_of_what_was_used_it_is_told_that_it_comes_first_now(learning):
    wordy = learning.know(
        "Lamp lamp lamp: " + "the north tower and its keeper and its stairs. " * 9
    )
    plain = learning.know("The lamp.")
    asked = next(text for n in range(40) if not is_control(text := f"the lamp of night {n}?"))
    reply = learning.ask(asked, "dev", limit=2, contribute="never")
    first = ids(reply)[0]
    last = wordy if first == plain else plain
    learning.feedback(reply["trace"]["session_id"], last, "useful")
    learning.feedback(reply["trace"]["session_id"], first, "irrelevant")
    away = {"meaning", "words", "pieces", "nearby", "around"}
    told = teach(learning, TrainingResult(dict.fromkeys(away, -1.0), 0.1, 0.02, 0.2, 60))["changes"]
    [change] = told["changes"]
    assert (change["shipped"]["evidence"], change["learned"]["evidence"]) == ("irrelevant", "used")
    assert (told["gained"], told["lost"]) == (1, 0)


def test_members_are_told_of_their_own_questions_and_nobody_of_what_is_erased(opened):
    settings = Settings(thoughts=ThoughtSettings(learned_weights=True))
    owner = founded(opened(HashEmbedder(), settings), sealed=False)
    guest = owner.shared("bo", role="contributor")
    owner.know("Lamp lamp lamp: " + "the north tower and its keeper and its stairs. " * 9)
    plain = owner.know("The lamp.")
    asked = next(text for n in range(40) if not is_control(text := f"the lamp of night {n}?"))
    for place in (owner, guest):
        place.ask(asked, "dev", limit=2, contribute="never")
    away = {"meaning", "words", "pieces", "nearby", "around"}
    adopt(owner, owner.space, TrainingResult(dict.fromkeys(away, -1.0), 0.1, 0.02, 0.2, 60))
    told = [place.read("policy")["changes"] for place in (owner, guest)]
    assert [each["questions"] for each in told] == [2, 1]
    [change] = told[1]["changes"]
    assert plain in {change[by]["thought_id"] for by in ("shipped", "learned")}
    owner.forget(plain)
    assert plain not in str(owner.read("policy"))
    refused(guest.post("policy/back", None), 403, "FORBIDDEN")


def test_what_was_learned_since_what_a_member_did_is_taken_back_with_it(opened):
    settings = Settings(thoughts=ThoughtSettings(learned_weights=True))
    owner = founded(opened(HashEmbedder(), settings), sealed=False)
    guest = owner.shared("bo", role="contributor")
    adopt(owner, owner.space, lesson())
    owner.clock.advance(hours=24)
    since = to_iso(owner.clock.now())
    owner.clock.advance(hours=24)
    guest.know(LAMP)
    adopt(owner, owner.space, lesson(factor=3.0))
    before = owner.read("policy")
    owner.change("/rollback", owner=guest.member, since=since)
    after = owner.read("policy")
    assert [each["version"] for each in after["versions"]] == [before["versions"][1]["version"]]
    assert after["factors"] == [{"reason": REASONS[0], "factor": 2.0}]
    owner.change("/rollback", owner=guest.member, since="2026-01-01")
    after = owner.read("policy")
    assert (after["versions"], after["in_use"]) == ([], "shipped")
    assert owner.app.thoughts.searcher.state.policies[owner.space].version == POLICY_VERSION


def test_two_who_saw_the_same_version_go_back_once(learning):
    found = teach(learning, lesson(), lesson(factor=3.0))
    seen, before = (each["version"] for each in found["versions"])
    for _ in range(2):
        back = accepted(learning.post(f"policy/back?version={seen}", None))
        assert back["version"] == before


def test_what_an_admin_refused_stays_refused_after_a_rollback(opened, monkeypatch):
    settings = Settings(thoughts=ThoughtSettings(learned_weights=True))
    owner = founded(opened(HashEmbedder(), settings), sealed=False)
    guest = owner.shared("bo", role="contributor")
    guest.ask("Which oil burns in the north tower?", "dev")
    adopt(owner, owner.space, lesson())
    accepted(owner.post("policy/back", None))
    owner.change("/rollback", owner=guest.member, since="2026-01-01")
    adopt(owner, owner.space, lesson())
    assert owner.read("policy")["in_use"] == "shipped"
    monkeypatch.setattr(policies, "MOST", 1)
    for factor in (0.0, 3.0):
        policies_of = [TrainingResult({}, 0, 0, 0, 60), lesson(factor=factor)]
        for each in policies_of:
            monkeypatch.setattr(background, "_is_refused", lambda *_: False)
            adopt(owner, owner.space, each)
    kept = owner.read("policy")["versions"]
    assert [each["withdrawn_at"] is None for each in kept] == [True, False]


def test_a_rollback_that_failed_leaves_the_weights_as_they_were(learning):
    version = teach(learning, lesson())["version"]
    app = learning.app
    access = app.enter(None, None, writes=False)
    with suppress(ZeroDivisionError), app.database.write() as transaction:
        app.thoughts.learner.forget(transaction, access)
        assert in_force(learning) == POLICY_VERSION
        raise ZeroDivisionError
    assert learning.read("policy")["version"] == in_force(learning) == version


def test_what_was_taken_back_meanwhile_teaches_nothing_and_nothing_else_is_lost(learning):
    learner = learning.app.thoughts.learner
    since, other = (learner._count_taken_back(space) for space in ("ks-default", "ks-other"))
    with learning.app.database.write() as transaction:
        learner.forget(transaction, learning.app.enter(None, None, writes=False))
    assert not learner._adopt("ks-default", lesson(), (), since)
    assert learning.read("policy")["versions"] == []
    assert adopt(learning, "ks-default", lesson())
    assert learner._count_taken_back("ks-other") == other


def test_who_is_shown_a_thought_by_what_changed_has_seen_it(opened):
    settings = Settings(thoughts=ThoughtSettings(learned_weights=True))
    owner = founded(opened(HashEmbedder(), settings), sealed=False)
    owner.know("Lamp lamp lamp: " + "the north tower and its keeper and its stairs. " * 9)
    plain = owner.know("The lamp.")
    guest = owner.shared("bo", role="contributor")
    admin = owner.shared("cy", role="admin")
    asked = next(text for n in range(40) if not is_control(text := f"the lamp of night {n}?"))
    guest.ask(asked, "dev", limit=2, contribute="never")
    away = {"meaning", "words", "pieces", "nearby", "around"}
    adopt(owner, owner.space, TrainingResult(dict.fromkeys(away, -1.0), 0.1, 0.02, 0.2, 60))
    seen = (
        "SELECT count(*) FROM sightings JOIN thoughts ON seq = thought_seq "
        "WHERE id = ? AND seen_by = ?"
    )
    assert owner.rows(seen, plain, admin.member) == [(0,)]
    assert plain in str(admin.read("policy")["changes"])
    assert owner.rows(seen, plain, admin.member) == [(1,)]
