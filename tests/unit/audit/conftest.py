from __future__ import annotations

import pytest

from unit.audit.world import Trail


@pytest.fixture
def trail(tmp_path):
    made = Trail(tmp_path / "memory.db")
    yield made
    made.database.close()
