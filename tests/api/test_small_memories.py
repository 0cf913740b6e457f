"""What a memory of a few notes shows by words."""

from __future__ import annotations

import pytest

from api.world import ids

NOTES = {
    "boat": "The boat Kittiwake is moored at berth 14.",
    "key": "The spare key hangs behind the bread oven.",
    "printer": "Der Drucker im dritten Stock braucht Toner TN-247.",
    "room": "会議室は三階にあります。",
    "store": "مفتاح المخزن عند سارة.",
}


@pytest.fixture
def notes(place):
    return {name: place.know(text) for name, text in NOTES.items()}


def test_a_word_late_in_a_long_note_is_found_among_few(place):
    text = f"{'The harbour office opens late in winter and early in summer. ' * 3}Ask for Ottilie."
    thought_id = place.know(text)
    assert ids(place.ask("Ottilie?")) == [thought_id]
