"""What a reader sees of a line: its words, without the marks around them."""

from __future__ import annotations

import re
from typing import Final

_MARKUP: Final = (
    (re.compile(r"!?\[([^\[\]]{0,200})\](?:\([^()\n]{0,200}\)|\[[^\[\]\n]{0,100}\])"), r"\1"),
    (re.compile(r"</?[A-Za-z][^<>]{0,200}>"), ""),
    (re.compile(r"(?<!\\)(?:`{1,3}|\*{1,3}|~~)"), ""),
    (re.compile(r"(?<!\w)_{1,2}(?=\w)([^_]{1,200})(?<=\w)_{1,2}(?!\w)"), r"\1"),
    (re.compile(r"\\([!-/:-@\[-`{-~])"), r"\1"),
)


def strip_markup(line: str) -> str:
    """Return a line as a reader sees it: links by their words, no tags and no marks."""
    for markup, words in _MARKUP:
        line = markup.sub(words, line)
    return " ".join(line.split())
