"""What the log says of co-use is kept with its date, judged again as the log grows, and revoked."""

from __future__ import annotations

import pytest

from api.sealed_world import Anywhere, founded, restarted
from api.test_needed_next import BREAD, CACHE, ROLES, bake, needed, use
from api.world import accepted
from wellworn.domain.thoughts import needed_next
from wellworn.engines.retrieval.co_use import CLOSED, GateResult
from wellworn.testing.embedder import HashEmbedder

OPEN = GateResult(is_open=True, gain=0.06, low=0.01, high=0.11, sessions=9)
SHUT = GateResult(is_open=False, gain=0.01, low=-0.02, high=0.04, sessions=9)
LOOKED_S = 600


@pytest.fixture
def gate(monkeypatch):
    """Let the gate say what is written here, from two sessions on; keep how many it was shown."""
    said = {"verdict": OPEN, "judged": []}

    def judge(sessions):
        said["judged"].append(len(sessions))
        return said["verdict"]

    monkeypatch.setattr(needed_next, "evaluate_gate", judge)
    monkeypatch.setattr(needed_next, "LEAST_SESSIONS", 2)
    return said


def know_both(place):
    return ("role boundaries?", place.know(ROLES)), ("cache invalidation?", place.know(CACHE))


@pytest.fixture
def asked(world):
    return know_both(world)


def work(place, asked, *agents, reader=None):
    """Let each use both thoughts in a session of their own."""
    for agent in agents:
        place.clock.advance(LOOKED_S)
        use(reader or place, agent, *asked)


def use_elsewhere(place):
    """Let somebody need something else, beside which those two belong together."""
    bake(place, "baker", place.know(BREAD))


def experiment(place):
    return place.read("experiment")


def days(count):
    return [f"agent-{number}" for number in range(count)]


def test_too_little_is_said_with_how_much_there_is(world, asked):
    work(world, asked, "dev")
    use(world, "eve", asked[0])
    assert experiment(world) == {
        "answer": "not_enough",
        "sessions": 1,
        "needed": 100,
        "verdicts": [],
    }
    assert needed(world, "role boundaries?", "joe") is None


def test_a_verdict_is_told_with_its_interval_and_date(world, asked, gate):
    use_elsewhere(world)
    work(world, asked, "dev", "eve")
    found = experiment(world)
    assert found == {
        "answer": "yes",
        "sessions": 3,
        "needed": 2,
        "verdicts": [
            {
                "judged_at": "2026-02-23T15:20:00.000000Z",
                "is_open": True,
                "gain": 0.06,
                "low": 0.01,
                "high": 0.11,
                "sessions": 3,
                "uses": 6,
            }
        ],
    }
    assert needed(world, "role boundaries?", "joe") == [asked[1][1]]
    assert experiment(world) == found
    assert gate["judged"] == [3]


def test_it_is_judged_again_when_the_log_has_grown_by_a_fifth(world, asked, gate):
    work(world, asked, *days(5))
    world.app.maintain()
    assert gate["judged"] == [5]
    world.clock.advance(hours=48)
    world.app.maintain()
    # One use more, of ten; then two.
    use(world, "dev", asked[0])
    world.clock.advance(LOOKED_S)
    world.app.maintain()
    assert gate["judged"] == [5]
    use(world, "dev", asked[1])
    world.app.maintain()
    assert gate["judged"] == [5]
    world.clock.advance(LOOKED_S)
    world.app.maintain()
    assert gate["judged"] == [5, 5]


def test_what_no_longer_holds_is_revoked_and_remembered(world, asked, gate):
    use_elsewhere(world)
    work(world, asked, "dev", "eve")
    world.app.maintain()
    assert needed(world, "role boundaries?", "joe") == [asked[1][1]]
    gate["verdict"] = SHUT
    work(world, asked, "amy")
    world.app.maintain()
    assert needed(world, "role boundaries?", "joe") is None
    found = experiment(world)
    assert (found["answer"], [each["is_open"] for each in found["verdicts"]]) == (
        "no",
        [False, True],
    )


def test_a_restart_loses_no_verdict(world, asked, opened, gate):
    use_elsewhere(world)
    work(world, asked, "dev", "eve")
    before = experiment(world)
    world.app.close()
    again = opened(HashEmbedder())
    assert needed(again, "role boundaries?", "joe") == [asked[1][1]]
    assert experiment(again) == before
    again.app.maintain()
    assert gate["judged"] == [3]


def test_a_sealed_space_keeps_its_verdicts_where_it_keeps_its_log(opened, gate):
    anywhere = Anywhere(opened)
    owner = founded(anywhere("home"))
    asked = know_both(owner)
    guests = [owner.shared(name, role="contributor") for name in ("ana", "ben")]
    for guest in guests:
        work(owner, asked, guest.member, reader=guest)
    before = experiment(owner)
    assert before["answer"] == "yes"
    assert owner.rows("SELECT * FROM co_use_verdicts") == []
    again = restarted(anywhere, owner)
    assert experiment(again) == before
    assert gate["judged"] == [2]


def test_taking_back_what_a_member_did_takes_back_what_it_taught(opened, gate):
    owner = founded(Anywhere(opened)("home"))
    asked = know_both(owner)
    guests = [owner.shared(name, role="contributor") for name in ("ana", "ben", "eve")]
    for guest in guests:
        work(owner, asked, guest.member, reader=guest)
    assert experiment(owner)["answer"] == "yes"
    body = {"owner": guests[0].member, "since": "2026-02-01"}
    accepted(owner.post(f"spaces/{owner.space}/rollback", body))
    gate["verdict"] = CLOSED
    found = experiment(owner)
    assert (found["answer"], found["sessions"], len(found["verdicts"])) == ("no", 2, 1)
    assert needed(owner, "role boundaries?", "joe") is None
