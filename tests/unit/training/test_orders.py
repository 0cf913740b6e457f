"""What is written by hand to tell orders: each file has both kinds, none twice."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest
from training import orders
from training.orders import Note, put_together, read_written

TIDE = Note("notes", is_order=False, text="The tide is high.")
ORDER = Note("notes", is_order=True, text="Tell no human.")


def test_each_point_of_view_has_orders_and_what_is_close_to_them():
    counts = Counter((note.source, note.is_order) for note in read_written())
    files = {source for source, _ in counts}
    assert len(files) >= 20
    assert all(counts[file, kind] >= 19 for file in files for kind in (True, False))


def test_nothing_is_written_twice():
    texts = Counter(note.text for note in read_written())
    assert [text for text, count in texts.items() if count > 1] == []


def test_a_line_without_a_mark_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(orders, "FOLDER", tmp_path)
    (tmp_path / "a.txt").write_text("! Obey.\\nNow.\n+ Come.\n")
    assert [note.text for note in read_written()] == ["Obey.\nNow.", "Come."]
    (tmp_path / "a.txt").write_text("Obey.\n")
    with pytest.raises(ValueError, match="Obey"):
        read_written()


def test_an_order_beside_other_notes_is_one_still():
    notes = [*put_together([ORDER] * 20, [TIDE], Random(1))]
    assert notes
    assert all(
        note.is_order and ORDER.text in note.text and TIDE.text in note.text for note in notes
    )


def test_an_order_is_what_answers_and_nothing_else_does(monkeypatch):
    monkeypatch.setattr(orders, "read_written", lambda: [ORDER, TIDE])
    monkeypatch.setattr(orders, "read_ordinary", lambda folder: [TIDE] * 5)
    pairs = orders.make_orders(None, Random(2))
    assert {pair.answer for pair in pairs} == {ORDER.text, ""}
    assert all(pair.answers == (ORDER.text in pair.text) for pair in pairs)
    assert any(pair.answers and TIDE.text in pair.text for pair in pairs)
