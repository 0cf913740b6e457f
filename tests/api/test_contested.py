"""What members say against each other: both are shown and marked, and two allies count as one."""

from __future__ import annotations

import pytest

from api.routes import query
from api.sealed_world import Anywhere, founded
from api.world import accepted

READS = True
LIE = "The lamp of the pier burns paraffin."
TRUE = "The lamp of the pier burns whale oil."
QUESTION = "What does the lamp of the pier burn?"
OTHER = "The shed has a door of oak."


@pytest.fixture(params=[True, False], ids=["sealed", "open"])
def owner(request, opened):
    return founded(Anywhere(opened)("home"), sealed=request.param)


@pytest.fixture
def members(owner):
    return tuple(owner.shared(name, role="contributor") for name in ("bo", "eve", "kim", "mal"))


def judge(member, thought_id, signal, question=QUESTION):
    session = member.ask(question, "dev", contribute="never")["trace"]["session_id"]
    member.feedback(session, thought_id, signal)


def ask(member):
    result = member.ask(QUESTION, "asker", contribute="never")["result"]
    told = [one for one in result["sources"] if "lamp" in one["content_preview"]]
    marks = {one["thought_id"]: one.get("contested", False) for one in told}
    return marks, result["response"]


def praise(member, other, name, text=OTHER):
    """Let a member find useful what another said."""
    judge(member, other.know(text.replace("shed", f"shed of {name}"), name), "useful", text)


def test_both_claims_of_two_members_are_shown_and_marked_whoever_spoke_first(members):
    bo, eve, kim, _ = members
    lie = eve.know(LIE, "eve")
    bo.clock.advance(60)
    honest = bo.know(TRUE, "bo")
    bo.clock.advance(60)
    marks, response = ask(kim)
    assert marks == {lie: True, honest: True}
    assert response.count("contested") == len(marks)
    [first] = kim.ask(QUESTION, "asker", contribute="never", limit=1)["result"]["sources"]
    assert first["contested"] is True


def test_what_somebody_else_confirms_is_contested_no_more(members):
    bo, eve, kim, _ = members
    lie = eve.know(LIE, "eve")
    bo.clock.advance(60)
    honest = bo.know(TRUE, "bo")
    judge(kim, honest, "useful")
    assert ask(kim)[0] == {lie: True, honest: False}
    judge(bo, lie, "useful")
    assert ask(kim)[0] == {lie: True, honest: True}


def test_an_admin_s_claim_is_not_contested_and_what_it_contradicts_is(owner, members):
    _, eve, kim, _ = members
    lie = eve.know(LIE, "eve")
    owner.clock.advance(60)
    known = owner.know(TRUE, "boss")
    assert ask(kim)[0] == {lie: True, known: False}


def test_what_one_member_says_twice_is_contested_with_nobody(members):
    bo, _, kim, _ = members
    first = bo.know(LIE, "bo")
    bo.clock.advance(60)
    second = bo.know(TRUE, "bo")
    assert ask(kim)[0] == {first: False, second: False}


@pytest.mark.parametrize("signal", ["wrong", "outdated"])
def test_what_one_other_member_calls_wrong_is_contested_until_somebody_confirms_it(members, signal):
    bo, eve, kim, _ = members
    known = bo.know(TRUE, "bo")
    judge(eve, known, signal)
    marks, response = ask(kim)
    assert marks == {known: True}
    assert "contested: another member says that it is not true" in response
    judge(kim, known, "useful")
    assert ask(eve)[0] == {known: False}


def test_a_stated_replacement_by_another_member_contests_both(members):
    bo, eve, kim, _ = members
    old = bo.know(TRUE, "bo")
    bo.clock.advance(60)
    new = eve.ask("Paraffin since May.", "eve", replaces=[old])["trace"]["thought_id"]
    assert kim.record(old)["contested"] is kim.record(new)["contested"] is True


