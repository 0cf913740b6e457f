"""Until when something is true, over HTTP: given, due, lifted, moved, and taken back."""

from __future__ import annotations

import json

import pytest

from api.sealed_world import Anywhere, founded
from api.world import NOBODY, accepted, ids, refused, talk

CODE = "The Marlin visitor wifi takes the code harbour-44."
OTHER = "The Marlin visitor wifi takes the code lantern-91."
QUESTION = "Which code does the Marlin visitor wifi take?"
DAY = 86_400.0
FRIDAY = "2026-02-27"


def end(place, thought_id, expires_at, agent="bo"):
    body = {"expires_at": expires_at, "agent_id": agent}
    return place.send("PUT", f"thoughts/{thought_id}/end", body)


def said(place, text, agent="bo", **more):
    return place.ask(text, agent, **more)["trace"]["thought_id"]


def standing(place, thought_id):
    record = place.record(thought_id)
    return record["expires_at"], record["outdated_at"]


def test_past_its_end_a_thought_is_history(place):
    old = said(place, CODE, expires_at=FRIDAY)
    assert standing(place, old) == ("2026-02-28T00:00:00.000000Z", None)
    [source] = place.ask(QUESTION, "dev")["result"]["sources"]
    assert source["expires_at"] == "2026-02-28T00:00:00.000000Z"
    assert "outdated_at" not in source
    assert "true until 2026-02-28T00:00 UTC" in place.ask(QUESTION, "dev")["result"]["response"]
    place.clock.advance(5 * DAY)
    new = said(place, OTHER, "ana")
    reply = place.ask(QUESTION, "dev")
    assert ids(reply) == [new, old]
    assert reply["result"]["sources"][1]["outdated_at"] == "2026-02-28T00:00:00.000000Z"
    assert "outdated since 2026-02-28" in reply["result"]["response"]
    assert ids(place.ask(QUESTION, "dev", as_of="2026-02-26"))[0] == old
    [listed] = [one for one in place.read("thoughts")["thoughts"] if one["thought_id"] == old]
    assert listed["outdated_at"] == listed["expires_at"] == "2026-02-28T00:00:00.000000Z"


def test_what_is_newer_and_over_does_not_go_before_what_is_true(place):
    lasting = said(place, OTHER, "ana")
    place.clock.advance(60)
    over = said(place, CODE, expires_at="2026-02-24")
    place.clock.advance(3 * DAY)
    assert ids(place.ask(QUESTION, "dev")) == [lasting, over]


def test_think_takes_an_end_and_an_exact_moment(place):
    known = place.know(CODE, "bo", expires_at="2026-02-23T16:30:00.5Z")
    place.clock.advance(5_400.4)
    assert standing(place, known)[1] is None
    place.clock.advance(0.2)
    assert standing(place, known)[1] == "2026-02-23T16:30:00.500000Z"


def test_what_has_an_end_is_stored_whatever_it_looks_like(place):
    reply = place.ask("Is the pier closed?", expires_at=FRIDAY)
    assert reply["trace"]["thoughts_contributed"] == 1
    never = talk(CODE, expires_at=FRIDAY, contribute="never")
    assert "expires_at" in refused(place.post("memory", never), 400, "VALIDATION_ERROR")


@pytest.mark.parametrize(
    "expires_at", ["2026-02-22", "2026-02-23T15:00:00.0Z", "9999-12-31", "soon", "2026-02-30", 7]
)
def test_an_end_that_is_over_or_none_is_refused(place, expires_at):
    refused(place.post("memory", talk(CODE, expires_at=expires_at)), 400, "VALIDATION_ERROR")
    assert place.read("thoughts")["thoughts"] == []


def test_an_end_is_given_later_changed_and_lifted(place):
    known = said(place, CODE)
    assert standing(place, known) == (None, None)
    given = accepted(end(place, known, FRIDAY))
    assert given == {"thought_id": known, "expires_at": "2026-02-28T00:00:00.000000Z"}
    assert accepted(end(place, known, "2026-02-24T00:00:00.0Z"))["thought_id"] == known
    place.clock.advance(2 * DAY)
    assert standing(place, known)[1] == "2026-02-24T00:00:00.000000Z"
    assert accepted(end(place, known, None)) == {"thought_id": known, "expires_at": None}
    assert standing(place, known) == (None, None)


def test_an_end_may_be_over_but_not_before_the_thought(place):
    known = said(place, CODE)
    place.clock.advance(9 * DAY)
    accepted(end(place, known, FRIDAY))
    assert standing(place, known)[1] == "2026-02-28T00:00:00.000000Z"
    told = refused(end(place, known, "2026-02-20"), 400, "VALIDATION_ERROR")
    assert "when it was said" in told


def test_nothing_is_ended_that_is_not_there(place):
    refused(end(place, NOBODY, FRIDAY), 404, "THOUGHT_NOT_FOUND")
    known = said(place, CODE)
    place.forget(known)
    refused(end(place, known, FRIDAY), 404, "THOUGHT_NOT_FOUND")


def test_a_clock_that_runs_back_gives_back_what_was_over(place):
    known = said(place, CODE, expires_at=FRIDAY)
    place.clock.advance(5 * DAY)
    assert standing(place, known)[1] is not None
    place.clock.advance(-4 * DAY)
    assert standing(place, known)[1] is None
    accepted(end(place, known, None))
    place.clock.advance(-DAY / 2)
    accepted(end(place, known, "2026-02-25"))
    place.clock.advance(4 * DAY)
    assert standing(place, known)[1] == "2026-02-26T00:00:00.000000Z"


