"""Turns whose model calls the tools of a real server: what is called, kept, quoted, and told."""

from __future__ import annotations

import json
from contextlib import nullcontext
from types import SimpleNamespace

import pytest

from api.routes import query
from api.walls import founded, served, unlimited
from api.world import accepted
from integration.test_prompted_flows import write_script
from integration.test_turn_resumption import Killed
from integration.tool_server_world import is_running, list_calls, list_starts, serve_tools
from integration.turn_world import ACCESS, Person
from unit.turns.prompted_world import REFUSED, write_answer
from wellworn.application.bootstrap import open_app, opening
from wellworn.application.settings import Settings
from wellworn.domain.turns import TurnQuery, TurnSettings, TurnStatus, tools
from wellworn.domain.turns.models import CoordinatorAction, ToolRequest
from wellworn.domain.turns.phases import coordination
from wellworn.domain.turns.prompted import PromptedEngine
from wellworn.domain.turns.tools import ToolContext, server_tools
from wellworn.engines.llm import LlmSettings
from wellworn.engines.tool_servers import McpSettings, ToolSessions
from wellworn.testing.chat_model import ScriptedModel
from wellworn.testing.clock import ManualClock
from wellworn.testing.embedder import HashEmbedder

pytestmark = pytest.mark.slow

QUERY = "Who looks after Kopia?"
DONE = {"reasoning": "enough", "calls": []}


@pytest.fixture
def script():
    """What the model fills in, by the type of output; it refuses what is not there."""
    return {}


@pytest.fixture
def model(script):
    def answer(request):
        name = request.output_type.__name__.removesuffix("Output").lower()
        answers = script.get(name) or REFUSED
        return answers.pop(0) if isinstance(answers, list) else answers

    return ScriptedModel(answer)


@pytest.fixture
def open_person(tmp_path, model, monkeypatch):
    """Open a memory, again if need be, with servers of tools; somebody asks there."""
    apps = []
    clock = ManualClock()
    monkeypatch.setattr(opening, "open_chat_model", lambda _: model)

    def open_once(*servers, **mcp):
        for app in apps:
            app.close()
        settings = Settings.model_validate(
            {"turns": {"tool_timeout_s": 170}, "mcp": {"servers": servers, **mcp}}
        )
        apps[:] = [open_app(tmp_path / "home", settings, embedder=HashEmbedder(), clock=clock)]
        return Person(apps[0], tmp_path / "home", None, clock)

    yield open_once
    for app in apps:
        app.close()


def plan(query, *actions):
    """Return a script that uses tools; each action is one of the model's answers."""
    script = write_script(query, "general_question", page=0, route="coordinator")
    return {**script, "action": [*actions, DONE]}


def act(tool, **arguments):
    listed = [{"name": name, "value": text} for name, text in arguments.items()]
    return {"reasoning": "so", "calls": [{"tool": tool, "arguments": listed, "goal": 1}]}


def ask(person, text=QUERY):
    person.clock.advance(60)
    return person.app.turns.ask(ACCESS, TurnQuery(text, person.name, "Henry"))


def prompts(model, name):
    return [
        request.prompt
        for request in model.requests
        if request.output_type.__name__ == f"{name}Output"
    ]


def test_what_a_tool_of_a_server_says_is_answered_with_its_source(
    open_person, script, model, tmp_path
):
    person = open_person(serve_tools(tmp_path, "find_owner"))
    script |= plan(QUERY, act("team/find_owner", name="Kopia"))
    script["synthesis"] = write_answer(
        "Ben Ode looks after Kopia [1].", ("Ben Ode looks after Kopia", 1, 1)
    )
    reply = ask(person)
    assert reply.turn.status is TurnStatus.DONE
    assert reply.text.startswith(
        "Ben Ode looks after Kopia [1].\n\nSources:\n[1] find_owner of team"
    )
    [item] = reply.evidence
    assert (item.source, item.link) == (
        "mcp://team/find_owner",
        f"{reply.turn.folder}/toolresults.md",
    )
    assert list_calls(tmp_path) == ["find_owner Kopia"]
    assert (
        "team/find_owner: Tell who looks after a program. Arguments: name: (required)"
        in (prompts(model, "Action")[0])
    )
    assert '`team/find_owner(name="Kopia")` for GOAL_1' in person.read(reply)
    results = person.read(reply, "toolresults.md")
    assert '## 1. team/find_owner\n\n**Arguments:** name="Kopia"\n' in results
    assert "> Kopia 0.21.1 makes the copies" in results


