"""Jobs on their real engine: a file, a queue, threads; and what becomes of them over restarts."""

from __future__ import annotations

import logging
import os
import sqlite3
import stat
import subprocess
import sys
import threading
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

import pytest
from sqlalchemy import event
from sqlalchemy.exc import OperationalError

from patience import LONG_S
from wellworn.engines.jobs import DueJob, Jobs, JobSettings, JobStatus
from wellworn.engines.jobs.run import JobStopped
from wellworn.engines.jobs.store import open_file
from wellworn.errors import DamagedStore, InvalidInput, NotFound, StorageUnavailable, StoreInUse
from wellworn.testing.clock import ManualClock

FILE = "jobs.sqlite3"
SOURCE = Path(__file__).resolve().parents[2] / "src"
QUICK = JobSettings(poll_s=0.05, stop_s=LONG_S)


@contextmanager
def jobs_in(home, kinds=None, settings=QUICK, **options):
    jobs = Jobs(home, settings, **options)
    for name, run in (kinds or {}).items():
        jobs.register(name, run)
    try:
        yield jobs
    finally:
        jobs.close()


class Gate:
    """A job that says it has begun, and goes on when it is let."""

    def __init__(self) -> None:
        self.begun = threading.Semaphore(0)
        self.let = threading.Event()
        self.keys = []

    def __call__(self, run) -> None:
        self.keys.append(run.key)
        self.begun.release()
        while not self.let.wait(0.01):
            run.check_stop()

    def wait_begun(self) -> None:
        assert self.begun.acquire(timeout=LONG_S)


def outcome(jobs, ticket):
    return jobs.wait(ticket.id, LONG_S)


def test_a_job_runs_once_and_its_end_is_told(tmp_path):
    keys = []
    with jobs_in(tmp_path, {"sync": lambda run: keys.append(run.key)}) as jobs:
        ticket = jobs.submit("sync", "s1")
        state = outcome(jobs, ticket)
    assert ticket.is_new
    assert (state.status, state.name, state.key) == (JobStatus.DONE, "sync", "s1")
    assert state.queued_at <= state.started_at <= state.ended_at
    assert keys == ["s1"]


def test_whoever_waits_is_told_whether_a_job_has_not_ended(tmp_path):
    gate = Gate()
    with jobs_in(tmp_path, {"sync": gate}, JobSettings(poll_s=0.05, most_at_once=1)) as jobs:
        assert not jobs.is_unfinished("sync/s1/0")
        running, queued = (jobs.submit("sync", key) for key in ("s1", "s2"))
        gate.wait_begun()
        assert jobs.is_unfinished(running.id)
        assert jobs.is_unfinished(queued.id)
        gate.let.set()
        outcome(jobs, running)
        assert not jobs.is_unfinished(running.id)
        outcome(jobs, queued)
        assert not jobs.is_unfinished(queued.id)


def test_a_key_has_one_job_at_a_time_and_others_run_beside_it(tmp_path):
    gate = Gate()
    with jobs_in(tmp_path, {"sync": gate, "weed": gate}) as jobs:
        first = jobs.submit("sync", "s1")
        again = jobs.submit("sync", "s1")
        assert (again.id, again.is_new) == (first.id, False)
        gate.wait_begun()
        assert jobs.submit("sync", "s1").id == first.id
        assert jobs.find_active("sync", "s1").status is JobStatus.RUNNING

        others = [jobs.submit("sync", "s2"), jobs.submit("weed", "s1")]
        assert all(one.is_new for one in others)
        gate.wait_begun()
        gate.let.set()
        assert {outcome(jobs, one).status for one in [first, *others]} == {JobStatus.DONE}
        assert jobs.find_active("sync", "s1") is None
        assert jobs.submit("sync", "s1").is_new


