"""Headings of reStructuredText: a title above a line of one sign that is as long or longer.

Markdown knows two of these signs, and takes `~~~~` for the fence of a code block that is never
closed. A text with titles between two lines, or above other signs, is read as reStructuredText:
the first kind of line to appear is the topmost level.

Source: reStructuredText Markup Specification, Sections.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import accumulate
from typing import Final, NamedTuple

_RULE: Final = re.compile(r"^([=\-~^\"'`*+#:])\1{2,}[ \t]*$", re.MULTILINE)
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
