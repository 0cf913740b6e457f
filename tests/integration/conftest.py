"""A memory for several members; modules that need another define their own."""

from __future__ import annotations

import pytest

from empty_memory import make_empty_database
from integration.owners import opened
from integration.sealed_world import main  # noqa: F401 - fixtures are found by name
from integration.turn_world import person, site  # noqa: F401 - fixtures are found by name


@pytest.fixture(scope="session")
def empty(tmp_path_factory):
    """A migrated database without a row, to be copied: migrating takes longer than a test."""
    path = tmp_path_factory.mktemp("empty") / "wellworn.db"
    path.write_bytes(make_empty_database())
    return path


@pytest.fixture
def app(empty, tmp_path):
    with opened(empty, tmp_path / "memory.db") as app:
        yield app
