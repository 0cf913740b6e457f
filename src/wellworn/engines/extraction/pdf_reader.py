"""PDFs as canonical Markdown by PDFium: fast, with the best text of the engines measured.

Runs in the child process, because some hostile files crash PDFium. Pages are read and freed one by
one, so that memory follows the largest page.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from math import degrees
from typing import Any, Final, NamedTuple

import pypdfium2
import pypdfium2.raw

from wellworn.engines.extraction.models import Extracted, Refused
from wellworn.engines.extraction.pdf_columns import (
    arrange,
    is_disordered,
    may_have_columns,
    order_columns,
    part_rows,
)
from wellworn.engines.extraction.pdf_fields import Area, read_fields, read_strikes, turn_area
from wellworn.engines.extraction.pdf_filling import fill_in
from wellworn.engines.extraction.pdf_layers import remove_hidden_layers
from wellworn.engines.extraction.pdf_letters import Box, Change, Letters, rewrite
from wellworn.engines.extraction.pdf_lines import Cell, PdfLine, is_apart
from wellworn.engines.extraction.pdf_text import DAMAGED, LOCKED, Outline, assemble
from wellworn.engines.extraction.settings import ExtractionSettings

_pdfium: Any = pypdfium2.raw
_MOST_OUTLINE: Final = 5000
# PDFium's character for a hyphen that breaks a word, after which the next line follows.
_LINE_END: Final = re.compile("\r\n|[\ufffe\x02]")
_CONTROLS: Final = re.compile("[\x00-\x08\x0b-\x1f]")
_OF_LINE_END: Final = 2
_UNSEEN: Final = "\x1f"
_BLANK: Final = 0.15
# Points that a letter takes at most, on average, as a share of its height.
_LOOSE: Final = 0.6
_MANY_BLANKS: Final = 5
_LOOKED_AT_FOR_TURN: Final = 100
_WHOLE_TURN: Final = 360
_TURNS: Final = frozenset({0, 90, 180, 270})
_LOOKED_AT: Final = 6
# Lines without gaps within a table, of words that did not fit in one line.
_MOST_WHOLE: Final = 3


class _PlacedLine(NamedTuple):
    """A line with the index of its first letter, and whether it is wider than its words.

    `ends` are its first and its last letter. `changes` are the letters that are written otherwise
    than they stand in `text`.
    """

    line: PdfLine
    start: int
    text: str
    is_loose: bool
    ends: tuple[Box, Box]
    changes: tuple[Change, ...] = ()


def read_pdf(raw: bytes, settings: ExtractionSettings) -> Extracted | Refused:
    """Read a PDF page by page, with the headings of its outline or else guessed ones."""
    try:
        pdf: Any = pypdfium2.PdfDocument(remove_hidden_layers(raw))
    except pypdfium2.PdfiumError as error:
        return Refused(LOCKED if "password" in str(error).lower() else DAMAGED)
    form = _open_form(pdf)
    count = len(pdf)
    pages: list[list[PdfLine]] = []
    characters = failed = 0
    for number in range(min(count, settings.most_pages)):
        page = _page(pdf, form, number)
        failed += page is None
        pages.append(page or [])
        characters += sum(len(line.text) + 1 for line in pages[-1])
        if characters > settings.most_characters:
            break
    title = pdf.get_metadata_value("Title")
    return assemble(
        pages,
        count=count,
        failed=failed,
        outline=_outline(pdf),
        title=title,
        settings=settings,
    )


def _outline(pdf: Any) -> Outline:
    entries: list[tuple[int, int, str]] = []
    for mark in pdf.get_toc():
        to = mark.get_dest()
        page = to.get_index() if to else None
        if page is not None:
            entries.append((mark.level + 1, page, mark.get_title()))
        if len(entries) == _MOST_OUTLINE:
            break
    return entries


def _open_form(pdf: Any) -> Any:
    """Return PDFium's environment of the form in a document; None when it has none to be read."""
    with suppress(pypdfium2.PdfiumError):
        pdf.init_forms()
    return pdf.formenv


