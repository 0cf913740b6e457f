"""Turns over HTTP: asked, followed as they go, read, resumed, removed; each its asker's own."""

from __future__ import annotations

import asyncio
import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial, partialmethod
from threading import Event
from typing import Any

import pytest
from anyio import to_thread

from api.routes import query
from api.sealed_world import Anywhere, Talk, seen
from api.sealed_world import founded as founded_place
from api.walls import founded, served, unlimited
from api.world import NOBODY, accepted, refused
from empty_memory import of_files
from integration.model_server import Reply, serving
from patience import LONG_S
from wellworn.application.calls import RunningTurn
from wellworn.domain.turns import ExtractiveEngine, Phase, TurnQuery, service
from wellworn.domain.turns.models import GoalValidation, Validation, ValidationDecision
from wellworn.engines.llm import LlmSettings
from wellworn.engines.slots import MOST_OF_A_CALLER, CallerSlots
from wellworn.errors import InvalidInput, StorageUnavailable
from wellworn.interfaces.http.v1.turn_events import stream_events

EVENTS = {"accept": "text/event-stream"}
LAMP = "The lamp burns whale oil."
PHASES = ["analysis", "reflection", "gathering", "planning", "synthesis", "validation", "saving"]


@pytest.fixture
def known(world):
    world.know(LAMP)
    return world


@pytest.fixture
def shared():
    """A space with documents' worth of words, its admin, and a contributor."""
    with served() as world:
        owner = founded(world)
        owner.know(LAMP)
        yield owner, owner.guest()


def ask(caller: Any, text: str = "lamp burns whale oil?", agent: str = "ada", **more: Any) -> Any:
    response = caller.post("turns", query(text, agent, **more))
    assert response.status_code == 201, response.text
    return response.json()


def follow(caller: Any, path: str = "turns", **more: Any) -> list[tuple[str, Any]]:
    """Return the events of a turn, each with its name."""
    body = query("lamp burns whale oil?", **more) if path == "turns" else None
    response = caller.post(path, body, headers=EVENTS)
    assert response.headers["content-type"].startswith("text/event-stream")
    return read_events(response.text)


def read_events(text: str) -> list[tuple[str, Any]]:
    blocks = [block.split("\n") for block in text.split("\n\n") if block]
    return [
        (name.removeprefix("event: "), json.loads(data.removeprefix("data: ")))
        for name, data in blocks
    ]


def test_a_question_is_answered_with_the_words_of_its_sources(known):
    answer = ask(known)
    assert (answer["turn"]["number"], answer["turn"]["status"]) == (1, "done")
    assert (answer["turn"]["engine"], answer["turn"]["follows"]) == ("extractive", None)
    assert answer["turn"]["created_at"] == "2026-02-23T15:00:00.000000Z"
    [claim], [source] = answer["claims"], answer["sources"]
    assert (claim["text"], claim["evidence"], claim["goal"]) == (LAMP, source["number"], "GOAL_1")
    assert (source["kind"], source["text"], source["stale"]) == ("thought", LAMP, False)
    assert source["source"].startswith("thought:")
    assert LAMP in answer["text"]
    assert known.read(f"turns/{answer['turn']['id']}") == answer


def test_what_cannot_be_found_is_named_as_missing(known):
    answer = ask(known, "Which zebra paints the harbour?")
    assert answer["missing"] == ["GOAL_1"]
    assert answer["claims"] == []


def test_an_answer_that_its_sources_do_not_support_is_not_given(known, monkeypatch):
    goal = GoalValidation("GOAL_1", is_addressed=False, quality=0.1, notes="")
    checks = {"Claims Supported": False}
    refusal = Validation(ValidationDecision.FAIL, 0.9, checks, goals=(goal,))
    monkeypatch.setattr(ExtractiveEngine, "validate", lambda *_: refusal)
    answer = ask(known)
    assert (answer["turn"]["status"], answer["turn"]["quality"]) == ("failed", 0.1)
    assert (answer["claims"], answer["sources"]) == ([], [])
    assert LAMP not in answer["text"]


def test_a_turn_goes_on_from_another(known):
    first = ask(known)["turn"]
    second = ask(known, "and its oil?", follows=first["id"])["turn"]
    assert second["follows"] == first["number"]
    refused(known.post("turns", query("and?", follows=NOBODY)), 404, "TURN_NOT_FOUND")


