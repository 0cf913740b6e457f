"""What readers leave behind: turns of their own, a bounded number, and lines in the log."""

from __future__ import annotations

import pytest

from api.routes import IN_A_SPACE, READER, TABLE, call, furnished, query
from api.walls import founded, served
from api.world import accepted, refused
from wellworn.application.calls import turns

LOG = {"query", "session", "trail", "trail_agent"}
"""Records of what was asked, and on which ways it was found."""
ENTRY = {"tool": "shell", "result": "The tide is low at noon."}


@pytest.fixture
def owner():
    with served() as world:
        yield founded(world)


@pytest.mark.parametrize("work", [{"entries": [ENTRY]}, {"entries": []}, {"answer": "At noon."}])
def test_a_reader_keeps_no_work_of_its_own_over_mcp(owner, work):
    reader = owner.guest("reader", "r")
    before = owner.everything()
    told = reader.tool("ask", query="When is the tide low?", **work).json()["result"]
    assert told["isError"]
    assert told["structuredContent"]["error"]["code"] == "FORBIDDEN"
    assert owner.everything() == before


def test_who_may_only_read_any_more_goes_on_with_no_open_turn(owner):
    guest = owner.guest()
    turn = accepted(guest.post("turns/open", query("When is the tide low?")))["id"]
    path = f"spaces/{owner.space}/members/{guest.member_id}"
    accepted(owner.send("PUT", path, {"role": "reader"}))
    refused(guest.post(f"turns/{turn}/entries", {"entries": [ENTRY]}), 403, "FORBIDDEN")
    refused(guest.post(f"turns/{turn}/close", {"answer": "At noon."}), 403, "FORBIDDEN")
    assert accepted(guest.get(f"turns/{turn}"))["turn"]["status"] == "open"


def test_of_a_reader_the_last_turns_are_kept_and_of_others_all(owner, monkeypatch):
    monkeypatch.setattr(turns, "MOST_OF_A_READER", 3)
    owner.know("The lamp of the pier burns whale oil.")
    reader, other = owner.guest("reader", "r"), owner.guest(name="o")
    kept = []
    for number in range(6):
        asked = query(f"What does the lamp of pier {number} burn?")
        kept.append(accepted(reader.post("turns", asked))["turn"]["id"])
        accepted(other.post("turns", asked))
    listed = [turn["id"] for turn in accepted(reader.get("turns"))["turns"]]
    assert listed == kept[:2:-1]
    assert len(accepted(other.get("turns"))["turns"]) == 6
    folders = {
        one["path"].split("/")[0]
        for one in reader.everything()
        if one["record"] == "turn_file" and one["path"].startswith("turn_")
    }
    assert len(folders) <= 3


def test_all_that_a_reader_may_call_leaves_turns_and_lines_of_the_log_alone(owner):
    known = furnished(owner)
    reader = owner.guest("reader", "r")
    made = {repr(one) for one in owner.everything()}
    routes = [route for route in IN_A_SPACE if TABLE[route].least == READER]
    for route in routes:
        if not route.endswith("/leave"):
            call(reader, route, known)
    added = [one for one in owner.everything() if repr(one) not in made]
    assert {one["record"] for one in added if one.get("user_id") != reader.member_id} <= LOG
