"""Jobs whose process is killed, and processes that share a database: nothing is lost or run twice.

This file is also the program that is killed: `python test_job_kills.py HOME EXECUTOR` runs the jobs
it finds and those it reads from its input, and says what it does, line by line. With the URL of a
database after these, it is one of several servers, and the folder is for what its jobs write down.
A job writes down what it did in a file, which counts; its second step waits for a line unless the
key says otherwise.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections import Counter
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from wellworn.engines.jobs import DueJob, Jobs, JobSettings
from wellworn.engines.storage.sql import StorageSettings, open_database
from wellworn.errors import NotFound

if __name__ != "__main__":
    from postgres import lend_database

SOURCE = Path(__file__).resolve().parents[2] / "src"
DONE_FILE = "did.log"
SETTINGS = JobSettings(poll_s=0.05, tick_s=0.2, stop_s=5)


class Process:
    """A process that runs jobs, under test."""

    def __init__(self, home: Path, executor: str, *url: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, __file__, str(home), executor, *url],
            env={**os.environ, "PYTHONPATH": str(SOURCE)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            bufsize=1,
        )

    def tell(self, line: str) -> None:
        self.process.stdin.write(f"{line}\n")
        self.process.stdin.flush()

    def read_until(self, wanted: str) -> list[str]:
        """Return what it says up to a line; the test's time limit is the limit."""
        said = []
        for line in self.process.stdout:
            said.append(line.strip())
            if said[-1] == wanted:
                return said
        pytest.fail(f"it ended without saying {wanted!r}: {said}")

    def kill(self) -> None:
        self.process.kill()
        self.process.wait(timeout=300)

    def end(self) -> None:
        self.tell("end")
        assert self.process.wait(timeout=300) == 0

    def close(self) -> None:
        with suppress(BrokenPipeError):  # a line it did not live to read
            self.process.stdin.close()
        self.process.stdout.close()


@contextmanager
def running(home: Path, executor: str = "server", *url: str):
    one = Process(home, executor, *url)
    try:
        yield one
    finally:
        one.kill()
        one.close()


def did(home: Path) -> list[str]:
    return (home / DONE_FILE).read_text().splitlines()


@pytest.mark.slow
def test_a_killed_job_goes_on_at_the_step_in_which_it_was_killed(tmp_path):
    with running(tmp_path) as one:
        one.tell("submit waits")
        one.read_until("waits two")
        one.kill()
    with running(tmp_path) as one:
        said = one.read_until("waits two")
        one.tell("go")
        one.tell("wait waits")
        one.read_until("waits done")
        one.end()
    assert "waits one" not in said
    assert did(tmp_path) == ["waits one", "waits three"]


@pytest.mark.slow
def test_what_was_queued_when_the_process_was_killed_is_run_by_the_next(tmp_path):
    keys = [f"quick{number}" for number in range(5)]
    with running(tmp_path) as one:
        one.tell("submit waits")
        one.tell("submit waits-too")
        for key in keys:
            one.tell(f"submit {key}")
        one.read_until(f"new {keys[-1]}")
        one.kill()
    with running(tmp_path) as one:
        one.tell("go")
        one.tell("go")
        for key in [*keys, "waits", "waits-too"]:
            one.tell(f"wait {key}")
            one.read_until(f"{key} done")
        one.end()
    assert Counter(line for line in did(tmp_path) if line.endswith("three")) == Counter(
        f"{key} three" for key in [*keys, "waits", "waits-too"]
    )


@pytest.mark.slow
def test_a_job_that_kills_its_process_is_given_up_after_three_deaths_and_frees_its_key(tmp_path):
    for first in (True, False, False):
        with running(tmp_path) as one:
            if first:
                one.tell("submit kills")
            one.process.wait(timeout=300)
    with running(tmp_path) as one:
        one.tell("wait kills")
        one.read_until(
            "kills failed the server died in each of its 3 runs; see to what it works on"
        )
        one.tell("submit kills 1")
        one.read_until("new kills")
    # Its first step ended before the first death.
    assert did(tmp_path)[:1] == ["kills one"]
    assert len(did(tmp_path)) <= 2


