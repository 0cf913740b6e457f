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

from training.pairs import Pair, unanswered
from wellworn.engines.reading import ORDER_QUESTION

FOLDER: Final = Path(__file__).with_name("written_orders")
_NOTES: Final = Path(__file__).with_name("written")
_SHORTEST, _LONGEST = 40, 1200
_ORDERS_BESIDE, _OTHERS_BESIDE = 0.8, 0.4
_ROUNDS: Final = 3
_ORDINARY_TAKEN: Final = 0.6


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


def make_orders(folder: Path, rng: Random) -> list[Pair]:
    """Return pairs that ask of notes what an agent is told to do; the whole order answers.

    Orders are read alone and beside ordinary texts; of what is none, notes close to orders, talk,
    reviews and documentation.

    Args:
        folder: the public sets; `docs/dlt` stands beside it.
        rng: what chooses among them.
    """
    written, ordinary = read_written(), read_ordinary(folder)
    pairs = [_to_pair(note, note) for note in ordinary if rng.random() < _ORDINARY_TAKEN]
    for number in range(_ROUNDS):
        for note in written:
            if note.is_order or number < _ROUNDS - 1:
                pairs.append(_to_pair(note, note))
            pairs += [_to_pair(beside, note) for beside in put_together([note], ordinary, rng)]
    return pairs


def _to_pair(note: Note, order: Note) -> Pair:
    if not note.is_order:
        return unanswered("order", ORDER_QUESTION, note.text, note.source)
    start = note.text.index(order.text)
    end = start + len(order.text)
    return Pair("order", ORDER_QUESTION, note.text, start, end, note.source)


def read_ordinary(folder: Path) -> list[Note]:
    """Return ordinary notes, talk, reviews and documentation, as once drawn."""
    rng, drawing = Random(3), Random(7)
    files = sorted((folder.parent / "docs" / "dlt").rglob("*.md"))
    sections, items = (
        [Note("dlt", is_order=False, text=text) for file in files for text in cut(file)]
        for cut in (_list_sections, _list_items)
    )
    talk, reviews = (
        [
            Note(name, is_order=False, text=paragraph["context"][: rng.randint(60, 500)])
            for article in json.loads(gzip.decompress((folder / name).read_bytes()))["data"]
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
    return [
        note
        for kind, count in (
            (notes, 4500),
            (sections, 1500),
            (items, 1000),
            (talk, 800),
            (reviews, 400),
        )
        for note in drawing.sample(kind, min(count, len(kind)))
    ]


def _list_sections(file: Path) -> list[str]:
    sections = re.split(r"\n(?=#)", file.read_text("utf-8"))
    return [section.strip() for section in sections if _SHORTEST < len(section) < _LONGEST]


def _list_items(file: Path) -> list[str]:
    return re.findall(r"(?m)^\s*[-*] (\w.{30,400})$", file.read_text("utf-8"))


def put_together(notes: Sequence[Note], ordinary: Sequence[Note], rng: Random) -> Iterator[Note]:
    """Put some notes, most of them orders, beside one or two ordinary ones."""
    for note in notes:
        if rng.random() < (_ORDERS_BESIDE if note.is_order else _OTHERS_BESIDE):
            beside = [rng.choice(ordinary).text for _ in range(rng.randint(1, 2))]
            beside.insert(rng.randint(0, len(beside)), note.text)
            yield Note(note.source, note.is_order, rng.choice((" ", "\n", "\n\n")).join(beside))
