"""The blocks of a Markdown text, from the parser's events; the only module that knows the parser.

The parser counts bytes of UTF-8; blocks count characters. An indented block is read once more as
Markdown, as the body of an admonition is: `!!! note`, a blank line, and text indented by four.
Code shown in that way hardly ever holds a table or a closed fence, and no headings are read in it.

A heading of reStructuredText is a title above a line of one sign that is as long or longer.
Markdown knows two of these signs, and reads `~~~~` as the fence of a code block that is never
closed. A text with titles between two lines, or above other signs, is read as reStructuredText:
the first kind of line to appear is the topmost level.

Source: pulldown-cmark, `Parser::into_offset_iter`; Material for MkDocs, admonitions;
reStructuredText Markup Specification, Sections.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum, auto
from itertools import accumulate, pairwise
from typing import Final, NamedTuple

from pyromark import Markdown, Options
from pyromark.event import Event, Range

_PARSER: Final = Markdown(options=Options.ENABLE_TABLES)
_DEEPEST: Final = 8
"""The most times an indented block is read again in an indented block."""
_CONTINUATION: Final = bytes(range(0x80, 0xC0))
_WORDLESS_MARKS: Final = ("!!!", "???", "===", "<")
#: A line that begins an admonition or a tab, or is a component of MDX: what follows is Markdown.
_WORDLESS: Final = re.compile(
    r"^[ \t]*(?:(?:!!!|\?\?\?)\+?[ \t]+[\w\"][^\n]*|===[+!]?[ \t]+\"[^\n]*"
    r"|</?[A-Z][^\Wa-z]*+[a-z]\w*+(?:[ \t][^<>\n]*)?>[ \t]*$)",
    re.MULTILINE,
)


class BlockKind(Enum):
    HEADING = auto()
    FENCE = auto()
    INDENTED = auto()
    ITEM = auto()
    TABLE = auto()
    ROW = auto()
    CELL = auto()


class Block(NamedTuple):
    """A block and its span; `level` is a heading's, 1 for the topmost."""

    kind: BlockKind
    start: int
    end: int
    level: int = 0


@dataclass(frozen=True, slots=True)
class HtmlPiece:
    """HTML in a Markdown text: a full block, without what quotes or indents it, or one tag.

    One that `is_in_line` stands in a table or a heading, which a line end would break; one that
    `is_in_row` in a row below the head of a table.
    """

    start: int
    end: int
    html: str
    is_block: bool = False
    is_in_line: bool = False
    is_in_row: bool = False


_KINDS: Final = {
    "Item": BlockKind.ITEM,
    "TableHead": BlockKind.ROW,
    "TableRow": BlockKind.ROW,
    "TableCell": BlockKind.CELL,
}


#: A tuple: an enumeration's members are slow to hash.
_OF_ONE_LINE: Final = (BlockKind.TABLE, BlockKind.HEADING, BlockKind.ROW)


def read_blocks(text: str, start: int = 0) -> list[Block]:
    """Return the blocks of a text from `start` on, in order."""
    # A character for a character, so that spans stay; the bullet is that of other programs' lists.
    words = text[start:].replace("\u2022", "*")
    if any(mark in text for mark in _WORDLESS_MARKS):
        words = _WORDLESS.sub(lambda line: " " * len(line[0]), words)
    words, levels = read_underlined(words)
    source = words.encode("utf-8", "replace")
    blocks = list(_read(source, 0))
    if not (start or levels) and text.isascii():
        return blocks
    place = _count_characters(source, [at for block in blocks for at in (block.start, block.end)])
    return [
        Block(
            block.kind,
            start + place[block.start],
            start + place[block.end],
            levels.get(place[block.start], block.level),
        )
        for block in blocks
    ]


def read_html_pieces(text: str) -> list[HtmlPiece]:
    """Return the HTML of a text that is no code, in order; the tags of a line one by one."""
    source = _WORDLESS.sub(lambda line: " " * len(line[0]), text).encode("utf-8", "replace")
    pieces: list[HtmlPiece] = []
    block: list[str] | None = None
    line_end = row_end = 0
    for event, span in _PARSER.events_with_range(source.decode()):
        if event == {"Start": "HtmlBlock"}:
            block = []
        elif event == {"End": "HtmlBlock"} and block is not None:
            pieces.append(HtmlPiece(span["start"], span["end"], "".join(block), is_block=True))
            block = None
        elif isinstance(event, str):
            continue
        elif _kind(event)[0] in _OF_ONE_LINE:
            line_end = max(line_end, span["end"])
            row_end = span["end"] if event == {"Start": "TableRow"} else row_end
        elif block is not None:
            block.append(event.get("Html") or event.get("Text") or "")
        elif "InlineHtml" in event:
            start, html = span["start"], event["InlineHtml"]
            piece = HtmlPiece(start, span["end"], html, is_in_line=start < line_end)
            pieces.append(replace(piece, is_in_row=start < row_end))
    place = _count_characters(source, [at for piece in pieces for at in (piece.start, piece.end)])
    return [replace(piece, start=place[piece.start], end=place[piece.end]) for piece in pieces]


def _count_characters(source: bytes, offsets: Sequence[int]) -> dict[int, int]:
    """Return how many characters begin before each offset."""
    ordered = sorted({0, *offsets})
    stretches = (source[start:end] for start, end in pairwise([0, *ordered]))
    counts = accumulate(len(stretch.translate(None, _CONTINUATION)) for stretch in stretches)
    return dict(zip(ordered, counts, strict=True))


