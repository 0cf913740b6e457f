"""Writes what the phases decided in `context.md`: small pieces of Markdown. Pure.

What sources say is always a block quote, so that no line of theirs can begin a section, close a
table or pass for a decision.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from wellworn.domain.turns.links import escape_links
from wellworn.kit.neutralising import neutralise

_TWO_DAYS_H = 48
_BLANKS = re.compile(r"\s+")
_QUOTE_MARK = re.compile(r"^> ?", re.MULTILINE)


def format_table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a table; empty without rows."""
    lines = [f"| {' | '.join(map(format_cell, row))} |" for row in rows]
    if not lines:
        return ""
    rule = "|".join("---" for _ in head)
    return "\n".join([f"| {' | '.join(head)} |", f"|{rule}|", *lines])


def format_cell(value: object) -> str:
    return format_words(str(value)).replace("|", "\\|") or "-"


def format_line(text: str) -> str:
    """Return a text on one line, without what shows nothing or commands a terminal."""
    return _BLANKS.sub(" ", neutralise(text)).strip()


def format_words(text: str) -> str:
    """Return a text on one line of a document, in which only our own links lead into the vault."""
    return escape_links(format_line(text))


def format_quote(text: str) -> str:
    """Return a text as a block quote."""
    lines = escape_links(neutralise(text)).strip().split("\n")
    return "\n".join(f"> {line}".rstrip() for line in lines)


def strip_quote_marks(text: str) -> str:
    """Return a text without the marks of block quotes."""
    return _QUOTE_MARK.sub("", text)


def format_field(name: str, value: object) -> str:
    return f"**{name}:** {format_words(str(value))}"


def format_list(items: Iterable[str], *, none: str = "None") -> str:
    lines = [f"{number}. {format_words(item)}" for number, item in enumerate(items, 1)]
    return "\n".join(lines) or none


def join_blocks(*blocks: str) -> str:
    """Return the blocks that are not empty, with an empty line between them."""
    return "\n\n".join(block.strip("\n") for block in blocks if block.strip())


def format_share(share: float) -> str:
    return f"{share:.2f}"


def format_age(moment: float, now: float) -> str:
    """Return how long ago a moment in epoch seconds was."""
    hours = max(0.0, now - moment) / 3600
    return f"{hours:.1f} hours" if hours < _TWO_DAYS_H else f"{hours / 24:.0f} days"


def count_words(text: str) -> int:
    return len(text.split())
