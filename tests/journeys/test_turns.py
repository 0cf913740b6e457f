"""Turns on real server processes, told through the command line."""

from __future__ import annotations

import json
import shutil

import httpx2
import pytest

from journeys.conftest import Server

pytestmark = pytest.mark.timeout(240)

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
        httpx2.Client(trust_env=False, timeout=60) as client,
        client.stream("POST", address, json=body, headers=headers) as response,
    ):
        names = [line for line in response.iter_lines() if line.startswith("event: ")]
    assert response.status_code == 200
    assert (names[0], names[-1]) == ("event: phase", "event: answer")
    with (
        httpx2.Client(trust_env=False, timeout=60) as client,
        client.stream("POST", address, json=body, headers=headers) as response,
    ):
        assert next(response.iter_lines()) == "event: phase"
    # Its caller is gone; the turn is the next one's to end.
    turns = parsed(wellworn("turn", "list", "--agent", "ana", "--json"))["turns"]
    assert [turn["number"] for turn in turns] == [2, 1]
