"""A process that answers: in order, for many threads, and what comes of it when it ends."""

from __future__ import annotations

import os
import signal
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from integration.answerers import Asked, Echo, make_nothing
from patience import LONG_S
from wellworn.engines.answering_process import AnsweringProcess, ProcessEnded

LARGE = "x" * 1_000_000


@pytest.fixture(autouse=True)
def importable(monkeypatch):
    """Let the process find what answers."""
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[1]))


@pytest.fixture
def process():
    made = AnsweringProcess(Echo)
    yield made
    made.close()


def test_it_answers_after_what_it_was_told_before(process):
    process.tell("told while it starts")
    process.begin("set up")
    process.tell("told")
    assert process.ask("asked") == ["set up", "told while it starts", "told", "asked"]
    assert process.ask(Asked("twice", 2)) == Asked("twice", 2)
    assert process.ask(LARGE)[-1] == LARGE


def test_every_thread_gets_its_own_answer(process):
    process.begin("set up")
    with ThreadPoolExecutor(8) as threads:
        asked = [Asked(str(number) + LARGE[: number * 1_000]) for number in range(200)]
        assert [*threads.map(process.ask, asked)] == asked


def test_a_question_that_fails_has_no_answer_and_the_next_has(process):
    process.begin("set up")
    with pytest.raises(ProcessEnded):
        process.ask("fail")
    assert not process.has_ended
    assert process.ask("next") == ["set up", "next"]


@pytest.mark.parametrize("end", ["killed", "failed to note"])
def test_whoever_asks_when_it_has_ended_is_told_so_and_whoever_tells_is_not_held_up(process, end):
    process.begin("set up")
    if end == "killed":
        os.kill(process.ask("pid"), signal.SIGKILL)
    else:
        process.tell("fail")
    for _ in range(2):
        with pytest.raises(ProcessEnded):
            process.ask("anything")
    assert process.has_ended
    process.tell(LARGE)


def test_many_who_wait_are_all_told_that_it_ended(process):
    process.begin("set up")
    pid = process.ask("pid")
    os.kill(pid, signal.SIGSTOP)
    ends = []

    def ask():
        with pytest.raises(ProcessEnded):
            process.ask("anything")
        ends.append(1)

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    os.kill(pid, signal.SIGKILL)
    for thread in threads:
        thread.join()
    assert len(ends) == len(threads)


def test_one_that_cannot_begin_says_so():
    process = AnsweringProcess(make_nothing)
    with pytest.raises(ProcessEnded):
        process.begin("set up")
    process.close()


def test_it_knows_no_secret_of_its_parents_environment(monkeypatch):
    monkeypatch.setenv("WELLWORN_CRYPTO__KEY", "secret")
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    process = AnsweringProcess(Echo)
    process.begin("set up")
    names = process.ask("environment").keys()
    process.close()
    assert "OMP_NUM_THREADS" in names
    assert not any(name.startswith("WELLWORN") for name in names)


def test_it_ends_with_its_parent():
    process = AnsweringProcess(Echo)
    process.begin("set up")
    # What the system does when a process dies.
    process._socket.close()
    process._answers.close()
    assert process._child.wait(LONG_S) == 0
    process.close()