def test_a_server_is_told_what_it_said_itself_and_its_words_close_no_quotation(
    open_person, script, model, tmp_path
):
    person = open_person(serve_tools(tmp_path, "find_owner", "read_ticket"))
    query = "For how long does Kopia keep copies?"
    script |= plan(
        query,
        act("team/find_owner", name="Kopia"),
        act("team/read_ticket", ticket="OPS-77", limit="5"),
    )
    script["synthesis"] = write_answer(
        "The copies are kept for 5 weeks [2].", ("The copies are kept for 5 weeks", 2, 1)
    )
    reply = ask(person, query)
    assert list_calls(tmp_path) == ["find_owner Kopia", "read_ticket OPS-77 5"]
    assert reply.text.startswith("The copies are kept for 5 weeks [1].")
    prompt = prompts(model, "Synthesis")[0]
    assert prompt.count("</wellworn-memory") == 1
    assert "\n  ## 6. Validation" in prompt
    assert [*person.read_sections(reply)] == [*"0123456"]
    assert "\n## 6. Validation" not in person.read(reply, "toolresults.md")


@pytest.mark.parametrize(
    ("tool", "message"),
    [
        ("die", "team gave no answer: it cannot be reached, or ended without an answer"),
        ("fail", "fail failed: “"),
    ],
)
def test_a_tool_that_goes_wrong_is_a_recorded_failure(open_person, script, tmp_path, tool, message):
    person = open_person(serve_tools(tmp_path, tool))
    script |= plan(QUERY, act(f"team/{tool}", name="Kopia"))
    reply = ask(person)
    assert reply.turn.status is TurnStatus.FAILED
    document = person.read(reply)
    assert f"- FAILED: {message}" in document
    assert "I found nothing that answers" in reply.text
    assert "ghp_" not in document
    assert "Kopia”" not in reply.text


def test_a_tool_whose_name_is_ours_does_not_take_its_place(open_person, script, model, tmp_path):
    person = open_person(serve_tools(tmp_path, "search", name="knowledge"))
    script |= plan(QUERY, act("knowledge.search", query="Kopia"))
    ask(person)
    assert list_calls(tmp_path) == []
    prompt = prompts(model, "Action")[0]
    assert "knowledge.search: Search the user's documents." in prompt
    assert "knowledge/search: Its description was left out." in prompt
    assert "previous instructions" not in prompt


def test_our_tools_come_before_others_of_their_name(monkeypatch):
    others = {"memory": None, "team/x": None}
    monkeypatch.setattr(server_tools, "open_tools", lambda *_: nullcontext(others))
    parts = SimpleNamespace(memory=None, sources=None, discovery=None, clock=None)
    with tools.load_tools(parts).open(ACCESS) as loaded:
        assert loaded["memory"] is not None
        assert "team/x" in loaded


def test_each_turn_has_a_server_of_its_own_while_it_calls_its_tools(open_person, script, tmp_path):
    person = open_person(serve_tools(tmp_path, "find_owner", "read_ticket"))
    for count in (1, 2):
        script |= plan(
            QUERY,
            act("team/find_owner", name="Kopia"),
            act("team/read_ticket", ticket="OPS-77", limit="5"),
        )
        ask(person)
        assert len(list_starts(tmp_path)) == count
        assert not any(map(is_running, list_starts(tmp_path)))
    assert len(list_calls(tmp_path)) == 4


@pytest.mark.parametrize(
    ("space", "is_listed"), [(ACCESS.space, True), ("ks-0a1b2c3d", False)], ids=["named", "other"]
)
def test_a_model_is_offered_what_the_space_may_have_called(
    open_person, script, model, tmp_path, space, is_listed
):
    person = open_person(serve_tools(tmp_path, "find_owner", spaces=[space]))
    script |= plan(QUERY, act("team/find_owner", name="Kopia"))
    ask(person)
    assert list_calls(tmp_path) == (["find_owner Kopia"] if is_listed else [])
    assert ("team/find_owner" in prompts(model, "Action")[0]) is is_listed


# ---- tools that may change something


def count_lines(tmp_path, word):
    return [line.split()[0] for line in list_calls(tmp_path)].count(word)


def test_a_tool_that_may_change_something_is_not_called_again_after_a_kill(
    open_person, script, tmp_path, monkeypatch
):
    note = act("team/add_note", text="Kopia")
    server = serve_tools(tmp_path, "add_note", may_change=True)
    person = open_person(server)
    script |= plan(QUERY, note)
    with monkeypatch.context() as patch:
        patch.setattr(coordination, "_run_limited", call_and_die)
        with pytest.raises(Killed):
            ask(person)
    assert count_lines(tmp_path, "add_note") == 1
    person = open_person(server)
    [turn] = person.app.turns.list_turns(ACCESS)
    script["action"] = [note, DONE]
    reply = person.app.turns.resume(ACCESS, turn.id)
    assert count_lines(tmp_path, "add_note") == 1
    assert "the server's process ended before it answered" in person.read(reply)


