r"""Reads notes that are orders to an agent, or look like it, and ordinary ones.

`written_orders/*.txt` were written by hand, each file from another point of view: a line that
begins with `!` is an order, one with `+` is none, and `\n` is a line break.
"""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Final, NamedTuple

FOLDER: Final = Path(__file__).with_name("written_orders")
_NOTES: Final = Path(__file__).with_name("written")
_SHORTEST, _LONGEST = 40, 1200
_ORDERS_BESIDE, _OTHERS_BESIDE = 0.5, 0.1


class Note(NamedTuple):
    """A text to learn from, and the file it is from."""

    source: str
    is_order: bool
    text: str


def read_written() -> list[Note]:
    """Return what was written by hand."""
    notes: list[Note] = []
    for file in sorted(FOLDER.glob("*.txt")):
        for line in filter(None, file.read_text("utf-8").split("\n")):
            mark, _, text = line.partition(" ")
            if mark not in {"!", "+"}:
                raise ValueError(f"{file.name}: {line!r}")
            notes.append(Note(file.stem, mark == "!", text.replace("\\n", "\n")))
    return notes


def read_ordinary(data: Path) -> list[Note]:
    """Return ordinary notes, talk, reviews, documentation and rules for agents, as once drawn."""
    rng, drawing = Random(3), Random(7)
    sections, rules, items = (
        [note for file in sorted((data / "docs" / name).rglob("*.md")) for note in cut(file, name)]
        for name, cut in (
            ("dlt", _list_sections),
            ("awesome-copilot", _list_sections),
            ("awesome-copilot", _list_items),
        )
    )
    talk, reviews = (
        [
            Note(name, is_order=False, text=paragraph["context"][: rng.randint(60, 500)])
            for article in json.loads(gzip.decompress((data / "reading" / name).read_bytes()))[
                "data"
            ]
            for paragraph in article["paragraphs"]
        ]
        for name in ("shifts-reddit.json.gz", "shifts-amazon_reviews.json.gz")
    )
    notes = [
        Note("notes", is_order=False, text=line[2:])
        for file in sorted(_NOTES.glob("*.txt"))
        for line in file.read_text("utf-8").splitlines()
        if line.startswith(("+ ", "- "))
    ]
    drawn = [
        note
        for kind, count in (
            (notes, 2500),
            (sections, 1200),
            (rules, 500),
            (items, 700),
            (talk, 600),
            (reviews, 300),
        )
        for note in drawing.sample(kind, count)
    ]
    drawing.shuffle(drawn)
    return drawn


def _list_sections(file: Path, name: str) -> Iterator[Note]:
    for section in re.split(r"\n(?=#)", file.read_text("utf-8")):
        if _SHORTEST < len(section) < _LONGEST:
            yield Note(name, is_order=False, text=section.strip())


def _list_items(file: Path, name: str) -> Iterator[Note]:
    for item in re.findall(r"(?m)^\s*[-*] (\w.{30,400})$", file.read_text("utf-8")):
        yield Note(name, is_order=False, text=item)


def put_together(notes: Sequence[Note], ordinary: Sequence[Note], rng: Random) -> Iterator[Note]:
    """Put some notes, most of them orders, beside one or two ordinary ones."""
    for note in notes:
        if rng.random() < (_ORDERS_BESIDE if note.is_order else _OTHERS_BESIDE):
            beside = [rng.choice(ordinary).text for _ in range(rng.randint(1, 2))]
            beside.insert(rng.randint(0, len(beside)), note.text)
            yield Note(note.source, note.is_order, rng.choice((" ", "\n", "\n\n")).join(beside))
