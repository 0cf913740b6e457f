"""A server for which another process searches: what was acknowledged is found, whoever searches.

In these tests the server may search nothing itself, unless it is said.
"""

from __future__ import annotations

import json
import os
import signal
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import pytest

from api.sealed_world import founded
from wellworn.application.bootstrap import INDEXES
from wellworn.application.searching.following import FollowingProcess
from wellworn.application.settings import Settings
from wellworn.domain.thoughts import ThoughtSettings
from wellworn.engines.answering_process import AnsweringProcess

SAID = (
    "The payment queue loses entries when the ledger restarts",
    "The payment queue was moved to the new host in May",
    "Backups of the ledger run at four in the morning",
    "Zoe prefers tea to coffee",
    "The billing worker leaks memory under heavy load",
)
QUESTIONS = (
    "Why does the payment queue lose entries?",
    "When do backups of the ledger run?",
    "Which worker leaks memory?",
)


class Watched:
    """The processes of a server, and what was asked of them."""

    def __init__(self, app):
        self.app = app
        self.processes = app.search_processes
        self.asked = []
        self.found = []

    @property
    def running(self):
        return self.processes._processes

    def only(self, monkeypatch):
        """Let nothing be searched but by a process."""
        search = FollowingProcess.search

        def note(process, question):
            self.asked.append(question)
            self.found.append(search(process, question))
            return self.found[-1]

        monkeypatch.setattr(FollowingProcess, "search", note)
        monkeypatch.setattr(self.processes, "_has_room", lambda searcher: searcher is not None)
        monkeypatch.setattr(self.processes, "_search_here", None)


@pytest.fixture
def world(opened, minilm):
    made = opened(
        minilm,
        Settings(thoughts=ThoughtSettings(search_processes=1)),
    )
    for text in SAID:
        made.know(text)
    return made


@pytest.fixture
def apart(world, monkeypatch):
    watched = Watched(world.app)
    assert watched.processes.run_if_due()
    with monkeypatch.context() as patch:
        watched.only(patch)
        yield watched


def contents(answer):
    return [source["content"] for source in answer["result"]["sources"]]


def recall(world, question, **more):
    return world.ask(question, contribute="never", explain=True, **more)


@pytest.mark.parametrize("more", [{}, {"limit": 2}, {"include_unverified": True}])
def test_a_process_finds_what_the_server_finds(world, apart, more):
    for question in QUESTIONS:
        recall(world, question, **more)
    here = world.app.memory.searcher.search_here
    assert len(apart.asked) == len(QUESTIONS)
    for asked, found in zip(apart.asked, apart.found, strict=True):
        expected = here(asked)
        assert [hit.summary.seq for hit in found.pool] == [hit.summary.seq for hit in expected.pool]
        assert [thought.content for thought in found.shown] == [
            thought.content for thought in expected.shown
        ]
        assert [thought.score for thought in found.shown] == [
            thought.score for thought in expected.shown
        ]


def test_without_a_setting_a_crowd_gets_a_process(opened, minilm, monkeypatch):
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    monkeypatch.setattr("wellworn.application.searching.processes.CROWD", 3)
    monkeypatch.setattr("wellworn.application.searching.processes.COUNTED_S", 0)
    made = opened(minilm)
    watched = Watched(made.app)
    made.know(SAID[0])
    assert not watched.processes.run_if_due()
    with ThreadPoolExecutor(4) as callers:
        for _ in range(5):
            list(callers.map(partial(recall, made), QUESTIONS * 4))
            watched.processes.run_if_due()
    assert len(watched.running) == 1
    watched.only(monkeypatch)
    assert contents(recall(made, QUESTIONS[0])) == [SAID[0]]
    assert len(watched.asked) == 1


def test_what_anybody_said_is_found_by_the_next_who_asks(world, apart):
    world.ask("The heron nests behind the boiler house.", "zoe", contribute="always")
    thought = world.know("The kestrel nests in the bell tower.", "bo")
    assert contents(recall(world, "Where does the heron nest?"))[0].startswith("The heron")
    assert contents(recall(world, "Where does the kestrel nest?"))[0].startswith("The kestrel")
    world.forget(thought)
    assert not any("kestrel" in text for text in contents(recall(world, "Where is the kestrel?")))
    assert len(apart.asked) >= 3