def call_and_die(run, tool, request, *, may_change):
    """Make a call in a process that dies before its end is kept."""
    folder = run.turn.folder
    context = ToolContext(ACCESS, "henry", QUERY, run.vault, folder, 1, may_change=may_change)
    tool.call(context, request.arguments)
    raise Killed


def test_a_tool_that_only_reads_is_called_again_after_a_kill(
    open_person, script, tmp_path, monkeypatch
):
    find = act("team/find_owner", name="Kopia")
    server = serve_tools(tmp_path, "find_owner")
    person = open_person(server)
    script |= plan(QUERY, find)
    with monkeypatch.context() as patch:
        patch.setattr(coordination, "_run_limited", call_and_die)
        with pytest.raises(Killed):
            ask(person)
    person = open_person(server)
    [turn] = person.app.turns.list_turns(ACCESS)
    script["action"] = [find, DONE]
    reply = person.app.turns.resume(ACCESS, turn.id)
    assert count_lines(tmp_path, "find_owner") == 2
    assert "Ben Ode" in person.read(reply, "toolresults.md")


def test_a_change_is_made_once_in_a_turn_and_kept_once(open_person, script, tmp_path):
    person = open_person(serve_tools(tmp_path, "add_note", may_change=True))
    note = act("team/add_note", text="Kopia")
    script |= plan(QUERY, note)
    script["plan"] = [script["plan"], script["plan"]]
    script["action"] = [note, DONE, note, DONE]
    reply = ask(person)
    assert count_lines(tmp_path, "add_note") == 1
    results = person.read(reply, "toolresults.md")
    assert results.count("> Noted: Kopia") == 1
    assert results.count(". team/add_note\n") == 1
    written = person.read(reply, "journal.jsonl").splitlines()
    kept = [json.loads(line) for line in written if "changing/" in line]
    assert [entry["call"]["result"]["is_ok"] for entry in kept] == [False, True]


def test_a_change_that_an_engine_wants_again_is_not_made_again(
    open_person, script, tmp_path, monkeypatch
):
    person = open_person(serve_tools(tmp_path, "add_note", may_change=True))
    script |= plan(QUERY)
    again = CoordinatorAction("", (ToolRequest("team/add_note", {"text": "Kopia"}),))
    left = [again, again]
    monkeypatch.setattr(
        PromptedEngine, "choose_action", lambda *_: left.pop() if left else CoordinatorAction("")
    )
    results = person.read(ask(person), "toolresults.md")
    assert count_lines(tmp_path, "add_note") == 1
    assert "this turn has called it with the same arguments" in results


# ---- sealed spaces


@pytest.mark.parametrize("is_allowed", [False, True])
def test_turns_of_sealed_spaces_call_no_server_unless_that_is_set(
    script, model, monkeypatch, tmp_path, is_allowed
):
    monkeypatch.setattr(opening, "open_chat_model", lambda _: model)
    script |= plan(QUERY, act("team/find_owner", name="Kopia"))
    settings = unlimited().model_copy(
        update={
            "llm": LlmSettings(model="stub", sealed_spaces=True),
            "turns": TurnSettings(tool_timeout_s=170),
            "mcp": McpSettings.model_validate(
                {"servers": [serve_tools(tmp_path, "find_owner")], "sealed_spaces": is_allowed}
            ),
        }
    )
    with served(settings) as world:
        owner = founded(world, sealed=True)
        answer = accepted(owner.post("turns", query(QUERY)))
    assert answer["turn"]["engine"] == "scripted"
    assert list_calls(tmp_path) == (["find_owner Kopia"] if is_allowed else [])
    assert ("team/find_owner" in prompts(model, "Action")[0]) is is_allowed


def test_without_a_model_no_server_is_started(tmp_path, monkeypatch):
    settings = Settings.model_validate({"mcp": {"servers": [serve_tools(tmp_path, "find_owner")]}})
    monkeypatch.setattr(ToolSessions, "find_tool", None)
    app = open_app(tmp_path / "home", settings, embedder=HashEmbedder(), clock=ManualClock())
    try:
        answer = app.turns.ask(ACCESS, TurnQuery(QUERY, "henry", "Henry"))
    finally:
        app.close()
    assert answer.missing == ("GOAL_1",)
