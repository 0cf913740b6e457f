"""A database of a single table; modules that need another define their own."""

from __future__ import annotations

import pytest
from sqlalchemy import text

from wellworn.engines.storage.sql import Database


@pytest.fixture
def database(tmp_path):
    made = Database(tmp_path / "memory.db")
    with made.write() as transaction:
        transaction.execute(text("CREATE TABLE notes (words TEXT)"))
    yield made
    made.close()
