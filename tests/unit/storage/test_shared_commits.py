"""Writers that come together share one commit, and each is kept or undone on its own."""

from __future__ import annotations

import sqlite3
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from threading import Event, Semaphore

import pytest
from sqlalchemy import event, text
from sqlalchemy.engine import Engine

from wellworn.engines.storage.sql import undo_with
from wellworn.errors import StorageUnavailable

WRITERS = 5


@pytest.fixture
def commits():
    counted = []

    def note(connection):
        counted.append(connection)

    event.listen(Engine, "commit", note)
    yield counted
    event.remove(Engine, "commit", note)


@pytest.fixture
def together(database):
    """Run writers so that all of them wait while the first one writes."""
    arrived = Semaphore(0)

    class Queue(deque):
        def append(self, value):
            super().append(value)
            arrived.release()

    database._sharers = Queue()

    def run(*writers):
        ready = Event()

        def hold():
            with database.share_write() as transaction:
                add(transaction, "first")
                ready.wait()

        with ThreadPoolExecutor(len(writers) + 1) as pool:
            first = pool.submit(hold)
            arrived.acquire()
            others = [pool.submit(writer) for writer in writers]
            for _ in writers:
                arrived.acquire()
            ready.set()
            return [future.exception() for future in (first, *others)]

    return run


def add(transaction, words):
    transaction.execute(text("INSERT INTO notes VALUES (:words)"), {"words": words})


def read(path):
    """Read what is in the file, as another process would."""
    with sqlite3.connect(path / "memory.db") as connection:
        return sorted(words for (words,) in connection.execute("SELECT words FROM notes"))


def test_those_that_wait_share_one_commit(database, together, commits, tmp_path):
    returned = []

    def write():
        with database.share_write() as transaction:
            add(transaction, "other")
        returned.append(read(tmp_path))

    del commits[:]
    assert together(*[write] * WRITERS) == [None] * (WRITERS + 1)
    assert len(commits) == 1
    assert returned == [["first", *["other"] * WRITERS]] * WRITERS


def test_whoever_fails_alone_is_undone(database, together, tmp_path):
    undone = []

    def fail():
        with database.share_write() as transaction:
            undo_with(transaction, lambda: undone.append("failed"))
            add(transaction, "failed")
            transaction.execute(text("SELECT nothing FROM nowhere"))

    def write():
        with database.share_write() as transaction:
            undo_with(transaction, lambda: undone.append("kept"))
            add(transaction, "other")

    errors = together(write, fail, write)
    assert isinstance(errors.pop(2), StorageUnavailable)
    assert errors == [None] * 3
    assert undone == ["failed"]
    assert read(tmp_path) == ["first", "other", "other"]


def test_a_commit_that_fails_undoes_all_and_everybody_is_told(database, together, tmp_path):
    undone = []

    def write():
        with database.share_write() as transaction:
            undo_with(transaction, lambda: undone.append("other"))
            add(transaction, "other")

    def refuse(_connection):
        raise sqlite3.OperationalError("disk I/O error")

    event.listen(Engine, "commit", refuse)
    try:
        errors = together(write, write)
    finally:
        event.remove(Engine, "commit", refuse)
    assert [type(error) for error in errors] == [StorageUnavailable] * 3
    assert undone == ["other", "other"]
    assert read(tmp_path) == []
    write()
    assert read(tmp_path) == ["other"]


def test_a_write_of_its_own_commits_what_is_open_first(database, together, tmp_path):
    seen = []

    def write():
        with database.share_write() as transaction:
            add(transaction, "other")

    def write_alone():
        with database.write() as transaction:
            seen.append(transaction.execute(text("SELECT count(*) FROM notes")).scalar())
            add(transaction, "alone")

    assert together(write) == [None, None]
    write_alone()
    assert seen == [2]
    assert read(tmp_path) == ["alone", "first", "other"]


def test_every_count_is_exact(database):
    with database.write() as transaction:
        add(transaction, "0")

    def increment(_number):
        for _ in range(20):
            with database.share_write() as transaction:
                number = int(transaction.execute(text("SELECT words FROM notes")).scalar_one())
                transaction.execute(text("UPDATE notes SET words = :n"), {"n": str(number + 1)})

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(increment, range(8)))
    with database.read() as transaction:
        assert transaction.execute(text("SELECT words FROM notes")).scalar_one() == "160"
