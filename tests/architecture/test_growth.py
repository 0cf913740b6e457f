"""Whatever reads a text that others write takes at most in proportion to its length."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from benchmarks.hostile_texts import HOSTILE
from tests.growth import is_in_proportion, is_steep

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


@pytest.mark.parametrize("reader", READERS)
def test_twice_the_text_is_not_much_more_than_twice_the_work(reader):
    read = READERS[reader]
    assert not [name for name, make in HOSTILE.items() if not is_in_proportion(read, make, LENGTH)]


def test_what_takes_the_square_of_the_length_is_steep():
    def square(text):
        return [text.count("b") for _ in text]

    # Sixteen times the work, which no noise hides.
    assert is_steep(square, "a" * LENGTH, "a" * 4 * LENGTH)
    assert not is_steep(len, "a" * LENGTH, "a" * 2 * LENGTH)