def test_no_more_jobs_run_side_by_side_than_are_allowed(tmp_path):
    lock, running, peaks = threading.Lock(), set(), []

    def run(given):
        with lock:
            running.add(given.key)
            peaks.append(len(running))
        threading.Event().wait(0.05)  # work, during which others could begin
        with lock:
            running.remove(given.key)

    with jobs_in(tmp_path, {"sync": run}) as jobs:
        tickets = [jobs.submit("sync", f"s{number}") for number in range(6)]
        assert {outcome(jobs, one).status for one in tickets} == {JobStatus.DONE}
    assert max(peaks) <= 2


def test_a_slot_is_used_up_by_its_job(tmp_path):
    keys = []
    with jobs_in(tmp_path, {"sync": lambda run: keys.append(run.key)}) as jobs:
        first = jobs.submit("sync", "s1", slot="2026-01-01T03:00Z")
        outcome(jobs, first)
        again = jobs.submit("sync", "s1", slot="2026-01-01T03:00Z")
        later = jobs.submit("sync", "s1", slot="2026-01-02T03:00Z")
        outcome(jobs, later)
    assert (again.id, again.is_new, later.is_new) == (first.id, False, True)
    assert keys == ["s1", "s1"]


def test_a_failure_is_told_and_none_of_its_words_are_kept_or_logged(tmp_path, caplog, capfd):
    caplog.set_level(logging.DEBUG, logger="wellworn")

    def run(given):
        def step():
            raise ValueError("the words of a document")

        given.step("read", step)

    with jobs_in(tmp_path, {"sync": run}) as jobs:
        state = outcome(jobs, jobs.submit("sync", "s1"))
    assert state.status is JobStatus.FAILED
    written = b"".join(file.read_bytes() for file in tmp_path.iterdir()).decode(errors="ignore")
    captured = capfd.readouterr()
    assert "words" not in state.message + written + caplog.text + captured.out + captured.err
    assert "ValueError at test_jobs.py" in caplog.text


