"""The map of a space: what is on it, who sees what of it, and where it is the next day."""

from __future__ import annotations

import numpy as np
import pytest

from api.sealed_world import Anywhere, founded
from api.world import NOBODY, accepted

DAY = 86_400.0
SUBJECTS = (
    "The billing service owns the invoices, the ledger and the dunning letters of",
    "Bread with rye and a long rest in the oven bakes better in the village of",
    "The north tower's lamp burns whale oil when ships pass the harbour of",
)
PLACES = (
    *("Aachen", "Bremen", "Celle", "Dover", "Essen", "Fulda", "Genoa", "Halle", "Imola", "Jena"),
    *("Kiel", "Lyon", "Mainz", "Nice", "Oslo", "Perth"),
)


def fill(place, count=12, by="zoe"):
    return [
        [place.know(f"{subject} {name}.", by) for name in PLACES[:count]] for subject in SUBJECTS
    ]


def spots(told):
    points = told["points"]
    return dict(zip(points["thought_ids"], zip(points["x"], points["y"], strict=True), strict=True))


def spread(known, ids):
    return np.array([known[each] for each in ids])


def test_an_empty_memory_has_an_empty_map(place):
    told = place.read("map")
    assert (told["thoughts"], told["topics"], told["edges"]) == (0, [], [])
    assert told["points"]["thought_ids"] == []


def test_what_is_about_one_thing_lies_together_inside_its_topic(place):
    groups = fill(place)
    told = place.read("map")
    known = spots(told)
    assert {*known} == {each for group in groups for each in group}
    leaves = dict(zip(told["points"]["thought_ids"], told["points"]["topics"], strict=True))
    homes = []
    for group in groups:
        inside = [leaves[each] for each in group if leaves[each] >= 0]
        assert len(inside) > 8
        homes.append(max(inside, key=inside.count))
        assert inside.count(homes[-1]) > 8
        disc = told["topics"][homes[-1]]
        for each in group:
            if leaves[each] == homes[-1]:
                x, y = known[each]
                assert np.hypot(x - disc["x"], y - disc["y"]) <= disc["radius"]
    assert len({*homes}) == 3


def test_it_is_there_again_the_next_day_with_what_is_new_beside_what_it_is_like(place):
    groups = fill(place)
    before = place.read("map")
    accepted(place.post("topics", {}))
    place.clock.advance(DAY)
    new = place.know(f"{SUBJECTS[0]} {PLACES[13]}.", "zoe")
    after = place.read("map")
    old, known = spots(before), spots(after)
    moved = [np.hypot(*np.subtract(old[each], known[each])) for each in old]
    reach = max(np.hypot(*each) for each in old.values())
    assert np.median(moved) < 0.05 * reach
    away = [np.linalg.norm(spread(known, group).mean(axis=0) - known[new]) for group in groups]
    assert away[0] == min(away)
    assert before["mark"] != after["mark"]
    assert place.read("map")["mark"] == after["mark"]


def test_what_is_erased_replaced_or_held_is_not_on_it(place):
    groups = fill(place, 4)
    gone, old = groups[0][0], groups[1][0]
    place.forget(gone, "zoe")
    newer = place.know("No bread is baked there any more.", "zoe", replaces=[old])
    shown = {*place.read("map")["points"]["thought_ids"]}
    assert gone not in shown
    assert old not in shown
    assert newer in shown


def test_of_many_some_are_shown_evenly(place):
    groups = fill(place, 4)
    told = place.read("map", limit=3)
    ids = [each for group in groups for each in group]
    assert (told["thoughts"], len(told["points"]["thought_ids"])) == (12, 3)
    assert told["points"]["thought_ids"][0] == ids[0]
    assert told["points"]["thought_ids"][-1] == ids[-1]


def ask_in_session(place, agent="dev"):
    """Ask two questions in a session, and use the first result of each; return all of it."""
    session, used = None, []
    for question in ("Who owns the ledger of Celle?", "What burns in the tower of Dover?"):
        more = {"session_id": session} if session else {}
        reply = place.ask(question, agent, contribute="never", **more)
        session = reply["trace"]["session_id"]
        used.append(reply["result"]["sources"][0]["thought_id"])
        place.feedback(session, used[-1], "useful")
    return session, used


@pytest.fixture
def team(opened):
    """An owner of a space, and two who contribute to it."""
    owner = founded(Anywhere(opened)("home"))
    fill(owner, by="boss")
    return owner, *(owner.shared(name, role="contributor") for name in ("ana", "eve"))


def test_a_session_is_a_path_and_what_it_used_is_joined(team):
    owner, ana, _ = team
    session, used = ask_in_session(ana, "ana")
    told = ana.read("map", session_id=session)
    assert [each["question"] for each in told["path"]] == [
        "Who owns the ledger of Celle?",
        "What burns in the tower of Dover?",
    ]
    assert used[0] in told["path"][0]["thought_ids"]
    [edge] = told["edges"]
    assert {edge["thought_id"], edge["other_id"]} == {*used}
    assert edge["sessions"] == 1
    points = told["points"]
    weights = dict(zip(points["thought_ids"], points["weights"], strict=True))
    assert weights[used[0]] > min(weights.values())
    assert ana.read("map")["path"] == []
    assert ana.read("map", session_id=NOBODY)["path"] == []
    owner.forget(used[0], "boss")
    assert ana.read("map", session_id=session)["edges"] == []


def test_the_path_of_another_member_is_nobodys_business_but_an_admins(team):
    owner, ana, eve = team
    session, _ = ask_in_session(ana, "ana")
    assert len(ana.read("map", session_id=session)["path"]) == 2
    assert len(owner.read("map", session_id=session)["path"]) == 2
    assert eve.read("map", session_id=session)["path"] == []


def test_a_map_leaves_no_trail(place):
    groups = fill(place, 3)
    before = place.record(groups[0][0])
    place.read("map")
    assert place.record(groups[0][0]) == before


@pytest.mark.parametrize("limit", [0, 20_001])
def test_more_than_twenty_thousand_points_are_refused(place, limit):
    assert place.client.get("/api/v1/map", params={"limit": limit}).status_code == 400
