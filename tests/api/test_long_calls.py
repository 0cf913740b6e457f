"""Calls that last long: nobody keeps them from others, whomever they invite."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from starlette.testclient import TestClient

from api.walls import UNLIMITED, founded
from api.world import accepted, refused
from wellworn.application.calls import App
from wellworn.application.settings import Settings
from wellworn.client.errors import WellwornClientError
from wellworn.client.wire import parse_record
from wellworn.domain.spaces import SpaceSettings
from wellworn.domain.turns import service as turn_service
from wellworn.engines.slots import MOST_OF_A_CALLER
from wellworn.engines.slots.caller_slots import MOST
from wellworn.testing.embedder import HashEmbedder

QUESTION = {"query": "Where is the cedar?", "agent_id": "ada", "agent_name": "Ada"}


@pytest.fixture
def owner(opened):
    return founded(opened(HashEmbedder(), Settings(spaces=SpaceSettings(**UNLIMITED))))


def list_slots(caller) -> tuple[Any, Any]:
    return caller.world.app.turns.slots, caller.world.client.app.state.export_slots


def fill(caller, count: int = MOST_OF_A_CALLER) -> list[Any]:
    """Hold turns and exports as a member who was let in does."""
    accepted(caller.get("search", params={"q": "cedar"}))
    path = caller.world.app.admission.name_caller(caller.key, "nowhere")
    return [slots.take(*path) for slots in list_slots(caller) for _ in range(count)]


def assert_served(caller) -> None:
    assert caller.get("export").status_code == 200
    assert accepted(caller.post("turns", QUESTION))["missing"] == ["GOAL_1"]


def test_four_members_leave_exports_and_turns_to_a_fifth(owner):
    members = [owner.guest(name=f"{number}") for number in range(MOST // MOST_OF_A_CALLER)]
    slots = [slot for member in members for slot in fill(member)]
    assert_served(owner.guest(name="honest"))
    assert [slot.kind for slot in slots if slot.is_given_up] == ["turns", "exports"]


def test_whom_a_member_invents_leave_exports_and_turns_to_others(owner):
    mallory, honest = owner.guest(name="mallory"), owner.guest(name="honest")
    own = accepted(mallory.post("spaces", {"name": "own"}))["space"]["id"]
    for number in range(MOST):
        fill(replace(mallory, space=own).guest(name=f"{number}"), 1)
    assert_served(honest)
    assert_served(honest)


def test_whom_one_admin_invited_leave_exports_and_turns_to_those_outside(owner):
    beside = founded(owner.world, name="beside")
    for number in range(MOST):
        fill(owner.guest(name=f"{number}"), 1)
    assert_served(beside)
    door = owner.world.client
    assert door.get("/api/v1/export").status_code == 200
    assert accepted(door.post("/api/v1/turns", json=QUESTION))["missing"] == ["GOAL_1"]


def test_an_export_that_makes_room_says_so_and_is_no_short_list(owner, monkeypatch):
    for number in range(3):
        owner.know(f"The cedar number {number} stands at the lake.")
    mallory, honest = owner.guest(name="mallory"), owner.guest(name="honest")
    export = App.export

    def export_slowly(self: App, *arguments: Any) -> Any:
        records = export(self, *arguments)
        yield next(records)
        yield {"text": "much " * 100_000}
        if not filled:
            fill(mallory, MOST_OF_A_CALLER - 1)
            for number in range(3):
                filled.extend(fill(owner.guest(name=f"{number}")))
            # On a loop of its own, as one thread of a loop makes the lines of all exports.
            beside = TestClient(honest.world.client.app, base_url=honest.world.client.base_url)
            answer = beside.get("/api/v1/export", headers=honest.headers)
            assert answer.text.endswith("}\n")
        yield from records

    filled: list[Any] = []
    monkeypatch.setattr(App, "export", export_slowly)
    broken = mallory.get("export").text.splitlines()[-1]
    assert json.loads(broken)["error"]["code"] == "OVERLOADED"
    with pytest.raises(WellwornClientError, match="you had most exports under way"):
        parse_record(broken.encode())


def test_a_turn_that_makes_room_is_interrupted_and_resumed(owner, monkeypatch):
    mallory, honest = owner.guest(name="mallory"), owner.guest(name="honest")
    open_run, held = turn_service.Turns.open_run, []

    def open_slowly(self: Any, access: Any, *arguments: Any) -> Any:
        if access.owner == mallory.member_id and not held:
            held.extend(fill(mallory, MOST_OF_A_CALLER - 1))
            for number in range(3):
                held.extend(fill(owner.guest(name=f"{number}")))
            assert_served(honest)
        return open_run(self, access, *arguments)

    monkeypatch.setattr(turn_service.Turns, "open_run", open_slowly)
    refused(mallory.post("turns", QUESTION), 503, "OVERLOADED")
    for slot in held:
        slots = list_slots(owner)[slot.kind == "exports"]
        slots.give_back(slot)
    [turn] = accepted(mallory.get("turns"))["turns"]
    assert turn["status"] == "interrupted"
    resumed = accepted(mallory.post(f"turns/{turn['id']}/resume"))
    assert resumed["missing"] == ["GOAL_1"]


def test_a_long_question_takes_all_the_turns_of_its_member(owner, monkeypatch):
    weights, slots = [], list_slots(owner)[0]
    take = slots.take

    def take_and_note(*callers: str, weight: int) -> Any:
        weights.append(weight)
        return take(*callers, weight=weight)

    monkeypatch.setattr(slots, "take", take_and_note)
    for query in (QUESTION["query"], QUESTION["query"] * 300):
        accepted(owner.post("turns", {**QUESTION, "query": query}))
    assert weights[0] == 1
    assert weights[1] >= MOST_OF_A_CALLER
