"""By a space's policy, what a member says is unconfirmed until somebody else confirms it."""

from __future__ import annotations

import json

import pytest

from api.sealed_world import Anywhere, founded, restarted
from api.world import ids, refused
from empty_memory import look_into, over_both

pytestmark = over_both

LIE = "the deploy key of the harbour crane is kept in the blue cupboard"
QUESTION = "where is the deploy key of the harbour crane kept"
HOURS = 48
HOUR_S = 3600.0


@pytest.fixture(params=[True, False], ids=["sealed", "open"])
def members(request, opened):
    """The founder of a space with the policy, and two members."""
    owner = founded(Anywhere(opened)("home"), sealed=request.param, unconfirmed_hours=HOURS)
    return owner, *(owner.shared(name, role="contributor") for name in ("bo", "kim"))


def ask(member):
    """Return the answer to the question, and until when its first source is unconfirmed."""
    reply = member.ask(QUESTION, "asker", contribute="never")
    return reply["result"]["response"], reply["result"]["sources"][0].get("unconfirmed_until")


def judge(member, thought_id, signal="useful"):
    session = member.ask(QUESTION, "judge", contribute="never")["trace"]["session_id"]
    body = {"session_id": session, "thought_id": thought_id, "signal": signal}
    assert member.post("memory/feedback", body).status_code == 200


def test_a_member_s_thought_is_unconfirmed_for_as_long_as_the_space_says(members):
    owner, bo, kim = members
    lie = bo.know(LIE, "bo")
    response, until = ask(kim)
    assert "; unconfirmed" in response
    assert until is not None
    assert kim.record(lie)["unconfirmed_until"] == until
    [listed] = kim.read("thoughts")["thoughts"]
    assert listed["unconfirmed_until"] == until
    assert "(unconfirmed)" in kim.ask("catch me up", "kim")["result"]["response"]
    owner.clock.advance(HOURS * HOUR_S + 1)
    response, until = ask(kim)
    assert "unconfirmed" not in response
    assert until is None
    assert kim.record(lie)["unconfirmed_until"] is None


def test_what_waits_to_be_confirmed_is_listed_by_itself(members):
    owner, bo, kim = members
    lie = bo.know(LIE, "bo")
    owner.know("The harbour crane is red.", "owner")

    def listed():
        return [
            each["thought_id"] for each in kim.read("thoughts", state="unconfirmed")["thoughts"]
        ]

    assert listed() == [lie]
    judge(kim, lie)
    assert listed() == []


@pytest.mark.parametrize("who", ["admin", "member"])
def test_what_somebody_else_finds_useful_is_confirmed_at_once(members, who):
    owner, bo, kim = members
    lie = bo.know(LIE, "bo")
    judge(owner if who == "admin" else kim, lie)
    assert ask(kim)[1] is None
    assert kim.record(lie)["unconfirmed_until"] is None


def test_what_somebody_else_says_again_is_confirmed_at_once(members):
    _, bo, kim = members
    lie = bo.know(LIE, "bo")
    assert kim.know(LIE, "kim") == lie
    assert ask(bo)[1] is None


def test_who_repeats_what_they_were_shown_confirms_nothing_until_they_find_it_useful(members):
    _, bo, kim = members
    lie = bo.know(LIE, "bo")
    kim.clock.advance(1)
    ask(kim)
    kim.clock.advance(1)
    assert kim.know(LIE, "kim") == lie
    assert ask(bo)[1] is not None
    assert kim.record(lie)["unconfirmed_until"] is not None
    # What one member does with a thought counts once a day.
    kim.clock.advance(25 * HOUR_S)
    judge(kim, lie)
    assert ask(bo)[1] is None


def test_nobody_confirms_their_own_thought(members):
    _, bo, kim = members
    lie = bo.know(LIE, "bo")
    judge(bo, lie)
    bo.know(LIE, "another name of bo")
    assert ask(kim)[1] is not None


def test_an_admin_needs_no_confirmation(members):
    owner, _, kim = members
    owner.know(LIE, "owner")
    assert ask(kim) == (ask(kim)[0], None)


def test_without_the_policy_nothing_is_unconfirmed(opened):
    owner = founded(Anywhere(opened)("home"), sealed=False)
    bo = owner.shared("bo", role="contributor")
    bo.know(LIE, "bo")
    assert ask(owner)[1] is None


