"""The stretches of a text that may be quoted: runs of whole parts that are no longer than wanted.

Parts are sentences, list items with what belongs to them, table rows and blocks of code. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

_START: Final = r"[ \t]*(?:[-*+|#]|\d+[.)]|```|~~~|$)"
_PART: Final = re.compile(
    r"^[ \t]*(?P<fence>```|~~~)[\s\S]*?(?:^[ \t]*(?P=fence)[^\n]*$|\Z)"
    rf"|^[^\n]*\S[^\n]*(?:\n(?!{_START})[^\n]+)*",
    re.MULTILINE,
)
_LINE_END: Final = re.compile(r"\n+")
_SENTENCE_END: Final = re.compile(r"(?<=[.!?])\s+")
_LONG_PART: Final = 200
"""A longer part is quoted in sentences."""


def list_stretches(text: str, most_characters: int) -> list[tuple[int, int]]:
    """Return where the stretches begin and end, each as long as may be; none is part of another.

    A single line or sentence may be longer than that.
    """
    parts = list(_list_parts(text, most_characters))
    stretches: list[tuple[int, int]] = []
    for place, (start, _) in enumerate(parts):
        ends = [end for _, end in parts[place:] if end - start <= most_characters]
        end = ends[-1] if ends else parts[place][1]
        if not stretches or end > stretches[-1][1]:
            stretches.append((start, end))
    return stretches


def _list_parts(text: str, most_characters: int) -> Iterator[tuple[int, int]]:
    for match in _PART.finditer(text):
        is_code = match["fence"] is not None
        if len(match.group()) <= (most_characters if is_code else _LONG_PART):
            yield match.span()
            continue
        start = match.start()
        for end in (_LINE_END if is_code else _SENTENCE_END).finditer(text, *match.span()):
            yield start, end.start()
            start = end.end()
        yield start, match.end()
