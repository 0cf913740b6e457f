"""Turns on real server processes, told through the command line."""

from __future__ import annotations

import json
import shlex
import shutil
import subprocess

import httpx2

from journeys.conftest import Server, clean_environment, program
from patience import LONG_S
from unit.formats.stores import build_opencode
from wellworn.client import Wellworn

MOST_DATA_KB = 150_000
FACT = "The exporter of cube listens on port 9200."
QUESTION = "which port does the exporter of cube listen on?"


def parsed(done):
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_a_question_is_answered_continued_and_read_as_documents(server, wellworn):
    parsed(wellworn("remember", FACT, "--json"))
    asked = wellworn("ask", QUESTION)
    assert asked.returncode == 0
    assert FACT in asked.stdout
    assert asked.stdout.splitlines()[-1].startswith("turn 1  ")
    assert asked.stderr == ""
    second = parsed(wellworn("ask", "and cube?", "--turn", "1", "--json"))
    assert (second["turn"]["number"], second["turn"]["follows"]) == (2, 1)
    document = wellworn("turn", "show", "1").stdout
    assert [line for line in document.splitlines() if line.startswith("## 0. ")] == [
        "## 0. User Query"
    ]
    [kept] = server.home.rglob("turn_000001/context.md")
    assert kept.read_text("utf-8").strip() == document.strip()
    assert "metadata.json" in wellworn("turn", "files", "2").stdout.splitlines()
    assert second["turn"]["id"] in wellworn("turn", "show", "2", "--file", "metadata.json").stdout


def test_a_turn_is_deleted_and_the_index_is_made_anew_from_what_is_left(server, wellworn):
    parsed(wellworn("remember", FACT, "--json"))
    for number in range(3):
        parsed(wellworn("ask", f"{QUESTION} Number {number}.", "--json"))
    assert wellworn("turn", "delete", "1").returncode == 1
    assert wellworn("turn", "delete", "1", "--yes").returncode == 0
    shutil.rmtree(next(server.home.rglob("turn_000002")))
    assert parsed(wellworn("turn", "rebuild", "--json")) == {"indexed": 1}
    turns = parsed(wellworn("turn", "list", "--json"))["turns"]
    assert [turn["number"] for turn in turns] == [3]
    lost = wellworn("ask", "and?", "--turn", "2")
    assert (lost.returncode, lost.stdout) == (1, "")
    assert "turn list" in lost.stderr


def test_phases_are_sent_as_they_happen(server: Server, wellworn):
    parsed(wellworn("remember", FACT, "--json"))
    body = {"query": QUESTION, "agent_id": "ana"}
    headers = {"accept": "text/event-stream"}
    address = f"{server.url}/api/v1/turns"
    with (
        httpx2.Client(trust_env=False, timeout=LONG_S) as client,
        client.stream("POST", address, json=body, headers=headers) as response,
    ):
        names = [line for line in response.iter_lines() if line.startswith("event: ")]
    assert response.status_code == 200
    assert (names[0], names[-1]) == ("event: phase", "event: answer")
    with (
        httpx2.Client(trust_env=False, timeout=LONG_S) as client,
        client.stream("POST", address, json=body, headers=headers) as response,
    ):
        assert next(response.iter_lines()) == "event: phase"
    # Its caller is gone; the turn is the next one's to end.
    turns = parsed(wellworn("turn", "list", "--agent", "ana", "--json"))["turns"]
    assert [turn["number"] for turn in turns] == [2, 1]


def write_session(folder, prompts):
    """Write a session of Claude Code in which each prompt is looked up and answered."""
    lines = []
    for number in range(prompts):
        use = {"type": "tool_use", "id": f"t{number}", "name": "Bash", "input": {"command": "ls"}}
        result = {"type": "tool_result", "tool_use_id": f"t{number}", "content": f"file-{number}"}
        prompt = f"Which file is number {number}?"
        for role, content, more in (
            ("user", prompt, {"uuid": f"u{number}", "timestamp": "2026-03-04T05:06:07Z"}),
            ("assistant", [use], {}),
            ("user", [result], {}),
            ("assistant", [{"type": "text", "text": f"It is file-{number}."}], {}),
        ):
            lines.append({"type": role, "message": {"role": role, "content": content}, **more})
    (folder / "session.jsonl").write_text("\n".join(map(json.dumps, lines)), "utf-8")


def test_sessions_of_another_agent_are_imported_once_and_what_is_new_of_them_later(
    server, wellworn, tmp_path
):
    write_session(tmp_path, 2)
    importing = ("turn", "import", str(tmp_path), "--json")
    undo = ["wellworn turn delete 1-2"]
    assert parsed(wellworn(*importing)) == {"imported": 2, "known": 0, "left_out": 0, "undo": undo}
    write_session(tmp_path, 3)
    undo = ["wellworn turn delete 3"]
    assert parsed(wellworn(*importing)) == {"imported": 1, "known": 2, "left_out": 0, "undo": undo}
    turns = parsed(wellworn("turn", "list", "--json"))["turns"]
    assert [turn["query"] for turn in turns] == [
        f"Which file is number {number}?" for number in (2, 1, 0)
    ]
    assert {turn["status"] for turn in turns} == {"done"}
    assert "file-1" in wellworn("turn", "show", "2", "--file", "toolresults.md").stdout


