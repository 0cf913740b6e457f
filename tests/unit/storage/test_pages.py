"""Rows read page by page: all of them, once, in order, with no transaction between two pages."""

from __future__ import annotations

import pytest
from sqlalchemy import Column, Integer, MetaData, String, Table, insert, select

from wellworn.engines.storage.sql import Database, read_pages

ROWS = [(low, high) for low in range(3) for high in "abc"]
PAIRS = Table(
    "pairs",
    MetaData(),
    Column("low", Integer, primary_key=True),
    Column("high", String, primary_key=True),
)


@pytest.fixture
def database(tmp_path):
    opened = Database(tmp_path / "pages.db")
    with opened.write() as transaction:
        PAIRS.create(transaction)
        transaction.execute(
            insert(PAIRS), [{"low": low, "high": high} for low, high in reversed(ROWS)]
        )
    yield opened
    opened.close()


@pytest.mark.parametrize("size", [1, 2, 3, 9, 10])
def test_pages_together_are_all_rows_in_order(database, size):
    pages = list(
        read_pages(database, select(PAIRS), PAIRS.c.low, PAIRS.c.high, convert=list, size=size)
    )
    assert [(row.low, row.high) for page in pages for row in page] == ROWS
    assert max(map(len, pages)) <= size
    assert all(pages)


def test_between_two_pages_nothing_is_held(database):
    pages = read_pages(database, select(PAIRS), PAIRS.c.low, PAIRS.c.high, convert=list, size=2)
    next(pages)
    assert database.scrub()
