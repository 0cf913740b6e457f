"""Sections keep to their limit of words; what identifies, counts and cites survives every cut.

A text that an engine made shorter is taken only if every identifier, number, address and citation
of the long one still stands in it. Otherwise whole items are dropped, oldest first, and a line says
how many.

What is no list of items gives way line by line, the longest first: fields and decisions are short.

Source: the specification of document IO, section 3.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import accumulate, count, takewhile
from typing import Final

from wellworn.domain.turns.sections import count_words, join_blocks

_KEPT: Final = re.compile(
    r"https?://[^\s)>\]|]+"
    r"|\[E?\d+\]"
    r"|\^[\w-]+"
    r"|\b\w*\d[\w.:/-]*\w\b|\b\d\b"
    r"|\b\w+(?:[._/-]\w+)+\b"
)

_LABEL: Final = re.compile(r"(?:> ?)*(?:(?:[-*] |\d+\. )|\*\*[^*\n]+:\*\* )?")
_BLOCK: Final = re.compile(r"(?: \^[\w-]+)?\Z")
_ITEM: Final = re.compile(r"> |[-*] |\d+\. ")
_SHORTEST_LINE: Final = 12
_NOTICE: Final = 20
"""Words that are set aside to say what was left out."""
Compressor = Callable[[str, int], str | None]


def keep_words(_text: str, _most_words: int) -> None:
    """Say nothing in other words."""


def list_kept(text: str) -> set[str]:
    """Return what a shorter version of a text must not lose."""
    return set(_KEPT.findall(text))


def loses_nothing(text: str, shorter: str) -> bool:
    """Tell whether every identifier, number, address and citation survives."""
    remaining = list_kept(shorter)
    return all(part in remaining or part in shorter for part in list_kept(text))


def fit_section(
    head: str,
    items: Sequence[str],
    tail: str,
    *,
    most_words: int,
    compress: Compressor,
) -> str:
    """Return a section of at most `most_words`; only items give way, oldest first."""
    whole = join_blocks(head, *items, tail)
    if count_words(whole) <= most_words:
        return whole
    room = most_words - count_words(head) - count_words(tail)
    body = join_blocks(*items)
    if shorter := _compress(body, room, compress):
        return join_blocks(head, shorter, tail)
    return join_blocks(head, *_drop_oldest(items, room), tail)


def _compress(text: str, most_words: int, compress: Compressor) -> str | None:
    """Return a shorter text that loses nothing; None without one."""
    shorter = compress(text, most_words) if most_words > 0 else None
    if shorter is None or count_words(shorter) > most_words or not loses_nothing(text, shorter):
        return None
    return shorter


def _drop_oldest(items: Sequence[str], room: int) -> list[str]:
    remaining = list(items)
    while remaining and sum(map(count_words, remaining)) + 12 > room:
        remaining.pop(0)
    dropped = len(items) - len(remaining)
    return [f"_{dropped} of {len(items)} items were left out here, the oldest first._", *remaining]


def fit_start(text: str, *, most_words: int, compress: Compressor) -> str:
    """Return a text of about `most_words`: shorter, or else without its last lines, and says so."""
    if count_words(text) <= most_words:
        return text
    if shorter := _compress(text, most_words, compress):
        return shorter
    lines = text.split("\n")
    ends = accumulate(map(count_words, lines))
    first = max(1, sum(end <= most_words - _NOTICE for end in ends))
    notice = f"_{len(lines) - first} of {len(lines)} lines were left out here, the last ones._"
    return "\n".join([*lines[:first], "", notice] if first < len(lines) else lines)


def fit_lines(section: str, *, most_words: int, compress: Compressor) -> str:
    """Return a section of at most `most_words`, with its heading and the names of its fields.

    Its longest lines are shortened; where that is not enough, list items and quoted lines are
    dropped, oldest first.
    """
    if count_words(section) <= most_words:
        return section
    lines, room = section.split("\n"), most_words - _NOTICE
    longest = _find_longest([count_words(line) for line in lines], room)
    cut = [_shorten_line(line, longest, compress) for line in lines]
    return "\n".join(_drop_lines(cut, room))


def _find_longest(words: Sequence[int], room: int) -> int:
    """Return how many words a line may have so that all fit; never too few to say something."""
    fitting = takewhile(
        lambda most: sum(min(each, most) for each in words) <= room, count(_SHORTEST_LINE)
    )
    return max(fitting, default=_SHORTEST_LINE)


def _shorten_line(line: str, most_words: int, compress: Compressor) -> str:
    """Return a line without its last words, and how many these are; its block id stays."""
    if count_words(line) <= most_words:
        return line
    label, [block] = _LABEL.match(line), _BLOCK.findall(line)
    label = label[0] if label else ""
    text = line[len(label) : len(line) - len(block)]
    room = most_words - count_words(label) - count_words(block)
    shorter = _compress(text, room, compress)
    if shorter is None or "\n" in shorter:
        words = text.split()
        first = max(1, room - 4)
        shorter = f"{' '.join(words[:first])} … _({len(words) - first} words more)_"
    return f"{label}{shorter}{block}"


def _drop_lines(lines: Sequence[str], room: int) -> list[str]:
    """Return the lines that fit; whatever is no item stays."""
    items = [place for place, line in enumerate(lines) if _ITEM.match(line)]
    excess = sum(map(count_words, lines)) - room
    dropped: set[int] = set()
    for place in items:
        if excess <= 0:
            break
        dropped.add(place)
        excess -= count_words(lines[place])
    if not dropped:
        return list(lines)
    notice = f"_{len(dropped)} lines were left out here, the oldest first._"
    first = min(dropped)
    remaining = [line for place, line in enumerate(lines) if place not in dropped]
    return [*remaining[:first], notice, "", *remaining[first:]]
