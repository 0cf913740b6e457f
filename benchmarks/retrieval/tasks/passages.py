"""Chroma's chunking evaluation: five long texts, and questions with the spans that answer them.

The texts are cut by one rule into pieces of at most 1,000 characters; a piece is relevant if it
shares a character with a span.

Source: brandonstarxel/chunking_evaluation, general_evaluation_data.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from benchmarks.retrieval.models import Corpus, Doc, Query
from benchmarks.retrieval.tasks.splits import Split, coin, is_kept

_LONGEST: Final = 1_000
_ENDS: Final = ("\n\n", "\n", ". ", " ")

Span = tuple[int, int]


def passages(data: Path, split: Split) -> Iterator[Corpus]:
    """Yield a corpus for each text."""
    folder = data / "chunking-eval"
    with (folder / "questions_df.csv").open(encoding="utf-8", newline="") as lines:
        rows = list(enumerate(csv.DictReader(lines)))
    for file in sorted((folder / "corpora").glob("*.md")):
        name, text = file.stem, file.read_text("utf-8")
        cuts = list(pieces(text))
        docs = tuple(
            Doc(f"{name}:{start}", text[start:end], name, position=position)
            for position, (start, end) in enumerate(cuts)
        )
        queries = tuple(
            Query(f"{name}/{number}", row["question"], relevant, name)
            for number, row in rows
            if row["corpus_id"].partition(".")[0] == name
            and is_kept(split, is_dev=coin(row["question"]))
            and (relevant := _overlapping(name, cuts, json.loads(row["references"])))
        )
        yield Corpus(name, docs, queries)


def pieces(text: str, longest: int = _LONGEST) -> Iterator[Span]:
    """Yield spans that cover the text, cut after a paragraph, else a line, a sentence or a word.

    No cut leaves less than half of the longest, so a long word is cut anywhere.
    """
    start = 0
    while start < len(text):
        end = _cut(text, start, longest)
        yield start, end
        start = end


def _cut(text: str, start: int, longest: int) -> int:
    end = start + longest
    if end >= len(text):
        return len(text)
    for mark in _ENDS:
        at = text.rfind(mark, start + longest // 2, end)
        if at > 0:
            return at + len(mark)
    return end


def _overlapping(name: str, cuts: list[Span], spans: list[dict[str, Any]]) -> frozenset[str]:
    return frozenset(
        f"{name}:{start}"
        for start, end in cuts
        if any(start < span["end_index"] and span["start_index"] < end for span in spans)
    )
