"""Turns on the command line: asked, continued, found by number, and told as they go."""

from __future__ import annotations

import sys
from base64 import b64decode
from types import SimpleNamespace

import pytest

from unit.cli.conftest import is_two_lines
from unit.cli.fake_turns import ANSWER, LISTED, TURN, write_events
from wellworn.errors import TurnNotFound
from wellworn.interfaces.cli.lookup import find_turn_id
from wellworn.interfaces.cli.session_import import list_undo

OTHER = "70a2b3c4-0000-4000-8000-000000000002"


@pytest.fixture
def ask(run, fake):
    return lambda *words: run("ask", *words, "--url", fake.url)


def end_as(fake, status, **more):
    turn = {**LISTED, "status": status, **more}
    answer = {**ANSWER, "turn": turn, "sources": [], "edited": []}
    fake.answers["POST", "/api/v1/turns"] = write_events(("answer", answer))


def test_a_question_is_asked_for_the_agent_and_its_answer_has_its_sources(ask, fake):
    said = ask("what burns?", "--agent", "dev", "--agent-name", "DEV Agent")
    assert fake.asked == [
        (
            "POST",
            "/api/v1/turns",
            {"query": "what burns?", "agent_id": "dev", "agent_name": "DEV Agent"},
        )
    ]
    assert said.out.splitlines() == [
        "It burns \ufffd[2Jwhale oil [1].",
        "",
        "[1]  Lamps  2026-02-23 15:00 UTC  may be out of date",
        "      It burns whale oil \ufffd[2J.",
        "      house/lamps.md#oil",
        "",
        f"turn 12  {TURN}",
    ]
    assert said.err == "changed by hand in context.md: 2. Gathered Context\n"


@pytest.mark.parametrize("text", ["", "  \n"])
def test_an_empty_question_is_refused_in_the_words_of_who_asks(ask, fake, text):
    refusal = ask(text)
    assert (refusal.code, fake.asked) == (2, [])
    assert "the question is empty; say what you want to know" in refusal.err


def test_a_source_that_the_answer_names_itself_is_not_told_twice(ask, fake):
    answer = {**ANSWER, "text": "Whale oil (house/lamps.md#oil)."}
    fake.answers["POST", "/api/v1/turns"] = write_events(("answer", answer))
    assert ask("what burns?").out.count("house/lamps.md#oil") == 1


def test_a_question_continues_a_turn_by_its_number(ask, fake):
    assert ask("and the wick?", "--turn", "12", "--agent", "dev").code == 0
    look_up, (_, _, body) = fake.asked
    assert look_up[1] == "/api/v1/turns?agent_id=dev&limit=100&archived=false"
    assert body["follows"] == TURN


def test_a_number_is_looked_for_on_every_page_and_no_further():
    numbers, asked = iter([(12, 11), (7, 5), (4, 3), (2, 1)]), []

    def list_turns(**query):
        asked.append(query["before"])
        turns = [SimpleNamespace(number=number, id=str(number)) for number in next(numbers)]
        return SimpleNamespace(turns=turns, next_before=turns[-1].id)

    memory = SimpleNamespace(agent_id="dev", list_turns=list_turns)
    with pytest.raises(TurnNotFound):
        find_turn_id(memory, "6")
    assert asked == [None, "11", None], "after the other turns, the archive"
    assert find_turn_id(memory, "2") == "2"


def test_without_a_question_the_turn_is_resumed(ask, fake):
    assert ask("--turn", TURN).code == 0
    assert [path for _, path, _ in fake.asked] == [f"/api/v1/turns/{TURN}/resume"]


@pytest.mark.parametrize("words", [(), ("what burns?", "--turn", "the last")])
def test_what_names_no_question_and_no_turn_is_refused(ask, fake, words):
    assert is_two_lines(ask(*words), 2)
    assert fake.asked == []


def test_an_unknown_turn_says_how_to_find_it(run, fake):
    error = {"error": {"code": "TURN_NOT_FOUND", "message": "no turn with this id, or not yours"}}
    fake.answers["POST", "/api/v1/turns"] = write_events(("error", error))
    said = run("ask", "and?", "--turn", OTHER, "--url", fake.url)
    assert is_two_lines(said, 1)
    assert "wellworn turn list" in said.err


def test_a_question_back_says_how_to_answer_it(ask, fake):
    end_as(fake, "clarify")
    said = ask("what about it?")
    assert (said.code, said.err) == (0, "answer with: wellworn ask 'YOUR ANSWER' --turn 12\n")


def test_an_answer_that_is_not_given_is_a_failure(ask, fake):
    end_as(fake, "failed")
    assert ask("what burns?").code == 1


def test_the_phases_are_told_to_whoever_looks_and_to_nobody_else(ask, fake, monkeypatch):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    lines = ["reading the query …", "writing the answer (attempt 2) …"]
    assert ask("what burns?").err.splitlines()[:2] == lines
    assert ask("what burns?", "--json").err == ""


