"""Sessions and the paths they took, and where several gathered that usually do not."""

from __future__ import annotations

import numpy as np
import pytest

from api.sealed_world import Anywhere, founded
from api.test_pages import SPACE
from api.world import NOBODY, refused

DAY = 86_400.0
THINGS = ("lamp", "ferry", "crane", "well", "mill", "quay", "abbey", "vault", "orchard", "kiln")
ASPECTS = ("price", "colour", "owner", "weight", "height", "age", "smell", "noise")


def ask_in_order(place, prompts, agent="ana"):
    """Ask one question after the other in one session, and return its id."""
    session = None
    for prompt in prompts:
        place.clock.advance(1)
        more = {} if session is None else {"session_id": session}
        session = place.ask(prompt, agent, contribute="never", **more)["trace"]["session_id"]
    return session


def path(place, session):
    return place.read(f"sessions/{session}/trajectory")


def test_a_session_is_told_with_how_far_each_question_moved(place):
    asked = ["What burns in the lamp?", "What burns in the lamp?", "Who owns the old ferry?"]
    session = ask_in_order(place, asked)
    told = path(place, session)
    assert [step["question"] for step in told["steps"]] == asked
    local = [step["local_drift"] for step in told["steps"]]
    assert local[:2] == pytest.approx([0.0, 0.0], abs=1e-6)
    assert local[2] == told["steps"][2]["global_drift"] > 0.3
    assert told["dispersion"] == pytest.approx(2 * local[2] / 3, abs=1e-5)
    assert (told["regime"], told["p"], told["needed"]) == ("undetermined", None, 6)
    [listed] = place.read("sessions")["sessions"]
    assert (listed["session_id"], listed["agent_id"], listed["questions"]) == (session, "ana", 3)
    assert listed["first_at"] < listed["last_at"]


def test_going_back_and_forth_is_told_as_such_and_a_jumble_as_nothing(world):
    lamp, ferry = (
        [f"{about} {about} {what}" for what in ASPECTS[:6]]
        for about in ("the lamp burns oil", "an old ferry sails")
    )
    back_and_forth = [each for both in zip(lamp, ferry, strict=True) for each in both]
    told = path(world, ask_in_order(world, back_and_forth))
    assert told["regime"] == "oscillatory"
    assert told["p"] <= 0.05
    rng = np.random.default_rng(1)
    jumbled = [back_and_forth[at] for at in rng.permutation(12)]
    told = path(world, ask_in_order(world, jumbled))
    assert told["regime"] == "undetermined"
    assert told["p"] > 0.05


def test_moving_on_step_by_step_is_told_as_such(world):
    steps = [" ".join(THINGS[at : at + 4]) for at in range(7)]
    assert path(world, ask_in_order(world, steps))["regime"] == "exploratory"


def test_members_are_told_of_their_own_sessions_admins_of_all(opened):
    ana = founded(Anywhere(opened)(), sealed=False)
    bo = ana.shared("bo")
    of_ana, of_bo = (ask_in_order(one, ["What burns in the lamp?"]) for one in (ana, bo))
    assert [each["session_id"] for each in ana.read("sessions")["sessions"]] == [of_bo, of_ana]
    assert [each["session_id"] for each in bo.read("sessions")["sessions"]] == [of_bo]
    assert path(ana, of_bo)["steps"]
    for session in (of_ana, NOBODY):
        answer = bo.client.get(f"/api/v1/sessions/{session}/trajectory")
        refused(answer, 404, "SESSION_NOT_FOUND")


def test_what_is_erased_or_rolled_back_is_on_no_path(opened):
    ana = founded(Anywhere(opened)(), sealed=False)
    bo = ana.shared("bo")
    asked = bo.ask("The lamp of the mill is green since May.", "bo", contribute="always")
    session = asked["trace"]["session_id"]
    bo.ask("Who owns the old ferry?", "bo", contribute="never", session_id=session)
    assert len(path(ana, session)["steps"]) == 2
    bo.forget(asked["trace"]["thought_id"])
    assert [each["question"] for each in path(ana, session)["steps"]] == ["Who owns the old ferry?"]
    ana.change("/rollback", owner=bo.member, since="2026-01-01T00:00:00Z")
    assert ana.read("sessions")["sessions"] == []


def test_the_map_tells_how_the_session_moved_whose_path_it_draws(world):
    world.know("The lamp of the north tower burns whale oil.")
    session = ask_in_order(world, ["What burns in the lamp?", "Who owns the old ferry?"])
    page = world.client.get(f"{SPACE}/map", params={"session": session}).text
    assert "undetermined: 2 of 6 questions" in page


def live(members, clock, rng, times):
    """Let each member ask about two things of their own, every third day."""
    for _ in range(times):
        for number, member in enumerate(members):
            thing = THINGS[(2 * number + rng.integers(2)) % 8]
            ask_in_order(member, [f"What is the {rng.choice(ASPECTS)} of the {thing}?"])
        clock.advance(3 * DAY)


def test_where_several_gather_is_told_with_what_they_were_shown(opened):
    owner = founded(Anywhere(opened)())
    members = [owner, *(owner.shared(f"m{number}") for number in range(4))]
    shown = owner.know("The kiln of the old pottery is fired with beech wood.")
    rng = np.random.default_rng(1)
    live(members[:3], owner.clock, rng, 6)
    told = owner.read("convergence")["gathered"]
    assert (told["answer"], told["agents"], told["needed"]) == ("not_enough_agents", 3, 4)
    live(members, owner.clock, rng, 5)
    assert owner.read("convergence")["gathered"]["answer"] == "no"
    for what, member in zip(ASPECTS, members, strict=False):
        ask_in_order(member, [f"What is the {what} of the kiln of the old pottery?"])
    told = owner.read("convergence")["gathered"]
    assert told["answer"] == "yes"
    [region] = told["regions"]
    assert (region["agents"], region["sessions"]) == (5, 5)
    assert region["p"] <= 0.02
    assert [each["thought_id"] for each in region["thoughts"]] == [shown]
    assert all("kiln" in question for question in region["questions"])
    of_member = members[1].read("convergence")["gathered"]["regions"][0]["questions"]
    assert of_member == [f"What is the {ASPECTS[1]} of the kiln of the old pottery?"]
    owner.forget(shown)
    [region] = owner.read("convergence")["gathered"]["regions"]
    assert region["thoughts"] == []
    [line] = [each for each in owner.read("digest")["lines"] if each["section"] == "converged"]
    assert line["text"].startswith("5 came to one thing in three days: ")
    owner.clock.advance(4 * DAY)
    assert owner.read("convergence")["gathered"]["answer"] == "no"
