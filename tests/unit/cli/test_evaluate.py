"""`wellworn eval`, beside a server that answers from a list: what it sends, prints, exits with."""

from __future__ import annotations

import pytest

from unit.cli import fake_knowledge as known
from unit.cli.conftest import is_two_lines

RIGHT = """\
- ask: what is cube?
  expect: {document: mytech/AGENTS.md#servers, text: cube, value: 100.70.237.79}
- resolve: cube
  context: ssh
  expect: {outcome: resolved, value: 100.70.237.79, document: AGENTS.md#servers}
"""
WRONG = """\
- ask: who backs up cube?
  expect: {document: mytech/backup.md}
- resolve: cube
  expect: {outcome: unknown}
"""
RESOLVE = ("POST", "/api/knowledge/resolve")


@pytest.fixture
def evaluate(run, fake, tmp_path):
    def evaluate(text, *words):
        file = tmp_path / "questions.yaml"
        file.write_text(text, "utf-8")
        return run("eval", str(file), "--url", fake.url, *words)

    return evaluate


def test_questions_are_put_as_agents_put_them_and_all_right_passes(evaluate, fake):
    said = evaluate(RIGHT, "--bar", "1")
    assert said.code == 0
    assert said.out.splitlines() == [
        "document recall@5  1.000  of 2 questions",
        "span hit           1.000  of 1 question",
        "value hit          1.000  of 2 questions",
        "outcome hit        1.000  of 1 question",
        "2 of 2 questions right: 1.000, bar 1, passed",
    ]
    [search, resolved] = fake.asked
    assert search[1] == "/api/knowledge/search?q=what+is+cube%3F&limit=5"
    assert resolved[2] == {"term": "cube", "context": "ssh", "agent_id": "cli", "learn": False}


def test_below_the_bar_each_miss_is_told_with_its_reason_and_the_exit_code_is_one(evaluate):
    said = evaluate(RIGHT + WRONG)
    assert said.code == 1
    assert said.out.splitlines()[4:] == [
        "line 6: who backs up cube?",
        "    mytech/backup.md is not among mytech/AGENTS.md",
        "line 8: cube",
        "    it is resolved, not unknown",
        "2 of 4 questions right: 0.500, bar 0.9, below the bar",
    ]
    assert evaluate(RIGHT + WRONG, "--bar", "0.5").code == 0


def test_an_ambiguous_term_shows_the_documents_of_its_candidates(evaluate, fake):
    fake.answers[RESOLVE] = known.ASKED
    question = "- {resolve: cube, expect: {outcome: ambiguous, document: mytech/AGENTS.md#servers}}"
    assert evaluate(question).code == 0


def test_json_has_everything_and_the_same_exit_code(evaluate):
    said = evaluate(RIGHT + WRONG, "--json")
    assert said.code == 1
    assert said.json["passed"] is False
    assert (said.json["questions"], said.json["right"], said.json["score"]) == (4, 2, 0.5)
    assert said.json["measures"]["outcome hit"] == {"mean": 0.5, "questions": 2}
    assert said.json["misses"][1] == {
        "number": 4,
        "line": 8,
        "question": "cube",
        "why": ["it is resolved, not unknown"],
    }


def test_what_was_found_cannot_steer_the_terminal(evaluate, fake):
    evil = {**known.FOUND["results"][0], "path": "\x1b[2J.md"}
    fake.answers["GET", "/api/knowledge/search"] = {"query": "x", "results": [evil]}
    assert "\x1b" not in evaluate(WRONG).out


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("- ask: x", "questions.yaml, line 1, entry 1: it does not say what to expect"),
        ("- ask: 'x", "questions.yaml, line 1: this is not YAML"),
    ],
)
def test_a_file_that_is_no_list_of_questions_is_refused_before_anything_is_asked(
    evaluate, fake, text, reason
):
    said = evaluate(text)
    assert is_two_lines(said, 2)
    assert reason in said.err
    assert fake.asked == []


def test_a_file_that_is_not_there_or_no_text_is_refused(run, tmp_path):
    assert is_two_lines(run("eval", str(tmp_path / "none.yaml")), 2)
    file = tmp_path / "a.yaml"
    file.write_bytes(b"\xff\xfe\x00")
    said = run("eval", str(file))
    assert is_two_lines(said, 2)
    assert "a.yaml: it is not UTF-8 text" in said.err


@pytest.mark.parametrize("bar", ["1.5", "-1", "much", "nan"])
def test_a_bar_is_a_share(evaluate, bar):
    assert is_two_lines(evaluate(RIGHT, "--bar", bar), 2)


def test_a_server_that_refuses_is_told_as_everywhere(evaluate, fake):
    del fake.answers[RESOLVE]
    assert is_two_lines(evaluate(RIGHT), 1)
