"""Sections keep to their limit of words; what identifies, counts and cites survives every cut.

A text that an engine made shorter is used only if every identifier, number, address and citation
of the long one still stands in it. Otherwise the most telling items stay, the next ones are
cut to what is left, and where not even a beginning of all fits, the least telling go. A line says
how many were cut.

What is no list of items gives way line by line, the longest first: fields and decisions are short.

Source: the specification of document IO, section 3.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Sequence
from itertools import accumulate, islice
from typing import Final

from wellworn.domain.turns.sections import count_words, join_blocks

_KEPT: Final = re.compile(
    r"https?://[^\s)>\]|]+"
    r"|\[E?\d+\]"
    r"|\^[\w-]+"
    r"|\b\w*\d[\w.:/-]*\w\b|\b\d\b"
    r"|\b\w+(?:[._/-]\w+)+\b"
)

_LABEL: Final = re.compile(r"(?:> ?){0,3}(?:[-*] |\d{1,9}\. |\*\*[^*\n]{1,40}:\*\* )?")
_BLOCK: Final = re.compile(r" \^[\w-]+\Z")
_ITEM: Final = re.compile(r"> |[-*] |\d+\. ")
_FIELD: Final = re.compile(r"#|\*\*")
_SECTION: Final = re.compile(r"^## ", re.MULTILINE)
_SHORTEST_LINE: Final = 12
_SHORTEST_ITEM: Final = 40
_SHORTEST_NOTICE: Final = 4
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
    rate: Callable[[str], float],
) -> str:
    """Return a section of at most `most_words`; only items give way, the least telling first.

    `rate` returns how telling an item is; of equals the later ones are.
    """
    whole = join_blocks(head, *items, tail)
    if count_words(whole) <= most_words:
        return whole
    room = most_words - count_words(head) - count_words(tail)
    if shorter := _compress(join_blocks(*items), room, compress):
        return join_blocks(head, shorter, tail)
    return join_blocks(head, *_fit_items(items, room - _NOTICE, rate), tail)


def _fit_items(items: Sequence[str], room: int, rate: Callable[[str], float]) -> list[str]:
    """Return the items that fit, in their order, each uncut or cut, after a line that says so."""
    words = [count_words(item) for item in items]
    ranked = sorted(range(len(items)), key=lambda place: (rate(items[place]), place), reverse=True)
    shares: dict[int, int] = {}
    for place in ranked:
        least = min(words[place], _SHORTEST_ITEM)
        if least <= room:
            shares[place] = least
            room -= least
    for place, least in shares.items():
        more = min(words[place] - least, room)
        shares[place] = least + more
        room -= more
    fitted = [_cut_item(items[place], shares[place]) for place in sorted(shares)]
    cut = sum(words[place] > share for place, share in shares.items())
    notice = (
        f"_{cut} of {len(items)} items were shortened here, and {len(items) - len(shares)} were"
        " left out, the least telling first._"
    )
    return [notice, *fitted]


def _cut_item(item: str, most_words: int) -> str:
    """Return an item of at most so many words."""
    return item if count_words(item) <= most_words else _cut_lines(item, most_words, keep_words)


def _compress(text: str, most_words: int, compress: Compressor) -> str | None:
    """Return a shorter text that loses nothing; None without one."""
    shorter = compress(text, most_words) if most_words > 0 else None
    if shorter is None or count_words(shorter) > most_words or _SECTION.search(shorter):
        return None
    return shorter if loses_nothing(text, shorter) else None


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
    return _cut_lines(section, most_words, compress)


def _cut_lines(text: str, most_words: int, compress: Compressor) -> str:
    """Return a text of at most so many words, with as much of each line as fits."""
    lines, room = text.split("\n"), max(0, most_words - _NOTICE)
    longest = _find_longest([count_words(line) for line in lines], room)
    cut = [_shorten_line(line, longest, compress) for line in lines]
    return "\n".join(_drop_lines(cut, room))


def _find_longest(words: Sequence[int], room: int) -> int:
    """Return how many words a line may have so that all fit; never too few to say something."""
    limits = range(_SHORTEST_LINE, max(_SHORTEST_LINE, room) + 1)
    fitting = bisect_right(limits, room, key=lambda most: sum(min(each, most) for each in words))
    return limits[max(0, fitting - 1)]


def _shorten_line(line: str, most_words: int, compress: Compressor) -> str:
    """Return a line without its last words; its block id and what identifies in them stay."""
    if count_words(line) <= most_words:
        return line
    label, block = _LABEL.match(line), _BLOCK.search(line)
    label, block = label[0] if label else "", block[0] if block else ""
    text = line.removesuffix(block)[len(label) :]
    room = most_words - count_words(label) - count_words(block)
    shorter = _compress(text, room, compress)
    if shorter is None or "\n" in shorter:
        shorter = _cut_words(text.split(), room)
    return f"{label}{shorter}{block}"


def _cut_words(words: Sequence[str], room: int) -> str:
    """Return the first words, how many follow, and numbers, names and addresses among those."""
    most = max(0, room // 4)
    first = max(1, room - most - _SHORTEST_NOTICE)
    left_out = " ".join(words[first:])
    named = list(islice(dict.fromkeys(_KEPT.findall(left_out)), most))
    names = f": {', '.join(named)}" if named else ""
    return f"{' '.join(words[:first])} … _({len(words) - first} words more{names})_"


def _drop_lines(lines: Sequence[str], room: int) -> list[str]:
    """Return the lines that fit: items go first, then what is no field; the first line stays."""
    excess = sum(map(count_words, lines)) - room
    dropped: set[int] = set()
    for place in sorted(range(1, len(lines)), key=lambda place: (_rank(lines[place]), place)):
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


def _rank(line: str) -> int:
    """Return how long a line stays where not all fit."""
    return 0 if _ITEM.match(line) else 2 if _FIELD.match(line) else 1
