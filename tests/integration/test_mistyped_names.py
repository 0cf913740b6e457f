"""Looking something up by a name with a typing error, which shares no word with it."""

from __future__ import annotations

import pytest

from integration.owners import LOCAL, think
from wellworn.testing.embedder import HashEmbedder

NAMES = [
    ("scpoes", "Scopes"),
    ("daatset", "Dataset"),
    ("scor eonly", "Score Only"),
    ("sceanrio", "Scenario"),
]


def far_from(question, title):
    """Return words below a title that point away from the question."""
    embedder = HashEmbedder()
    asked = embedder.encode_query(question).vector
    bodies = (f"{title}\nseven gulls watched shed number {number}" for number in range(1_000))
    return next(one for one in bodies if embedder.embed([one])[0] @ asked < 0)


@pytest.mark.parametrize(("asked", "title"), NAMES)
def test_what_is_called_so_comes_first_though_its_vector_points_elsewhere(app, asked, title):
    question = f"what is {asked}?"
    for _, each in NAMES:
        think(app, "ann", far_from(question, each))
    found = app.memory.look_up(LOCAL, question, limit=50)
    assert found[0].content.startswith(title)


def test_a_few_letters_in_common_are_no_name_in_common(app):
    question = "what is sculpture?"
    think(app, "ann", far_from(question, "Scopes"))
    assert app.memory.look_up(LOCAL, question, limit=50) == []