def test_each_phase_is_told_as_it_begins_and_ends_and_the_answer_comes_last(known):
    *progress, (last, answer) = follow(known)
    assert [data["phase"] for name, data in progress if name == "phase"] == PHASES
    written = [data for name, data in progress if name == "section"]
    assert [data["phase"] for data in written] == PHASES[:-1]
    assert [data["number"] for data in written] == [0, 1, 2, 3, 5, 6]
    assert [name for name, _ in progress] == ["phase", "section"] * 6 + ["phase"]
    assert (last, answer) == ("answer", known.read(f"turns/{answer['turn']['id']}"))
    document = known.client.get(f"/api/v1/turns/{answer['turn']['id']}/files/context.md").text
    assert written[2]["title"] == "Gathered Context"
    assert all(section["text"] in document for section in written)


def test_what_fails_before_a_turn_begins_is_an_answer_like_any_other(known):
    refused(
        known.post("turns", query("and?", follows=NOBODY), headers=EVENTS), 404, "TURN_NOT_FOUND"
    )
    refused(known.post("turns", query(" "), headers=EVENTS), 400, "VALIDATION_ERROR")


@pytest.mark.parametrize(
    ("failure", "code"),
    [
        (StorageUnavailable("the disk is full"), "INTERNAL_ERROR"),
        (RuntimeError("/secret/path"), "INTERNAL_ERROR"),
    ],
)
def test_a_turn_that_breaks_ends_with_an_error_and_can_be_resumed(
    known, monkeypatch, failure, code
):
    def break_off(*_: Any) -> Any:
        raise failure

    with monkeypatch.context() as patch:
        patch.setattr(service, "contribute_answer", break_off)
        name, error = follow(known)[-1]
    assert (name, error["error"]["code"]) == ("error", "INTERNAL_ERROR")
    assert "/secret" not in json.dumps(error)
    [turn] = known.read("turns")["turns"]
    assert (turn["status"], turn["ended_at"]) == ("interrupted", None)
    begun = known.read(f"turns/{turn['id']}")
    assert (begun["text"], begun["turn"]["status"]) == ("", "interrupted")
    resumed = accepted(known.post(f"turns/{turn['id']}/resume", None))
    assert (resumed["turn"]["id"], resumed["turn"]["status"]) == (turn["id"], "done")


def test_a_turn_that_is_resumed_is_followed_too_and_one_that_is_over_is_read(known):
    answer = ask(known)
    path = f"turns/{answer['turn']['id']}/resume"
    assert follow(known, path) == [("answer", answer)]
    assert accepted(known.post(path, None)) == answer
    refused(known.post(f"turns/{NOBODY}/resume", None), 404, "TURN_NOT_FOUND")


def test_one_caller_works_on_few_turns_at_once(known, monkeypatch):
    slots = known.app.turns.slots
    held = [slots.take("address/testclient") for _ in range(MOST_OF_A_CALLER)]
    response = known.post("turns", query("lamp?"))
    refused(response, 429, "RATE_LIMITED")
    assert response.headers["retry-after"] == "1"
    slots.give_back(held[0])
    for _ in range(2):
        ask(known)


def test_many_turns_at_once_wait_for_each_other(known, monkeypatch):
    patient = partialmethod(CallerSlots.take_soon, within_s=LONG_S)
    monkeypatch.setattr(CallerSlots, "take_soon", patient)
    with ThreadPoolExecutor(3 * MOST_OF_A_CALLER) as pool:
        agents = [f"agent-{number}" for number in range(3 * MOST_OF_A_CALLER)]
        answers = list(pool.map(lambda agent: ask(known, agent=agent), agents))
    assert {answer["turn"]["status"] for answer in answers} == {"done"}


def test_a_turn_under_way_is_not_begun_again(known, monkeypatch):
    begun, may_end = Event(), Event()
    contribute = service.contribute_answer

    def wait(*arguments: Any) -> None:
        begun.set()
        assert may_end.wait(LONG_S)
        contribute(*arguments)

    monkeypatch.setattr(service, "contribute_answer", wait)
    portal = known.client.portal
    asked = portal.start_task_soon(lambda: _post_in_thread(known))
    assert begun.wait(LONG_S)
    [turn] = known.read("turns")["turns"]
    assert turn["status"] == "running"
    refused(known.post(f"turns/{turn['id']}/resume", None), 400, "VALIDATION_ERROR")
    may_end.set()
    assert asked.result(30)["turn"]["status"] == "done"


async def _post_in_thread(world: Any) -> Any:
    return await to_thread.run_sync(lambda: ask(world))


