"""Who gave what others used is told by topic, to admins of all and to others of themselves."""

from __future__ import annotations

import pytest

from api.sealed_world import Anywhere, founded
from api.test_topics import LAMPS, ROPES
from api.world import accepted, ids


def use(place, text, thought_id, *agents):
    """Let each agent find a thought useful."""
    for agent in agents:
        reply = place.ask(text, agent, limit=1)
        assert ids(reply) == [thought_id]
        place.feedback(reply["trace"]["session_id"], thought_id, "useful")


def told(place, **more):
    found = place.read("values", **more)
    return {one["contributor_id"]: one for one in found["values"]}


def counts(one):
    return one["thoughts"], one["uses"], one["users"]


@pytest.fixture
def lamps(world):
    return [world.know(text, "ana") for text in LAMPS]


def test_nothing_used_is_worth_nothing_yet(world, lamps):
    assert world.read("values") == {"values": [], "contributors": 0, "alone": 0}


def test_what_others_used_is_counted_by_who_gave_it_and_own_use_never(world, lamps):
    use(world, LAMPS[0], lamps[0], "ana", "bo", "eve")
    use(world, LAMPS[1], lamps[1], "bo")
    assert {name: counts(one) for name, one in told(world).items()} == {"ana": (2, 3, 2)}
    assert told(world)["ana"]["name"] == "Ana"


def test_where_one_alone_carries_a_topic_is_said_when_enough_was_used(world, lamps):
    ropes = [world.know(text, "bo") for text in ROPES]
    use(world, LAMPS[0], lamps[0], "bo", "eve")
    use(world, LAMPS[1], lamps[1], "bo", "eve")
    [topic] = told(world)["ana"]["topics"]
    assert (counts(topic), topic["is_alone"]) == ((2, 4, 2), None)
    use(world, LAMPS[2], lamps[2], "joe")
    use(world, ROPES[0], ropes[0], "ana")
    found = world.read("values")
    [topic] = told(world)["ana"]["topics"]
    assert (counts(topic), topic["is_alone"]) == ((3, 5, 3), True)
    [rope] = told(world)["bo"]["topics"]
    assert (rope["is_alone"], rope["topic_id"] != topic["topic_id"]) == (None, True)
    assert (found["contributors"], found["alone"]) == (2, 1)
    assert {each["id"] for each in world.read("topics")["topics"]} >= {topic["topic_id"]}


def test_a_topic_that_two_give_to_hangs_on_neither(world, lamps):
    other = world.know(f"{LAMPS[0]} Twice.", "joe")
    use(world, LAMPS[1], lamps[1], "bo", "eve", "amy")
    use(world, LAMPS[2], lamps[2], "bo", "eve")
    use(world, f"{LAMPS[0]} Twice.", other, "bo")
    topics = [topic for one in told(world).values() for topic in one["topics"]]
    assert {topic["is_alone"] for topic in topics if topic["topic_id"]} == {False}
    assert world.read("values")["alone"] == 0


def test_what_is_erased_or_was_used_before_counts_no_more(world, lamps):
    use(world, LAMPS[0], lamps[0], "bo")
    world.clock.advance(hours=48)
    use(world, LAMPS[1], lamps[1], "bo")
    assert counts(told(world, since="2026-02-25")["ana"]) == (1, 1, 1)
    world.forget(lamps[1])
    assert counts(told(world)["ana"]) == (1, 1, 1)
    assert told(world, since="2026-02-25") == {}


def test_members_see_what_they_gave_and_admins_what_everybody_did(opened):
    owner = founded(Anywhere(opened)("home"))
    ana, eve = (owner.shared(name, role="contributor") for name in ("ana", "eve"))
    lamp, rope = ana.know(LAMPS[0], "ana"), eve.know(ROPES[0], "eve")
    use(eve, LAMPS[0], lamp, "eve")
    use(ana, ROPES[0], rope, "ana")
    use(ana, LAMPS[0], lamp, "another-name-of-ana")
    assert {who: counts(one) for who, one in told(owner).items()} == {
        ana.member: (1, 1, 1),
        eve.member: (1, 1, 1),
    }
    assert told(ana).keys() == {ana.member}
    assert told(eve).keys() == {eve.member}
    assert accepted(eve.send("GET", "values"))["contributors"] == 1
