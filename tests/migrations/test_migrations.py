"""The revisions together make exactly the tables that the code declares, and never lose data."""

from __future__ import annotations

import sqlite3

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import create_engine, text

from wellworn.errors import DamagedStore, StorageUnavailable
from wellworn.migrations import is_current, metadata, upgrade
from wellworn.storage.sql import Database


@pytest.fixture
def database(tmp_path):
    opened = Database(tmp_path / "wellworn.db")
    yield opened
    opened.close()


def test_the_revisions_make_the_declared_tables(database, tmp_path):
    upgrade(database)
    engine = create_engine(f"sqlite:///{tmp_path / 'wellworn.db'}")
    with engine.connect() as connection:
        differences = compare_metadata(MigrationContext.configure(connection), metadata)
    engine.dispose()
    assert differences == []


def test_an_empty_database_is_behind_and_an_upgraded_one_is_not(database):
    assert not is_current(database)
    upgrade(database)
    assert is_current(database)


def test_upgrading_twice_changes_nothing(database):
    upgrade(database)
    with database.write() as transaction:
        transaction.execute(
            text("INSERT INTO sessions VALUES ('s', 'ks-default', 'agent', 1.0)"),
        )
    upgrade(database)
    with database.read() as transaction:
        assert transaction.execute(text("SELECT count(*) FROM sessions")).scalar() == 1


def test_a_database_of_a_newer_version_is_refused_and_left_alone(database):
    upgrade(database)
    with database.write() as transaction:
        transaction.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    with pytest.raises(DamagedStore, match="newer version"):
        upgrade(database)
    with database.read() as transaction:
        revision = transaction.execute(text("SELECT version_num FROM alembic_version")).scalar()
    assert revision == "9999"


def test_a_failed_upgrade_leaves_nothing_behind(tmp_path):
    path = tmp_path / "wellworn.db"
    with sqlite3.connect(path) as raw:
        raw.execute("CREATE TABLE thoughts (other TEXT)")
    raw.close()
    opened = Database(path)
    with pytest.raises(StorageUnavailable):
        upgrade(opened)
    with opened.read() as transaction:
        names = transaction.execute(text("SELECT name FROM sqlite_master")).scalars().all()
    opened.close()
    assert names == ["thoughts"]
