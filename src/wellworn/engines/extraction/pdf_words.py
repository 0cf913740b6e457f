"""Joins words that the lines of a PDF break, with the hyphen where it belongs to the word.

A hyphen that ends a line is one of the word's own if the word holds another one, a digit or a sign,
as compounds, models, ranges and addresses do; or if the document writes it so within a line. All
others only mark the break.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

_BREAK: Final = re.compile(r"(?P<before>\S*[^\W_])[-\u2010\u00ad]\n(?P<after>[^\W_]\S*)")
_ENDS: Final = "()[]{}<>\"'\u201c\u201d\u2018\u2019\u00ab\u00bb.,;:!?"
_COMPOUND: Final = re.compile(r"[^\W\d_]+(?:[-\u2010][^\W\d_]+)+")


def find_compounds(texts: Iterable[str]) -> frozenset[str]:
    """Return the words that are written with a hyphen within a line, in small letters."""
    return frozenset(
        word.replace("\u2010", "-").casefold() for text in texts for word in _COMPOUND.findall(text)
    )


def join_lines(lines: Sequence[str], compounds: frozenset[str]) -> str:
    """Return the lines of a paragraph, in which no word goes over a line end."""
    return _BREAK.sub(lambda match: _join(match, compounds), "\n".join(lines))


def _join(match: re.Match[str], compounds: frozenset[str]) -> str:
    before, after = match["before"], match["after"]
    word, rest = before.lstrip(_ENDS), after.rstrip(_ENDS)
    is_broken = (
        word.isalpha()
        and rest.isalpha()
        and rest.islower()
        and f"{word}-{rest}".casefold() not in compounds
    )
    return f"{before}{'' if is_broken else '-'}{after}"
