"""Stories told through the command line, on real server processes."""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import subprocess

import pytest

from journeys.conftest import clean_environment, program
from patience import LONG_S
from unit.formats.stores import build_mem0
from wellworn.engines import daemon

INSIGHT = "Role boundaries prevent coordination collapse in multi-agent systems."
UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")


def parsed(done):
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def kill(running):
    os.kill(running.pid, signal.SIGKILL)


def test_what_one_agent_remembers_another_recalls_by_cli(wellworn):
    stored = parsed(wellworn("remember", INSIGHT, "--agent", "pdsa", "--json"))
    found = wellworn("recall", "what prevents coordination collapse?", "--agent", "dev")
    assert found.returncode == 0
    assert INSIGHT[:60] in found.stdout
    assert "pdsa" in found.stdout
    assert stored["trace"]["thought_id"] in found.stdout


def test_the_first_command_starts_the_server_and_says_so_on_stderr(wellworn, home):
    first = wellworn("remember", INSIGHT, "--json")
    again = wellworn("recall", "what prevents collapse?", "--json")
    assert "starting the memory server" in first.stderr
    assert again.stderr == ""
    assert daemon.find_daemon(home) is not None


def test_two_processes_that_start_the_server_at_once_share_one(home):
    def start(text):
        return subprocess.Popen(
            program("remember", text, "--json"),
            env=clean_environment(home),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    children = [start(f"{INSIGHT} Number {n}.") for n in range(2)]
    outputs = [child.communicate(timeout=LONG_S) for child in children]
    assert [child.returncode for child in children] == [0, 0], outputs
    assert sum("starting the memory server" in err for _, err in outputs) == 1
    ids = {json.loads(out)["trace"]["thought_id"] for out, _ in outputs}
    assert len(ids) == 2


def test_related_thoughts_are_named_so_that_a_new_one_can_replace_them(server, wellworn):
    stored = parsed(wellworn("remember", "The exporter listens on port 9100.", "--json"))
    old, new = stored["trace"]["thought_id"], "Ben painted a cable of the exporter blue."
    beside = wellworn("remember", new).stdout
    assert f"related: The exporter listens on port 9100.  {old}" in beside
    assert "--replaces ID" in beside
    assert "related:" not in wellworn("remember", new, "--replaces", old).stdout
    recalled = parsed(wellworn("recall", "which port does the exporter use?", "--json"))
    assert [source["content_preview"] for source in recalled["result"]["sources"]] == [new]


def test_what_is_told_otherwise_replaces_nothing_until_somebody_says_so(server, wellworn):
    stored = parsed(wellworn("remember", "The exporter listens on port 9100.", "--json"))
    old, other = stored["trace"]["thought_id"], "The exporter listens on port 9200."
    beside = wellworn("remember", other).stdout
    assert f"related: The exporter listens on port 9100.  {old}" in beside
    assert "replaces:" not in beside
    assert parsed(wellworn("thought", "show", old[:8], "--json"))["replaced_by"] == []
    new = parsed(wellworn("remember", other, "--replaces", old, "--json"))["trace"]["thought_id"]
    assert wellworn("thought", "unreplace", new[:8], old[:8]).returncode == 0


def test_what_was_remembered_is_recalled_after_the_server_was_killed(wellworn, home):
    stored = parsed(wellworn("remember", INSIGHT, "--json"))["trace"]["thought_id"]
    before = daemon.find_daemon(home)
    assert before is not None
    kill(before)
    found = parsed(wellworn("recall", "what prevents coordination collapse?", "--json"))
    assert found["result"]["sources"][0]["thought_id"] == stored
    after = daemon.find_daemon(home)
    assert after is not None
    assert after.pid != before.pid


def test_a_second_server_on_the_folder_gives_one_clear_line(server, wellworn):
    second = wellworn("serve", "--port", "0")
    assert second.returncode == 1
    assert second.stdout == ""
    assert f"process {server.pid}" in second.stderr
    assert server.url in second.stderr
    assert "Traceback" not in second.stderr


def test_a_taken_port_gives_one_clear_line(server, wellworn, tmp_path):
    port = server.url.rpartition(":")[2]
    second = wellworn("serve", "--port", port, "--home", str(tmp_path / "other"))
    assert second.returncode == 1
    assert "error: " in second.stderr
    assert port in second.stderr
    assert "Traceback" not in second.stderr


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["remember", ""], 1),
        (["remember", "   "], 1),
        (["remember", "x" * 10_001], 1),
        (["recall", "x", "--session", "no-uuid"], 1),
        (["recall", "x", "--session", "3f2a6c1e-0000-4000-8000-000000000001"], 1),
        (["thought", "show", "no-uuid"], 1),
        (["thought", "show", "3f2a6c1e-0000-4000-8000-000000000001"], 1),
        (["recall", "x", "--limit", "51"], 2),
        (["recall", "x", "--by", "x" * 101], 1),
        (["remember", "x", "--replaces", "3f2a6c1e-0000-4000-8000-000000000001"], 1),
    ],
    ids=[
        "nothing",
        "blanks",
        "too long",
        "no session id",
        "unknown session",
        "no thought id",
        "unknown thought",
        "over the limit",
        "long name",
        "unknown replaced",
    ],
)
def test_wrong_input_gives_one_clear_line(server, wellworn, words, code):
    done = wellworn(*words)
    assert done.returncode == code
    assert done.stdout == ""
    error, remedy = done.stderr.splitlines()
    assert error.startswith("error: ")
    assert remedy.startswith("try: ")


