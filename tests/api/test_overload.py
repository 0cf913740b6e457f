"""Beyond capacity a call is refused with 503 and the time to come again; others get in."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from api.walls import founded
from api.world import accepted, refused, talk
from wellworn.application.settings import Settings
from wellworn.engines.slots import SlotSettings
from wellworn.testing.embedder import HashEmbedder

TINY = Settings(slots=SlotSettings(at_once=1, most_waiting=0, most_of_a_caller=1))
HERE = "address/testclient"


def hold(world, caller: str):
    return asyncio.run(world.app.slots.take(caller))


def test_the_server_full_refuses_and_answers_again_when_a_call_ended(opened):
    world = opened(HashEmbedder(), TINY)
    held = hold(world, "member/other")
    for answer in (
        world.client.get("/api/v1/search", params={"q": "cedar"}),
        world.post("memory", talk("Where is the cedar?")),
    ):
        refused(answer, 503, "OVERLOADED")
        assert int(answer.headers["retry-after"]) >= 1
    assert world.client.get("/health/live").status_code == 200
    assert world.client.get("/health/ready").status_code == 200
    held.give_back()
    world.ask("Where is the cedar?")
    world.ask("Where is the cedar?")
    accepted(world.client.get("/api/v1/search", params={"q": "cedar"}))
    assert world.app.slots.running == 0


@pytest.mark.parametrize(
    ("method", "path"),
    [("GET", "search?q=cedar"), ("GET", "thoughts"), ("POST", "turns/rebuild")],
)
def test_a_body_that_no_route_reads_brings_no_call_in(opened, method, path):
    world = opened(HashEmbedder(), TINY)
    held = hold(world, "member/other")
    more = {"content": b" ", "headers": {"content-type": "application/json"}}
    refused(world.client.request(method, f"/api/v1/{path}", **more), 503, "OVERLOADED")
    held.give_back()
    accepted(world.client.request(method, f"/api/v1/{path}", **more))
    assert world.app.slots.running == 0


def test_one_caller_with_its_share_is_refused_alone(opened):
    settings = Settings(slots=SlotSettings(at_once=4, most_of_a_caller=1))
    world = opened(HashEmbedder(), settings)
    hold(world, HERE)
    refused(world.client.get("/api/v1/search", params={"q": "cedar"}), 503, "OVERLOADED")
    asyncio.run(world.app.slots.take("member/other")).give_back()


def test_a_credential_that_was_let_in_stands_for_its_member_and_no_other_does(opened):
    settings = Settings(slots=SlotSettings(at_once=4, most_of_a_caller=1))
    world = opened(HashEmbedder(), settings)
    made = accepted(world.post("spaces", {"name": "team", "sealed": False}))
    known = {"authorization": f"Bearer {made['issued']['key']}"}
    unknown = {"x-api-key": "made-up"}
    ask = {"params": {"q": "cedar"}}
    accepted(world.client.get("/api/v1/search", headers=known, **ask))
    hold(world, HERE)
    refused(world.client.get("/api/v1/search", headers=unknown, **ask), 503, "OVERLOADED")
    accepted(world.client.get("/api/v1/search", headers=known, **ask))


def test_a_new_member_gets_in_behind_an_address_that_has_its_share(opened):
    settings = Settings(slots=SlotSettings(at_once=4, most_of_a_caller=1))
    world = opened(HashEmbedder(), settings)
    made = accepted(world.post("spaces", {"name": "team", "sealed": False}))
    hold(world, HERE)
    ask = {"params": {"q": "cedar"}}
    key = made["issued"]["key"]
    for made_up in ("ww_made-up", key[:-2] + ("ba" if key[-2] == "a" else "aa")):
        unknown = {"authorization": f"Bearer {made_up}"}
        refused(world.client.get("/api/v1/search", headers=unknown, **ask), 503, "OVERLOADED")
    known = {"authorization": f"Bearer {key}"}
    accepted(world.client.get("/api/v1/search", headers=known, **ask))


def test_members_whom_somebody_invented_take_the_places_of_that_one(opened):
    settings = Settings(slots=SlotSettings(at_once=1, most_waiting=4, most_of_a_caller=3))
    world = opened(HashEmbedder(), settings)
    admin = founded(world)
    founder, victim = admin.guest(name="founder"), admin.guest(name="victim")
    own = accepted(founder.post("spaces", {"name": "own"}))["space"]["id"]
    invented = [replace(founder, space=own).guest(name=f"{number}") for number in range(6)]
    paths = {}
    for caller in (founder, victim, *invented):
        accepted(caller.get("search", params={"q": "cedar"}))
        paths[caller.member_id] = world.app.admission.recall_member(caller.key)
    above = admin.member_id, founder.member_id
    assert {paths[guest.member_id] for guest in invented} == {
        (*above, guest.member_id) for guest in invented
    }
    assert paths[victim.member_id] == (admin.member_id, victim.member_id)