def said_by(program, home):
    """Run a program with `home` and `jobs` in that folder; return what it said anywhere."""
    begin = f"""
import sys, warnings
from pathlib import Path
warnings.simplefilter("error")
from wellworn.engines.jobs import Jobs
home = Path({str(home)!r})
jobs = Jobs(home)
"""
    done = subprocess.run(
        [sys.executable, "-c", begin + program],
        env={**os.environ, "PYTHONPATH": str(SOURCE)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=LONG_S,
        check=False,
    )
    return done.stdout.decode()


def test_nothing_is_said_on_the_console(tmp_path):
    program = """
jobs.register("sync", lambda run: run.step("one", lambda: 1))
print(jobs.wait(jobs.submit("sync", "s1").id, 30).status)
jobs.close()
"""
    assert said_by(program, tmp_path) == "done\n"


def test_the_engine_is_loaded_with_the_first_job_and_not_before(tmp_path):
    program = """
from wellworn.errors import NotFound
jobs.register("sync", print)
jobs.add_planner(lambda now: [])
jobs.start()
jobs.tick()
assert jobs.find_active("sync", "s1") is None
try:
    jobs.get_state("sync/s1/0")
except NotFound:
    print("no job")
jobs.close()
print("dbos" in sys.modules, home.exists())
"""
    assert said_by(program, tmp_path / "new") == "no job\nFalse False\n"


def test_a_queued_job_is_cancelled_without_being_run(tmp_path):
    gate = Gate()
    one_at_a_time = QUICK.model_copy(update={"most_at_once": 1})
    with jobs_in(tmp_path, {"sync": gate}, one_at_a_time) as jobs:
        jobs.submit("sync", "s1")
        gate.wait_begun()
        waiting = jobs.submit("sync", "s2")
        assert jobs.cancel(waiting.id).status is JobStatus.CANCELLED
        assert jobs.submit("sync", "s2").is_new
        gate.let.set()
        gate.wait_begun()
        assert jobs.get_state(waiting.id).status is JobStatus.CANCELLED
    assert gate.keys == ["s1", "s2"]


def test_a_running_job_is_cancelled_at_its_next_check_and_holds_its_key_till_then(tmp_path):
    checked, may_check = threading.Event(), threading.Event()

    def run(given):
        checked.set()
        assert may_check.wait(LONG_S)
        given.check_stop()

    with jobs_in(tmp_path, {"sync": run}) as jobs:
        ticket = jobs.submit("sync", "s1")
        assert checked.wait(LONG_S)
        assert jobs.cancel(ticket.id).status is JobStatus.RUNNING
        assert jobs.submit("sync", "s1").id == ticket.id
        may_check.set()
        assert outcome(jobs, ticket).status is JobStatus.CANCELLED
        assert jobs.cancel(ticket.id).status is JobStatus.CANCELLED
        assert jobs.submit("sync", "s1").is_new


def test_a_job_that_ends_with_the_server_goes_on_at_its_last_finished_step(tmp_path):
    gate, steps, ended = Gate(), [], threading.Event()

    def run(given):
        given.step("one", lambda: steps.append("one"))
        gate(given)
        assert given.step("two", lambda: steps.append("two") or len(steps)) == 2
        ended.set()

    with jobs_in(tmp_path, {"sync": run}) as jobs:
        ticket = jobs.submit("sync", "s1")
        gate.wait_begun()
    gate.let.set()
    with jobs_in(tmp_path, {"sync": run}) as jobs:
        jobs.tick()
        assert ended.wait(LONG_S)
        assert outcome(jobs, ticket).status is JobStatus.DONE
    assert steps == ["one", "two"]


def test_being_stopped_with_the_server_is_not_counted_as_a_death(tmp_path):
    gate = Gate()
    once = QUICK.model_copy(update={"most_starts": 1})
    for _ in range(3):
        with jobs_in(tmp_path, {"sync": gate}, once) as jobs:
            ticket = jobs.submit("sync", "s1")
            gate.wait_begun()
    gate.let.set()
    with jobs_in(tmp_path, {"sync": gate}, once) as jobs:
        assert outcome(jobs, ticket).status is JobStatus.DONE


def test_a_job_that_cannot_go_on_yet_is_run_again_by_the_same_server(tmp_path):
    runs = []

    def begin(run):
        runs.append(run.step("first", lambda: len(runs)))
        if len(runs) < 6:
            raise JobStopped

    with jobs_in(tmp_path, {"sync": begin}, JobSettings(poll_s=0.05, tick_s=0.05)) as jobs:
        jobs.start()
        ended = outcome(jobs, jobs.submit("sync", "s1"))
    # More often than a job may die, and after its last finished step each time.
    assert (ended.status, runs) == (JobStatus.DONE, [0] * 6)


def test_a_job_that_does_not_stop_is_left_behind_and_run_again(tmp_path):
    begun, never, keys = threading.Event(), threading.Event(), []

    def stubborn(run):
        keys.append(run.key)
        begun.set()
        never.wait(LONG_S)

    with jobs_in(tmp_path, {"sync": stubborn}, JobSettings(poll_s=0.05, stop_s=0)) as jobs:
        ticket = jobs.submit("sync", "s1")
        assert begun.wait(LONG_S)
    never.set()
    with jobs_in(tmp_path, {"sync": stubborn}) as jobs:
        assert outcome(jobs, ticket).status is JobStatus.DONE
    assert keys == ["s1", "s1"]


def test_a_tick_runs_each_slot_once_and_asks_with_the_time_in_utc(tmp_path):
    clock, asked, keys = ManualClock(), [], []

    def due(now):
        asked.append(now)
        return [DueJob("sync", "s1", f"{now:%Y%m%dT%H}"), DueJob("sync", "s2", "0")]

    kinds = {"sync": lambda run: keys.append(run.key)}
    with jobs_in(tmp_path, kinds, clock=clock) as jobs:
        jobs.add_planner(due)
        for hours in (0, 0, 1, 0):
            clock.advance(hours=hours)
            jobs.tick()
            for key in ("s1", "s2"):
                if under_way := jobs.find_active("sync", key):
                    outcome(jobs, under_way)
    assert sorted(keys) == ["s1", "s1", "s2"]
    assert asked[0] == datetime.fromisoformat("2026-02-23T15:00:00+00:00")


def test_the_clockwork_goes_on_after_a_plan_that_failed(tmp_path, caplog):
    asked, twice = [], threading.Event()

    def due(now):
        asked.append(now)
        if len(asked) > 1:
            twice.set()
        raise ValueError("the words of a document")

    with jobs_in(tmp_path, settings=JobSettings(tick_s=0.01)) as jobs:
        jobs.add_planner(due)
        jobs.start()
        assert twice.wait(LONG_S)
    assert "ValueError at test_jobs.py" in caplog.text
    assert "words" not in caplog.text


def test_what_ended_is_forgotten_after_the_days_that_are_set(tmp_path):
    with jobs_in(tmp_path, {"sync": lambda _run: None}) as jobs:
        ticket = jobs.submit("sync", "s1")
        ended_at = outcome(jobs, ticket).ended_at
    clock = ManualClock(ended_at + 30 * 86_400 - 60)
    gate = Gate()
    with jobs_in(tmp_path, {"sync": gate}, clock=clock) as jobs:
        going = jobs.submit("sync", "s2")
        gate.wait_begun()
        jobs.tick()
        assert jobs.get_state(ticket.id).status is JobStatus.DONE
        clock.advance(hours=2)
        jobs.tick()
        with pytest.raises(NotFound):
            jobs.get_state(ticket.id)
        assert jobs.get_state(going.id).status is JobStatus.RUNNING


def test_a_job_can_hand_in_another(tmp_path):
    keys, tickets = [], []

    def run(given):
        keys.append(given.key)
        if given.key == "s1":
            given.step("count", lambda: 1)
            tickets.append(jobs.submit("sync", "s2"))
            assert jobs.get_state(given.id).status is JobStatus.RUNNING
            given.step("count again", lambda: 2)

    with jobs_in(tmp_path, {"sync": run}) as jobs:
        assert outcome(jobs, jobs.submit("sync", "s1")).status is JobStatus.DONE
        assert outcome(jobs, tickets[0]).status is JobStatus.DONE
    assert keys == ["s1", "s2"]


def test_only_the_owner_can_read_the_files(tmp_path):
    with jobs_in(tmp_path / "home", {"sync": lambda _run: None}) as jobs:
        outcome(jobs, jobs.submit("sync", "s1"))
        modes = {stat.S_IMODE(file.stat().st_mode) for file in (tmp_path / "home").iterdir()}
    assert modes == {0o600}


def test_a_look_at_the_file_takes_no_other_process_its_log_away(tmp_path):
    with jobs_in(tmp_path, {"sync": lambda _run: None}) as jobs:
        outcome(jobs, jobs.submit("sync", "s1"))
        open_file(tmp_path / FILE).dispose()
        look = """
from wellworn.engines.jobs.store import has_unfinished
print(has_unfinished(home / "jobs.sqlite3"))
"""
        assert said_by(look, tmp_path) == "False\n"
        assert (tmp_path / f"{FILE}-wal").exists()


def test_a_new_file_opens_for_all_who_begin_it_at_once(tmp_path):
    at_once, failures = 4, []

    def begin(path, barrier):
        barrier.wait()
        engine = open_file(path)
        try:
            engine.connect().close()
        except OperationalError as error:
            failures.append(error)
        finally:
            engine.dispose()

    # One file in ten was refused to one of four.
    for number in range(100):
        barrier = threading.Barrier(at_once)
        path = tmp_path / str(number) / FILE
        threads = [threading.Thread(target=begin, args=(path, barrier)) for _ in range(at_once)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert failures == []


def test_one_memory_in_a_process_has_jobs(tmp_path):
    kinds = {"sync": lambda _run: None}
    with jobs_in(tmp_path / "a", kinds) as first, jobs_in(tmp_path / "b", kinds) as second:
        first.submit("sync", "s1")
        with pytest.raises(StoreInUse):
            second.submit("sync", "s1")
        first.close()
        assert second.submit("sync", "s1").is_new


def test_a_damaged_file_is_told_and_left_as_it_is(tmp_path, caplog, capfd):
    (tmp_path / FILE).write_bytes(b"no database at all, whatever its name says" * 100)
    before = (tmp_path / FILE).read_bytes()
    with jobs_in(tmp_path, {"sync": lambda _run: None}) as jobs:
        for ask in (lambda: jobs.submit("sync", "s1"), jobs.tick):
            with pytest.raises(DamagedStore, match=FILE):
                ask()
    assert (tmp_path / FILE).read_bytes() == before
    assert "failed to launch" in caplog.text
    assert capfd.readouterr().err == ""


def test_what_cannot_be_a_job_is_refused(tmp_path):
    with jobs_in(tmp_path, {"sync": lambda _run: None}) as jobs:
        with pytest.raises(InvalidInput):
            jobs.submit("unknown", "s1")
        with pytest.raises(InvalidInput):
            jobs.submit("sync", "a/b")
        with pytest.raises(NotFound):
            jobs.get_state("sync/s1/0")
        with pytest.raises(NotFound):
            jobs.cancel("sync/s1/0")
    with pytest.raises(StorageUnavailable):
        jobs.submit("sync", "s1")


def test_waiting_ends_with_the_time_one_has(tmp_path):
    gate = Gate()
    with jobs_in(tmp_path, {"sync": gate}) as jobs:
        ticket = jobs.submit("sync", "s1")
        gate.wait_begun()
        assert jobs.wait(ticket.id, 0).status is JobStatus.RUNNING
        assert jobs.wait(ticket.id, 0.05).status is JobStatus.RUNNING
        gate.let.set()


def test_a_job_whose_end_a_full_disk_did_not_take_frees_its_key_when_there_is_room(
    tmp_path, caplog
):
    is_full = threading.Event()

    def refuse(_connection, _cursor, statement, *_):
        if is_full.is_set() and statement.lstrip().startswith(("INSERT", "UPDATE")):
            raise sqlite3.OperationalError("database or disk is full")

    with jobs_in(tmp_path, {"sync": lambda _run: is_full.set()}) as jobs:
        outcome(jobs, jobs.submit("sync", "other"))
        is_full.clear()
        event.listen(jobs._engine._database, "before_cursor_execute", refuse)
        ticket = jobs.submit("sync", "s1")
        while "background workflow" not in caplog.text:
            threading.Event().wait(0.01)
        event.remove(jobs._engine._database, "before_cursor_execute", refuse)
        assert jobs.find_active("sync", "s1").id == ticket.id
        jobs.tick()
        jobs.tick()
        assert jobs.find_active("sync", "s1") is None
        assert outcome(jobs, ticket).status is JobStatus.CANCELLED
        assert outcome(jobs, jobs.submit("sync", "s1")).status is JobStatus.DONE


def test_who_waits_for_a_job_is_let_go_when_the_server_ends_and_the_job_goes_on(tmp_path):
    gate = Gate()
    with jobs_in(tmp_path, {"sync": gate}) as jobs:
        ticket = jobs.submit("sync", "s1")
        gate.wait_begun()
        jobs.stop_waiting()
        assert jobs.wait(ticket.id, 10_000).status is JobStatus.RUNNING
        gate.let.set()
        while not jobs.get_state(ticket.id).status.is_over:
            threading.Event().wait(0.01)
        assert jobs.get_state(ticket.id).status is JobStatus.DONE
