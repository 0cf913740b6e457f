"""Words of documents read by a process of its own: the same rows and points, whatever it does."""

from __future__ import annotations

import os
import signal
from concurrent.futures import Future
from contextlib import closing, contextmanager
from dataclasses import replace

import pytest

from integration.sources_world import LOCAL, Docs, opened
from wellworn.domain.sources import staging
from wellworn.domain.spaces import Mode
from wellworn.engines import worker_process
from wellworn.engines.worker_process import WorkerProcess
from wellworn.kit import ids
from wellworn.testing.clock import ManualClock

FILES = 70


def write_files(docs):
    for number in range(FILES):
        below = "".join(
            f"## Part {part}\n\nHost cube-{part} is 10.0.{number}.{part}.\n\n" for part in range(4)
        )
        docs.write(f"{number:02}.md", f"# Guide {number}\n\nKopia runs at {number}:00.\n\n{below}")


@contextmanager
def numbers_that_count():
    """Give documents the same numbers each time."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ids, "SystemClock", ManualClock)
        patch.setattr(ids, "_RANDOM_BITS", 0)
        patch.setattr(ids, "_last_number", 0)
        yield


def sync_files(empty, folder):
    """Return the chunks, identifiers and points of a first sync, and the source's documents."""
    folder.mkdir()
    with numbers_that_count(), opened(empty, folder / "memory.db") as world:
        docs = Docs(world, folder / "docs")
        write_files(docs)
        assert docs.sync().message == f"{FILES} new"
        with world.database.read() as transaction:
            rows = [
                transaction.exec_driver_sql(statement).all()
                for statement in (
                    "SELECT * FROM knowledge_chunks ORDER BY seq",
                    "SELECT * FROM chunk_identifiers ORDER BY chunk_seq, key",
                    "SELECT id, path, content_hash FROM knowledge_documents ORDER BY id",
                )
            ]
        return rows, dict(world.index._points)


@pytest.fixture
def alone(empty, tmp_path, monkeypatch):
    """What a sync makes without another process."""
    with monkeypatch.context() as patch:
        patch.setattr(worker_process, "WORTH_A_PROCESS", FILES + 1)
        return sync_files(empty, tmp_path / "alone")


@pytest.fixture
def handed_over(monkeypatch):
    """The batches that were given to another process."""
    batches = []
    submit = WorkerProcess.submit

    def noted(self, texts):
        batches.append(texts)
        return submit(self, texts)

    monkeypatch.setattr(WorkerProcess, "submit", noted)
    return batches


@pytest.fixture
def at_once(monkeypatch):
    """Batches are handed over before the process is up, however far behind it is."""
    monkeypatch.setattr(WorkerProcess, "is_ready", True)
    monkeypatch.setattr(staging, "_MOST_WAITING", FILES)


def test_another_process_makes_the_same_rows_and_points(
    empty, tmp_path, alone, at_once, handed_over
):
    assert sync_files(empty, tmp_path / "apart") == alone
    assert sum(map(len, handed_over)) == FILES


def test_a_process_that_is_killed_changes_nothing(empty, tmp_path, alone, at_once, monkeypatch):
    submit = WorkerProcess.submit

    def killed(self, texts):
        self._child.kill()
        return submit(self, texts)

    monkeypatch.setattr(WorkerProcess, "submit", killed)
    assert sync_files(empty, tmp_path / "apart") == alone


def test_what_a_process_is_behind_with_is_done_here_in_order(
    empty, tmp_path, alone, at_once, monkeypatch
):
    monkeypatch.setattr(WorkerProcess, "submit", lambda *_: Future())
    assert sync_files(empty, tmp_path / "apart") == alone


def test_a_system_without_room_for_a_process_syncs_all_the_same(
    empty, tmp_path, alone, monkeypatch
):
    def refused(*_, **__):
        raise BlockingIOError("no more processes")

    monkeypatch.setattr("wellworn.engines.worker_process.subprocess.Popen", refused)
    assert sync_files(empty, tmp_path / "apart") == alone


def test_what_is_sealed_stays_within_its_process(handed_over):
    sealed = replace(LOCAL, mode=Mode.SEALED)
    with staging.open_indexer(sealed, FILES) as indexer:
        assert list(indexer.index([], is_last=True)) == [[]]
    assert handed_over == []


def test_a_process_keeps_the_order_and_steps_back():
    with closing(WorkerProcess(os.nice)) as worker:
        # `nice` answers with what it has become.
        assert worker.submit([0, 1]).result() == [os.nice(0) + 10, os.nice(0) + 11]


def test_an_error_is_raised_as_if_it_had_happened_here():
    with closing(WorkerProcess(os.fsencode)) as worker:
        assert worker.submit(["a"]).result() == [b"a"]
        with pytest.raises(TypeError):
            worker.submit([1]).result()


def test_a_closed_process_is_gone():
    worker = WorkerProcess(os.fsencode)
    worker.submit(["a"]).result()
    worker.close()
    assert worker._child.returncode == -signal.SIGKILL
