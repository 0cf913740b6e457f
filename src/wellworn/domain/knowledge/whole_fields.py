"""Values as their cell, item or setting states them: bare, or with all else that it says.

Whatever holds a value, it is read in one way: first identifiers, then what the name gives a form.

"10.4.4.1 (old)", "22→2222" and "10.4.4.8?" say more than a value, and no form tells what more is:
such a value is stated from where it begins to where its field ends. Where words stand before it,
the complete field is what is stated.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final, NamedTuple

from wellworn.domain.knowledge.claims import (
    IdentifierIndex,
    TypedSpan,
    find_named_value,
    find_typed_value,
    is_placeholder,
    name_value,
)

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
#: Between the ports of a list.
_NEXT: Final = re.compile(r"[ \t]*[,;/][ \t]*(?=\d)")


class FieldValue(NamedTuple):
    """A value that a field states: what it is called, where all of it stands, how sure it is."""

    name: str
    span: TypedSpan
    is_typed: bool


def read_field(
    evidence: IdentifierIndex,
    field: tuple[int, int],
    name: str,
    *,
    until: int = 0,
    is_column: bool = False,
    is_free: bool = False,
) -> list[FieldValue]:
    """Return the values that a field states, as they are stated.

    Args:
        evidence: the document's text and its identifiers.
        field: where the cell, the item behind its name, or the setting stands.
        name: what it is called; empty for what an identifier alone says.
        until: where what belongs to the value ends, if that is in another line.
        is_column: whether the name heads a column.
        is_free: whether a few words under any name are a value.
    """
    if field[0] >= field[1]:
        return []
    text = evidence.text
    found = (find_typed_value(each, name, text) for each in evidence.find_values(*field))
    typed = [value for value in found if value is not None]
    values = typed
    if not typed and name:
        values = [*_find_named(text, field, name, is_column=is_column, is_free=is_free)]
    if not values:
        return []
    until = max([until, field[1], *(value.end for value in values)])
    return [
        FieldValue(name_value(name, bare, text), whole, bool(typed))
        for bare, whole in state_whole(text, (field[0], until), values)
        if typed or not is_placeholder(text[whole.start : whole.end])
    ]


def _find_named(
    text: str, field: tuple[int, int], name: str, *, is_column: bool, is_free: bool
) -> Iterator[TypedSpan]:
    """Yield the value that its name gives a type to, and of ports all that are listed."""
    at, end = field
    while named := find_named_value(name, text, at, end, is_column=is_column, is_free=is_free):
        yield named
        following = _NEXT.match(text, named.end, end)
        if named.fact_type != "port" or following is None:
            return
        at = following.end()


def state_whole(
    text: str, field: tuple[int, int], values: Sequence[TypedSpan]
) -> list[tuple[TypedSpan, TypedSpan]]:
    """Return values by themselves, each with what of its field is stated as it.

    Of a field that says more, the first value of each type brings all that follows it.
    """
    start, end = _trim(text, *field)
    if _is_bare(text, start, end, values):
        return [(each, each) for each in values]
    first: dict[str, TypedSpan] = {}
    for each in values:
        first.setdefault(each.fact_type, each)
    return [
        (each, replace(each, start=_find_lead(text, start, each, values), end=end))
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
