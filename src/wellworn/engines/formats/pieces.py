"""Cuts long text into pieces that read well alone; pure."""

from __future__ import annotations

import re
from collections.abc import Iterator

_PARAGRAPHS = re.compile(r"\n[ \t]*\n")


def split_into_pieces(text: str, longest: int) -> list[str]:
    """Cut text between paragraphs, or where one is too long between words, at `longest`."""
    pieces: list[str] = []
    for paragraph in _paragraphs(text, longest):
        if pieces and len(pieces[-1]) + 2 + len(paragraph) <= longest:
            pieces[-1] = f"{pieces[-1]}\n\n{paragraph}"
        else:
            pieces.append(paragraph)
    return pieces


def _paragraphs(text: str, longest: int) -> Iterator[str]:
    for paragraph in _PARAGRAPHS.split(text):
        rest = paragraph.strip()
        while len(rest) > longest:
            end = max(rest.rfind(" ", 0, longest), rest.rfind("\n", 0, longest))
            end = end if end > longest // 2 else longest
            yield rest[:end].rstrip()
            rest = rest[end:].lstrip()
        if rest:
            yield rest


def replace_unstorable(text: str) -> str:
    """Return the text without what a store cannot hold: NUL, and unpaired surrogates."""
    return text.replace("\x00", "").encode("utf-8", "replace").decode()
