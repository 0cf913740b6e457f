"""Reads of a thread that share one state of the database."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import text

from wellworn.errors import StorageUnavailable


def add(database):
    with database.write() as transaction:
        transaction.execute(text("INSERT INTO notes VALUES ('a')"))


def count(database):
    with database.read() as transaction:
        return transaction.execute(text("SELECT count(*) FROM notes")).scalar()


def test_what_is_written_meanwhile_is_seen_by_others_and_afterwards(database):
    with ThreadPoolExecutor(1) as other, database.share_read():
        assert count(database) == 0
        other.submit(add, database).result()
        with database.share_read():
            assert count(database) == 0
        assert count(database) == 0
        assert other.submit(count, database).result() == 1
    assert count(database) == 1


def test_a_read_that_failed_leaves_no_state_behind(database):
    with pytest.raises(StorageUnavailable), database.share_read(), database.read() as transaction:
        transaction.execute(text("SELECT nothing FROM nowhere"))
    add(database)
    assert count(database) == 1