def test_who_says_it_again_after_its_end_makes_it_true_again(place):
    known = said(place, CODE, expires_at=FRIDAY)
    place.clock.advance(9 * DAY)
    assert said(place, CODE, "ana") == known
    assert standing(place, known) == (None, None)
    place.clock.advance(1)
    assert said(place, CODE, "bo", expires_at="2026-03-06") == known
    assert standing(place, known) == ("2026-03-07T00:00:00.000000Z", None)


def test_said_again_before_its_end_it_keeps_it(place):
    known = said(place, CODE, expires_at=FRIDAY)
    place.clock.advance(60)
    assert said(place, CODE, "ana") == known
    assert standing(place, known)[0] == "2026-02-28T00:00:00.000000Z"


# ---------------------------------------------------------------- whose word it takes


@pytest.fixture
def team(opened):
    """An owner of a space, and two who contribute to it."""
    owner = founded(Anywhere(opened)("home"))
    return owner, *(owner.shared(name, role="contributor") for name in ("ana", "eve"))


def test_only_who_said_it_and_admins_give_it_an_end(team):
    owner, ana, eve = team
    known = said(ana, CODE, "ana")
    assert "feedback" in refused(end(eve, known, FRIDAY, "eve"), 403, "FORBIDDEN")
    assert standing(owner, known) == (None, None)
    accepted(end(ana, known, FRIDAY, "ana"))
    accepted(end(owner, known, "2026-02-25", "boss"))
    assert standing(eve, known)[0] == "2026-02-26T00:00:00.000000Z"
    owner.clock.advance(9 * DAY)
    assert owner.record(known)["contested"] is False


def test_nobody_ends_what_another_said_by_repeating_it(team):
    owner, ana, eve = team
    known = said(ana, CODE, "ana")
    repeated = talk(CODE, "eve", expires_at=FRIDAY)
    assert "without expires_at" in refused(eve.post("memory", repeated), 403, "FORBIDDEN")
    assert owner.record(known)["affirmed_by"] == []
    assert said(ana, CODE, "ana", expires_at=FRIDAY) == known
    assert standing(owner, known)[0] == "2026-02-28T00:00:00.000000Z"
    assert said(owner, CODE, "boss", expires_at="2026-02-25") == known
    assert standing(owner, known)[0] == "2026-02-26T00:00:00.000000Z"


def test_a_rolled_back_end_gives_back_the_one_before(team):
    owner, ana, eve = team
    known = said(ana, CODE, "ana", expires_at=FRIDAY)
    admin = owner.shared("kim", role="admin")
    accepted(end(admin, known, None, "kim"))
    assert standing(owner, known) == (None, None)
    body = {"owner": admin.member, "since": "2026-01-01T00:00:00Z"}
    accepted(owner.post(f"spaces/{owner.space}/rollback", body))
    assert standing(owner, known)[0] == "2026-02-28T00:00:00.000000Z"
    body = {"owner": ana.member, "since": "2026-01-01T00:00:00Z"}
    accepted(owner.post(f"spaces/{owner.space}/rollback", body))
    refused(owner.client.get(f"/api/v1/thoughts/{known}"), 404, "THOUGHT_NOT_FOUND")
    del eve


def test_ends_are_in_the_trail(team):
    owner, ana, _ = team
    known = said(ana, CODE, "ana")
    accepted(end(ana, known, FRIDAY, "ana"))
    told = [one for one in owner.read("audit")["entries"] if one["action"] == "thought.ended"]
    assert [one["targets"] for one in told] == [[known]]


# ---------------------------------------------------------------- kept on the way


def exported(place):
    lines = place.client.get("/api/v1/export").text.splitlines()
    return [json.loads(line) for line in lines]


def test_ends_go_along_to_another_memory(place, opened):
    known = said(place, CODE, expires_at=FRIDAY)
    accepted(end(place, known, None))
    accepted(end(place, known, "2026-02-25"))
    records = exported(place)
    assert [one["expires_at"] for one in records if one["record"] == "end"] == [
        1772236800.0,
        None,
        1772064000.0,
    ]
    target = founded(Anywhere(opened)("elsewhere"), sealed=False)
    lines = "\n".join(map(json.dumps, records))
    headers = {"content-type": "application/x-ndjson"}
    for imported in (len(records), 0):
        sent = target.client.post("/api/v1/import", content=lines, headers=headers)
        assert accepted(sent)["imported"] == imported
    assert standing(target, known)[0] == "2026-02-26T00:00:00.000000Z"


def test_ends_outlive_that_a_space_is_sealed_and_unsealed(opened):
    owner = founded(Anywhere(opened)("home"), sealed=False)
    known = said(owner, CODE, expires_at=FRIDAY)
    for way in ("seal", "unseal"):
        accepted(owner.post(f"spaces/{owner.space}/{way}", {}))
        assert standing(owner, known)[0] == "2026-02-28T00:00:00.000000Z"


def test_an_end_that_is_due_is_no_voice_against_a_thought(meaning):
    owner = founded(meaning)
    ana, bo = (owner.shared(name, role="contributor") for name in ("ana", "bo"))
    old = ana.know(OTHER, "ana")
    meaning.clock.advance(60)
    new = said(ana, CODE, "ana", replaces=[old], expires_at="2026-02-25")
    session = bo.ask(QUESTION, "bo", contribute="never")["trace"]["session_id"]
    rate = {"thought_id": new, "session_id": session, "signal": "wrong", "agent_id": "bo"}
    accepted(bo.post("memory/feedback", rate))
    meaning.clock.advance(5 * DAY)
    assert standing(ana, old)[1] is not None
    assert standing(ana, new)[1] == "2026-02-26T00:00:00.000000Z"
