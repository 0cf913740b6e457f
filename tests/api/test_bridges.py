"""Bridges between topics over HTTP: proposed by sleep, decided by admins, and taken back."""

from __future__ import annotations

import pytest

from api.test_topics import LAMPS, ROPES, said
from api.walls import founded, served
from api.world import NOBODY, accepted, refused
from wellworn.domain.thoughts.sleep import bridges
from wellworn.domain.thoughts.sleep.bridges import EXPIRES_S
from wellworn.engines.retrieval.co_use import FoundBridge
from wellworn.kit.clock import to_iso

LAMP, ROPE = "the lamp oil of whale watch", "splice the hemp rope coil"
GULL, MOLE = "the gull eats fish", "moles dig under the quay"
USERS = 3


@pytest.fixture(scope="module")
def world():
    with served() as world:
        yield world


def found_harbour(world, *, sealed=False):
    """Make a space of lamps, ropes, gulls and moles."""
    owner = founded(world, "harbour", sealed=sealed)
    gulls = [f"The gull eats fish, gull {at} eats fish." for at in "ghijk"]
    moles = [f"Moles dig under the quay, mole {at} digs." for at in "lmnop"]
    accepted(owner.import_records(*map(said, LAMPS + ROPES + gulls + moles)))
    return owner


def use(caller, *questions):
    """Use the first result of each question, all in one session."""
    session = None
    for text in questions:
        more = {"session_id": session} if session else {}
        reply = caller.ask(text, "dev", limit=1, contribute="never", **more)
        session = reply["trace"]["session_id"]
        source = reply["result"]["sources"][0]["thought_id"]
        body = {"session_id": session, "thought_id": source, "signal": "useful"}
        accepted(caller.post("memory/feedback", body))
    caller.world.clock.advance(hours=25)


@pytest.fixture(params=["open", "sealed"])
def owner(world, request):
    return found_harbour(world, sealed=request.param == "sealed")


@pytest.fixture
def proposing(monkeypatch):
    """Let the log say that the first two topics were needed together, or what is written here."""
    found = [FoundBridge((0, 1), 9, USERS, 2.25, 0.0001)]
    monkeypatch.setattr(bridges, "find_bridges", lambda sessions, groups: found)
    return found


def read(caller):
    return accepted(caller.get("bridges"))["bridges"]


def sleep(caller, **asked):
    return accepted(caller.post("sleep", asked))


@pytest.mark.parametrize("users", [1, USERS])
def test_what_several_needed_together_is_proposed_with_its_evidence(world, users):
    owner = found_harbour(world)
    guests = [owner.guest() for _ in range(users)]
    for number in range(12):
        use(guests[number % users], LAMP, ROPE)
        use(guests[number % users], GULL, MOLE)
    assert sleep(owner, dry_run=True)["bridges"] == (2 if users > 1 else 0)
    assert read(owner) == []
    slept = sleep(owner)
    told = accepted(guests[0].get("bridges"))
    if users == 1:
        assert told["bridges"] == []
        return
    assert (slept["bridges"], told["slept_at"]) == (2, slept["slept_at"])
    words = [
        {word for end in bridge["ends"] for word in end["title"].split(", ")}
        for bridge in told["bridges"]
    ]
    assert sorted("lamp" in each for each in words) == [False, True]
    assert all(("lamp" in each) == ("rope" in each) for each in words)
    assert all(("gull" in each) == ("quay" in each) for each in words)
    for bridge in told["bridges"]:
        assert (bridge["sessions"], bridge["users"], bridge["taken_at"]) == (12, USERS, None)
        assert 2.0 < bridge["expected"] < 4.0
        assert 0.0 < bridge["p"] < 0.001


def test_it_moves_no_result_and_its_words_go_with_their_thoughts(owner, proposing):
    before = accepted(owner.get("search", params={"q": LAMP}))["results"]
    sleep(owner)
    assert accepted(owner.get("search", params={"q": LAMP}))["results"] == before
    [bridge] = read(owner)
    central = bridge["ends"][0]["central"]
    accepted(owner.send("DELETE", f"thoughts/{central['thought_id']}", {"agent_id": "ana"}))
    assert central["content_preview"] not in str(read(owner))


