"""What confirms a trail: implicit and explicit feedback: seed 3.10, thoughts.md 5 and 6."""

from __future__ import annotations

import pytest

from api.world import NOBODY, ids, refused
from empty_memory import over_both

pytestmark = over_both

ROLES = "Role boundaries prevent coordination collapse."
INSIGHT = "We tried this in our own workflow and nobody stepped on anybody's toes since."


@pytest.fixture
def shown(world):
    """A thought, and the session that was shown it once: its weight is 1.05."""
    thought = world.know(ROLES)
    reply = world.ask("role boundaries?", "dev")
    assert ids(reply) == [thought]
    return thought, reply["trace"]["session_id"]


def test_contributing_after_being_shown_something_adds_002_to_it(world, shown):
    thought, session = shown
    reply = world.ask(INSIGHT, "dev", session_id=session, filter_tags=["none"])
    assert reply["trace"]["operations"] == ["retrieve", "contribute", "feedback_implicit"]
    assert world.weight(thought) == 1.07
    assert world.record(thought)["access_count"] == 1


def test_the_bonus_comes_on_top_of_the_retrieval(world, shown):
    thought, session = shown
    reply = world.ask(f"{INSIGHT} Role boundaries!", "dev", session_id=session)
    assert thought in ids(reply)
    assert world.weight(thought) == 1.12


def test_a_follow_up_reference_counts_as_feedback_too_though_it_is_not_stored(world, shown):
    thought, session = shown
    reply = world.ask("Based on that, what next?", "dev", session_id=session, filter_tags=["none"])
    assert reply["trace"]["operations"] == ["retrieve", "feedback_implicit"]
    assert world.weight(thought) == 1.07


@pytest.mark.parametrize("prompt", ["And what else?", "Thanks."])
def test_asking_on_is_no_feedback(world, shown, prompt):
    thought, session = shown
    reply = world.ask(prompt, "dev", session_id=session, filter_tags=["none"])
    assert "feedback_implicit" not in reply["trace"]["operations"]
    assert world.weight(thought) == 1.05


def test_contributing_outside_of_the_session_is_no_feedback(world, shown):
    thought, _ = shown
    reply = world.ask(INSIGHT, "dev", filter_tags=["none"])
    assert "feedback_implicit" not in reply["trace"]["operations"]
    assert world.weight(thought) == 1.05


def test_what_is_said_again_is_used_and_shown_by_one_call(world):
    for agent in ("ann", "bob"):
        world.ask("The cedar lantern hangs at the old harbour gate.", agent)
    assert world.rows("SELECT access_count, uses FROM trails") == [(1, 1.0)]


def test_only_what_the_previous_call_returned_gets_the_bonus(world, shown):
    thought, session = shown
    world.ask("Nothing?", "dev", session_id=session, filter_tags=["none"])
    reply = world.ask(INSIGHT, "dev", session_id=session, filter_tags=["none"])
    assert "feedback_implicit" not in reply["trace"]["operations"]
    assert world.weight(thought) == 1.05


def test_the_bonus_stops_at_the_ceiling(world):
    thought = world.know(ROLES)
    session = None
    for _ in range(181):
        reply = world.ask("role boundaries?", "dev", session_id=session)
        session = reply["trace"]["session_id"]
    world.ask(INSIGHT, "dev", session_id=session, filter_tags=["none"])
    assert world.weight(thought) == 10.0


def test_useful_adds_010_and_says_the_new_weight(world, shown):
    thought, session = shown
    reply = world.feedback(session, thought, "useful")
    assert reply == {
        "session_id": session,
        "thought_id": thought,
        "signal": "useful",
        "pheromone_weight": 1.15,
    }
    assert world.weight(thought) == 1.15


def test_irrelevant_takes_a_tenth(world, shown):
    thought, session = shown
    assert world.feedback(session, thought, "irrelevant")["pheromone_weight"] == 0.945
    assert world.weight(thought) == 0.945


def test_the_same_signal_again_changes_nothing(world, shown):
    thought, session = shown
    for _ in range(3):
        assert world.feedback(session, thought, "useful")["pheromone_weight"] == 1.15
    assert world.rows("SELECT count(*) FROM feedback") == [(1,)]
    assert world.rows("SELECT count(*) FROM uses") == [(1,)]


def test_a_second_signal_replaces_the_first(world, shown):
    thought, session = shown
    world.feedback(session, thought, "useful")
    assert world.feedback(session, thought, "irrelevant")["pheromone_weight"] == 0.945
    assert world.rows("SELECT count(*) FROM uses") == [(0,)]
    assert world.feedback(session, thought, "useful")["pheromone_weight"] == 1.15
    assert world.rows("SELECT count(*) FROM uses") == [(1,)]