def test_json_is_valid_for_every_command(server, wellworn, home, tmp_path):
    stored = parsed(wellworn("remember", INSIGHT, "--tag", "roles", "--json"))
    thought = stored["trace"]["thought_id"]
    found = parsed(wellworn("recall", "what prevents collapse?", "--agent", "dev", "--json"))
    session = found["trace"]["session_id"]
    words = ["feedback", thought, "useful", "--session", session, "--agent", "dev", "--json"]
    assert parsed(wellworn(*words))["signal"] == "useful"
    assert parsed(wellworn("status", "--json"))["running"] is True
    assert isinstance(parsed(wellworn("highways", "--json")), list)
    assert parsed(wellworn("thought", "show", thought, "--json"))["content"] == INSIGHT
    assert parsed(wellworn("thought", "provenance", thought, "--json"))["thought_id"] == thought
    assert "settled" in parsed(wellworn("decay", "--json"))
    assert parsed(wellworn("thought", "held", "--json")) == []
    assert parsed(wellworn("space", "list", "--json"))[0]["id"] == "ks-default"
    assert parsed(wellworn("credential", "list", "--json")) == []
    assert parsed(wellworn("audit", "verify", "--json"))["ok"] is True
    assert parsed(wellworn("audit", "export", str(tmp_path / "trail"), "--json"))["lines"] > 0
    assert parsed(wellworn("export", str(tmp_path / "all.jsonl"), "--json"))["records"] > 0
    assert parsed(wellworn("export", str(tmp_path / "bundle"), "--json"))["records"] > 0
    taken = parsed(wellworn("import", "bundle", str(tmp_path / "bundle"), "--json"))
    assert taken["imported"] == 0
    parsed(wellworn("backup", str(tmp_path / "backup"), "--json"))
    parsed(wellworn("doctor", "--json"))
    assert parsed(wellworn("thought", "erase", thought, "--yes", "--json"))["erased_at"]
    assert parsed(wellworn("stop", "--json"))["stopped"] == server.pid
    parsed(wellworn("rebuild", "--json"))
    restored = tmp_path / "restored"
    parsed(wellworn("restore", str(tmp_path / "backup"), "--home", str(restored), "--json"))
    assert "version" in parsed(wellworn("version", "--json"))


OLD = "The Marlin exporter listens on port 9100."
NEW = "The Marlin exporter listens on port 9200."
PORT = "which port does the Marlin exporter listen on?"


