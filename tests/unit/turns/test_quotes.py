"""What of a source is quoted."""

from __future__ import annotations

import pytest

from wellworn.domain.turns import quoting
from wellworn.domain.turns.extractive.writing import pick_quote
from wellworn.domain.turns.models import Evidence, EvidenceKind
from wellworn.domain.turns.quoting import pick_sentence

NODES = "".join(
    f"    node{number}:\n      ip: 10.0.0.{10 + number}\n      mac: e4:5f:01:28:36:{number:02}\n"
    f"      role: worker of the rack on the floor\n"
    for number in range(1, 10)
)
LIST = "".join(
    f"- name: node{number}\n  ip: 10.0.0.{10 + number}\n  role: worker of the rack on the floor\n"
    for number in range(1, 12)
)


@pytest.mark.parametrize("text", [f"all:\n  hosts:\n{NODES}", LIST])
def test_a_line_of_settings_is_quoted_with_the_key_above_it_and_no_other(text):
    item = Evidence(1, EvidenceKind.KNOWLEDGE, "Inventory", text, "inventory.yml")
    quote = pick_quote(item, "Which host has 10.0.0.14?")
    assert quote.startswith(("node4:", "name: node4"))
    assert quote.endswith("role: worker of the rack on the floor")
    assert "node3" not in quote
    assert "node5" not in quote


def test_of_a_long_paragraph_without_depth_the_best_sentence_begins_the_quote():
    text = "It rains. " * 80 + "The lamp burns oil. " + "It rains. " * 80
    item = Evidence(1, EvidenceKind.KNOWLEDGE, "Weather", text.strip(), "weather.md")
    assert pick_quote(item, "What does the lamp burn?").startswith("The lamp burns oil.")


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