def test_a_turn_goes_on_when_its_caller_is_gone():
    may_end, ended = Event(), Event()

    def work(notify: Any) -> Any:
        notify(Phase.ANALYSIS, 1, None)
        assert may_end.wait(LONG_S)
        notify(Phase.ANALYSIS, 1, "## 0. User Query")
        ended.set()
        raise StorageUnavailable("the disk is full")

    async def leave_early() -> None:
        slots = CallerSlots("turns")
        turn = RunningTurn(work, slots, slots.take("ada"))
        events = stream_events(turn, await turn.begin())
        assert (await anext(events)).startswith("event: phase")
        await events.aclose()
        may_end.set()
        assert await to_thread.run_sync(ended.wait, 30)

    asyncio.run(leave_early())


def test_what_is_asked_again_under_its_key_is_one_turn(known):
    access = known.app.enter(None, None, writes=True)
    asked = TurnQuery("lamp burns whale oil?", "ada", "ada", key="one")
    first = known.app.turns.ask(access, asked)
    assert known.app.turns.ask(access, asked) == first
    assert known.app.turns.ask(access, replace(asked, key="two")).turn.number == 2
    assert known.app.turns.ask(access, replace(asked, agent_id="bo")).turn.number == 1
    with pytest.raises(InvalidInput, match="used for another question"):
        known.app.turns.ask(access, replace(asked, text="whale?"))
    opened = known.app.turns.open(access, replace(asked, engine="some-model"))
    assert opened.id != first.turn.id
    again = known.post("turns", query(asked.text), headers={"idempotency-key": "one"})
    assert again.json()["turn"]["id"] == first.turn.id
    other = known.post("turns", query("whale?"), headers={"idempotency-key": "one"})
    refused(other, 400, "VALIDATION_ERROR")


def test_what_is_asked_again_while_it_is_worked_on_waits_for_the_same_answer(known, monkeypatch):
    begun, may_end = Event(), Event()
    contribute = service.contribute_answer

    def wait(*arguments: Any) -> None:
        begun.set()
        assert may_end.wait(LONG_S)
        contribute(*arguments)

    monkeypatch.setattr(service, "contribute_answer", wait)
    access = known.app.enter(None, None, writes=True)
    asked = TurnQuery("lamp burns whale oil?", "ada", "ada", key="one")
    with ThreadPoolExecutor() as threads:
        first = threads.submit(known.app.turns.ask, access, asked)
        assert begun.wait(LONG_S)
        second = threads.submit(known.app.turns.ask, access, asked)
        may_end.set()
        assert second.result(30) == first.result(30)
    assert len(known.read("turns")["turns"]) == 1


# ------------------------------------------------------------------------------- lists and files


def test_turns_are_listed_newest_first_page_by_page_and_by_agent(known):
    for number in range(3):
        known.clock.advance(60)
        ask(known, f"lamp number {number}?")
    ask(known, "whale?", "bo")
    page = known.read("turns", agent_id="ada", limit=2)
    assert [turn["number"] for turn in page["turns"]] == [3, 2]
    rest = known.read("turns", agent_id="ada", limit=2, before=page["next_before"])
    assert [turn["number"] for turn in rest["turns"]] == [1]
    assert rest["next_before"] is None
    assert len(known.read("turns")["turns"]) == 4
    refused(known.client.get(f"/api/v1/turns?before={NOBODY}"), 404, "TURN_NOT_FOUND")


def test_the_files_of_a_turn_are_listed_and_read_with_their_type(known):
    turn = ask(known)["turn"]["id"]
    files = known.read(f"turns/{turn}/files")
    assert files["turn_id"] == turn
    assert {"context.md", "metadata.json", "query_analysis.json"} <= set(files["files"])
    document = known.client.get(f"/api/v1/turns/{turn}/files/context.md")
    assert document.headers["content-type"].startswith("text/markdown")
    assert "## 0. User Query" in document.text
    metadata = known.client.get(f"/api/v1/turns/{turn}/files/metadata.json")
    assert metadata.headers["content-type"] == "application/json"
    assert metadata.json()["turn_id"] == turn


def test_what_a_file_says_is_made_harmless(known):
    known.know("The lamp \u202eburns\u202c whale \x1b[31moil at night.")
    turn = ask(known, "lamp burns whale oil at night?")
    told = known.client.get(f"/api/v1/turns/{turn['turn']['id']}/files/context.md").text
    assert not {"\u202e", "\x1b"} & set(told + json.dumps(turn, ensure_ascii=False))


@pytest.mark.parametrize(
    "path",
    [
        "%2E%2E/index.md",
        "..%2Findex.md",
        "%2E%2E/%2E%2E/preferences.md",
        "%2Fetc%2Fpasswd",
        "context.md%2F..%2F..%2Findex.md",
        "context.md%00",
        ".owner",
        "nothing.md",
        "%2E",
    ],
)
def test_no_path_leads_out_of_the_folder_of_the_turn(known, path):
    turn = ask(known)["turn"]["id"]
    reply = known.client.get(f"/api/v1/turns/{turn}/files/{path}")
    refused(reply, 404, "TURN_NOT_FOUND")


