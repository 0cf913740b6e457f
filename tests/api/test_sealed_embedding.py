"""What a sealed space holds is sent to no endpoint, unless its owner's server is told to."""

from __future__ import annotations

import pytest

from api.walls import accepted, founded, unlimited
from integration.embedding_server import serving_vectors

NOTE = "# Harbour\n\nThe gate opens by the tidal clock of the eastern pier."
SECRET = "The lamp at the harbour is repaired with obsidian."


@pytest.mark.parametrize("is_allowed", [False, True])
def test_the_words_of_a_sealed_space_reach_an_endpoint_only_where_that_is_set(opened, is_allowed):
    with serving_vectors() as server:
        settings = unlimited().model_copy(
            update={"embedding": server.settings(sealed_spaces=is_allowed)}
        )
        owner = founded(opened(None, settings), sealed=True)
        thought = owner.know(SECRET)
        config = {"text": NOTE}
        body = {"source_type": "manual_note", "name": "harbour", "config": config}
        source = accepted(owner.post("/api/knowledge/sources", body))["id"]
        accepted(owner.post(f"/api/knowledge/sources/{source}/sync"))
        owner.world.app.embedding.finish()
        found = owner.ask("which lamp is repaired with obsidian?")["result"]["sources"]
    assert found[0]["thought_id"] == thought
    assert any("obsidian" in text for text in server.sent) == is_allowed
    assert any("tidal" in text for text in server.sent) == is_allowed
