"""Values as their cell, item or setting states them: bare, or with all else that it says.

"10.4.4.1 (old)", "22→2222" and "10.4.4.8?" say more than a value, and no form tells what more is:
such a value is stated from where it begins to where its field ends. Where words stand before it,
the whole field is what is stated.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final, NamedTuple

from wellworn.domain.knowledge.claims import TypedSpan

_VALUE: Final = "\0"
#: Nothing but values, marks, what parts the values of a list, and a full stop: links by their
#: address or, if that is the value, by their label.
_BARE: Final = re.compile(
    rf"(?:\]\([^()\s{_VALUE}]{{1,400}}\)|(?<=\[)[^\[\]{_VALUE}]{{1,200}}\]\({_VALUE}\)|<{_VALUE}>"
    rf"|</?[a-zA-Z][^<>{_VALUE}]{{0,100}}>|{_VALUE}|[\s`*_\"',;:/\[\]])*+\.?\s*+"
)
_MARKS: Final = "`*_\"'<["
_PAIRED: Final = "`*_\"'"
_MOST_MARKS: Final = 3


class StatedValue(NamedTuple):
    """A value by itself, and what of its field is stated as it."""

    bare: TypedSpan
    whole: TypedSpan


def state_whole(
    text: str, field: tuple[int, int], values: Sequence[TypedSpan]
) -> list[StatedValue]:
    """Return values as they are stated.

    Of a field that says more, the first value of each type brings all that follows it.

    Args:
        text: the document's.
        field: where the cell, the item behind its name, or the setting stands.
        values: those in it, in order.
    """
    start, end = _trim(text, *field)
    if _is_bare(text, start, end, values):
        return [StatedValue(each, each) for each in values]
    first: dict[str, TypedSpan] = {}
    for each in values:
        first.setdefault(each.fact_type, each)
    return [
        StatedValue(each, replace(each, start=_find_lead(text, start, each, values), end=end))
        for each in first.values()
    ]


def _is_bare(text: str, start: int, end: int, values: Sequence[TypedSpan]) -> bool:
    """Tell whether a stretch says nothing but values."""
    pieces: list[str] = []
    for each in values:
        if start <= each.start and each.end <= end:
            pieces += text[start : each.start], _VALUE
            start = each.end + len(_read_kind(text[each.end : end], each.fact_type))
    return _BARE.fullmatch("".join([*pieces, text[start:end]])) is not None


def _read_kind(behind: str, kind: str) -> str:
    """Return the word behind a value that says of which kind it is: "X-Token header"."""
    word = behind[: len(kind) + 1]
    is_whole = not behind[len(word) :][:1].isalnum()
    return word if word.casefold() == f" {kind}" and is_whole else ""


def _find_lead(text: str, start: int, value: TypedSpan, values: Sequence[TypedSpan]) -> int:
    """Return where what is stated begins: with the value and its marks, or with the field."""
    before = [each for each in values if each.end <= value.start]
    lead = value.start
    while lead > start and text[lead - 1] in _MARKS:
        lead -= 1
    return lead if _is_bare(text, start, lead, before) else start


def _trim(text: str, start: int, end: int) -> tuple[int, int]:
    """Return a stretch without blanks and marks around all of it."""
    while start < end and text[start].isspace():
        start += 1
    while start < end and text[end - 1].isspace():
        end -= 1
    for _ in range(_MOST_MARKS):
        mark = text[start : start + 1]
        is_around = end - start > 1 and mark in _PAIRED and text[end - 1] == mark
        if not is_around or mark in text[start + 1 : end - 1].strip(mark):
            break
        start, end = start + 1, end - 1
    return start, end
