"""Scrubbing: no file of the database holds what was deleted from it."""

from __future__ import annotations

import shutil

import pytest
from sqlalchemy import text

from wellworn.engines.storage.sql import Database
from wellworn.engines.storage.sql import sqlite as module

SECRET = "under the third flowerpot"


@pytest.fixture
def database(tmp_path):
    made = Database(tmp_path / "memory.db")
    with made.write() as transaction:
        transaction.execute(text("CREATE TABLE notes (words TEXT)"))
        for number in range(200):
            words = SECRET if number == 100 else f"note {number} says nothing"
            transaction.execute(text("INSERT INTO notes VALUES (:words)"), {"words": words})
    yield made
    made.close()


def forget(database):
    with database.write() as transaction:
        transaction.execute(text("DELETE FROM notes WHERE words = :words"), {"words": SECRET})


def holding(path):
    return [file.name for file in path.iterdir() if SECRET.encode() in file.read_bytes()]


def test_what_was_deleted_is_in_no_file_after_a_scrub(database, tmp_path):
    forget(database)
    assert holding(tmp_path)
    assert database.scrub()
    assert holding(tmp_path) == []
    assert not database.scrub_if_due()


@pytest.fixture
def impatient(monkeypatch):
    monkeypatch.setattr(module, "_SCRUB_WAIT_MS", 1)


def test_a_scrub_that_a_reader_holds_up_is_finished_when_it_is_gone(
    database, tmp_path, impatient, caplog
):
    with database.read() as reader:
        reader.execute(text("SELECT count(*) FROM notes")).scalar()
        forget(database)
        assert not database.scrub()
        assert not database.scrub_if_due()
        assert "long read" in caplog.text
        with database.write() as transaction:
            transaction.execute(text("INSERT INTO notes VALUES ('written meanwhile')"))
    assert database.scrub_if_due()
    assert holding(tmp_path) == []


def test_a_scrub_that_the_process_did_not_live_to_is_due_when_it_opens_again(database, tmp_path):
    database.scrub()
    forget(database)
    left = tmp_path / "left"
    left.mkdir()
    for file in tmp_path.glob("memory.db*"):
        shutil.copy(file, left)
    assert holding(left)
    again = Database(left / "memory.db")
    assert again.scrub_if_due()
    assert holding(left) == []
    again.close()


def test_a_scrub_that_fails_stays_due(database, tmp_path, monkeypatch):
    forget(database)
    with monkeypatch.context() as patch:
        patch.setattr(module, "_EMPTY_THE_LOG", "PRAGMA no such thing (")
        assert not database.scrub()
    assert database.scrub_if_due()
    assert holding(tmp_path) == []
