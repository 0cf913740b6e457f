"""One text out of the pieces it was stored in, with its headings, and each stretch traced back.

A piece of a document may begin with the path of its headings, `Guide > Install`, as the importer
of Markdown writes them; else headings are those of Markdown. Pure.

Source: `docs/reference/formats.md`.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, groupby

from wellworn.domain.outline.models import TextPart
from wellworn.kit.markdown import LONGEST_TITLE, Heading, Markdown, Section, build_sections

BETWEEN = "\n\n"
_ARROW = " > "
_DEEPEST_PATH = 6


@dataclass(frozen=True, slots=True)
class TextPiece:
    """A thought, chunk or document of a text.

    Attributes:
        path: the headings that its first line names.
        cited: tells how what begins at an offset of it is cited; None for what nobody cites.
    """

    source: str
    text: str
    contributor: str
    created_at: float
    path: tuple[str, ...] = ()
    cited: Callable[[int], str] | None = None


@dataclass(frozen=True, slots=True)
class JoinedText:
    """Pieces as one text, with a blank line between each two."""

    pieces: tuple[TextPiece, ...]
    starts: tuple[int, ...]

    @property
    def length(self) -> int:
        return self.starts[-1] + len(self.pieces[-1].text) if self.pieces else 0

    def list_parts(self, start: int, end: int) -> list[TextPart]:
        """Return the stretch of the text from `start` to before `end`, piece by piece."""
        first = max(0, bisect_right(self.starts, start) - 1)
        parts: list[TextPart] = []
        for begun, piece in zip(self.starts[first:], self.pieces[first:], strict=True):
            if begun >= end:
                break
            since, until = max(0, start - begun), min(len(piece.text), end - begun)
            if since < until:
                parts.append(_part(piece, since, until))
        return parts


def join_pieces(pieces: Sequence[TextPiece]) -> JoinedText:
    """Return pieces as one text."""
    ends = accumulate(len(piece.text) + len(BETWEEN) for piece in pieces)
    return JoinedText(tuple(pieces), tuple([0, *ends][: len(pieces)]))


def find_sections(text: JoinedText) -> list[Section]:
    """Return the sections of a document; none when it has no heading."""
    headings = list(_headings(text))
    return build_sections(headings, text.length) if headings else []


def parse_path(content: str) -> tuple[str, ...]:
    """Return the path of headings that a piece's first line is, if it is one."""
    line, blank, rest = content.partition(BETWEEN)
    if not blank or not rest.strip() or _ARROW not in line or "\n" in line:
        return ()
    return parse_headings(line)


def parse_headings(line: str) -> tuple[str, ...]:
    """Return the headings that a line of a path names."""
    return tuple(part.strip()[:LONGEST_TITLE] for part in line.split(_ARROW)[:_DEEPEST_PATH])


def _headings(text: JoinedText) -> Iterator[Heading]:
    path: tuple[str, ...] = ()
    placed = list(zip(text.starts, text.pieces, strict=True))
    for has_path, run in groupby(placed, key=lambda pair: bool(pair[1].path)):
        if not has_path:
            yield from _list_marked_headings(list(run))
            path = ()
            continue
        for start, piece in run:
            for level in range(_count_shared(path, piece.path), len(piece.path)):
                yield Heading(level + 1, piece.path[level], start, start)
            path = piece.path


def _list_marked_headings(run: Sequence[tuple[int, TextPiece]]) -> Iterator[Heading]:
    """Yield the Markdown headings of pieces in a row: a code fence may be open across them."""
    begun = run[0][0]
    for heading in Markdown(BETWEEN.join(piece.text for _, piece in run)).headings:
        start, end = begun + heading.start, begun + heading.end
        yield Heading(heading.level, heading.title, start, end)


def _count_shared(before: tuple[str, ...], path: tuple[str, ...]) -> int:
    """Return how many headings of a path are open already; the same path again opens none."""
    same = 0
    for own, other in zip(before, path, strict=False):
        if own != other:
            break
        same += 1
    # A piece right at a heading above, after one below it, begins that heading's section again.
    return same - 1 if same == len(path) < len(before) else same


def _part(piece: TextPiece, start: int, end: int) -> TextPart:
    text = piece.text[start:end]
    citation = piece.cited(start) if piece.cited else ""
    return TextPart(piece.source, piece.contributor, piece.created_at, start, end, text, citation)
