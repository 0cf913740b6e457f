"""Statements of every call, which are prepared once."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import Column, Integer, MetaData, String, Table, bindparam, insert, select

from wellworn.engines.storage.sql import Database, RamDatabase, compare_with_list, fetch, write_rows
from wellworn.errors import StorageUnavailable

NOTES = Table(
    "notes",
    MetaData(),
    Column("seq", Integer, primary_key=True),
    Column("text", String, nullable=False),
    Column("uses", Integer, nullable=False, default=7),
)
ADD = insert(NOTES)
AMONG = (
    select(NOTES.c.seq, NOTES.c.text)
    .where(compare_with_list(NOTES.c.seq, "seqs"), NOTES.c.text != bindparam("but"))
    .order_by(NOTES.c.seq)
)


@pytest.fixture
def database(tmp_path):
    database = Database(tmp_path / "memory.db")
    with database.write() as transaction:
        NOTES.create(transaction)
    yield database
    database.close()


@given(texts=st.lists(st.text()), wanted=st.sets(st.integers(0, 12)), but=st.text())
def test_a_constant_statement_returns_what_any_statement_returns(texts, wanted, but):
    database = RamDatabase()
    with database.write() as transaction:
        NOTES.create(transaction)
        rows = [{"seq": seq, "text": text} for seq, text in enumerate(texts)]
        write_rows(transaction, ADD, rows)
        slowly = transaction.execute(AMONG, {"seqs": sorted(wanted), "but": but}).all()
        assert fetch(transaction, AMONG, {"seqs": wanted, "but": but}) == slowly
    database.close()


def test_a_column_without_a_value_gets_its_default(database):
    with database.write() as transaction:
        write_rows(transaction, ADD, [{"seq": 1, "text": "tide"}])
    with database.read() as transaction:
        assert fetch(transaction, select(NOTES.c.uses), {}) == [(7,)]


def test_rows_are_written_in_the_transaction(database):
    rows = [{"seq": 1, "text": "tide"}, {"seq": 1, "text": "twice"}]
    with pytest.raises(StorageUnavailable), database.write() as transaction:
        write_rows(transaction, ADD, rows)
    with database.read() as transaction:
        assert fetch(transaction, AMONG, {"seqs": (1,), "but": ""}) == []


def test_a_read_sees_one_state(database):
    count = {"seqs": (1,), "but": ""}
    with database.read() as reading:
        assert fetch(reading, AMONG, count) == []
        with database.write() as transaction:
            write_rows(transaction, ADD, [{"seq": 1, "text": "tide"}])
        assert fetch(reading, AMONG, count) == []
    with database.read() as reading:
        assert fetch(reading, AMONG, count) == [(1, "tide")]


def test_a_refused_row_is_an_error_of_the_store(database):
    with pytest.raises(StorageUnavailable), database.write() as transaction:
        write_rows(transaction, ADD, [{"seq": 1, "text": None}])
