"""Which sentences of a session `wellworn capture` asks about, and which it asks about again."""

from __future__ import annotations

import json

import pytest

from wellworn.engines.daemon import lock_exclusively


def write(path, *said):
    """Write a session of Claude Code, of pairs of a role and what it said."""
    lines = [
        {
            "type": role,
            "sessionId": path.stem,
            "message": {"role": role, "content": [{"type": "text", "text": text}]},
        }
        for role, text in said
    ]
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    return str(path)


def use_tool(path):
    """Let the agent of a session use a tool."""
    tool = {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "ls"}}
    line = {"type": "assistant", "message": {"role": "assistant", "content": [tool]}}
    with path.open("a") as file:
        file.write(f"{json.dumps(line)}\n")


@pytest.fixture
def outcomes():
    """What becomes of sentences, call by call; they pass by where nothing is said."""
    return []


@pytest.fixture
def judge(fake, outcomes):
    """Judge what is asked; the list has what was, call by call."""
    calls: list[list[str]] = []
    fake.beside = []

    def reply(_method, _path, body):
        asked = json.loads(body)
        calls.append([each["text"] for each in asked["statements"]])
        fake.beside.append((asked.get("before"), asked.get("after")))
        outcome = outcomes.pop(0) if outcomes else "passing"
        judged = [
            {**each, "outcome": outcome, "worth": None, "thought_id": None}
            for each in asked["statements"]
        ]
        answer = {"kept": 0, "statements": judged, "picked_by": None}
        return 200, json.dumps(answer).encode()

    fake.reply = reply
    return calls


@pytest.fixture
def capture(run, fake):
    def capture(path, *words):
        said = run("capture", path, *words, "--url", fake.url)
        assert said.code == 0, said.err
        return said

    return capture


def test_what_was_judged_is_asked_no_more_and_what_came_since_is(judge, capture, tmp_path):
    path = tmp_path / "s1.jsonl"
    capture(write(path, ("user", "We never deploy on Fridays.")))
    capture(write(path, ("user", "We never deploy on Fridays."), ("assistant", "I know it now.")))
    capture(str(path))
    assert judge == [["We never deploy on Fridays."], ["I know it now."]]
    capture(str(path), "--again")
    assert judge[2:] == [["We never deploy on Fridays.", "I know it now."]]


def test_a_session_that_opencode_exported_is_judged(judge, capture, tmp_path):
    messages = [
        {"info": {"id": role, "role": role}, "parts": [{"type": "text", "text": text}]}
        for role, text in (
            ("user", "We never deploy on Fridays."),
            ("assistant", "I know it now."),
        )
    ]
    path = tmp_path / "session.json"
    path.write_text(json.dumps({"info": {"id": "ses_1"}, "messages": messages}, indent=2))
    capture(str(path))
    capture(str(path))
    assert judge == [["We never deploy on Fridays.", "I know it now."]]


def test_what_was_judged_for_one_space_is_asked_for_another(judge, capture, tmp_path):
    path = write(tmp_path / "s1.jsonl", ("user", "We never deploy on Fridays."))
    for space in ("ks-lab-0123abcd", "ks-hall-0123abcd", "ks-lab-0123abcd"):
        capture(path, "--space", space)
    assert judge == [["We never deploy on Fridays."]] * 2


def test_a_session_that_was_written_anew_is_judged_anew(judge, capture, tmp_path):
    path = tmp_path / "s1.jsonl"
    capture(write(path, ("user", "We never deploy on Fridays."), ("user", "Tests come first.")))
    capture(write(path, ("user", "We always squash our commits.")))
    capture(write(path, ("user", "We always squash our commits."), ("user", "Docs come second.")))
    assert judge[1:] == [["We always squash our commits."], ["Docs come second."]]


def test_what_nobody_could_judge_is_asked_again(judge, outcomes, capture, tmp_path):
    path = write(tmp_path / "s1.jsonl", ("user", "We never deploy on Fridays."))
    outcomes += ["unjudged", "passing"]
    assert "1 were not judged" in capture(path).err
    capture(path)
    capture(path)
    assert judge == [["We never deploy on Fridays."]] * 2


def test_what_an_agent_says_before_it_uses_a_tool_is_asked_once(judge, capture, tmp_path):
    path = tmp_path / "s1.jsonl"
    write(path, ("user", "Why is it slow?"), ("assistant", "The pool is too small."))
    use_tool(path)
    capture(str(path))
    assert judge == [["Why is it slow?", "The pool is too small."]]


def test_long_sentences_are_asked_in_shorter_calls(judge, capture, tmp_path):
    long = [("user", f"{number} " + "word " * 150) for number in range(12)]
    short = [("user", f"This is rule {number}.") for number in range(60)]
    capture(write(tmp_path / "s1.jsonl", *long, *short))
    assert sum(map(len, judge)) == 72
    assert max(map(len, judge)) <= 50
    assert max(sum(map(len, call)) for call in judge) <= 5_000


def test_each_call_says_what_stands_before_and_after(judge, capture, fake, tmp_path):
    said = [("assistant" if n % 2 else "user", f"This is rule {n}.") for n in range(110)]
    path = tmp_path / "s1.jsonl"
    capture(write(path, *said[:108]))
    assert [text for call in judge for text in call] == [text for _, text in said[:108]]
    assert fake.beside == [
        (None, "This is rule 50."),
        ("This is rule 49.", "This is rule 100."),
        ("This is rule 99.", None),
    ]
    capture(write(path, *said))
    assert judge[-1] == ["This is rule 108.", "This is rule 109."]
    assert fake.beside[-1] == ("This is rule 107.", None)


def test_a_dry_run_leaves_no_mark(judge, capture, tmp_path):
    path = write(tmp_path / "s1.jsonl", ("user", "We never deploy on Fridays."))
    capture(path, "--dry-run")
    assert not (tmp_path / "home").exists()
    capture(path)
    assert len(judge) == 2


def test_sessions_are_captured_one_after_another(judge, run, fake, tmp_path, monkeypatch):
    monkeypatch.setattr("wellworn.interfaces.cli.capture._LONGEST_WAIT_S", 0.0)
    path = write(tmp_path / "s1.jsonl", ("user", "We never deploy on Fridays."))
    hooks = tmp_path / "home" / "hooks"
    hooks.mkdir(parents=True)
    with lock_exclusively(hooks / "capture.lock", wait_s=0.0):
        said = run("capture", path, "--url", fake.url)
    assert said.code != 0
    assert "other sessions are still being captured" in said.err
    assert judge == []
