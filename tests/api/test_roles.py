"""Every route, asked by members of each role: who may do less changes nothing."""

from __future__ import annotations

import json
from typing import Any

import httpx2
import pytest

from api.routes import CONTRIBUTOR, IN_A_SPACE, RANKS, READER, TABLE, Known, call, furnished, query
from api.walls import Caller, founded, kept, served, thought
from api.world import accepted, refused, talk
from wellworn.client import Wellworn, WellwornClientError
from wellworn.kit.ids import derive_id

MOMENT = 1_771_858_800.0
OF_ONES_OWN = [
    *(route for route in TABLE if route.startswith("DELETE thoughts")),
    *("PUT thoughts/{thought_id}/end", "POST curation"),
]
"""What a contributor may do with their own thoughts alone."""


OF_THE_SERVER = {"GET workload", "GET jobs", "GET settings"}
"""What admins of any other space are refused, too: `test_care` has who is let in."""

ONCE_LEARNED = {"POST policy/try"}
"""What is refused until weights were learned: `test_policy` has who is let in."""


@pytest.fixture(scope="module")
def world():
    with served() as world:
        yield world


@pytest.fixture(scope="module", params=["open", "sealed"])
def unchanged(request):
    """What no call in vain changes, so that all of them can share it; and a guest of each role."""
    with served() as world:
        known = furnished(founded(world, "roles", sealed=request.param == "sealed"))
        yield known, {role: known.caller.guest(role) for role in RANKS}


@pytest.mark.parametrize(
    ("route", "role"),
    [
        (route, role)
        for route in IN_A_SPACE
        for role in RANKS
        if RANKS.index(role) < RANKS.index(TABLE[route].least)
    ],
)
def test_a_lesser_role_is_refused_and_changes_nothing(unchanged, route, role):
    known, guests = unchanged
    before = kept(known.caller.world), known.caller.everything()
    refused(call(guests[role], route, known), 403, "FORBIDDEN")
    assert (kept(known.caller.world), known.caller.everything()) == before


@pytest.fixture(scope="module")
def read_alone(world):
    return furnished(founded(world, "read alone"))


def only_reads(route: str) -> bool:
    return route.startswith("GET ")


@pytest.fixture
def known(request, world, route):
    """What a call is about: the same for all that only read, and else its own."""
    if only_reads(route):
        return request.getfixturevalue("read_alone")
    owner = founded(world, "roles", sealed=TABLE[route].sealed)
    return furnished(owner, documents="knowledge" in route)


@pytest.mark.parametrize(
    ("route", "role"),
    [
        (route, role)
        for route in IN_A_SPACE
        for role in RANKS
        if RANKS.index(role) >= RANKS.index(TABLE[route].least)
        and route not in OF_THE_SERVER | ONCE_LEARNED
    ],
)
def test_the_least_role_and_those_above_it_are_let_in(known, route, role):
    guest = known.caller.guest(role)
    session = guest.ask("What does the lamp burn?")["trace"]["session_id"]
    about = Known(**{**vars(known), "session_id": session})
    if route in OF_ONES_OWN and role == CONTRIBUTOR:
        own = guest.know("My own words.", thought_type="refinement", source_ids=[about.replaced_id])
        about = Known(**{**vars(about), "thought_id": own})
    if "{turn_id}" in route:
        own = accepted(guest.post("turns", query("What does the lamp burn?")))["turn"]["id"]
        about = Known(**{**vars(about), "turn_id": own})
    if "{open_id}" in route:
        own = accepted(guest.post("turns/open", query("Where is the lamp?")))["id"]
        about = Known(**{**vars(about), "open_id": own})
    accepted_ndjson(call(guest, route, about))


def accepted_ndjson(reply: Any) -> None:
    assert reply.status_code in {200, 201}, reply.text
    if reply.headers["content-type"].startswith(("text/markdown", "text/event-stream")):
        return
    for line in reply.text.splitlines():
        json.loads(line)


def test_a_reader_s_words_are_not_kept(world):
    owner = founded(world)
    reader = owner.guest("reader")
    told_so = talk("I have found that the lamp burns whale oil in the night.")
    assert accepted(reader.post("memory", told_so))["trace"]["thoughts_contributed"] == 0
    refused(reader.post("memory", told_so | {"contribute": "always"}), 403, "FORBIDDEN")
    assert [one for one in owner.everything() if one["record"] == "thought"] == []