def test_whoever_stops_waiting_is_told_that_the_turn_goes_on(ask, fake, monkeypatch):
    def interrupt(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("wellworn.client.Wellworn.ask", interrupt)
    said = ask("what burns?")
    assert said.code == 130
    assert said.err == "the turn continues in the server; wellworn turn list shows it\n"


def test_turns_are_listed_for_an_agent_or_for_all(run, fake):
    run("turn", "list", "--agent", "dev", "--limit", "5", "--before", OTHER, "--url", fake.url)
    run("turn", "list", "--all", "--url", fake.url)
    assert [path for _, path, _ in fake.asked] == [
        f"/api/v1/turns?agent_id=dev&limit=5&before={OTHER}&archived=false",
        "/api/v1/turns?limit=20&archived=false",
    ]


def test_a_list_says_how_each_turn_ended_and_how_to_go_on(run, fake):
    fake.answers["GET", "/api/v1/turns"] = {"turns": [LISTED], "next_before": TURN}
    said = run("turn", "list", "--url", fake.url)
    assert said.out.splitlines() == [
        "  12  2026-02-23 15:00 UTC  done  follows 11",
        "      what burns \ufffd[2Jnow?",
        f"      {TURN}",
    ]
    assert said.err == f"there is more: --before {TURN}\n"


def test_another_file_of_a_turn_is_shown_by_its_path(run, fake):
    path = f"/api/v1/turns/{TURN}/files/webpage_cache/a%2Eb/manifest%2Ejson"
    fake.answers["GET", path] = b'{"url": "x"}'
    file = "webpage_cache/a.b/manifest.json"
    assert run("turn", "show", TURN, "--file", file, "--url", fake.url).out == '{"url": "x"}\n'


def test_a_picture_of_a_turn_is_shown_in_base64(run, fake):
    fake.answers["GET", f"/api/v1/turns/{TURN}/files/x/screenshot%2Epng"] = b"\x89PNG\r\n\x1a\n"
    said = run("turn", "show", TURN, "--file", "x/screenshot.png", "--url", fake.url)
    assert b64decode(said.out) == b"\x89PNG\r\n\x1a\n"


def test_a_turn_is_deleted_only_when_that_is_confirmed(run, fake, monkeypatch):
    monkeypatch.setattr("sys.stdin.readline", lambda *_: "n\n", raising=False)
    said = run("turn", "delete", TURN, "--url", fake.url)
    assert said.code == 1
    assert "what burns" in said.err
    assert [method for method, _, _ in fake.asked] == ["GET"]
    assert run("turn", "delete", TURN, "--yes", "--url", fake.url).out == f"deleted: {TURN}\n"


def test_several_turns_are_deleted_by_a_range_of_numbers(run, fake, monkeypatch):
    numbered = [{**LISTED, "id": TURN[:-2] + str(n), "number": n} for n in (15, 14, 12, 10)]
    fake.answers["GET", "/api/v1/turns"] = {"turns": numbered, "next_before": None}
    for each in numbered:
        fake.answers["DELETE", f"/api/v1/turns/{each['id']}"] = {"removed": each["id"]}
    monkeypatch.setattr("sys.stdin.readline", lambda *_: "n\n", raising=False)
    assert (
        "Delete 2 turns with their files?" in run("turn", "delete", "11-14", "--url", fake.url).err
    )
    assert not [path for method, path, _ in fake.asked if method == "DELETE"]
    said = run("turn", "delete", "11-14", TURN, "12-12", "--yes", "--url", fake.url)
    assert said.out == "deleted: 3 turns\n"
    deleted = [path[-2:] for method, path, _ in fake.asked if method == "DELETE"]
    assert deleted == ["14", "12", TURN[-2:]]
    assert "no turn within that range" in run("turn", "delete", "1-9", "--url", fake.url).err


def test_the_way_back_of_an_import_names_turns_in_ranges():
    assert list_undo([], "cli") == []
    assert list_undo([7], "cli") == ["wellworn turn delete 7"]
    told = ["wellworn turn delete 1-3 5 8-9 --agent dev"]
    assert list_undo([9, 8, 5, 3, 2, 1], "dev") == told


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        (None, "there is no .jsonl file in "),
        ('{"type": "summary", "summary": "Lamps"}\n', "no prompt of a session of "),
    ],
)
def test_an_import_that_finds_no_session_says_where_it_looked(run, fake, tmp_path, lines, told):
    folder = tmp_path / "sessions"
    folder.mkdir()
    if lines:
        (folder / "one.jsonl").write_text(lines)
    answer = run("turn", "import", str(folder), "--url", fake.url)
    assert (answer.code, fake.asked) == (1, [])
    assert told in answer.err
    assert str(folder) in answer.err
