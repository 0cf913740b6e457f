"""Assembles the lines of a PDF's pages to canonical Markdown, and flags what is missing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Final

from wellworn.engines.extraction.blocks import Blocks
from wellworn.engines.extraction.canonical import choose_title
from wellworn.engines.extraction.models import Extracted, FileKind, Refused
from wellworn.engines.extraction.pdf_lines import (
    PdfLine,
    Place,
    guess_headings,
    match_outline,
    set_largest,
    without_repeated,
)
from wellworn.engines.extraction.pdf_tables import PdfTable, tables
from wellworn.engines.extraction.pdf_words import Spelling, find_spelling, join_lines
from wellworn.engines.extraction.settings import ExtractionSettings

Outline = Sequence[tuple[int, int, str]]
"""Level from 1, page from 0 and title of each entry."""

LOCKED: Final = "the PDF is protected by a password; sync a copy without one"
DAMAGED: Final = "the PDF cannot be read: it is damaged or cut short; save or download it again"
HARMFUL: Final = "the PDF ends the program that reads it; print it to a new PDF and sync that one"


def assemble(
    pages: Sequence[Sequence[PdfLine]],
    *,
    count: int,
    failed: int,
    outline: Outline,
    title: str | None,
    settings: ExtractionSettings,
    flags: Sequence[str] = (),
) -> Extracted | Refused:
    """Return the text of the pages read; refused when none has any text, as with a scan.

    Args:
        pages: the lines of each page read.
        count: pages of the file.
        failed: pages that could not be read.
        outline: the table of contents.
        title: of the metadata.
        settings: how much text is kept.
        flags: flags to add.
    """
    if not count:
        return Refused(DAMAGED)
    empty = sum(not page for page in pages)
    if empty == len(pages):
        return Refused(DAMAGED if failed else _no_text(count))
    pages_left = without_repeated(pages)
    page_tables = [tables(page) for page in pages_left]
    levels = _outside(match_outline(pages_left, outline), page_tables)
    all_flags = [
        *flags,
        *_flag_unread(len(pages), count),
        *_without_text(empty, failed, len(pages)),
    ]
    if not levels and (levels := _outside(guess_headings(pages_left), page_tables)):
        all_flags.append("headings guessed from font sizes")
    blocks = Blocks()
    spelling = find_spelling([line.text for page in pages_left for line in page])
    starts = [
        _add_page(blocks, page, levels.get(number, {}), page_tables[number], spelling)
        for number, page in enumerate(pages_left)
    ]
    named = choose_title(title, set_largest(pages_left[0]))
    made = blocks.build(
        FileKind.PDF, title=named, most_characters=settings.most_characters, flags=all_flags
    )
    return replace(made, pages=tuple(min(start, len(made.text)) for start in starts))


def _outside(
    levels: dict[Place, int], page_tables: Sequence[dict[int, PdfTable]]
) -> dict[int, dict[int, int]]:
    """Return the levels of headings by page and line; a line of a table is none, however set."""
    by_page: dict[int, dict[int, int]] = {}
    for (number, at), level in levels.items():
        if not any(first <= at < table.end for first, table in page_tables[number].items()):
            by_page.setdefault(number, {})[at] = level
    return by_page


def _add_page(
    blocks: Blocks,
    page: Sequence[PdfLine],
    levels: dict[int, int],
    tables_by_line: dict[int, PdfTable],
    spelling: Spelling,
) -> int:
    """Add one page and return where it begins."""
    start = blocks.next_start()
    for first, end in pairwise(_breaks(page, levels, tables_by_line)):
        lines = [line.text for line in page[first:end]]
        if first in tables_by_line:
            blocks.table(tables_by_line[first].rows, has_header=tables_by_line[first].has_header)
        elif first in levels:
            blocks.heading(levels[first], join_lines(lines, spelling))
        else:
            blocks.paragraph(join_lines(lines, spelling))
    return start


def _breaks(
    page: Sequence[PdfLine], levels: dict[int, int], tables_by_line: dict[int, PdfTable]
) -> list[int]:
    """Return where blocks begin on a page, and its end; a heading over two lines is one block."""
    inside = {at for first, table in tables_by_line.items() for at in range(first + 1, table.end)}
    borders = {0, len(page), *tables_by_line, *(table.end for table in tables_by_line.values())}
    apart = {
        at
        for at, line in enumerate(page)
        if at and (line.parted or levels.get(at) != levels.get(at - 1))
    }
    return sorted(borders | apart - inside)


def _no_text(count: int) -> str:
    pages = "1 page is an image" if count == 1 else f"{count:,} pages are images"
    return f"no text layer: {pages}; run text recognition on it and sync that copy"


def _flag_unread(read: int, count: int) -> list[str]:
    return (
        [f"the last pages were left out: {read:,} of {count:,} were read"] if read < count else []
    )


def _without_text(empty: int, failed: int, count: int) -> list[str]:
    images = empty - failed
    flags = [f"{images:,} of {count:,} pages have no text; they may be images"] if images else []
    return [*flags, f"{failed:,} of {count:,} pages could not be read"] if failed else flags
