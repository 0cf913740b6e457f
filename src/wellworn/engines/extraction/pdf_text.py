"""Assembles the lines of a PDF's pages to canonical Markdown, and flags what is missing.

Words that the lines break are joined, with the hyphen where it belongs to the word: it is one of
the word's own if the word holds another one, a digit or a sign, as compounds, models, ranges and
addresses do; or if the document writes it so within a line. It marks the break if the document
writes the word without it. Of words that stand there once, it marks the break where the document
breaks words, and else it stays: that is what the page shows.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
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
        settings: how much text is stored.
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


_HYPHENS: Final = "-\u2010\u00ad"
_ENDS: Final = "()[]{}<>\"'\u201c\u201d\u2018\u2019\u00ab\u00bb.,;:!?"
_LONGEST: Final = 200
"""Characters of a word that are looked at."""
_SOFT: Final = "\u00ad"
_FOUND_WHOLE: Final = 0.2
_FEWEST_BROKEN: Final = 5
_SHARE_BROKEN: Final = 0.03
"""Of lines: so many end in a hyphen where words are broken; compounds do so in one of a hundred."""
_LETTERS: Final = re.compile(r"[^\W\d_]+")


@dataclass(frozen=True, slots=True)
class Spelling:
    """The way a document writes its words, in small letters.

    Attributes:
        compounds: those that it writes with a hyphen within a line.
        words: those that it writes without one.
        breaks_words: whether it breaks words at the ends of lines.
    """

    compounds: frozenset[str]
    words: frozenset[str]
    breaks_words: bool


def find_spelling(texts: Sequence[str]) -> Spelling:
    """Return how the lines of a document write its words."""
    compounds = frozenset(_find_compounds(texts))
    broken = [parts for above, line in pairwise(texts) if (parts := _find_broken(above, line))]
    unsure = [parts for parts in broken if f"{parts[0]}-{parts[1]}" not in compounds]
    words = frozenset(_find_words(texts) if unsure else ())
    whole = sum("".join(parts) in words for parts in unsure)
    is_usual = len(unsure) >= max(_FEWEST_BROKEN, _SHARE_BROKEN * len(texts))
    return Spelling(compounds, words, is_usual or whole > len(unsure) * _FOUND_WHOLE)


def _find_compounds(texts: Iterable[str]) -> Iterable[str]:
    words = (word.strip(_ENDS) for text in texts if "-" in text for word in text.split())
    return (
        word.casefold()
        for word in words
        if len(word) <= _LONGEST and "-" in word.strip("-") and word.replace("-", "").isalpha()
    )


def _find_words(texts: Iterable[str]) -> Iterable[str]:
    return (word.casefold() for text in texts for word in _LETTERS.findall(text))


def _find_broken(line: str, following: str) -> tuple[str, str] | None:
    """Return the parts of a word of letters that goes over a line end; None where none does."""
    if line[-1:] not in _HYPHENS or not line[-2:-1].isalnum() or not following[:1].islower():
        return None
    word = line[-_LONGEST:-1].rsplit(maxsplit=1)[-1].lstrip(_ENDS)
    rest = following[:_LONGEST].split(maxsplit=1)[0].rstrip(_ENDS)
    is_plain = word.isalpha() and rest.isalpha()
    return (word.casefold(), rest.casefold()) if is_plain else None


def join_lines(lines: Sequence[str], spelling: Spelling) -> str:
    """Return the lines of a paragraph, in which no word goes over a line end."""
    pieces: list[str] = []
    end = ""
    for line in lines:
        is_broken = end[-1:] in _HYPHENS and end[-2:-1].isalnum() and line[:1].isalnum()
        if is_broken:
            stem = end[:-1]
            is_own = end[-1] != _SOFT and _is_own(
                stem.split()[-1], line[:_LONGEST].split()[0], spelling
            )
            pieces[-1] = pieces[-1][:-1] + "-" * is_own
            end = stem + "-" * is_own
        elif pieces:
            pieces.append("\n")
            end = ""
        pieces.append(line)
        end = (end + line[-_LONGEST:])[-_LONGEST:]
    return "".join(pieces)


def _is_own(before: str, after: str, spelling: Spelling) -> bool:
    """Tell whether a hyphen at a line end belongs to the word that it parts."""
    word, rest = before.lstrip(_ENDS), after.rstrip(_ENDS)
    is_plain = word.isalpha() and rest.isalpha() and rest.islower()
    if not is_plain or f"{word}-{rest}".casefold() in spelling.compounds:
        return True
    return not spelling.breaks_words and f"{word}{rest}".casefold() not in spelling.words