def test_what_replaces_a_thought_is_shown_in_its_place(server, wellworn):
    old = parsed(wellworn("remember", OLD, "--agent", "bo", "--json"))["trace"]["thought_id"]
    words = ["remember", NEW, "--agent", "ana", "--replaces", old, "--json"]
    new = parsed(wellworn(*words))["trace"]["thought_id"]
    said, replaced = read_day(wellworn, old), read_day(wellworn, new)
    now = wellworn("recall", PORT).stdout
    assert NEW in now
    assert f"replaces bo on {said}: {OLD}" in now
    past = wellworn("recall", PORT, "--history", "--by", "bo").stdout
    assert f"outdated since {replaced}" in past
    assert f"replaced by ana on {replaced}: {NEW}" in past
    assert "nothing" in wellworn("recall", PORT, "--until", "1h").stdout
    assert NEW in wellworn("recall", PORT, "--as-of", replaced, "--since", replaced).stdout
    assert f"replaced by ana on {replaced}: {NEW}" in wellworn("thought", "show", old).stdout


def read_day(wellworn, thought):
    """Return the day on which a thought was said; another may have begun since."""
    return parsed(wellworn("thought", "show", thought, "--json"))["created_at"][:10]


def test_what_was_replaced_by_mistake_is_true_again(server, wellworn):
    old = parsed(wellworn("remember", OLD, "--agent", "bo", "--json"))["trace"]["thought_id"]
    words = ["remember", NEW, "--agent", "ana", "--replaces", old, "--json"]
    new = parsed(wellworn(*words))["trace"]["thought_id"]
    assert wellworn("thought", "unreplace", new, old, "--agent", "bo").returncode == 0
    now = wellworn("recall", PORT).stdout
    assert OLD in now
    assert "outdated" not in now
    again = wellworn("thought", "unreplace", new, old)
    assert again.returncode == 1
    assert again.stderr.startswith("error: ")


def test_what_was_said_is_listed_newest_first_by_time_person_and_topic(server, wellworn):
    for number, agent in enumerate(("bo", "ana", "bo")):
        wellworn("remember", f"Note {number} of {agent}.", "--agent", agent, "--tag", f"t{number}")
    everything = wellworn("recent")
    assert re.findall(r"Note \d", everything.stdout) == ["Note 2", "Note 1", "Note 0"]
    newest = parsed(wellworn("recent", "--limit", "1", "--json"))["thoughts"][0]
    assert newest["created_at"][:10] in everything.stdout
    assert "#t2" in everything.stdout
    assert everything.stderr == ""
    assert re.findall(r"Note \d", wellworn("recent", "--by", "bo", "--since", "1h").stdout) == [
        "Note 2",
        "Note 0",
    ]
    assert re.findall(r"Note \d", wellworn("recent", "--tag", "t1").stdout) == ["Note 1"]
    assert wellworn("recent", "--until", "1h").stdout == "nothing found\n"
    counted = wellworn("recent", "--words", "NOTES", "--count", "--limit", "1")
    assert "3 thoughts fit" in counted.stderr
    assert len(re.findall(r"Note \d", counted.stdout)) == 1
    assert wellworn("recent", "--words", "note absent").stdout == "nothing found\n"
    first = wellworn("recent", "--limit", "2")
    cursor = first.stderr.split()[-1]
    assert re.findall(r"Note \d", wellworn("recent", "--cursor", cursor).stdout) == ["Note 0"]


def test_what_is_outdated_says_so_until_that_is_taken_back(server, wellworn):
    old = parsed(wellworn("remember", OLD, "--json"))["trace"]["thought_id"]
    session = parsed(wellworn("recall", PORT, "--json"))["trace"]["session_id"]
    assert wellworn("feedback", old, "outdated", "--session", session).returncode == 0
    assert "outdated since" in wellworn("recall", PORT).stdout
    assert "withdrawn" in wellworn("feedback", old, "none", "--session", session).stdout
    assert "outdated" not in wellworn("recall", PORT).stdout