def test_a_proposal_expires_unless_it_is_found_again(owner, proposing):
    sleep(owner)
    [bridge] = read(owner)
    owner.world.clock.advance(EXPIRES_S - 60)
    sleep(owner)
    owner.world.clock.advance(EXPIRES_S - 60)
    [again] = read(owner)
    assert (again["id"], again["found_at"]) == (bridge["id"], bridge["found_at"])
    owner.world.clock.advance(120)
    assert read(owner) == []
    proposing.clear()
    sleep(owner)
    proposing.append(FoundBridge((0, 1), 9, USERS, 2.25, 0.0001))
    sleep(owner)
    assert [each["id"] for each in read(owner)] != [bridge["id"]]


def test_an_admin_takes_it_and_it_stays(owner, proposing):
    sleep(owner)
    [bridge] = read(owner)
    refused(owner.guest().post("bridges", {"take": [bridge["id"]]}), 403, "FORBIDDEN")
    refused(owner.post("bridges", {"take": [bridge["id"], NOBODY]}), 404, "NOT_FOUND")
    both = {"take": [bridge["id"]], "decline": [bridge["id"]]}
    refused(owner.post("bridges", both), 400, "VALIDATION_ERROR")
    assert read(owner) == [bridge]
    [taken] = accepted(owner.post("bridges", {"take": [bridge["id"]]}))["bridges"]
    assert (taken["expires_at"], taken["taken_at"]) == (None, bridge["found_at"])
    proposing.clear()
    owner.world.clock.advance(EXPIRES_S + 1)
    sleep(owner)
    assert [each["id"] for each in read(owner)] == [bridge["id"]]


def test_what_was_declined_is_not_proposed_again(owner, proposing):
    sleep(owner)
    [bridge] = read(owner)
    assert accepted(owner.post("bridges", {"decline": [bridge["id"]]}))["bridges"] == []
    owner.world.clock.advance(EXPIRES_S - 60)
    assert sleep(owner, dry_run=True)["bridges"] == 0
    assert sleep(owner)["bridges"] == 0
    owner.world.clock.advance(EXPIRES_S - 60)
    assert sleep(owner)["bridges"] == 0


def test_a_rollback_takes_back_what_was_found_since(owner, proposing):
    guest = owner.guest()
    sleep(owner)
    [bridge] = read(owner)
    owner.world.clock.advance(60)
    path = f"spaces/{owner.space}/rollback"
    later = to_iso(owner.world.clock.now())
    accepted(owner.post(path, {"owner": guest.member_id, "since": later}))
    assert read(owner) == [bridge]
    accepted(owner.post("bridges", {"take": [bridge["id"]]}))
    sleep(owner)
    accepted(owner.post(path, {"owner": guest.member_id, "since": later}))
    assert [each["id"] for each in read(owner)] == [bridge["id"]]
    accepted(owner.post(path, {"owner": guest.member_id, "since": bridge["found_at"]}))
    assert read(owner) == []


def test_a_proposal_that_was_found_again_since_a_rollback_is_none(owner, proposing):
    guest = owner.guest()
    sleep(owner)
    owner.world.clock.advance(60)
    later = to_iso(owner.world.clock.now())
    sleep(owner)
    path = f"spaces/{owner.space}/rollback"
    accepted(owner.post(path, {"owner": guest.member_id, "since": later}))
    assert read(owner) == []


def test_a_sealed_space_leaves_none_in_the_open_database(world, proposing):
    owner = found_harbour(world)
    sleep(owner)
    count = "SELECT count(*) FROM bridges WHERE knowledge_space_id = ?"
    assert world.rows(count, owner.space) == [(1,)]
    accepted(owner.post(f"spaces/{owner.space}/seal"))
    assert world.rows(count, owner.space) == [(0,)]