@pytest.mark.slow
def test_two_processes_on_one_file_share_the_jobs_and_run_no_key_twice(tmp_path):
    keys = [f"quick{number}" for number in range(12)]
    with running(tmp_path, "a") as one, running(tmp_path, "b") as other:
        for process in (one, other):
            for key in keys:
                process.tell(f"submit {key}")
        for process in (one, other):
            for key in keys:
                process.tell(f"wait {key}")
                process.read_until(f"{key} done")
            process.end()
    assert Counter(did(tmp_path)) == Counter(
        f"{key} {step}" for key in keys for step in ("one", "three")
    )


@pytest.mark.slow
def test_a_process_leaves_the_running_jobs_of_another_alone(tmp_path):
    with running(tmp_path, "a") as one:
        one.tell("submit waits")
        one.read_until("waits two")
        with running(tmp_path, "b") as other:
            other.tell("submit waits 1")
            other.read_until("old waits")
            one.tell("go")
            other.tell("wait waits")
            other.read_until("waits done")
            other.end()
        one.end()
    assert Counter(did(tmp_path))["waits three"] == 1


@pytest.mark.slow
def test_two_processes_that_tick_run_a_slot_once(tmp_path):
    with running(tmp_path, "a") as one, running(tmp_path, "b") as other:
        for process in (one, other):
            process.tell("plan quick")
        for process in (one, other):
            for slot in range(5):
                process.tell(f"wait quick {slot}")
                process.read_until("quick done")
            process.end()
    assert Counter(did(tmp_path))["quick three"] == 5


@pytest.mark.slow
def test_a_server_that_stops_in_the_midst_of_a_job_stops_soon_and_goes_on_later(tmp_path):
    with running(tmp_path) as one:
        one.tell("submit waits")
        one.read_until("waits two")
        # It does not look whether it should stop, and still the process ends.
        one.end()
    with running(tmp_path) as one:
        one.read_until("waits two")
        one.tell("go")
        one.tell("wait waits")
        one.read_until("waits done")
        one.end()
    assert did(tmp_path) == ["waits one", "waits three"]


@pytest.fixture
def url():
    with lend_database() as url:
        yield url


@pytest.mark.slow
def test_a_job_of_a_killed_server_is_taken_over_at_the_step_in_which_it_was_killed(tmp_path, url):
    with running(tmp_path, "a", url) as one:
        # Before there are others, who would take it from the queue, too.
        one.tell("submit waits")
        one.read_until("waits two")
        with running(tmp_path, "b", url) as other, running(tmp_path, "c", url) as third:
            third.read_until("ready")
            other.read_until("ready")
            # It lives: who looks for jobs of servers that are gone leaves it alone.
            other.tell("look")
            other.tell("look")
            other.read_until("looked")
            other.read_until("looked")
            assert did(tmp_path) == ["waits one"]
            one.kill()
            for process in (other, third):
                process.tell("go")  # whichever took it over
            for process in (other, third):
                process.tell("wait waits")
                process.read_until("waits done")
            for process in (other, third):
                process.end()
    assert did(tmp_path) == ["waits one", "waits three"]


@pytest.mark.slow
def test_a_server_that_leaves_jobs_to_others_runs_none(tmp_path, url):
    with running(tmp_path, "idle", url) as one:
        one.tell("submit quick")
        one.read_until("new quick")
        with running(tmp_path, "b", url) as other:
            other.tell("submit quick2")
            other.tell("wait quick")
            assert "quick one" in other.read_until("quick done")
            one.tell("wait quick2")
            assert "quick2 one" not in one.read_until("quick2 done")
    assert len(did(tmp_path)) == 4