def test_where_nothing_answers_the_nearest_are_listed_and_called_so(server, wellworn):
    wellworn("remember", OLD)
    odd = "who paints the lighthouse in winter?"
    nearest = wellworn("recall", odd).stdout
    assert nearest.startswith("nothing close, the nearest are:")
    assert OLD in nearest
    assert wellworn("recall", odd, "--min-relevance", "0.5").stdout.startswith("nothing close;")


def test_a_folder_of_markdown_is_imported_and_found(server, wellworn, tmp_path):
    notes = tmp_path / "notes"
    notes.mkdir()
    text = "# Deployments\n\nThe canary stage takes twenty minutes before traffic is shifted.\n"
    (notes / "deployments.md").write_text(text)
    first = parsed(wellworn("import", "markdown", str(notes), "--json"))
    again = parsed(wellworn("import", "markdown", str(notes), "--json"))
    assert first["imported"] > 0
    assert (again["imported"], again["known"]) == (0, first["imported"])
    assert "canary" in wellworn("recall", "how long is the canary stage?").stdout


def test_what_an_import_cannot_take_is_named_and_the_rest_is_taken(server, wellworn, tmp_path):
    def build_session(number, moment):
        session = f"00000000-0000-4000-8000-{number:012d}"
        return f'{{"record":"session","id":"{session}","agent_id":"ann","created_at":{moment}}}\n'

    file = tmp_path / "all.jsonl"
    file.write_text(build_session(1, 1.0) + build_session(2, "NaN") + build_session(3, 2.0))
    done = wellworn("import", "bundle", str(file), "--json")
    assert (parsed(done)["imported"], parsed(done)["left_out"]) == (2, 1)
    assert "all.jsonl, line 2: created_at must be a finite number" in done.stderr
    talk = tmp_path / "talk.jsonl"
    talk.write_text('{"speaker":"Ann","text":"hi","time":1e400}\n{"speaker":"Ann","text":"ho"}\n')
    done = wellworn("import", "transcript", str(talk))
    assert done.stdout.startswith("imported 1, ")
    assert done.stdout.strip().endswith("left out: 1")
    assert "talk.jsonl, line 1: time must be" in done.stderr


def test_a_memory_of_another_program_moves_in_with_its_history_and_out_again(
    server, wellworn, tmp_path
):
    store = build_mem0(tmp_path / "mem0")
    seen = parsed(wellworn("import", str(store), "--dry-run", "--json"))
    assert (seen["kind"], seen["records"]["thought"], seen["records"]["replacement"]) == (
        *("mem0", 11, 3),
    )
    assert wellworn("recall", "port of staging").stdout.startswith("nothing")
    moved = wellworn("import", str(store), "--json")
    assert parsed(moved)["imported"] == sum(seen["records"].values())
    again = parsed(wellworn("import", str(store), "--json"))
    assert (again["imported"], again["known"], again["undo"]) == (0, parsed(moved)["imported"], [])
    asked = parsed(wellworn("recall", "which port has the staging database?", "--json"))
    best = asked["result"]["sources"][0]
    assert "port 6000" in best["content"]
    assert "port 5544" in json.dumps(best["replaces"])
    for line in parsed(moved)["undo"]:
        assert wellworn(*shlex.split(line)[1:], "--yes").returncode == 0
    assert wellworn("recall", "port of staging").stdout.startswith("nothing")


def test_status_tells_where_the_server_is_and_stop_ends_it(server, wellworn, home):
    assert server.url in wellworn("status").stdout
    assert wellworn("stop").returncode == 0
    assert server.process.wait(timeout=LONG_S) == 0
    assert daemon.find_holder(home) is None


def test_a_highway_forms_where_several_agents_go(server, wellworn):
    wellworn("remember", INSIGHT, "--agent", "pdsa")
    for agent in ("dev", "qa", "ops"):
        wellworn("recall", "what prevents coordination collapse?", "--agent", agent)
    roads = wellworn("highways")
    assert "3 agents" in roads.stdout
    assert UUID.search(roads.stdout)
