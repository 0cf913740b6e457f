"""What of a source is quoted."""

from __future__ import annotations

from wellworn.domain.turns import quoting
from wellworn.domain.turns.quoting import pick_sentence


def test_a_heading_is_no_sentence():
    text = "# What lamps burn\n\nIn winter it is oil.\n\n## Lamps burn\n"
    assert pick_sentence(text, "What do lamps burn?") == "In winter it is oil."
    assert pick_sentence("# What lamps burn\n", "What do lamps burn?") == ""
    assert pick_sentence("```lamps\nburn(oil)\n```\n", "Which lamps?") == "burn(oil)"


def test_each_line_of_a_long_text_is_read_once(monkeypatch):
    read = []
    split = quoting.split_words
    monkeypatch.setattr(quoting, "split_words", lambda text: read.append(text) or split(text))
    told = "the lamp burns oil\nits wick is cotton\n"
    text = "the tide is low\n" * 500 + told + "dry sand\n" * 500
    cut = quoting.cut_text(text, "What oil does the wick of the lamp burn?", 200)
    assert told in cut
    assert len(cut) <= 200
    assert sum(map(len, read)) <= 2 * len(text)


def test_of_a_long_line_the_sentences_that_speak_of_it_are_kept():
    filler = " ".join(f"In minute {number} we spoke of the weather." for number in range(99))
    text = f"{filler} The goods lift gets a cylinder from Odenwald. {filler}"
    cut = quoting.cut_text(text, "Which firm sends the cylinder of the lift?", 200)
    assert "The goods lift gets a cylinder from Odenwald." in cut
    assert cut in text
    assert cut.startswith(("In minute", "The goods lift"))
