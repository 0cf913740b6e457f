"""A document's text cut into chunks that fit the embedder, each an exact stretch of the text.

A chunk never reaches across a heading of its own rank or a higher one: it is about one thing, and
the path of headings says what. A section that fits is one chunk. Else whole blocks are packed as
long as they fit, and what does not fit alone is cut where it hurts least: between items, sentences,
lines, words, and at last anywhere. Nothing overlaps, nothing that can be seen is left out, and the
work grows with the length of the text alone, whatever the text is.

Source: issue 5, extraction and chunks; measured against other cutters on 11 texts.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Final

from wellworn.domain.sources.anchors import Anchors, shown
from wellworn.domain.sources.front_matter import front_matter_end
from wellworn.kit.headings import Section, fences, headings, sections

Size = Callable[[Sequence[str]], Sequence[int]]
"""Tells of each text how many word pieces it has, without the marks of a sequence."""

LIMIT_PIECES: Final = 240
#: What has more is no prose; a model takes a very long word for a single piece.
_MOST_CHARACTERS_A_PIECE: Final = 16
#: A syllable of Korean is three.
_MOST_PIECES_A_CHARACTER: Final = 4

_BLANK_LINES: Final = re.compile(r"\n(?:[^\S\n]*+\n)++")
_ITEM: Final = re.compile(r"\n[^\S\n]*+\n|\n(?=[ \t]{0,16}(?:[|>]|(?:[-*+]|\d{1,9}[.)])[ \t]))")
_LINE: Final = re.compile(r"\n")
_SENTENCE: Final = re.compile(
    r"[.!?\u2026][\"'\u201d\u2019)\]*_`]{0,4}\s++(?![a-z])|[\u3002\uff01\uff1f]"
)
_BLANK: Final = re.compile(r"\s++")


@dataclass(frozen=True, slots=True)
class Chunk:
    """A stretch of a document's text.

    Attributes:
        start: offset of its first character; blank only where its first line is indented.
        end: offset after its last, which is not blank.
        headings: titles of the headings it is below, from the topmost, without markup.
        anchor: what a link to the nearest of them is called; empty before the first.
        page: the page that it begins on, from 1; None in what has no pages.
    """

    start: int
    end: int
    headings: tuple[str, ...] = ()
    anchor: str = ""
    page: int | None = None


def chunks(
    text: str,
    *,
    size: Size,
    limit: int = LIMIT_PIECES,
    pages: Sequence[int] = (),
    anchors: Sequence[tuple[int, str]] = (),
) -> list[Chunk]:
    """Return the chunks of a Markdown text, in order.

    Args:
        text: the document.
        size: is asked for many texts at once, and a few times in all.
        limit: word pieces that a chunk may have, at least 4.
        pages: offset at which each page begins, ascending.
        anchors: offset and name of each anchor that the document itself sets, ascending.
    """
    front = front_matter_end(text)
    made = sections([one for one in headings(text) if one.start >= front], len(text))
    stretches = list(_apart(_stretches(text, made), front))
    paths, names = _paths(made), _names(made)
    found: list[Chunk] = []
    for packed in _packed(_Cutter(text, stretches, size, limit).pieces(), limit):
        start, end = _trimmed(text, packed.start, packed.end)
        number = packed.stretch
        if start == end:
            continue
        below = stretches[number].section
        own = _last_anchor(anchors, made[below].start, max(start, stretches[number].begins))
        found.append(Chunk(start, end, paths[below], own or names[below], _page(pages, start)))
    return found


@dataclass(frozen=True, slots=True)
class _Stretch:
    """A section, with the headings right above it that have nothing else to say.

    Attributes:
        begins: where its own words begin, after all headings.
        section: number of the section.
    """

    start: int
    begins: int
    end: int
    section: int


@dataclass(frozen=True, slots=True)
class _Piece:
    """A part of a stretch; its weight, in word pieces, may be unknown yet."""

    start: int
    end: int
    stretch: int
    weight: int = -1


def _stretches(text: str, made: Sequence[Section]) -> Iterator[_Stretch]:
    start = 0
    for number, section in enumerate(made):
        begins = _after_heading(text, section)
        has_below = section.level > 0 and section.end < section.whole_end
        if begins < section.end or not has_below:
            yield _Stretch(start, begins, section.end, number)
            start = section.end


def _apart(stretches: Iterable[_Stretch], front: int) -> Iterator[_Stretch]:
    """Yield the stretches, front matter as one of its own: it is for programs, not for readers."""
    for one in stretches:
        if one.start < front:
            yield replace(one, begins=one.start, end=front)
        if one.end > front:
            yield replace(one, start=max(front, one.start), begins=max(front, one.begins))


def _after_heading(text: str, section: Section) -> int:
    """Return where something stands below the section's heading; its end if nothing does."""
    at = section.start
    if section.level:
        is_marked = text[at : at + 4].lstrip(" ").startswith("#")
        for _ in range(1 if is_marked else 2):
            at = text.find("\n", at, section.end) + 1 or section.end
    blank = _BLANK.match(text, at, section.end)
    return blank.end() if blank else at


_Borders = Callable[[int, int, int], Iterable[int]]
"""Tells where a piece may be cut, by its start, where its words begin after headings, its end."""