def test_what_was_found_by_words_is_found_by_meaning_once_it_is_embedded(world, apart):
    record = {
        "record": "thought",
        "content": "The physician prescribes rest.",
        "contributor_id": "zoe",
        "contributor_name": "Zoe",
    }
    lines = {"content-type": "application/x-ndjson"}
    content = json.dumps(record).encode()
    assert world.client.post("/api/v1/import", content=content, headers=lines).is_success
    recall(world, "Which physician?")
    world.app.embedding.finish()
    answer = recall(world, "What rest does the physician prescribe?")
    assert contents(answer)[0] == "The physician prescribes rest."
    (found,) = [one for one in answer["result"]["sources"] if "physician" in one["content"]]
    assert found["why"]["pieces"]


def test_what_a_process_counts_is_what_was_shown(world, apart):
    for _ in range(3):
        answer = recall(world, QUESTIONS[0])
    for source in answer["result"]["sources"]:
        assert world.record(source["thought_id"])["access_count"] == 3


def test_a_process_that_is_killed_takes_nothing_along(world, monkeypatch):
    watched = Watched(world.app)
    watched.processes.run_if_due()
    (first,) = watched.running
    with monkeypatch.context() as patch:
        patch.setattr(watched.processes, "_has_room", lambda searcher: searcher is not None)
        os.kill(first._process._child.pid, signal.SIGKILL)
        assert contents(recall(world, QUESTIONS[0]))[0] == SAID[0]
    assert contents(recall(world, QUESTIONS[0]))[0] == SAID[0]
    world.know("The owl sleeps in the granary.")
    assert watched.processes.run_if_due()
    (second,) = watched.running
    assert second is not first
    watched.only(monkeypatch)
    assert contents(recall(world, "Where does the owl sleep?"))[0].startswith("The owl")


def test_a_process_that_cannot_follow_ends_instead_of_finding_half(world, apart, monkeypatch):
    (process,) = apart.running
    process._process.tell("no news that it knows")
    with monkeypatch.context() as patch:
        patch.setattr(apart.processes, "_search_here", world.app.memory.searcher.search_here)
        assert contents(recall(world, QUESTIONS[0]))[0] == SAID[0]
    assert not process.is_current


def test_a_sealed_space_is_searched_in_the_server_alone(world, apart, monkeypatch):
    place = founded(world)
    told = []
    monkeypatch.setattr(AnsweringProcess, "tell", lambda _, news: told.append(news))
    place.know("The vault opens at dawn with the brass key.")
    answer = place.ask("When does the vault open?", contribute="never", explain=True)
    assert contents(answer) == ["The vault opens at dawn with the brass key."]
    assert not apart.asked
    assert not told


def test_what_leaves_for_a_process_unlocks_nobodys_keys(world, apart):
    place = founded(world, sealed=False)
    place.know("The gate is painted green.")
    answer = place.ask("What colour is the gate?", contribute="never", explain=True)
    assert contents(answer) == ["The gate is painted green."]
    (asked,) = apart.asked
    assert asked.access.owner == place.member
    sent = asked.without_key().access
    assert sent.credential.kek is None
    assert sent.owner == place.member


def test_processes_end_with_the_server(opened, world, minilm):
    watched = Watched(world.app)
    watched.processes.run_if_due()
    (process,) = watched.running
    world.app.close()
    assert process._process._child.poll() is not None


def test_copies_that_an_earlier_version_left_are_removed(opened, world, minilm):
    world.app.close()
    left = world.home / INDEXES / "copies" / "1" / "shards"
    left.mkdir(parents=True)
    opened(minilm)
    assert not left.exists()


def test_without_the_setting_there_is_none(opened, minilm):
    made = opened(minilm)
    made.know(SAID[0])
    assert not Watched(made.app).processes.run_if_due()
    assert contents(recall(made, QUESTIONS[0])) == [SAID[0]]