def _read_upright(page: Any) -> tuple[Any, int]:
    """Return the text of a page that is turned as most of it is read, and the turn.

    PDFium orders lines by it.
    """
    text = page.get_textpage()
    count = text.count_chars()
    angles = Counter(
        round(degrees(_pdfium.FPDFText_GetCharAngle(text, at)))
        for at in range(0, count, count // _LOOKED_AT_FOR_TURN + 1)
    )
    [(angle, _)] = angles.most_common(1) or [(0, 0)]
    turn = -angle % _WHOLE_TURN
    if turn not in _TURNS:
        return text, 0
    if turn != page.get_rotation():
        text.close()
        page.set_rotation(turn)
        text = page.get_textpage()
    return text, turn


def _page(pdf: Any, form: Any, number: int) -> list[PdfLine] | None:
    """Return the lines of one page; None when it cannot be loaded."""
    try:
        page = pdf[number]
        text, turn = _read_upright(page)
    except pypdfium2.PdfiumError:
        return None
    try:
        areas = read_strikes(page), read_fields(form, page)
        strikes, fields = ([turn_area(area, turn) for area in each] for each in areas)
        return order_columns(_lines(Letters(text, turn), text, strikes, fields))
    finally:
        text.close()
        page.close()


def _lines(
    letters: Letters, page: Any, strikes: Sequence[Area], fields: Sequence[Area]
) -> list[PdfLine]:
    text = page.get_text_range()
    lines = [*_read_lines(letters, _split_lines(text), strikes)]
    if is_loose := is_disordered(text, [line.ends for line in lines]):
        lines = [*_read_lines(letters, part_rows(letters, _split_lines(text)), strikes)]
    cells = _find_cells(letters, lines, all_of_them=is_loose or bool(fields))
    read = [
        line.line._replace(cells=cells[at]) if at in cells else line.line
        for at, line in enumerate(lines)
    ]
    read = arrange(read) if is_loose else read
    return fill_in(read, fields) if fields else read


def _split_lines(text: str) -> Iterator[tuple[int, str]]:
    """Yield the lines of a page with their starts, those too that PDFium joins at a hyphen."""
    start = 0
    for end in _LINE_END.finditer(text):
        yield start, text[start : end.start()] + ("" if end[0] == "\r\n" else "-")
        start = end.end()
    yield start, text[start:]


def _join_raised(letters: Letters, lines: Iterable[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    """Yield lines with their starts; PDFium ends one after raised letters in its middle."""
    start, line = -1, ""
    for begin, text in lines:
        between = begin - start - len(line)
        if (
            between == _OF_LINE_END
            and line.strip()
            and text.strip()
            and (joint := _goes_on(letters, start, line, text))
        ):
            line = f"{line}{joint}{text}"
            continue
        if start >= 0:
            yield start, line
        start, line = begin, text
    yield start, line


def _goes_on(letters: Letters, start: int, line: str, text: str) -> str:
    """Return what stands for a line end after raised letters, or after a large first one.

    It is empty for any other line end.
    """
    begin, end = start + len(line) - len(line.lstrip()), start + len(line.rstrip()) - 1
    after = start + len(line) + 2 + len(text) - len(text.lstrip())
    if begin == end and line.strip().isupper() and letters.is_cap(begin, after):
        return f" {_UNSEEN}" if text[0].isspace() else 2 * _UNSEEN
    gap = letters.find_gap(begin, end, after)
    if gap is None:
        return ""
    is_parted = gap > _BLANK and not (line[-1].isspace() or text[0].isspace())
    return f" {_UNSEEN}" if is_parted else 2 * _UNSEEN


def _read_lines(
    letters: Letters, parts: Iterable[tuple[int, str]], strikes: Sequence[Area]
) -> Iterator[_PlacedLine]:
    bottom, before = None, 0.0
    for start, text in _join_raised(letters, parts):
        stripped, clean = text.strip(), _clean(text)
        if not clean:
            continue
        first = start + len(text) - len(text.lstrip())
        last = first + len(stripped) - 1
        begin, end = letters.box(first), letters.box(last)
        is_even = letters.are_alike(first, last)
        at = first + _OF_LINE_END + 1
        if not is_even and at <= last and letters.is_cap(first, at):
            # The line is as high as what follows its large first letter.
            begin = letters.box(at)._replace(left=begin.left)
        # Half points: the same font comes out a little different on every line.
        size = round(begin.height * 2) / 2
        gap = None if bottom is None else bottom - begin.bottom
        changes = _find_changes(letters, first, stripped, begin, strikes, is_even=is_even)
        written = text[: first - start] + rewrite(stripped, changes)
        made = PdfLine(
            _clean(written) if changes else clean,
            size,
            letters.weight(first),
            parted=is_apart(gap, max(size, before)),
            low=begin.bottom,
        )
        is_loose = end.right - begin.left > _LOOSE * size * len(stripped) and " " in stripped
        yield _PlacedLine(made, first, stripped, is_loose, (begin, end), changes)
        bottom, before = begin.bottom, size


def _find_changes(
    letters: Letters,
    first: int,
    line: str,
    begin: Box,
    strikes: Sequence[Area],
    *,
    is_even: bool,
) -> tuple[Change, ...]:
    """Return which letters of a line are written otherwise: raised, struck, or joined."""
    top = begin.bottom + begin.height
    crossed = [strike for strike in strikes if strike.bottom < top and strike.top > begin.bottom]
    if crossed and (struck := letters.find_struck(first, line, crossed)):
        return tuple(struck)
    raised = [] if is_even else letters.find_raised(first, line, begin.height)
    return tuple(sorted([*raised, *letters.find_joined(first, line)]))


def _find_cells(
    letters: Letters, page: Sequence[_PlacedLine], *, all_of_them: bool
) -> dict[int, tuple[Cell, ...]]:
    """Return the cells of lines with gaps and of the lines around them.

    On a page whose long lines have gaps, which may be columns, of all lines.
    """
    long = [at for at, line in enumerate(page) if line.text.count(" ") >= _MANY_BLANKS]
    some = long[:: max(1, len(long) // _LOOKED_AT)]
    seen = {at: _cells(letters, page[at]) for at in some}
    if all_of_them or may_have_columns([*seen.values()]):
        return {at: _cells(letters, line) for at, line in enumerate(page)}
    for loose, line in enumerate(page):
        if line.is_loose and loose not in seen:
            seen[loose] = _cells(letters, line)
            for step in (-1, 1) if len(seen[loose]) > 1 else ():
                _look_around(letters, page, seen, loose, step)
    return seen


def _look_around(
    letters: Letters,
    page: Sequence[_PlacedLine],
    seen: dict[int, tuple[Cell, ...]],
    at: int,
    step: int,
) -> None:
    """Add the cells of lines above or below one with gaps, until several have none."""
    whole = 0
    while 0 <= (at := at + step) < len(page) and whole <= _MOST_WHOLE:
        if at not in seen:
            seen[at] = _cells(letters, page[at])
        whole = 0 if len(seen[at]) > 1 else whole + 1


def _cells(letters: Letters, written: _PlacedLine) -> tuple[Cell, ...]:
    cells = letters.cells(written.start, written.text, written.line.size, written.changes)
    if written.text == written.line.text:
        return cells
    return tuple(cell._replace(text=_clean(cell.text)) for cell in cells)


def _clean(line: str) -> str:
    return _CONTROLS.sub("", line).rstrip()
