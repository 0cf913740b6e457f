"""What a new user is shown, whose memory has a few notes, and what thanks are answered."""

from __future__ import annotations

import pytest

from api.sealed_world import Anywhere, founded
from api.world import ids

NOTES = {
    "boat": "The boat Kittiwake is moored at berth 14.",
    "key": "The spare key hangs behind the bread oven.",
    "printer": "Der Drucker im dritten Stock braucht Toner TN-247.",
    "room": "会議室は三階にあります。",
    "store": "مفتاح المخزن عند سارة.",
}


@pytest.fixture(params=["open", "sealed"])
def place(request, opened):
    if request.param == "open":
        return request.getfixturevalue("world")
    return founded(Anywhere(opened)("home"))


@pytest.fixture
def notes(place):
    return {name: place.know(text) for name, text in NOTES.items()}


@pytest.mark.parametrize(
    ("question", "note"),
    [
        ("Where does our boat lie?", "boat"),
        ("Kittiwake", "boat"),
        ("Where is the other key?", "key"),
        ("Welchen Toner braucht der Drucker?", "printer"),
        ("会議室はどこですか", "room"),
        ("أين مفتاح المخزن؟", "store"),
    ],
)
def test_of_few_notes_the_related_one_is_shown(place, notes, question, note):
    assert ids(place.ask(question))[:1] == [notes[note]]


@pytest.mark.parametrize(
    "question",
    [
        "What is the capital of Chile?",
        "How do I rebase a branch?",
        "Wie hoch ist der Mont Blanc?",
        "Quelle est la recette du cassoulet ?",
        "¿Quién ganó el partido?",
        "犬の名前は何ですか",
        "怎么做红烧肉？",
        "كيف أطبخ الأرز؟",
    ],
)
def test_of_few_notes_none_is_shown_for_what_has_nothing_to_do_with_them(place, notes, question):
    reply = place.ask(question)
    assert ids(reply) == []
    assert reply["result"]["response"].startswith("Nothing known is close to this.")


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
