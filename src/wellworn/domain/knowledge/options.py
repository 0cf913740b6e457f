"""Tables of options: what stands in the columns beside their names, such as their defaults.

A table that has a column of defaults says of each option its type, whether it is required, and its
variable, too.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Final

from wellworn.domain.knowledge.claims import (
    DETAIL,
    FactSpan,
    TypedSpan,
    build_claims,
    is_placeholder,
)
from wellworn.domain.knowledge.entities import Subject, is_special, plain, term
from wellworn.domain.knowledge.grids import Grid, name_of
from wellworn.kit.markdown import TableCell
from wellworn.kit.words import load_phrases

_OPTION: Final = r"(?:--?)?[A-Za-z_][\w.-]{0,60}"
_FLAG: Final = re.compile(rf"(?:^|(?<=, )){_OPTION}")
_NAMING: Final = re.compile(rf"(?:(?:{load_phrases(__name__, 'option_columns')})s?(?: |$))+")
_STATING: Final = re.compile(
    r"(?P<default>defaults?(?: values?)?)|(?P<type>(?:data )?type)|(?P<required>required)"
    r"|(?P<environment_variable>env(?:ironment)?(?: var(?:iable)?)?)"
)
OPTION_ATTRIBUTES: Final = ("default", "type", "required", "environment variable")
"""Attributes of options; they are no names unless they are written in one word."""
_CELL: Final = re.compile(
    r"`(?P<mark>[\"']?)(?P<code>[^`\n]{1,60}?)(?P=mark)`"
    r"|(?P<quote>[\"']?)(?P<bare>[^`<\n]{1,60}?)(?P=quote)"
)
_VARIABLE: Final = re.compile(r"[A-Z][A-Z0-9]*_[A-Z0-9_]+")
#: Words of a cell where there is no value.
_NOTHING: Final = re.compile(
    rf"\W*|x|\W*(?:{load_phrases(__name__, 'no_values')}"
    r"|no default|required|mandatory|optional|see)\b.*"
)
_COMPOUND: Final = re.compile(r"-\w\w|\w[-_.]\w|[a-z][A-Z]")
_MOST_WORDS: Final = 4


def find_option_claims(grid: Grid, text: str) -> Iterator[FactSpan]:
    """Yield what a table states of the options that one of its columns names."""
    columns = [term(name_of(cell)) for cell in grid.head]
    naming = next((place for place, name in enumerate(columns) if _NAMING.fullmatch(name)), None)
    stating = {
        place: (match.lastgroup or "").replace("_", " ")
        for place, name in enumerate(columns)
        if place != naming and (match := _STATING.fullmatch(name))
    }
    if naming is None or "default" not in stating.values():
        return
    named = [
        (row, _list_options(row.cells[naming]))
        for row in grid.rows
        if len(row.cells) == len(columns)
    ]
    rows_of = Counter(name for _, names in named for name in names)
    for row, names in named:
        # What several rows name is one thing in several cases.
        for name in (name for name in names if rows_of[name] == 1):
            for place, attribute in stating.items():
                value = _find_stated(row.cells[place], attribute, text)
                if value is not None:
                    yield from build_claims(
                        Subject(name), attribute, value, snippet=row.span, confidence=0.9
                    )


def _list_options(cell: TableCell) -> list[str]:
    """Return the options that a cell names: a first one, and other flags for it."""
    first, *others = [*re.split(r"[\s,]+", plain(cell.text)), ""]
    names = [first, *(name for name in others if name.startswith("-"))]
    if others and not all(name.startswith(("-", "<", "(")) for name in others if name):
        return []
    return [
        term(name)
        for name in names
        if re.fullmatch(_OPTION, name)
        and len(name.strip("-")) > 1
        and (_COMPOUND.search(name) or is_special(name))
    ]


def _find_stated(cell: TableCell, attribute: str, text: str) -> TypedSpan | None:
    """Return the value in a cell; None where it has none, or one for each of several cases."""
    match = _CELL.fullmatch(text, cell.start, cell.end)
    if match is None:
        return None
    group = "bare" if match["code"] is None else "code"
    value, bare = match[group], match["bare"] or ""
    if _NOTHING.fullmatch(value.casefold()) or is_placeholder(value):
        return None
    if len(bare.split()) > _MOST_WORDS or "](" in bare:
        return None
    if attribute == "environment variable" and not _VARIABLE.fullmatch(value):
        return None
    return TypedSpan(DETAIL, *match.span(group))
