"""How the server does, and its settings: told to who looks after it, and to nobody else."""

from __future__ import annotations

import asyncio
import html
import json
import re

import pytest

from api.test_pages import sign_in
from api.walls import founded, served
from api.world import accepted, refused
from patience import LONG_S
from wellworn.engines.slots import Slots, SlotSettings
from wellworn.errors import InvalidInput, Overloaded

SPACE = "/ui/ks-default"


@pytest.fixture
def world():
    with served() as world:
        yield world


def test_calls_are_counted_and_timed_by_kind(world):
    for number in range(3):
        world.know(f"Lamp {number} is green.", "ada")
    accepted(world.client.get("/api/v1/search?q=lamp"))
    told = world.read("workload")
    by_kind = {each["action"]: each for each in told["calls"]}
    assert by_kind["memory.remembered"]["calls"] == 3
    assert by_kind["thought.found"]["calls"] == 1
    for each in told["calls"]:
        assert 0 < each["median_s"] <= each["slow_s"]
    assert (told["running"], told["waiting"], told["refused"]) == (1, 0, 0)


def test_calls_that_are_shed_are_counted(world):
    slots = Slots(SlotSettings(most_of_a_caller=1))

    async def call_twice() -> None:
        await slots.take("ada")
        with pytest.raises(Overloaded):
            await slots.take("ada")

    asyncio.run(call_twice())
    assert slots.refused == 1
    world.app.slots.refused = slots.refused
    assert world.read("workload")["refused"] == 1
    assert "1 call was told to come again" in world.client.get(f"{SPACE}/quality").text


def test_settings_say_where_they_come_from_and_hide_what_is_secret(world, monkeypatch):
    monkeypatch.setenv("WELLWORN_SLOTS__AT_ONCE", "7")
    monkeypatch.setenv("WELLWORN_CRYPTO__KEY__PASSPHRASE", "sk-very-secret")
    reply = world.client.get("/api/v1/settings")
    listed = {each["variable"]: each for each in accepted(reply)["settings"]}
    at_once = listed["WELLWORN_SLOTS__AT_ONCE"]
    assert (at_once["value"], at_once["source"]) == ("7", "environment")
    assert at_once["description"]
    assert listed["WELLWORN_SLOTS__MOST_WAITING"]["source"] == "default"
    assert {*listed["WELLWORN_CRYPTO__KEY__PASSPHRASE"]["value"]} == {"*"}
    assert "sk-very-secret" not in reply.text
    page = world.client.get(f"{SPACE}/care/settings").text
    assert "WELLWORN_SLOTS__AT_ONCE" in page
    assert "sk-very-secret" not in page


def test_an_admin_of_another_space_learns_nothing_of_the_server(world):
    owner = founded(world)
    for path in ("workload", "jobs", "settings"):
        refused(owner.get(path), 403, "FORBIDDEN")
    sign_in(owner, owner.key)
    for path in ("quality", "care", "care/settings", "care/health", "care/jobs"):
        page = world.client.get(f"/ui/{owner.space}/{path}").text
        assert "memory.remembered" not in page
        assert "WELLWORN_SLOTS" not in page


def test_quality_shows_what_was_answered_and_what_was_not(world):
    world.know("The lamp is green.", "ada")
    world.ask("lamp?", contribute="never")
    accepted(world.client.get("/api/knowledge/resolve", params={"term": "cube"}))
    page = html.unescape(world.client.get(f"{SPACE}/quality").text)
    assert re.search(r"Unknown</dt><dd>100 % <span class=\"quiet\">1<", page)
    assert "1 shown, 1 different" in page


def test_a_member_sees_the_shares_of_their_own_questions(world):
    owner = founded(world)
    owner.know("The lamp is green.")
    owner.ask("lamp?", contribute="never")
    guest = owner.guest("reader")
    sign_in(owner, guest.key)
    assert "No question yet." in world.client.get(f"/ui/{owner.space}/quality").text
    guest.ask("lamp?", contribute="never")
    assert "Of your last question" in world.client.get(f"/ui/{owner.space}/quality").text


def refuse_bad(job):
    if job.key == "bad":
        raise InvalidInput("this is bad")


def test_work_in_the_background_is_told_with_what_fails_and_since_when(world):
    world.app.maintain()
    assert world.read("jobs") == {"jobs": [], "failing": [], "unindexed": 0}

    def break_down() -> None:
        raise RuntimeError("what somebody said")

    for _ in range(2):
        world.app.upkeep.run([break_down], is_over=lambda: False)
    told = world.read("jobs")
    [failing] = told["failing"]
    assert (failing["name"], failing["error"], failing["times"]) == (
        "break_down",
        "RuntimeError",
        2,
    )
    assert "what somebody said" not in json.dumps(told)
    page = world.client.get(f"{SPACE}/care/jobs").text
    assert "break_down" in page
    assert "No job ran yet." in page
    world.app.upkeep.run([lambda: None], is_over=lambda: False)
    assert world.read("jobs")["failing"] == []


def test_a_member_learns_of_no_others_source_by_a_job(world):
    key = accepted(world.post("credentials", {"name": "ada", "role": "admin"}))["key"]
    world.app.jobs.register("trial", refuse_bad)
    world.app.jobs.wait(world.app.jobs.submit("trial", "bad").id, LONG_S)
    headers = {"authorization": f"Bearer {key}"}
    [job] = accepted(world.client.get("/api/v1/jobs", headers=headers))["jobs"]
    assert (job["key"], job["message"], job["status"]) == ("", "", "failed")


def test_jobs_are_told_newest_first_with_what_became_of_them(world):
    jobs = world.app.jobs
    jobs.register("trial", refuse_bad)
    tickets = [jobs.submit("trial", key) for key in ("good", "bad")]
    for ticket in tickets:
        jobs.wait(ticket.id, LONG_S)
    told = world.read("jobs")["jobs"]
    assert [(job["key"], job["status"]) for job in told] == [("bad", "failed"), ("good", "done")]
    assert told[0]["message"] == "this is bad"
    assert told[1]["queued_at"] <= told[1]["ended_at"]
    assert len(world.read("jobs", limit=1)["jobs"]) == 1
    assert "this is bad" in world.client.get(f"{SPACE}/care/jobs").text