def test_a_signal_replaced_later_takes_back_what_is_left_of_it(world, shown):
    thought, session = shown
    world.feedback(session, thought, "useful")
    world.clock.advance(hours=100)
    replaced = world.feedback(session, thought, "irrelevant")["pheromone_weight"]
    assert replaced == pytest.approx(1.05 * 0.995**99 * 0.9)


def test_each_session_has_a_signal_of_its_own(world, shown):
    thought, session = shown
    other = world.ask("role boundaries?", "kim")["trace"]["session_id"]
    world.feedback(session, thought, "useful")
    assert world.feedback(other, thought, "useful")["pheromone_weight"] == 1.3


def test_feedback_stays_between_floor_and_ceiling(world):
    thought = world.know(ROLES)
    world.clock.advance(hours=24 * 60)
    sessions = [world.ask("role boundaries?")["trace"]["session_id"] for _ in range(2)]
    world.clock.advance(hours=24 * 60)
    for session in sessions:
        assert world.feedback(session, thought, "irrelevant")["pheromone_weight"] == 0.1


def test_feedback_does_not_stop_the_fading(world, shown):
    thought, session = shown
    world.feedback(session, thought, "useful")
    world.clock.advance(hours=11)
    assert world.weight(thought) == pytest.approx(1.15 * 0.995**10, abs=2e-9)


def test_a_thought_the_session_was_not_shown_is_not_found(world, shown):
    _, session = shown
    other = world.know("Penguins never fly.")
    for thought in (other, NOBODY):
        body = {"session_id": session, "thought_id": thought, "signal": "useful"}
        refused(world.post("memory/feedback", body), 404, "THOUGHT_NOT_FOUND")
    assert world.weight(other) == 1.0


def test_an_unknown_session_has_no_say(world, shown):
    thought, _ = shown
    body = {"session_id": NOBODY, "thought_id": thought, "signal": "useful"}
    refused(world.post("memory/feedback", body), 404, "SESSION_NOT_FOUND")


def test_nobody_speaks_for_anothers_session(world, shown):
    thought, session = shown
    body = {"session_id": session, "thought_id": thought, "signal": "useful", "agent_id": "eve"}
    refused(world.post("memory/feedback", body), 404, "SESSION_NOT_FOUND")
    assert world.weight(thought) == 1.05


def test_an_author_confirming_itself_counts_as_no_use(world):
    thought = world.know(ROLES, "dev")
    session = world.ask("role boundaries?", "dev")["trace"]["session_id"]
    assert world.feedback(session, thought, "useful")["pheromone_weight"] == 1.15
    assert world.rows("SELECT count(*) FROM uses") == [(0,)]


def test_an_agents_uses_of_one_thought_count_once_a_day(world):
    thought = world.know(ROLES)
    for _ in range(3):
        session = world.ask("role boundaries?", "dev")["trace"]["session_id"]
        world.feedback(session, thought, "useful")
    assert world.rows("SELECT count(*) FROM uses") == [(1,)]
    world.clock.advance(hours=25)
    session = world.ask("role boundaries?", "dev")["trace"]["session_id"]
    world.feedback(session, thought, "useful")
    assert world.rows("SELECT count(*) FROM uses") == [(2,)]


@pytest.fixture
def twins(world):
    """Two thoughts that match alike, and one that matches less."""
    world.know("Roles of penguins are many and hard to tell apart from each other.")
    twins = [world.know("Roles stay apart, always."), world.know("Always, roles stay apart.")]
    return ids(world.ask("roles stay apart", "dev", limit=2)), twins


def test_confirmed_use_lifts_a_thought(world, twins):
    (_, low), both = twins
    assert low in both
    for agent in ("bob", "eve", "kim"):
        session = world.ask("roles stay apart", agent)["trace"]["session_id"]
        world.feedback(session, low, "useful")
    reply = world.ask("roles stay apart", "lea", explain=True)["result"]["sources"]
    assert reply[0]["thought_id"] == low
    assert reply[0]["why"]["usefulness"] > 0 > reply[1]["why"]["usefulness"]


def test_vector_is_the_cosine_order_whatever_was_confirmed(world, twins):
    (high, low), _ = twins
    for agent in ("bob", "eve", "kim"):
        session = world.ask("roles stay apart", agent)["trace"]["session_id"]
        world.feedback(session, low, "useful")
    shown = ids(world.ask("roles stay apart", "lea", retrieval_method="vector"))
    assert shown[:2] == [high, low]


def test_one_agent_asking_again_and_again_within_a_day_counts_as_one(world, twins):
    (high, _), _ = twins

    def reasons():
        found = world.read("search", q="roles stay apart")["results"]
        return {one["thought_id"]: one["why"]["usefulness"] for one in found}

    before = reasons()
    for _ in range(10):
        world.ask("roles stay apart", "dev", limit=2)
    assert world.record(high)["access_count"] == 11
    assert reasons() == pytest.approx(before)