@pytest.mark.parametrize("signal", ["wrong", "outdated"])
def test_two_who_only_ever_confirm_each_other_count_as_one(members, signal):
    bo, eve, kim, mal = members
    known = bo.know(TRUE, "bo")
    praise(eve, mal, "mal")
    praise(mal, eve, "eve")
    for liar in (eve, mal):
        judge(liar, known, signal)
    assert ask(kim)[0][known] is True
    assert kim.record(known)["outdated_at"] is None
    judge(kim, known, signal)
    assert kim.record(known)["outdated_at"] is not None


def test_who_confirms_somebody_else_as_well_counts_as_one_more(members):
    bo, eve, kim, mal = members
    known = bo.know(TRUE, "bo")
    praise(eve, mal, "mal")
    praise(mal, eve, "eve")
    praise(eve, kim, "kim")
    for member in (eve, mal):
        judge(member, known, "wrong")
    assert known not in ask(kim)[0]


def test_a_ring_of_three_is_one_voice_and_so_is_its_praise_of_a_lie(members):
    bo, eve, kim, mal = members
    lie = eve.know(LIE, "eve")
    bo.clock.advance(60)
    honest = bo.know(TRUE, "bo")
    praise(eve, mal, "mal")
    praise(mal, kim, "kim")
    praise(kim, eve, "eve")
    for member in (mal, kim):
        judge(member, lie, "useful")
    assert ask(bo)[0] == {lie: True, honest: True}
    for member in (eve, mal, kim):
        judge(member, honest, "wrong")
    assert ask(bo)[0][honest] is True


def test_a_stated_replacement_is_not_confirmed_by_an_ally(members):
    bo, eve, kim, mal = members
    old = bo.know(TRUE, "bo")
    praise(eve, mal, "mal")
    praise(mal, eve, "eve")
    new = eve.ask(LIE, "eve", replaces=[old])["trace"]["thought_id"]
    judge(mal, new, "useful")
    assert [*ask(kim)[0].items()] == [(old, True), (new, True)]
    judge(kim, new, "useful")
    assert ask(kim)[0] == {new: False}


def test_members_of_a_small_team_are_not_one_among_themselves(members):
    bo, eve, kim, _ = members
    for member, other, name in ((bo, eve, "eve"), (eve, kim, "kim"), (kim, bo, "bo")):
        praise(member, other, name)
    known = bo.know(TRUE, "bo")
    for member in (eve, kim):
        judge(member, known, "wrong")
    assert known not in ask(kim)[0]


def test_what_only_an_ally_confirms_stays_unconfirmed(opened):
    owner = founded(Anywhere(opened)("home"), unconfirmed_hours=48)
    eve, mal, kim = (owner.shared(name, role="contributor") for name in ("eve", "mal", "kim"))
    praise(eve, mal, "mal")
    praise(mal, eve, "eve")
    lie = eve.know(LIE, "eve")
    judge(mal, lie, "useful")
    [source] = [one for one in kim.ask(QUESTION, "kim")["result"]["sources"] if lie in one.values()]
    assert source["unconfirmed_until"] is not None
    judge(kim, lie, "useful")
    assert kim.record(lie)["unconfirmed_until"] is None


def test_an_invitation_lets_one_in(owner):
    token = owner.change("/invitations", role="contributor")["token"]
    accept = {"token": token, "name": "eve"}
    door = owner.client.client
    accepted(door.post("/api/v1/invitations/accept", json=accept))
    again = door.post("/api/v1/invitations/accept", json={"token": token, "name": "mal"})
    assert again.status_code == 404


def test_the_answer_of_a_turn_says_that_claims_are_contested(members):
    bo, eve, kim, _ = members
    eve.know(LIE, "eve")
    bo.clock.advance(60)
    bo.know(TRUE, "bo")
    bo.clock.advance(60)
    turn = accepted(kim.client.post("/api/v1/turns", json=query(QUESTION, "kim")))
    for said, name, other in ((LIE, "Bo", TRUE), (TRUE, "Eve", LIE)):
        assert f"“{said}”" in turn["text"]
        assert f"contested: {name} says “{other}”" in turn["text"]
