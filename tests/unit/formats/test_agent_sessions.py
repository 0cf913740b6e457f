"""Sessions of agents, as each of them writes them down, and as others may damage them."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from contextlib import closing

import pytest

from unit.formats.stores import build_old_opencode, build_opencode
from wellworn.engines.formats import AgentSessions
from wellworn.engines.formats.agent_sessions import LONGEST_LINE_BYTES, MOST_ENTRIES
from wellworn.engines.formats.opencode import LONGEST_VALUE_BYTES
from wellworn.errors import InvalidInput

AT = "2026-03-04T05:06:07.000Z"


def claude(kind, content, **more):
    return {
        "type": kind,
        "message": {"role": kind, "content": content, **more.pop("message", {})},
        "timestamp": AT,
        "sessionId": "s",
        **more,
    }


def codex(**payload):
    return {"timestamp": AT, "type": "response_item", "payload": payload}


def spoken(role, text):
    kind = "input_text" if role == "user" else "output_text"
    return codex(type="message", role=role, content=[{"type": kind, "text": text}])


CLAUDE = [
    {"type": "summary", "summary": "A session", "leafUuid": "u9"},
    claude("user", "Caveat: the messages below were written by a program", isMeta=True),
    claude("user", "<command-name>/clear</command-name>"),
    claude("user", "How much memory has cube?", uuid="u1"),
    claude(
        "assistant",
        [
            {"type": "thinking", "thinking": "hm"},
            {"type": "text", "text": "I will look."},
            {
                "type": "tool_use",
                "id": "t1",
                "name": "Bash",
                "input": {"command": "free -g", "n": 2},
            },
        ],
        message={"model": "claude-x"},
    ),
    claude("user", [{"type": "tool_result", "tool_use_id": "t1", "content": "Mem: 64"}]),
    claude("assistant", "A side job.", isSidechain=True),
    claude("assistant", [{"type": "text", "text": "cube has 64 GB."}]),
    claude("user", [{"type": "text", "text": "And mars?"}], uuid="u2"),
    claude("assistant", [{"type": "tool_use", "id": "t2", "name": "Bash", "input": {}}]),
    claude(
        "user",
        [
            {
                "type": "tool_result",
                "tool_use_id": "t2",
                "content": [{"type": "text", "text": "no such host"}],
                "is_error": True,
            }
        ],
    ),
]
CODEX = [
    {"timestamp": AT, "type": "session_meta", "payload": {"id": "abc", "cwd": "/x"}},
    {"timestamp": AT, "type": "turn_context", "payload": {"model": "gpt-x"}},
    spoken("user", "<environment_context>\n<cwd>/x</cwd>\n</environment_context>"),
    spoken("user", "What is 2+2?"),
    {"timestamp": AT, "type": "event_msg", "payload": {"type": "user_message", "message": "…"}},
    codex(type="reasoning", summary=[], encrypted_content="x"),
    codex(type="function_call", name="shell", call_id="c1", arguments='{"command":["expr","2"]}'),
    codex(
        type="function_call_output",
        call_id="c1",
        output=json.dumps({"output": "expr: error", "metadata": {"exit_code": 2}}),
    ),
    spoken("assistant", "4"),
]


def write(folder, records, name="session.jsonl"):
    file = folder / name
    lines = [record if isinstance(record, str) else json.dumps(record) for record in records]
    file.write_text("\n".join(lines), "utf-8")
    return file


def read(folder, records, name="session.jsonl", tell=print):
    return list(AgentSessions(write(folder, records, name), tell))


def qwen(kind, *parts, **more):
    role = {"user": "user", "tool_result": "user", "assistant": "model"}[kind]
    message = {"role": role, "parts": list(parts)}
    return {
        "uuid": "q1",
        "sessionId": "s",
        "timestamp": AT,
        "type": kind,
        "message": message,
    } | more


QWEN = [
    qwen("user", {"text": "Please list the files of the shop"}),
    {"uuid": "q2", "sessionId": "s", "timestamp": AT, "type": "system", "systemPayload": {}},
    qwen(
        "assistant",
        {"text": "hm", "thought": True},
        {"text": "I will look."},
        {"functionCall": {"id": "c1", "name": "list_directory", "args": {"path": "/shop"}}},
        {"functionCall": {"id": "c2", "name": "glob", "args": {"pattern": "*"}}},
        model="qwen-x",
    ),
    qwen(
        "tool_result",
        {"functionResponse": {"id": "c1", "response": {"error": "disabled by default"}}},
    ),
    qwen("tool_result", {"functionResponse": {"id": "c2", "response": {"output": "a.txt"}}}),
    qwen("assistant", {"text": "There is one file."}, model="qwen-x"),
]
"""As Qwen Code 0.24.4 writes it."""


def test_each_prompt_of_qwen_code_is_a_turn(tmp_path):
    [turn] = read(tmp_path, QWEN)
    assert (turn.query, turn.answer, turn.engine) == (
        *("Please list the files of the shop", "There is one file.", "qwen-x"),
    )
    assert (turn.key, turn.asked_at) == ("session:q1", AT)
    assert [(each.get("tool"), each["result"], each.get("is_ok")) for each in turn.entries] == [
        (None, "I will look.", None),
        ("list_directory", "disabled by default", False),
        ("glob", "a.txt", True),
    ]


def gemini(kind, content, name, **more):
    return {"id": name, "timestamp": AT, "type": kind, "content": content, **more}


LISTING = {"id": "c1", "name": "list_directory", "response": {"output": "a.txt"}}
CALL = {
    "id": "c1",
    "name": "list_directory",
    "args": {"dir_path": "/shop"},
    "result": [{"functionResponse": LISTING}],
    "status": "success",
}
GEMINI = [
    {"sessionId": "0356e44f-69bb", "projectHash": "x", "startTime": AT, "kind": "main"},
    {"$set": {"messages": [gemini("user", [{"text": "<session_context>"}], "g0")]}},
    gemini("user", [{"text": "Please list the files of the shop"}], "g1"),
    {"$set": {"lastUpdated": AT}},
    gemini("gemini", "I will look.", "g2", model="gemini-x", thoughts=[]),
    gemini("gemini", "I will look.", "g2", model="gemini-x", toolCalls=[CALL | {"result": []}]),
    gemini("gemini", "I will look.", "g2", model="gemini-x", toolCalls=[CALL]),
    gemini("gemini", "I will look.", "g2", model="gemini-x", toolCalls=[CALL], tokens={}),
    gemini("user", [{"functionResponse": LISTING}], "g3"),
    gemini("gemini", "There is one file.", "g4", model="gemini-x"),
]
"""As Gemini CLI 0.61.0 writes it."""


def test_each_prompt_of_gemini_cli_is_a_turn(tmp_path):
    [turn] = read(tmp_path, GEMINI)
    assert (turn.query, turn.answer, turn.engine) == (
        *("Please list the files of the shop", "There is one file.", "gemini-x"),
    )
    assert (turn.key, turn.asked_at) == ("0356e44f-69bb:g1", AT)
    assert [(each.get("tool"), each["result"], each.get("is_ok")) for each in turn.entries] == [
        (None, "I will look.", None),
        ("list_directory", "a.txt", True),
    ]


def test_each_prompt_of_claude_code_is_a_turn(tmp_path):
    first, second = read(tmp_path, CLAUDE)
    assert (first.query, first.answer, first.engine) == (
        "How much memory has cube?",
        "cube has 64 GB.",
        "claude-x",
    )
    assert (first.key, first.asked_at) == ("session:u1", AT)
    assert first.entries == [
        {"result": "I will look."},
        {
            "tool": "Bash",
            "arguments": {"command": "free -g", "n": "2"},
            "result": "Mem: 64",
            "is_ok": True,
        },
    ]
    assert (second.query, second.answer) == ("And mars?", "")
    assert [(entry["result"], entry["is_ok"]) for entry in second.entries] == [
        ("no such host", False)
    ]


def test_each_prompt_of_codex_is_a_turn(tmp_path):
    [turn] = read(tmp_path, CODEX)
    assert (turn.query, turn.answer, turn.engine) == ("What is 2+2?", "4", "gpt-x")
    assert turn.key == "abc:1"
    [entry] = turn.entries
    assert entry == {
        "tool": "shell",
        "arguments": {"command": '["expr", "2"]'},
        "result": "expr: error",
        "is_ok": False,
    }


REMINDER = "<system-reminder>\nRecalled: the gate is blue.\n</system-reminder>"


@pytest.mark.parametrize(
    "content",
    [
        [{"type": "text", "text": REMINDER}, {"type": "text", "text": "And mars?"}],
        [{"type": "text", "text": "And mars?"}, {"type": "text", "text": REMINDER}],
        f"{REMINDER}\n{REMINDER}\n\nAnd mars?",
        f"And mars?\n\n{REMINDER}",
    ],
)
def test_what_a_program_put_beside_a_prompt_is_no_part_of_it(tmp_path, content):
    [turn] = read(tmp_path, [claude("user", content, uuid="u1"), claude("assistant", "64 GB.")])
    assert (turn.query.strip(), turn.answer) == ("And mars?", "64 GB.")


@pytest.mark.parametrize("content", [REMINDER, [{"type": "text", "text": f"{REMINDER}\n"}] * 2])
def test_a_prompt_of_reminders_alone_is_none(tmp_path, content):
    assert read(tmp_path, [claude("user", content, uuid="u1")]) == []


def test_a_reminder_without_an_end_is_a_prompt_of_a_program(tmp_path):
    told = "<system-reminder>" * 50_000
    assert read(tmp_path, [claude("user", told, uuid="u1")]) == []


def test_what_is_torn_or_strange_is_passed_over(tmp_path):
    strange = ["{torn", "[]", "7", '"text"', {"message": 3}, {"payload": []}, {"type": "user"}]
    told = []
    turns = read(tmp_path, [*strange, *CLAUDE, '{"type": "assistant", "mess'], tell=told.append)
    assert [turn.query for turn in turns] == ["How much memory has cube?", "And mars?"]
    assert told == ["session.jsonl, line 1: no JSON; it was left out"]


@pytest.mark.parametrize("size", [LONGEST_LINE_BYTES, LONGEST_LINE_BYTES + 1, 50_000_000])
def test_a_line_that_is_too_long_is_told_and_the_rest_is_read(tmp_path, size):
    told = []
    long = json.dumps(claude("assistant", "x"))
    long = long.replace('"x"', f'"{"x" * (size - len(long))}"')
    assert len(f"{long}\n") == size
    sessions = AgentSessions(write(tmp_path, [*CLAUDE, long, *CLAUDE, "{", ""]), told.append)
    assert len(list(sessions)) == 4
    is_too_long = size > LONGEST_LINE_BYTES
    assert told == [
        *["session.jsonl, line 12: longer than 10 MB; it was left out"] * is_too_long,
        "session.jsonl, line 24: no JSON; it was left out",
    ]
    assert sessions.bytes_read == sessions.total_bytes


def test_bytes_that_are_no_text_and_a_byte_order_mark_spoil_nothing_else(tmp_path):
    told = []
    file = write(tmp_path, CLAUDE)
    file.write_bytes(b"\xef\xbb\xbf" + file.read_bytes() + b'\n{"\xff": 1}\n')
    assert len(list(AgentSessions(file, told.append))) == 2
    assert told == ["session.jsonl, line 12: no JSON; it was left out"]


def test_a_long_turn_comes_in_parts_while_its_file_is_read(tmp_path):
    calls = [
        record
        for number in range(MOST_ENTRIES * 2 + 1)
        for record in (
            claude("assistant", [{"type": "tool_use", "id": number, "name": "Bash", "input": {}}]),
            claude(
                "user",
                [{"type": "tool_result", "tool_use_id": number, "content": f"{number}" + "z" * 9}],
            ),
        )
    ]
    records = [claude("user", "Why?", uuid="u1"), *calls, claude("assistant", "So.")]
    sessions = AgentSessions(write(tmp_path, records), print)
    reading = iter(sessions)
    first = next(reading)
    assert 0 < sessions.bytes_read < sessions.total_bytes / 2
    parts = [first, *reading]
    assert {(part.key, part.query) for part in parts} == {("session:u1", "Why?")}
    assert [part.before for part in parts] == [0, MOST_ENTRIES, MOST_ENTRIES * 2]
    assert [part.answer for part in parts] == [None, None, "So."]
    results = [entry["result"] for part in parts for entry in part.entries]
    assert results == [f"{number}zzzzzzzzz" for number in range(MOST_ENTRIES * 2 + 1)]


WATCHED = """
import resource, sys
from pathlib import Path
from wellworn.engines.formats import AgentSessions
sessions = AgentSessions(Path(sys.argv[1]), print)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
entries = sum(len(part.entries) for part in sessions)
print(entries, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""


def test_a_session_is_never_held_in_memory_whole(tmp_path):
    file, text = tmp_path / "session.jsonl", "z" * 100_000
    use = {"type": "tool_use", "id": "t", "name": "Bash", "input": {"command": text}}
    result = {"type": "tool_result", "tool_use_id": "t", "content": text}
    with file.open("w") as written:
        written.write(json.dumps(claude("user", "Why?")) + "\n")
        for _ in range(300):
            written.write(json.dumps(claude("assistant", [use])) + "\n")
            written.write(json.dumps(claude("user", [result])) + "\n")
    done = subprocess.run(
        [sys.executable, "-c", WATCHED, str(file)], check=True, capture_output=True, text=True
    )
    entries, grown_kb = map(int, done.stdout.split())
    assert entries == 300
    assert file.stat().st_size > 60_000_000
    assert grown_kb < 15_000


def test_texts_are_cut_to_what_the_server_takes(tmp_path):
    call = {"type": "tool_use", "id": "t", "name": "a\nb" * 90, "input": {"x": "y" * 99_999}}
    [turn] = read(
        tmp_path,
        [
            claude("user", "why? " * 9_999),
            claude("assistant", [call]),
            claude("user", [{"type": "tool_result", "tool_use_id": "t", "content": "z" * 99_999}]),
            claude("assistant", "so " * 9_999),
        ],
    )
    [entry] = turn.entries
    assert len(turn.query) <= 10_000
    assert len(turn.answer) <= 50_000
    assert len(entry["result"]) <= 50_000
    assert entry["result"].endswith("characters more)")
    assert len(entry["arguments"]["x"]) <= 2_000
    assert len(entry["tool"]) <= 100
    assert "\n" not in entry["tool"]


def test_a_folder_is_read_with_all_that_is_below_it(tmp_path):
    (tmp_path / "deep").mkdir()
    read(tmp_path, CLAUDE, "a.jsonl")
    read(tmp_path, CODEX, "deep/b.jsonl")
    assert [turn.key for turn in AgentSessions(tmp_path, print)] == ["s:u1", "s:u2", "abc:1"]


def test_a_folder_without_sessions_is_refused(tmp_path):
    with pytest.raises(InvalidInput, match="there is no"):
        list(AgentSessions(tmp_path, print))


def test_a_copy_of_a_session_under_another_name_is_the_same_session(tmp_path):
    for name, records in (("claude", CLAUDE), ("rollout", CODEX)):
        first = [turn.key for turn in read(tmp_path, records, f"{name}.jsonl")]
        assert [turn.key for turn in read(tmp_path, records, f"{name}-copy.jsonl")] == first


def test_a_link_out_of_the_folder_is_named_and_left_out(tmp_path):
    inside = tmp_path / "inside"
    inside.mkdir()
    (inside / "linked.jsonl").symlink_to(write(tmp_path, CLAUDE))
    told = []
    with pytest.raises(InvalidInput, match="there is no"):
        AgentSessions(inside, told.append)
    assert told == ["linked.jsonl: a link out of the folder; it was left out"]
    write(inside, CLAUDE, "own.jsonl")
    assert list(AgentSessions(inside, told.append))


def test_names_that_no_text_can_hold_are_written_without(tmp_path):
    half = "\ud800"
    parts = [
        claude("user", "How much?", uuid=half, sessionId=half),
        claude("assistant", [{"type": "tool_use", "id": "t", "name": half, "input": {half: 1}}]),
        claude("user", [{"type": "tool_result", "tool_use_id": "t", "content": "ok"}]),
        claude("assistant", "Much.", message={"model": half}),
    ]
    file = tmp_path / "a.jsonl"
    file.write_text("\n".join(map(json.dumps, parts)) + "\n")
    [part] = AgentSessions(file, pytest.fail)
    written = [part.key, part.engine, part.entries, part.answer]
    assert json.dumps(written, ensure_ascii=False).encode()


def read_all(path, tell=pytest.fail):
    return list(AgentSessions(path, tell))


def test_each_prompt_of_opencode_is_a_turn(tmp_path):
    turns = read_all(build_opencode(tmp_path))
    # Neither what a compaction said, nor a file beside a prompt, nor what its user has undone.
    assert [(turn.query, turn.answer) for turn in turns] == [
        ('"Please list the files of the shop"', "There is one file."),
        ('"And now count them"', "There is one file."),
        ('"What is in this file?"', "There is one file."),
        ('"Please delegate the counting of files"', "There is one file."),
    ]
    first = turns[0]
    assert (first.engine, first.asked_at) == ("m", "2026-11-30T17:38:45.221000Z")
    assert first.key == "ses_dd2765dfeffe7kghAndR778zPn:msg_22d89a5650012Wh6PMvh2usYza"
    assert [(each.get("tool"), each["result"], each.get("is_ok")) for each in first.entries] == [
        (None, "I will look.", None),
        ("bash", "a.txt\n", True),
        ("read", "File not found: /shop/none.txt", False),
    ]
    assert first.entries[1]["arguments"] == {"command": "ls", "description": "List files"}


def test_what_the_user_of_opencode_has_undone_is_left_out(tmp_path):
    file, undone = build_opencode(tmp_path), "One thing more: who sells here?"
    assert undone not in {turn.query for turn in read_all(file)}
    with closing(sqlite3.connect(file)) as database, database:
        database.execute("UPDATE session SET revert = NULL")
    # It was cut off as well: of a tool without a result nothing is known.
    [turn] = [turn for turn in read_all(file) if turn.query == undone]
    assert (turn.answer, [entry.get("tool") for entry in turn.entries]) == (
        *("I will look.", [None, "read"]),
    )


def test_what_a_sub_agent_of_opencode_did_is_a_result_and_no_turn(tmp_path):
    *_, turn = read_all(build_opencode(tmp_path))
    [entry] = turn.entries
    assert entry["tool"] == "task"
    assert "There is one file." in entry["result"]


def test_files_of_an_older_opencode_are_read(tmp_path):
    build_old_opencode(tmp_path)
    for folder in (tmp_path, tmp_path / "storage"):
        [turn] = read_all(folder)
        assert (turn.query, turn.answer) == (
            *('"Please list the files of the shop"\n', "There is one file."),
        )
        assert turn.asked_at == "2026-11-30T17:41:08.862000Z"
        assert [entry.get("tool") for entry in turn.entries] == [None, "bash", "read"]


def move_into_database(database, folder):
    """Do what OpenCode 1.2 does when it starts first: it leaves the files where they are."""
    for kind in ("session", "message", "part"):
        for file in (folder / "storage" / kind).glob("*/*.json"):
            value = json.loads(file.read_text())
            made = value.get("time", {}).get("created", 0)
            row = {"id": file.stem, "time_created": made, "time_updated": 0}
            if kind == "session":
                row |= {"project_id": "", "slug": "", "directory": "", "title": "", "version": ""}
            else:
                row |= {"session_id": value["sessionID"], "data": json.dumps(value)}
            if kind == "part":
                row["message_id"] = file.parent.name
            names = ", ".join(row)
            marks = ", ".join("?" * len(row))
            with closing(sqlite3.connect(database)) as opened, opened:
                opened.execute(f"INSERT INTO {kind} ({names}) VALUES ({marks})", [*row.values()])


def test_a_session_that_opencode_moved_into_its_database_is_read_once(tmp_path):
    build_old_opencode(tmp_path)
    database = build_opencode(tmp_path)
    keys = [turn.key for turn in read_all(tmp_path)]
    assert len(keys) == 5
    move_into_database(database, tmp_path)
    assert sorted(turn.key for turn in read_all(tmp_path)) == sorted(keys)


def test_what_opencode_exports_of_a_session_is_read(tmp_path):
    [turn] = read_all(build_old_opencode(tmp_path))
    messages = [
        {
            "info": json.loads(file.read_text()),
            "parts": [
                json.loads(part.read_text())
                for part in sorted((tmp_path / "storage" / "part" / file.stem).iterdir())
            ],
        }
        for file in sorted((tmp_path / "storage").glob("message/*/*.json"))
    ]
    name = turn.key.partition(":")[0]
    export = tmp_path / "shop.json"
    export.write_text(json.dumps({"info": {"id": name}, "messages": messages}, indent=2))
    assert read_all(export) == [turn]


@pytest.mark.parametrize(
    ("data", "told"),
    [
        ("{torn", "opencode.db, prt_9: no JSON; it was left out"),
        (b"\xff\xfe", "opencode.db, prt_9: no text; it was left out"),
        ("[" * 200_000, "opencode.db, prt_9: no JSON; it was left out"),
        ('"' + "x" * LONGEST_VALUE_BYTES + '"', "opencode.db, prt_9: longer than 10 MB;"),
        ('{"type": "tool", "state": 3}', ""),
        ('{"type": "text", "text": ["x"]}', ""),
        ("[7]", ""),
    ],
)
def test_what_is_broken_in_a_database_of_opencode_is_told_and_the_rest_is_read(
    tmp_path, data, told
):
    file, said = build_opencode(tmp_path), []
    turns = read_all(file)
    message = turns[1].key.partition(":")[2]
    with closing(sqlite3.connect(file)) as database, database:
        columns = "id, message_id, session_id, time_created, time_updated, data"
        row = ("prt_9", message, "x", 0, 0, data)
        database.execute(f"INSERT INTO part ({columns}) VALUES (?, ?, ?, ?, ?, ?)", row)
    assert read_all(file, said.append) == turns
    assert [sentence[: len(told)] for sentence in said] == [told] * bool(told)


def test_other_databases_of_a_folder_are_no_matter(tmp_path):
    told = []
    write(tmp_path, CLAUDE)
    (tmp_path / "broken.db").write_bytes(b"SQLite format 3\x00" + b"x" * 200)
    with closing(sqlite3.connect(tmp_path / "other.db")) as database:
        database.execute("CREATE TABLE message (id, session_id)")
    assert len(read_all(tmp_path, told.append)) == 2
    [sentence] = told
    assert sentence.startswith("broken.db cannot be read as a database")


def test_a_link_out_of_the_folder_of_opencode_is_named_and_left_out(tmp_path):
    build_old_opencode(tmp_path / "others")
    folder = build_old_opencode(tmp_path / "own")
    [message] = (folder / "storage" / "part").glob("*d8d0*")
    for part in message.iterdir():
        part.unlink()
    message.rmdir()
    message.symlink_to(tmp_path / "others" / "storage" / "part" / message.name)
    (folder / "opencode.db").symlink_to(build_opencode(tmp_path))
    told = []
    [turn] = read_all(folder, told.append)
    assert turn.answer == "I will look."
    assert len(told) == 4
    assert all("a link out of the folder" in sentence for sentence in told)


def test_a_database_of_opencode_is_never_held_in_memory_whole(tmp_path):
    file = build_opencode(tmp_path)
    message = "msg_22d89b63c001XI9xGNlmAzbFLI"
    state = {"status": "completed", "input": {"command": "z" * 100_000}, "output": "z" * 100_000}
    with closing(sqlite3.connect(file)) as database, database:
        columns = "id, message_id, session_id, time_created, time_updated, data"
        for number in range(300):
            part = {"type": "tool", "tool": "bash", "callID": str(number), "state": state}
            row = (f"prt_9{number}", message, "x", 0, 0, json.dumps(part))
            database.execute(f"INSERT INTO part ({columns}) VALUES (?, ?, ?, ?, ?, ?)", row)
    done = subprocess.run(
        [sys.executable, "-c", WATCHED, str(file)], check=True, capture_output=True, text=True
    )
    entries, grown_kb = map(int, done.stdout.split())
    assert entries > 300
    assert file.stat().st_size > 60_000_000
    assert grown_kb < 25_000