@pytest.mark.slow
def test_a_job_that_kills_each_server_is_given_up_and_frees_its_key(tmp_path, url):
    # Three deaths are all that it has: each server takes it over from the one before.
    for name in "abc":
        with running(tmp_path, name, url) as one:
            if name == "a":
                one.tell("submit kills")
            one.process.wait(timeout=300)
    with running(tmp_path, "next", url) as one:
        one.tell("wait kills")
        one.read_until(
            "kills failed the server died in each of its 3 runs; see to what it works on"
        )
        one.tell("submit kills 1")
        one.read_until("new kills")


@pytest.mark.slow
def test_servers_share_their_jobs_and_run_a_slot_once(tmp_path, url):
    keys = [f"quick{number}" for number in range(12)]
    with running(tmp_path, "a", url) as one, running(tmp_path, "b", url) as other:
        for process in (one, other):
            process.tell("plan tick")
            for key in keys:
                process.tell(f"submit {key}")
        for process in (one, other):
            for key in keys:
                process.tell(f"wait {key}")
                process.read_until(f"{key} done")
            for slot in range(5):
                process.tell(f"wait tick {slot}")
                process.read_until("tick done")
            process.end()
    counts = Counter(did(tmp_path))
    assert {counts[f"{key} {step}"] for key in keys for step in ("one", "three")} == {1}
    assert counts["tick three"] == 5


# ------------------------------------------------------------------------ the program


class Program:
    """Runs jobs of one kind, and does what it is told."""

    def __init__(self, home: Path, executor: str, url: str | None = None) -> None:
        self.home = home
        self.go = threading.Semaphore(0)
        leases = None
        if url is not None:
            leases = open_database(home, StorageSettings.model_validate({"url": url}))
            leases.hold()
        settings = SETTINGS.model_copy(update={"most_at_once": 0} if executor == "idle" else {})
        self.jobs = Jobs(url or home, settings, executor_id=executor, leases=leases)
        self.jobs.register("sync", self.run)

    def run(self, run) -> None:
        def write(line: str) -> None:
            out = os.open(self.home / DONE_FILE, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
            os.write(out, f"{run.key} {line}\n".encode())
            os.close(out)

        def two() -> None:
            say(f"{run.key} two")
            if run.key.startswith("kills"):
                os.kill(os.getpid(), 9)
            if run.key.startswith("waits"):
                self.go.acquire()

        run.step("one", lambda: write("one") or say(f"{run.key} one"))
        run.step("two", two)
        run.step("three", lambda: write("three"))

    def obey(self, word: str, key: str = "", slot: str = "0") -> None:
        if word == "go":
            self.go.release()
        if word == "look":
            self.jobs.tick()
            say("looked")
        if word == "submit":
            ticket = self.jobs.submit("sync", key, slot=slot)
            say(f"{'new' if ticket.is_new else 'old'} {key}")
        if word == "wait":
            threading.Thread(target=self.tell_end, args=(key, slot), daemon=True).start()
        if word == "plan":
            # All of them at every tick: one whose key is busy has its turn at a later one.
            self.jobs.add_planner(
                lambda _now: [DueJob("sync", key, str(slot)) for slot in range(5)]
            )

    def tell_end(self, key: str, slot: str) -> None:
        while True:
            try:
                state = self.jobs.wait(f"sync/{key}/{slot}", 100)
            except NotFound:
                threading.Event().wait(0.02)  # no tick has handed it in yet
            else:
                say(f"{key} {state.status} {state.message}".strip())
                return


def say(line: str) -> None:
    os.write(1, f"{line}\n".encode())


def main() -> None:
    program = Program(Path(sys.argv[1]), *sys.argv[2:])
    program.jobs.start()
    say("ready")
    for line in sys.stdin:
        if line.strip() == "end":
            break
        program.obey(*line.split())
    program.jobs.close()


if __name__ == "__main__":
    main()