def _read(source: bytes, depth: int) -> Iterator[Block]:
    """Yield blocks with offsets in bytes."""
    events = _PARSER.events_with_range(source.decode())
    for event, span in events:
        # Most events are words; to ask first is a quarter quicker.
        kind, level = _kind(event) if "Start" in event else (None, 0)
        if kind is BlockKind.INDENTED:
            yield from _read_indented(list(_lines(events)), depth + 1)
        elif kind is not None:
            block = Block(kind, span["start"], span["end"], level)
            if not depth or _is_kept_inside(source, block):
                yield block


def _lines(events: Iterator[tuple[Event, Range]]) -> Iterator[tuple[int, bytes]]:
    """Yield the offsets and the lines of the code block that is open."""
    for event, span in events:
        if isinstance(event, str) or "Text" not in event:
            return
        yield span["start"], event["Text"].encode()


def _kind(event: Event) -> tuple[BlockKind | None, int]:
    """Return the kind of block that an event begins, and the level of a heading."""
    if isinstance(event, str) or "Start" not in event:
        return None, 0
    tag = event["Start"]
    if isinstance(tag, str):
        return _KINDS.get(tag), 0
    if "Heading" in tag:
        return BlockKind.HEADING, int(tag["Heading"]["level"][1])
    if "CodeBlock" in tag:
        return BlockKind.INDENTED if tag["CodeBlock"] == "Indented" else BlockKind.FENCE, 0
    return BlockKind.TABLE if "Table" in tag else None, 0


def _is_kept_inside(source: bytes, block: Block) -> bool:
    """Tell whether a block of an indented block counts as one: no heading, no open fence."""
    if block.kind is not BlockKind.FENCE:
        return block.kind is not BlockKind.HEADING
    first, _, rest = source[block.start : block.end].strip().partition(b"\n")
    return first[:3] == rest.rpartition(b"\n")[2].lstrip()[:3]


def _read_indented(lines: Sequence[tuple[int, bytes]], depth: int) -> Iterator[Block]:
    """Yield what the lines of an indented block hold; each comes with its offset outside."""
    if depth > _DEEPEST:
        return
    begins = [0, *accumulate(len(line) for _, line in lines)]

    def outside(at: int, number: int) -> int:
        start, line = lines[number]
        return start + min(at - begins[number], len(line))

    for block in _read(b"".join(line for _, line in lines), depth):
        start = outside(block.start, bisect_right(begins, block.start, hi=len(lines)) - 1)
        end = outside(block.end, max(0, bisect_left(begins, block.end, hi=len(lines)) - 1))
        yield Block(block.kind, start, max(start, end))


_RULES: Final = "=-~^\"'`*+#:"
# Each sign by itself: a line of a million is gone through much faster so.
_RULE: Final = re.compile(
    rf"^(?:{'|'.join(f'{re.escape(sign)}{{3,}}' for sign in _RULES)})[ \t]*$", re.MULTILINE
)
_OF_MARKDOWN: Final = "=-"
_FENCE: Final = "```"


class Underlined(NamedTuple):
    """A text whose headings Markdown reads, and their levels by where the titles begin."""

    text: str
    levels: Mapping[int, int]


def read_underlined(text: str) -> Underlined:
    """Return a text with other signs below its titles; every character stays where it is."""
    if _FENCE in text or not _RULE.search(text):
        return Underlined(text, {})
    lines = text.splitlines(keepends=True)
    starts = list(accumulate(map(len, lines), initial=0))
    styles: dict[tuple[str, bool], int] = {}
    levels: dict[int, int] = {}
    for number in range(1, len(lines)):
        if not _is_below_title(lines, number):
            continue
        above = number - 2 if _is_above_title(lines, number) else None
        style = (lines[number][0], above is not None)
        title = lines[number - 1]
        levels[starts[number - 1] + len(title) - len(title.lstrip())] = styles.setdefault(
            style, len(styles) + 1
        )
        lines[number] = _fill(lines[number], "-")
        if above is not None:
            lines[above] = _fill(lines[above], " ")
    is_plain = all(sign in _OF_MARKDOWN and not has_two for sign, has_two in styles)
    return Underlined(text, {}) if is_plain else Underlined("".join(lines), levels)


def _is_below_title(lines: list[str], number: int) -> bool:
    """Tell whether a line is a rule below a title that has nothing else above it."""
    rule, title = lines[number].rstrip(), lines[number - 1].rstrip()
    if not _RULE.match(rule) or not title.strip() or _RULE.match(title):
        return False
    is_free = number == 1 or not lines[number - 2].strip()
    return len(rule) >= len(title) and (is_free or _is_above_title(lines, number))


def _is_above_title(lines: list[str], number: int) -> bool:
    """Tell whether the same rule stands above the title, too."""
    return (
        number > 1
        and lines[number - 2].rstrip() == lines[number].rstrip()
        and not "".join(lines[max(number - 3, 0) : number - 2]).strip()
    )


def _fill(line: str, sign: str) -> str:
    """Return a line of another sign, as long as before."""
    rule = line.rstrip()
    return sign * len(rule) + line[len(rule) :]
