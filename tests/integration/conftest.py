"""A memory for several members; modules that need another define their own."""

from __future__ import annotations

from contextlib import closing

import pytest

from integration.owners import opened
from wellworn.application.migrations import upgrade
from wellworn.engines.storage.sql import Database


@pytest.fixture(scope="session")
def empty(tmp_path_factory):
    """A migrated database without a row, to be copied: migrating takes longer than a test."""
    path = tmp_path_factory.mktemp("empty") / "wellworn.db"
    with closing(Database(path)) as database:
        upgrade(database)
        database.scrub()
    return path


@pytest.fixture
def app(empty, tmp_path):
    with opened(empty, tmp_path / "memory.db") as app:
        yield app