@dataclass(frozen=True, slots=True)
class _Cutter:
    text: str
    stretches: Sequence[_Stretch]
    size: Size
    limit: int

    def pieces(self) -> list[_Piece]:
        """Return the stretches, cut so that every piece fits; a heading stays with what follows."""
        whole = [_Piece(one.start, one.end, number) for number, one in enumerate(self.stretches)]
        pieces = self._weighed(whole)
        for borders in self._ladder():
            if all(piece.weight <= self.limit for piece in pieces):
                break
            pieces = self._weighed(self._cut(pieces, borders))
        return pieces

    def _ladder(self) -> Iterator[_Borders]:
        fenced = fences(self.text)
        opened = [start for start, _ in fenced]

        def is_code(at: int) -> bool:
            number = bisect_right(opened, at) - 1
            return number >= 0 and at < fenced[number][1]

        def blocks(_start: int, begins: int, end: int) -> Iterator[int]:
            return (at for at in self._ends(_BLANK_LINES, begins, end) if not is_code(at - 1))

        def sentences(_start: int, begins: int, end: int) -> Iterator[int]:
            has_lines = is_code(begins) or self.text.startswith("|", begins)
            return self._ends(_LINE if has_lines else _SENTENCE, begins, end)

        yield blocks
        yield lambda _, begins, end: self._ends(_ITEM, begins, end)
        yield sentences
        yield lambda _, begins, end: self._ends(_LINE, begins, end)
        yield lambda _, begins, end: self._ends(_BLANK, begins, end)
        yield lambda start, _, end: range(start, end, self._short)

    @property
    def _short(self) -> int:
        """Characters that fit whatever they are."""
        return max(1, self.limit // _MOST_PIECES_A_CHARACTER)

    def _ends(self, pattern: re.Pattern[str], start: int, end: int) -> Iterator[int]:
        return (match.end() for match in pattern.finditer(self.text, start, end))

    def _cut(self, pieces: Iterable[_Piece], borders: _Borders) -> Iterator[_Piece]:
        for piece in pieces:
            if piece.weight <= self.limit:
                yield piece
                continue
            begins = max(piece.start, self.stretches[piece.stretch].begins)
            cuts = borders(piece.start, begins, piece.end)
            for start, end in _between(cuts, piece.start, piece.end, short=self._short):
                yield _Piece(start, end, piece.stretch)

    def _weighed(self, pieces: Iterable[_Piece]) -> list[_Piece]:
        known = list(pieces)
        most = self.limit * _MOST_CHARACTERS_A_PIECE
        new = [n for n, one in enumerate(known) if one.weight < 0]
        asked = [n for n in new if known[n].end - known[n].start <= most]
        sizes = self.size([self.text[known[n].start : known[n].end] for n in asked])
        weights = dict(zip(asked, sizes, strict=True))
        for n in new:
            start, end, stretch = known[n].start, known[n].end, known[n].stretch
            least = -(-(end - start) // _MOST_CHARACTERS_A_PIECE)
            known[n] = _Piece(start, end, stretch, max(weights.get(n, 0), least))
        return known


def _between(
    borders: Iterable[int], start: int, end: int, *, short: int
) -> Iterator[tuple[int, int]]:
    """Yield what is between borders; neighbours stay together while they are short."""
    last = start
    for border in chain(borders, [end]):
        if border - start > short and last > start:
            yield start, last
            start = last
        last = border
    yield start, end


def _packed(pieces: Iterable[_Piece], limit: int) -> Iterator[_Piece]:
    """Yield the pieces, those of one stretch joined as long as they fit together."""
    joined: list[_Piece] = []
    weight = 0
    for piece in pieces:
        weight += piece.weight
        if joined and (weight > limit or joined[0].stretch != piece.stretch):
            yield _Piece(joined[0].start, joined[-1].end, joined[0].stretch)
            joined, weight = [], piece.weight
        joined.append(piece)
    if joined:
        yield _Piece(joined[0].start, joined[-1].end, joined[0].stretch)


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """Return the stretch without blanks around it, but for what its first line is indented by."""
    kept = text[start:end]
    end -= len(kept) - len(kept.rstrip())
    first = min(end, start + len(kept) - len(kept.lstrip()))
    return text.rfind("\n", max(0, start - 1), first) + 1 or first, end


def _paths(made: Sequence[Section]) -> list[tuple[str, ...]]:
    paths: list[tuple[str, ...]] = []
    for section in made:
        above = () if section.parent is None else paths[section.parent]
        paths.append((*above, shown(section.title)) if section.level else ())
    return paths


def _names(made: Sequence[Section]) -> list[str]:
    named = Anchors()
    return [named.of(section.title) if section.level else "" for section in made]


def _last_anchor(anchors: Sequence[tuple[int, str]], start: int, end: int) -> str:
    """Return the last anchor that the document sets from `start` to `end`; empty without one."""
    number = bisect_right(anchors, end, key=lambda anchor: anchor[0]) - 1
    return anchors[number][1] if number >= 0 and anchors[number][0] >= start else ""


def _page(pages: Sequence[int], start: int) -> int | None:
    return max(1, bisect_right(pages, start)) if pages else None