def test_a_removed_turn_is_gone_with_its_files(known):
    def find_files():
        return [*known.home.rglob("turn_000001"), *known.rows("SELECT * FROM turn_files")]

    turn = ask(known)["turn"]["id"]
    assert find_files()
    assert accepted(known.client.delete(f"/api/v1/turns/{turn}")) == {"removed": turn}
    assert not find_files()
    for path in (f"turns/{turn}", f"turns/{turn}/files", f"turns/{turn}/files/context.md"):
        refused(known.client.get(f"/api/v1/{path}"), 404, "TURN_NOT_FOUND")
    refused(known.client.delete(f"/api/v1/turns/{turn}"), 404, "TURN_NOT_FOUND")


def test_the_index_is_made_anew_from_the_files(known):
    turn = ask(known)
    with known.app.database.write() as transaction:
        transaction.exec_driver_sql("DELETE FROM turns")
    assert known.read("turns")["turns"] == []
    assert accepted(known.post("turns/rebuild", None)) == {"indexed": 1}
    assert known.read(f"turns/{turn['turn']['id']}") == turn


@of_files
def test_sections_that_people_changed_are_named(known):
    turn = ask(known)["turn"]["id"]
    [document] = known.home.rglob("turn_000001/context.md")
    document.write_text(document.read_text("utf-8").replace(LAMP, "The lamp is dark."), "utf-8")
    assert "2. Gathered Context" in known.read(f"turns/{turn}")["edited"]


# -------------------------------------------------------------------------------- whose they are


def test_a_turn_of_another_member_is_answered_like_one_of_nobody(shared):
    owner, guest = shared
    turn = ask(owner)["turn"]["id"]
    calls = [("GET", ""), ("POST", "/resume"), ("GET", "/files"), ("GET", "/files/context.md")]
    for method, path in [*calls, ("DELETE", "")]:
        foreign = guest.send(method, f"turns/{turn}{path}")
        missing = guest.send(method, f"turns/{NOBODY}{path}")
        assert refused(foreign, 404, "TURN_NOT_FOUND") == refused(missing, 404, "TURN_NOT_FOUND")
    refused(guest.post("turns", query("and?", follows=turn)), 404, "TURN_NOT_FOUND")
    assert accepted(guest.get("turns"))["turns"] == []
    assert accepted(owner.get(f"turns/{turn}"))["turn"]["status"] == "done"


def test_each_member_counts_from_one_whatever_the_label(shared):
    owner, guest = shared
    assert [ask(owner, agent=label)["turn"]["number"] for label in ("a", "b")] == [1, 2]
    assert ask(guest, agent="a")["turn"]["number"] == 1


def test_calls_about_turns_are_in_the_audit_trail(shared):
    owner, _ = shared
    turn = ask(owner)["turn"]["id"]
    owner.get(f"turns/{turn}")
    owner.send("DELETE", f"turns/{turn}")
    told = [(entry["action"], entry["targets"]) for entry in owner.trail()]
    for action in ("turn.asked", "turn.read", "turn.removed"):
        assert (action, [turn]) in told


def test_turns_of_a_sealed_space_work_and_leave_nothing_readable_on_the_disk(opened):
    place, said = founded_place(Anywhere(opened)("home")), Talk()
    first, asked = said.new(), said.new(2)
    place.know(f"{first} {asked}")
    answer = ask(place, f"{asked} {first.split()[0]}?")
    turn = answer["turn"]["id"]
    assert answer["sources"][0]["text"] == f"{first} {asked}"
    assert asked in place.client.get(f"/api/v1/turns/{turn}/files/context.md").text
    follow(place, f"turns/{turn}/resume")
    place.app.maintain()
    place.close()
    assert seen(place.home, said.windows()) == []


@pytest.mark.parametrize("is_allowed", [False, True])
def test_the_words_of_a_sealed_space_reach_a_model_only_where_that_is_set(is_allowed):
    down = iter(partial(Reply, status=500), None)
    with serving(down) as server:
        llm = LlmSettings(model="stub", base_url=server.url, sealed_spaces=is_allowed)
        with served(unlimited().model_copy(update={"llm": llm})) as world:
            owner = founded(world, sealed=True)
            owner.know(LAMP)
            answer = ask(owner)
    assert answer["turn"]["status"] == "done"
    assert answer["turn"]["engine"] == ("stub" if is_allowed else "extractive")
    assert bool(server.requests) == is_allowed