def test_invitations_are_told_to_admins_alone(world):
    known = furnished(founded(world))
    path = f"spaces/{known.space}/members"
    assert len(accepted(known.caller.get(path))["invitations"]) == 1
    for role in (READER, CONTRIBUTOR):
        assert accepted(known.caller.guest(role).get(path))["invitations"] == []


def test_who_was_revoked_is_out_with_the_next_call(world):
    owner = founded(world)
    guest = owner.guest("admin")
    child = guest.child()
    accepted(guest.get("health"))
    accepted(owner.send("DELETE", f"spaces/{owner.space}/members/{guest.member_id}"))
    for one in (guest, child):
        refused(one.get("health"), 404, "SPACE_NOT_FOUND")
        refused(one.get(f"spaces/{owner.space}"), 404, "SPACE_NOT_FOUND")
        assert accepted(one.get("spaces"))["spaces"] == []


def test_a_contributor_cannot_import_a_worn_trail(world):
    owner = founded(world)
    guest = owner.guest("contributor")
    said = guest.know("The lamp burns whale oil.")
    worn = {
        "record": "trail", "thought_id": said, "last_accessed": MOMENT, "weight": 10.0,
        "frozen_until_h": 2**40, "uses": 1e9, "exposures": 0.0, "counted_at": MOMENT,
        "use_score": 1e9,
    }  # fmt: skip
    guest.import_records(worn)
    record = accepted(owner.get(f"thoughts/{said}"))
    assert record["pheromone_weight"] == 1.0
    roads = accepted(owner.get("highways", params={"min_access": 0, "min_users": 0}))
    assert [road["use_score"] for road in roads] == [0.0]


@pytest.mark.parametrize("count", [1, 1_100])
def test_an_import_that_holds_what_takes_an_admin_is_refused_whole(world, count):
    owner = founded(world)
    guest = owner.guest("contributor")
    said = [thought(f"Lantern {n} burns oil.", "ann") for n in range(count)]
    ids = [derive_id("lantern", str(n)) for n in range(count)]
    notes = [{"record": "thought", "id": at} | one for at, one in zip(ids, said, strict=True)]
    end = {"record": "end", "thought_id": ids[0], "contributor_id": "ann"}
    end |= {"expires_at": MOMENT, "given_at": MOMENT}
    with pytest.raises(WellwornClientError) as refusal, client_of(guest) as memory:
        memory.import_records([*notes, end])
    assert refusal.value.code == "FORBIDDEN"
    assert owner.everything() == []
    with pytest.raises(WellwornClientError) as refusal, client_of(guest) as memory:
        memory.check_import(["thought", "end"])
    assert refusal.value.code == "FORBIDDEN"
    with client_of(guest) as memory:
        memory.check_import(["thought", "practice", "lost"])
        assert memory.import_records(notes).imported == count
    assert "earlier" not in refusal.value.message
    # Over plain HTTP nobody said what was to come, and the notes are stored by now.
    unannounced = guest.import_records(end)
    assert "what earlier ones brought stays" in unannounced.json()["error"]["message"]
    with client_of(owner) as memory:
        memory.check_import(["thought", "end", "source"])
        assert memory.import_records([*notes, end]).imported == 1


def client_of(caller: Caller) -> Wellworn:
    def answer(request: httpx2.Request) -> httpx2.Response:
        headers = {**caller.headers, "content-type": request.headers.get("content-type", "")}
        made = caller.world.client.request(
            request.method,
            request.url.raw_path.decode(),
            content=request.content,
            headers=headers,
        )
        return httpx2.Response(made.status_code, content=made.content)

    return Wellworn("http://127.0.0.1", transport=httpx2.MockTransport(answer))


def test_settling_tells_and_touches_the_own_space_alone(world):
    theirs, ours = furnished(founded(world)), founded(world)
    world.clock.advance(hours=100)
    before = theirs.caller.everything()
    assert accepted(ours.post("maintenance/decay")) == {"settled": 0}
    assert theirs.caller.everything() == before
