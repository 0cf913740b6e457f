"""Learned weights everywhere: maintenance learns them, for open and sealed spaces alike."""

from __future__ import annotations

import pytest

from wellworn.application.settings import Settings
from wellworn.domain.thoughts import ThoughtSettings
from wellworn.domain.thoughts import learning as background
from wellworn.testing.embedder import HashEmbedder


@pytest.mark.parametrize("is_on", [True, False], ids=["on", "off"])
def test_maintenance_learns_where_it_is_switched_on(opened, monkeypatch, is_on):
    seen = []
    learned = background.learn_weights
    monkeypatch.setattr(
        background, "learn_weights", lambda queries: seen.append(len(queries)) or learned(queries)
    )
    settings = Settings(thoughts=ThoughtSettings(learned_weights=is_on))
    world = opened(HashEmbedder(), settings)
    thought = world.know("Role separation keeps agents apart.")
    world.know("Bread rises slowly.")
    session = world.ask("role separation?", limit=2)["trace"]["session_id"]
    world.feedback(session, thought, "useful")
    world.app.maintain()
    assert seen == ([1] if is_on else [])
