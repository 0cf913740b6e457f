"""What a memory of a few notes shows by words, and what thanks are answered."""

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


@pytest.mark.parametrize(
    "thanks",
    [
        "Danke dir!",
        "thanks, that helped",
        "¡Gracias!",
        "Merci !",
        "ありがとう！",
        "谢谢",
        "شكرا",
        "ok",
    ],
)
def test_thanks_show_nothing_are_not_kept_and_leave_no_trail(place, notes, thanks):
    reply = place.ask(thanks)
    assert (ids(reply), reply["trace"]["thought_id"]) == ([], None)
    assert reply["result"]["response"] == "Nothing was asked, so nothing was looked up."
    assert all(place.record(note)["access_count"] == 0 for note in notes.values())


@pytest.mark.parametrize(
    "prompt",
    ["Thanks! And where is the spare key?", "ok, where is the spare key", "Hi, spare key?"],
)
def test_what_asks_after_thanks_is_searched(place, notes, prompt):
    assert notes["key"] in ids(place.ask(prompt))
