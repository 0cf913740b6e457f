"""How runs end, with a ledger that only remembers."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from dataclasses import replace

import pytest

from patience import LONG_S
from wellworn.engines.jobs import JobState, JobStatus
from wellworn.engines.jobs.models import JobRecord
from wellworn.engines.jobs.run import JobStopped
from wellworn.engines.jobs.worker import Worker
from wellworn.errors import NotFound, StorageUnavailable

TICKET = "sync/s1/0"


class Ledger:
    def __init__(self, **changes) -> None:
        state = JobState(TICKET, "sync", "s1", JobStatus.RUNNING)
        self.kept = replace(JobRecord(state, 0, 0, is_cancel_requested=False), **changes)

    def get_record(self, ticket):
        assert ticket == TICKET
        return self.kept

    def mark_interrupted(self, record):
        self.kept = replace(self.kept, interruptions=record.interruptions + 1)

    def checkpoint(self, _name, function):
        return function()


def ended(run, ledger=None, **kinds):
    return Worker({"sync": run, **kinds}, most_starts=3).work(ledger or Ledger(), TICKET)


def test_a_job_that_returns_is_done():
    seen = []
    assert ended(lambda run: seen.append((run.key, run.id)))["status"] == "done"
    assert seen == [("s1", TICKET)]


def test_what_an_error_of_ours_says_is_shown():
    def run(_run):
        raise NotFound("the source is gone")

    assert ended(run) == {"status": "failed", "message": "the source is gone"}


def test_what_another_error_says_is_neither_shown_nor_logged(caplog):
    def run(_run):
        raise ValueError("the words of a document")

    outcome = ended(run)
    assert outcome["status"] == "failed"
    assert "words" not in outcome["message"] + caplog.text
    assert "ValueError at test_worker.py" in caplog.text


def test_a_job_of_no_known_kind_fails_and_says_so():
    outcome = Worker({}, most_starts=3).work(Ledger(), TICKET)
    assert outcome["status"] == "failed"
    assert "no such kind" in outcome["message"]


@pytest.mark.parametrize(("deaths", "status"), [(2, "done"), (3, "failed"), (9, "failed")])
def test_a_job_in_which_the_process_keeps_dying_is_not_begun_again(deaths, status):
    begun = []
    assert ended(begun.append, Ledger(deaths=deaths))["status"] == status
    assert len(begun) == (status == "done")


@pytest.mark.parametrize(("deaths", "failures"), [(2, []), (3, ["s1"])])
def test_who_listens_for_failures_is_told_of_each(deaths, failures):
    heard = []
    listeners = {"sync": lambda key, reason: heard.append((key, reason))}
    worker = Worker({"sync": lambda _run: None}, most_starts=3, listeners=listeners)
    outcome = worker.work(Ledger(deaths=deaths), TICKET)
    assert heard == [(key, outcome["message"]) for key in failures]


def test_a_failure_that_could_not_be_told_waits_for_the_next_start():
    def refuse(*_):
        raise StorageUnavailable("the disk is full")

    worker = Worker({}, most_starts=3, listeners={"sync": refuse})
    with pytest.raises(JobStopped):
        worker.work(Ledger(deaths=3), TICKET)


def test_a_job_cancelled_before_it_began_does_nothing():
    ledger = Ledger(is_cancel_requested=True)
    assert ended(lambda _run: pytest.fail("it ran"), ledger)["status"] == "cancelled"


def test_a_job_whose_ledger_does_not_answer_waits_for_the_next_start(caplog):
    ledger = Ledger()

    def get_record(_ticket):
        raise StorageUnavailable("the database of jobs did not answer")

    ledger.get_record = get_record
    with pytest.raises(JobStopped):
        ended(lambda _run: pytest.fail("it ran"), ledger)
    assert "did not answer" in caplog.text


def test_a_failing_step_fails_with_its_own_error_and_leaves_no_words_in_the_ledger():
    ledger, written, caught = Ledger(), [], []

    def checkpoint(_name, function):
        try:
            return function()
        except Exception as error:  # what the engine does
            written.append(str(error))
            raise

    def step():
        raise KeyError("the words of a document")

    def run(given):
        try:
            given.step("read", step)
        except KeyError as error:
            caught.append(error)

    ledger.checkpoint = checkpoint
    assert ended(run, ledger)["status"] == "done"
    assert len(caught) == 1
    assert not written


@contextmanager
def working(run, ledger):
    """Run a job in a thread of its own until the block ends; yields its worker and its fate."""
    begun, fate = threading.Event(), []

    def kind(given):
        begun.set()
        run(given)

    worker = Worker({"sync": kind}, most_starts=3)

    def work():
        try:
            fate.append(worker.work(ledger, TICKET)["status"])
        except JobStopped:
            fate.append("stopped")

    thread = threading.Thread(target=work)
    thread.start()
    assert begun.wait(LONG_S)
    yield worker, fate
    thread.join(LONG_S)
    assert not thread.is_alive()


def until_stopped(run):
    assert run.stopping.wait(LONG_S)
    run.check_stop()


def test_a_cancelled_run_ends_at_its_next_check():
    ledger = Ledger()
    with working(until_stopped, ledger) as (worker, fate):
        worker.stop_cancelled(ledger)  # nobody has cancelled it yet
        assert not fate
        ledger.kept = replace(ledger.kept, is_cancel_requested=True)
        worker.stop_cancelled(ledger)
    assert fate == ["cancelled"]


def test_a_run_stopped_by_the_end_of_the_server_is_kept_for_later_and_is_no_death():
    ledger = Ledger()
    with working(until_stopped, ledger) as (worker, fate):
        worker.end(stop_s=10)
    assert fate == ["stopped"]
    assert ledger.kept.interruptions == 1


def test_a_run_that_does_not_stop_is_left_behind(caplog):
    ledger, never = Ledger(), threading.Event()
    with working(lambda _run: never.wait(30), ledger) as (worker, fate):
        worker.end(stop_s=0)
    assert fate == ["stopped"]
    assert ledger.kept.interruptions == 1
    assert "did not stop in time" in caplog.text
    never.set()


def test_what_is_taken_up_while_the_server_ends_stops_at_once():
    ledger = Ledger()
    worker = Worker({"sync": until_stopped}, most_starts=3)
    worker.end(stop_s=0)
    with pytest.raises(JobStopped):
        worker.work(ledger, TICKET)
