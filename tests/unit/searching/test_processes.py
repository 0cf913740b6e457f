"""Who searches: the server for who comes alone, processes for the others, whoever is free first."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from patience import LONG_S
from wellworn.application.searching.processes import (
    COUNTED_S,
    CROWD,
    PATIENCE_S,
    UNDER_WAY,
    SearchFailed,
    SearchProcesses,
)


class Searchers:
    """A server and its processes; searches of "slow" questions end when they are told to."""

    def __init__(self, most, *, for_crowds=False):
        self.now = 0.0
        self.by = {}
        self.started = []
        self.go_on = threading.Event()
        self.begun = threading.Semaphore(0)
        self.fails_to_start = self.begins_late = False
        self.processes = SearchProcesses(
            most,
            self.start,
            lambda asked: self.search("server", asked),
            for_crowds=for_crowds,
            now=lambda: self.now,
        )

    def start(self):
        if self.fails_to_start:
            raise OSError
        self.started.append(Process(self, f"process {len(self.started) + 1}"))
        return self.started[-1]

    def search(self, who, asked):
        self.by[asked] = who
        self.begun.release()
        if asked.startswith("slow"):
            assert self.go_on.wait(LONG_S)
        return f"{who} found {asked}"


class Process:
    def __init__(self, searchers, name):
        self.searchers, self.name = searchers, name
        self.is_current, self.fails, self.is_closed = True, False, False
        self.closed = threading.Event()

    def begin(self):
        if self.searchers.begins_late:
            self.searchers.begun.release()
            assert self.closed.wait(LONG_S)
        if self.is_closed:
            raise SearchFailed

    def search(self, asked):
        if self.fails:
            raise SearchFailed
        return self.searchers.search(self.name, asked)

    def close(self):
        self.is_closed = True
        self.closed.set()


@pytest.fixture
def threads():
    with ThreadPoolExecutor(32) as pool:
        yield pool


def begin(searchers, threads, asked):
    """Ask in a thread, and return when the search has begun."""
    future = threads.submit(searchers.processes.search, asked)
    assert searchers.begun.acquire(timeout=LONG_S)
    return future


def test_who_comes_alone_is_answered_by_the_server():
    searchers = Searchers(1)
    searchers.processes.run_if_due()
    assert [searchers.processes.search("a"), searchers.processes.search("b")] == [
        "server found a",
        "server found b",
    ]


def test_who_comes_beside_others_is_answered_by_processes_in_turn(threads):
    searchers = Searchers(2)
    assert searchers.processes.run_if_due()
    assert not searchers.processes.run_if_due()
    futures = [begin(searchers, threads, f"slow {number}") for number in range(3)]
    assert searchers.by == {"slow 0": "server", "slow 1": "process 1", "slow 2": "process 2"}
    searchers.go_on.set()
    assert [future.result(LONG_S) for future in futures] == [
        f"{searchers.by[asked]} found {asked}" for asked in ("slow 0", "slow 1", "slow 2")
    ]


def test_who_comes_when_all_are_busy_waits_for_the_first_to_be_free(threads):
    searchers = Searchers(1)
    searchers.processes.run_if_due()
    busy = [begin(searchers, threads, f"slow {number}") for number in range(1 + UNDER_WAY)]
    late = threads.submit(searchers.processes.search, "late")
    assert not late.done()
    searchers.go_on.set()
    assert late.result(LONG_S).endswith("found late")
    assert [future.result(LONG_S) for future in busy]


def test_what_a_process_cannot_search_the_server_does(threads):
    searchers = Searchers(1)
    searchers.processes.run_if_due()
    first = begin(searchers, threads, "slow")
    searchers.started[0].fails = True
    assert searchers.processes.search("other") == "server found other"
    searchers.go_on.set()
    first.result(LONG_S)


def test_a_process_that_ended_is_asked_no_more_and_is_replaced(threads):
    searchers = Searchers(1)
    searchers.processes.run_if_due()
    searchers.started[0].is_current = False
    first = begin(searchers, threads, "slow")
    late = threads.submit(searchers.processes.search, "late")
    assert searchers.processes.run_if_due()
    assert late.result(LONG_S) == "process 2 found late"
    assert searchers.started[0].is_closed
    searchers.go_on.set()
    first.result(LONG_S)


def test_a_process_that_does_not_start_is_tried_again(threads):
    searchers = Searchers(1)
    searchers.fails_to_start = True
    assert searchers.processes.run_if_due()
    assert searchers.processes.search("a") == "server found a"
    searchers.fails_to_start = False
    assert searchers.processes.run_if_due()
    first = begin(searchers, threads, "slow")
    assert searchers.processes.search("b") == "process 1 found b"
    searchers.go_on.set()
    first.result(LONG_S)


def test_after_the_end_no_process_is_there_and_the_server_searches(threads):
    searchers = Searchers(2)
    searchers.processes.run_if_due()
    searchers.processes.stop()
    assert all(process.is_closed for process in searchers.started)
    assert searchers.processes.search("a") == "server found a"
    searchers.processes.run_if_due()
    assert len(searchers.started) == 2
    searchers.processes.stop()


def test_the_end_does_not_wait_for_a_process_that_begins(threads):
    searchers = Searchers(1)
    searchers.begins_late = True
    beginning = threads.submit(searchers.processes.run_if_due)
    assert searchers.begun.acquire(timeout=LONG_S)
    searchers.processes.stop()
    assert beginning.result(LONG_S)
    assert searchers.started[0].is_closed
    assert searchers.processes.search("a") == "server found a"


def crowd(searchers, threads, size):
    """Let searches begin beside one that goes on."""
    slow = begin(searchers, threads, "slow")
    for number in range(size):
        begin(searchers, threads, f"quick {number}").result(LONG_S)
    searchers.go_on.set()
    slow.result(LONG_S)
    searchers.go_on.clear()


def test_for_crowds_a_process_comes_with_one_and_goes_some_time_after_it(threads):
    searchers = Searchers(1, for_crowds=True)
    for size, is_started in ((0, False), (CROWD - 1, False), (CROWD, True)):
        crowd(searchers, threads, size)
        searchers.now += COUNTED_S
        assert searchers.processes.run_if_due() is is_started
    [process] = searchers.started
    searchers.now += PATIENCE_S - 1
    assert not searchers.processes.run_if_due()
    assert not process.is_closed
    searchers.now += 1
    assert not searchers.processes.run_if_due()
    assert process.is_closed


def test_a_crowd_that_stays_keeps_its_process(threads):
    searchers = Searchers(1, for_crowds=True)
    for _ in range(3):
        crowd(searchers, threads, CROWD)
        searchers.now += PATIENCE_S / 2
        searchers.processes.run_if_due()
    assert len(searchers.started) == 1
    assert not searchers.started[0].is_closed


def test_without_processes_nobody_waits_for_another_s_search(threads):
    searchers = Searchers(1, for_crowds=True)
    futures = [begin(searchers, threads, f"slow {number}") for number in range(3)]
    searchers.go_on.set()
    assert [future.result(LONG_S) for future in futures]