def test_who_corrects_themselves_replaces_at_once(members):
    _, bo, kim = members
    old = bo.know(LIE, "bo")
    bo.clock.advance(60)
    new = bo.ask(LIE.replace("blue", "red"), "bo", replaces=[old])["trace"]["thought_id"]
    assert ids(kim.ask(QUESTION, "kim", contribute="never")) == [new]


def test_models_are_told(members):
    _, bo, kim = members
    bo.know(LIE, "bo")
    call = {"name": "recall", "arguments": {"query": QUESTION}}
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}
    accept = {"accept": "application/json, text/event-stream"}
    result = kim.client.post("/mcp", json=body, headers=accept).json()["result"]
    assert result["structuredContent"]["thoughts"][0]["unconfirmed_until"] is not None
    assert ", unconfirmed" in result["content"][0]["text"]


def test_an_export_and_import_keeps_it(members, opened):
    owner, bo, kim = members
    lie = bo.know(LIE, "bo")
    until = kim.record(lie)["unconfirmed_until"]
    records = [json.loads(line) for line in owner.export().splitlines()]
    elsewhere = founded(owner, "elsewhere", sealed=False)
    elsewhere.import_records(*records)
    assert elsewhere.record(lie)["unconfirmed_until"] == until


def test_what_a_member_imports_is_unconfirmed_too(members):
    _, bo, kim = members
    bo.import_records(
        {
            "record": "thought",
            "content": LIE,
            "contributor_id": "x",
            "contributor_name": "X",
            "unconfirmed_until": None,
        }
    )
    assert ask(kim)[1] is not None


def test_the_space_says_what_its_policy_is(members):
    owner, *_ = members
    assert owner.read(f"spaces/{owner.space}")["unconfirmed_hours"] == HOURS


@pytest.mark.parametrize("sealed", [True, False], ids=["sealed", "open"])
def test_an_admin_changes_the_policy_of_what_is_said_from_then_on(opened, sealed):
    anywhere = Anywhere(opened)
    owner = founded(anywhere("home"), sealed=sealed)
    bo = owner.shared("bo", role="contributor")
    before = bo.know("the tide gate opens at noon", "bo")
    changed = owner.change("", "PUT", unconfirmed_hours=HOURS)
    assert changed["unconfirmed_hours"] == HOURS
    [entry] = [
        entry
        for entry in owner.read("audit", limit=1000)["entries"]
        if entry["action"] == "space.changed"
    ]
    assert entry["details"]["unconfirmed_hours"] == HOURS
    lie = bo.know(LIE, "bo")
    assert owner.record(before)["unconfirmed_until"] is None
    assert owner.record(lie)["unconfirmed_until"] is not None
    owner = restarted(anywhere, owner)
    assert owner.read(f"spaces/{owner.space}")["unconfirmed_hours"] == HOURS
    owner.change("", "PUT", unconfirmed_hours=0)
    assert owner.read(f"spaces/{owner.space}")["unconfirmed_hours"] == 0


def test_only_an_admin_changes_the_policy(members):
    owner, bo, _ = members
    url = f"/api/v1/spaces/{owner.space}"
    refused(bo.client.request("PUT", url, json={"unconfirmed_hours": 0}), 403, "FORBIDDEN")
    refused(
        owner.client.request("PUT", url, json={"unconfirmed_hours": 8761}),
        400,
        "VALIDATION_ERROR",
    )
    assert owner.read(f"spaces/{owner.space}")["unconfirmed_hours"] == HOURS


@pytest.mark.parametrize("changes_while_open", [True, False])
def test_who_writes_to_the_database_does_not_change_a_sealed_space_s_policy(
    opened, changes_while_open
):
    anywhere = Anywhere(opened)
    owner = founded(anywhere("home"), unconfirmed_hours=HOURS)
    bo = owner.shared("bo", role="contributor")
    bo.know("the tide gate opens at noon", "bo")
    if not changes_while_open:
        owner.close()
    with look_into(owner.home) as database:
        database.execute("UPDATE knowledge_spaces SET settings = '{}' WHERE id = ?", [owner.space])
    lie = bo.know(LIE, "bo")
    assert owner.record(lie)["unconfirmed_until"] is not None
    if not changes_while_open:
        assert owner.read(f"spaces/{owner.space}")["unconfirmed_hours"] == HOURS
