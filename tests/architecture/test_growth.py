"""Whatever reads a text that others write takes at most in proportion to its length."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from benchmarks.hostile_texts import HOSTILE

from wellworn.domain.knowledge.digests import digest
from wellworn.domain.knowledge.views import DocumentView
from wellworn.domain.sources.chunking import split_into_chunks
from wellworn.domain.sources.features import index_words
from wellworn.domain.sources.identifiers import find_identifiers
from wellworn.engines.extraction import ExtractionSettings
from wellworn.engines.extraction.html_reader import read_html
from wellworn.engines.extraction.markdown_reader import read_markdown
from wellworn.engines.formats import read_markdown as import_markdown
from wellworn.engines.safety import find_suspicions, redact, redact_document
from wellworn.testing.embedder import HashEmbedder

pytestmark = pytest.mark.slow

LENGTH = 20_000
MOST_GROWTH = 2.6
LEAST_S = 0.03
"""What takes less is not compared: the clock tells too little."""
TRIES = 4


def import_as_file(text: str) -> None:
    with TemporaryDirectory() as folder:
        file = Path(folder, "a.md")
        file.write_text(text, "utf-8", "replace")
        list(import_markdown(file, print))


READERS: dict[str, Callable[[str], object]] = {
    "chunks": lambda text: split_into_chunks(text, size=HashEmbedder().lengths),
    "compiler": lambda text: digest(DocumentView(1, "docs", "a.md", None, text)),
    "secrets of a document": redact_document,
    "secrets of a text": redact,
    "orders": find_suspicions,
    "words": index_words,
    "identifiers": find_identifiers,
    "page": lambda text: read_html(text.encode("utf-8", "replace"), ExtractionSettings()),
    "page in Markdown": lambda text: read_markdown(
        text.encode("utf-8", "replace"), ExtractionSettings()
    ),
    "notes": import_as_file,
}


def measure(read: Callable[[str], object], text: str) -> float:
    gc.disable()  # it comes at its own times, and looks at all that tests hold
    try:
        began = time.process_time()
        read(text)
        return time.process_time() - began
    finally:
        gc.enable()


def is_steep(read: Callable[[str], object], short: str, long: str) -> bool:
    """Tell whether twice the text is much more than twice the work, in each of some tries."""
    costs: tuple[list[float], list[float]] = [], []
    for _ in range(TRIES):
        costs[0].append(measure(read, short))
        costs[1].append(measure(read, long))
        if min(costs[1]) <= max(LEAST_S, MOST_GROWTH * min(costs[0])):
            return False
    return True


@pytest.mark.parametrize("reader", READERS)
def test_twice_the_text_is_not_much_more_than_twice_the_work(reader):
    read = READERS[reader]
    lengths = (LENGTH, 2 * LENGTH, 4 * LENGTH)
    # What is filled once, such as a cache, is no growth: it is steep at one length alone.
    assert not [
        name
        for name, make in HOSTILE.items()
        if all(is_steep(read, make(short), make(long)) for short, long in pairwise(lengths))
    ]


def test_what_takes_the_square_of_the_length_is_steep():
    def square(text):
        return [text.count("b") for _ in text]

    assert is_steep(square, "a" * LENGTH, "a" * 2 * LENGTH)
    assert not is_steep(len, "a" * LENGTH, "a" * 2 * LENGTH)
