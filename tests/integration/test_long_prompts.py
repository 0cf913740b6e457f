"""A long prompt costs a turn little more than a short one: nothing is looked up for each word."""

from __future__ import annotations

import random

import pytest
from sqlalchemy import Engine, event

from wellworn.application.bootstrap import open_app
from wellworn.application.settings import Settings
from wellworn.domain.spaces import DEFAULT_SPACE, local_access
from wellworn.domain.turns import TurnQuery
from wellworn.testing.embedder import HashEmbedder

ACCESS = local_access(DEFAULT_SPACE)
LONGEST = 9_900
WORDS = (
    "router",
    "cellar",
    "lamp",
    "oil",
    "valve",
    "ferry",
    "oven",
    "wick",
    "salt",
    "tower",
    "crane",
)
FORMS = {
    "sentences": lambda words: f"{' '.join(words)}. ".capitalize(),
    "questions": lambda words: f"What does the {words[0]} of the {words[1]} burn? ",
    "names": lambda words: " ".join(f"{word}-{len(word)}.lan" for word in words) + " ",
    "lines": lambda words: f"- {words[0]}: {len(words)}\n",
    "commas": lambda words: f"{','.join(words)},",
    "days": lambda words: f"yesterday the {words[0]}, on 3 May 2024 the {words[1]}, ",
    "capitals": lambda words: f"{' '.join(words).title()} ",
}


class CountingEmbedder(HashEmbedder):
    characters = 0

    def encode_query(self, text):
        self.characters += len(text)
        return super().encode_query(text)


class Asker:
    def __init__(self, app, embedder):
        self._app, self._embedder = app, embedder

    def count(self, text):
        """Return how many statements a turn about a text takes, and how much it encodes."""
        statements = []
        note = lambda *call: statements.append(call[2])  # noqa: E731 - an event's listener
        self._embedder.characters = 0
        event.listen(Engine, "before_cursor_execute", note)
        try:
            self._app.turns.ask(ACCESS, TurnQuery(text, "ada", "Ada"))
        finally:
            event.remove(Engine, "before_cursor_execute", note)
        return len(statements), self._embedder.characters


@pytest.fixture
def asker(tmp_path):
    embedder = CountingEmbedder()
    app = open_app(tmp_path, Settings(), embedder=embedder)
    yield Asker(app, embedder)
    app.close()


@pytest.mark.parametrize("form", FORMS)
def test_a_prompt_of_any_form_is_analysed_with_few_look_ups(asker, form):
    chance = random.Random(form)
    text = "".join(FORMS[form](chance.choices(WORDS, k=8)) for _ in range(LONGEST))[:LONGEST]
    asker.count("What does the lamp burn?")
    short, _ = asker.count("What does the lamp burn? Where is the oil? Who trims the wick?")
    long, encoded = asker.count(text)
    assert long <= 4 * short
    assert encoded <= 8 * LONGEST