def test_sessions_of_opencode_are_counted_first_imported_and_taken_back(server, wellworn, tmp_path):
    build_opencode(tmp_path)
    importing = ("turn", "import", str(tmp_path), "--json")
    told = parsed(wellworn(*importing, "--dry-run"))
    assert (told["turns"], told["models"], told["dry_run"]) == (4, {"m": 4}, True)
    assert told["from"].startswith("2026-11-30T17:38:45")
    assert parsed(wellworn("turn", "list", "--json"))["turns"] == []

    told = parsed(wellworn(*importing))
    assert (told["imported"], told["known"]) == (4, 0)
    turns = parsed(wellworn("turn", "list", "--json"))["turns"]
    assert turns[-1]["created_at"].startswith("2026-11-30T17:38:45")
    assert "a.txt" in wellworn("turn", "show", "1", "--file", "toolresults.md").stdout
    assert parsed(wellworn(*importing))["known"] == 4

    [undo] = told["undo"]
    assert wellworn(*shlex.split(undo)[1:], "--yes").returncode == 0
    assert parsed(wellworn("turn", "list", "--json"))["turns"] == []


def test_an_import_that_was_interrupted_goes_on_within_its_turn(server, wellworn, tmp_path):
    write_session(tmp_path, 1)
    with Wellworn(server.url, agent_id="cli") as memory:
        opened = memory.open_turn("Which file is number 0?", engine="x", key="session:u0")
        entry = {"tool": "Bash", "arguments": {"command": "ls"}, "result": "file-0\u2028\x85"}
        assert [source.number for source in memory.append_to_turn(opened.id, [entry])] == [1]
        assert parsed(wellworn("turn", "import", str(tmp_path), "--json"))["imported"] == 1
        answer = memory.get_turn(opened.id)
        assert answer.text == "It is file-0."
        assert memory.read_turn_file(opened.id, "toolresults.md").count("## 1. Bash") == 1
        assert "## 2." not in memory.read_turn_file(opened.id, "toolresults.md")


def write_long_session(file):
    """Write a session of more than 200 MB: a prompt, its calls with long results, an answer."""
    message = {"role": "user", "content": "Which file is the longest?"}
    records = [{"type": "user", "uuid": "u1", "message": message}]
    for number in range(100):
        use = {"type": "tool_use", "id": f"t{number}", "name": "Bash", "input": {"command": "cat"}}
        result = {"type": "tool_result", "tool_use_id": f"t{number}", "content": "line\n" * 350_000}
        records.append({"type": "assistant", "message": {"role": "assistant", "content": [use]}})
        records.append({"type": "user", "message": {"role": "user", "content": [result]}})
    content = [{"type": "text", "text": "It is file-7."}]
    records.append({"type": "assistant", "message": {"role": "assistant", "content": content}})
    with file.open("w") as written:
        written.writelines(f"{json.dumps(record)}\n" for record in records)


def test_a_session_of_200_mb_is_imported_in_less_memory_than_it_has(server, home, tmp_path):
    file = tmp_path / "session.jsonl"
    write_long_session(file)
    assert file.stat().st_size > 200_000_000
    importing = shlex.join(program("turn", "import", str(file), "--json"))
    done = subprocess.run(
        ["sh", "-c", f"ulimit -d {MOST_DATA_KB} && exec {importing}"],
        check=False,
        env=clean_environment(home),
        capture_output=True,
        text=True,
        timeout=LONG_S,
    )
    told = parsed(done)
    assert (told["imported"], told["known"], told["left_out"]) == (1, 0, 0)
    with Wellworn(server.url, agent_id="cli") as memory:
        [turn] = memory.list_turns().turns
        assert (turn.status, turn.summary) == ("done", "It is file-7.")
        assert "**Tool Calls:** 100\n" in memory.read_turn_file(turn.id, "context.md")


def test_what_of_a_session_cannot_be_read_is_named_and_the_rest_is_imported(
    server, wellworn, tmp_path
):
    write_session(tmp_path, 2)
    file = tmp_path / "session.jsonl"
    lines = file.read_text("utf-8").split("\n")
    lines[4:4] = ["{broken", json.dumps({"message": "x" * 50_000_000})]
    file.write_text("\n".join(lines), "utf-8")
    done = wellworn("turn", "import", str(tmp_path), "--json")
    told = parsed(done)
    assert (told["imported"], told["known"], told["left_out"]) == (2, 0, 2)
    assert done.stderr.splitlines() == [
        "session.jsonl, line 5: no JSON; it was left out",
        "session.jsonl, line 6: longer than 10 MB; it was left out",
    ]
