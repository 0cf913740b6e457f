"""The stretches of a text that may be quoted: runs of full parts that are no longer than wanted.

Parts are sentences, list items with what belongs to them, table rows and blocks of code. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from wellworn.kit.markdown import TableHeads
from wellworn.kit.sentences import NOT_SHORT

_START: Final = r"[ \t]*(?:[-*+|#]|\d+[.)]|```|~~~|$)"
_PART: Final = re.compile(
    r"^[ \t]*(?P<fence>```|~~~)[\s\S]*?(?:^[ \t]*(?P=fence)[^\n]*$|\Z)"
    rf"|^[^\n]*\S[^\n]*(?:\n(?!{_START})[^\n]+)*",
    re.MULTILINE,
)
_LINE_END: Final = re.compile(r"\n+")
_SENTENCE_END: Final = re.compile(rf"(?<=[.!?]){NOT_SHORT}\s+(?![a-z])")
_FENCE: Final = re.compile(r"^[ \t]*(?:```|~~~)[^\n]*$", re.MULTILINE)
_ITEM: Final = re.compile(r"[ \t]*(?:[-*+]|\d+[.)])[ \t]")
_LONG_PART: Final = 200
"""A longer part is quoted in sentences."""


def list_stretches(
    text: str, most_characters: int, *, of: str = "", begin: int = 0
) -> list[tuple[int, int]]:
    """Return where the stretches begin and end, each as long as may be; none is part of another.

    Where it can, a stretch ends with a part, not within it. A single line or sentence may be longer
    than is wanted. `of` is a text that it is a part of, from `begin` on, with heads of its tables.
    """
    heads = TableHeads(of or text)
    pieces = [
        piece
        for part in _PART.finditer(text)
        for piece in _split(
            part, most_characters, is_row=heads.find(begin + part.end()) is not None
        )
    ]
    stretches: list[tuple[int, int]] = []
    for place, (start, own_end, _) in enumerate(pieces):
        fitting = [each for each in pieces[place:] if each[1] - start <= most_characters]
        whole = [end for _, end, is_last in fitting if is_last]
        end = (whole or [end for _, end, _ in fitting] or [own_end])[-1]
        if not stretches or end > stretches[-1][1]:
            stretches.append((start, end))
    return stretches


def _split(
    part: re.Match[str], most_characters: int, *, is_row: bool
) -> Iterator[tuple[int, int, bool]]:
    """Yield where the lines or the sentences of a long part stand, and whether each is its last.

    Lines of a table are parts of their own.
    """
    is_code = part["fence"] is not None
    start, last = part.span()
    if is_row and not is_code:
        for end in _LINE_END.finditer(part.string, start, last):
            yield start, end.start(), True
            start = end.end()
    elif last - start > (most_characters if is_code else _LONG_PART):
        for end in (_LINE_END if is_code else _SENTENCE_END).finditer(part.string, start, last):
            yield start, end.start(), False
            start = end.end()
    yield start, last, True


def list_sentences_at(text: str) -> list[tuple[int, int]]:
    """Return where sentences stand, and what else is said by itself: items, rows, code."""
    places: list[tuple[int, int]] = []
    for part in _PART.finditer(text):
        start = part.start()
        if part["fence"] is None and not part[0].lstrip().startswith("|"):
            for end in _SENTENCE_END.finditer(text, *part.span()):
                places.append((start, end.start()))
                start = end.end()
        places.append((start, part.end()))
    return places


def find_introduced_end(text: str, end: int, most_characters: int) -> int:
    """Return where the code ends that comes right after a place, or the list after a colon.

    What introduces something says little without it. What is longer than wanted is left out, a list
    from its first item that is.
    """
    is_announced = text[:end].rstrip().endswith(":")
    last = end
    for part in _PART.finditer(text, end):
        is_item = is_announced and _ITEM.match(part[0]) is not None
        is_code = last == end and part["fence"] is not None
        if not (is_item or is_code) or part.end() - end > most_characters:
            break
        last = part.end()
    return last


def find_header(text: str, place: int) -> tuple[int, int] | None:
    """Return where the header of the table stands, with its rule, that has a row at a place."""
    return TableHeads(text).find(place)


def drop_open_fence(text: str) -> str:
    """Return a quote without a code fence at its beginning or end that encloses nothing of it."""
    fences = list(_FENCE.finditer(text))
    if len(fences) % 2 == 0:
        return text
    if not text[fences[-1].end() :].strip():
        return text[: fences[-1].start()].rstrip()
    if not text[: fences[0].start()].strip():
        return text[fences[0].end() :].lstrip("\n")
    return text
