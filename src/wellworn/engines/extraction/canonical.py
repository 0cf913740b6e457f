"""The canonical text of a file of any kind, in which spans are character offsets.

What other programs might count differently (two-character line ends, NUL, unpaired surrogates) is
replaced before the first offset is computed.
"""

from __future__ import annotations

import re
from json import dumps, loads
from typing import Final

from wellworn.engines.extraction.kinds import CONFIGURATIONS, find_ending
from wellworn.kit.markdown import Markdown, blank_struck, strip_markup

_HALVES: Final = re.compile("[\ud800-\udfff]")
_LONGEST_TITLE: Final = 200
# What programs write when nobody named the document.
_STAND_IN: Final = re.compile(
    r"untitled(?: document)?|(?:word )?document\d{0,3}|microsoft word - .*"
    r"|\S+\.(?:docx?|tex|dvi|indd|pdf|ps)",
    re.IGNORECASE,
)
_NAMED_LETTERS: Final = re.compile(r"(?<!\\)((?:\\\\)*+)((?:\\u[0-9a-fA-F]{4})++)")
_JOINERS: Final = "\u200c\u200d"
_TOP: Final = 40_000
_TICKS: Final = re.compile("`+")
_NEWLINE: Final = "\n"


def canonical(text: str) -> str:
    """Return the text with single line feeds, and U+FFFD for NUL and for halves of characters."""
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    # Encoding is the quickest way to learn that there is nothing to replace.
    try:
        text.encode()
    except UnicodeEncodeError:
        text = _HALVES.sub("\ufffd", text)
    return text.replace("\x00", "\ufffd")


def fence(text: str, name: str) -> str:
    r"""Return a configuration as a code block, so that nothing in it is read as Markdown.

    Letters that JSON names by number (`caf\u00e9`), as many programs write it, are written out.
    """
    language = CONFIGURATIONS[find_ending(name)]
    text = _NAMED_LETTERS.sub(_write_out, text) if language == "json" else text
    longest = max((len(run) for run in _TICKS.findall(text)), default=0)
    marks = "`" * max(3, longest + 1)
    return f"{marks}{language}\n{text}{'' if text.endswith(_NEWLINE) else _NEWLINE}{marks}\n"


def _write_out(named: re.Match[str]) -> str:
    return named[1] + "".join(map(_write_letter, loads(f'"{named[2]}"')))


def _write_letter(letter: str) -> str:
    if letter.isascii():
        return f"\\u{ord(letter):04x}"
    return letter if letter.isprintable() or letter in _JOINERS else dumps(letter)[1:-1]


def shorten(text: str, *, most_characters: int) -> tuple[str, tuple[str, ...]]:
    """Cut the text to a limit, after a line if one ends near; return it, and a flag if cut."""
    if len(text) <= most_characters:
        return text, ()
    end = text.rfind("\n", most_characters // 2, most_characters) + 1 or most_characters
    return text[:end], (f"the end was left out: limit {most_characters:,} characters",)


def one_line(text: str | None) -> str | None:
    """Return a title on one line, cut to the longest; None when nothing is left."""
    return " ".join(canonical(text or "").split())[:_LONGEST_TITLE].rstrip() or None


def choose_title(stated: str | None, otherwise: str | None) -> str | None:
    """Return the title that a file states, or another one where it states none of its own."""
    title = one_line(stated)
    return title if title and not _STAND_IN.fullmatch(title) else one_line(otherwise)


def markdown_title(text: str) -> str | None:
    """Return the title in a Markdown text's front matter, else its first heading near the top."""
    markdown = Markdown(text[:_TOP])
    front, first = markdown.front_matter, next(iter(markdown.headings), None)
    title = front.title if front else ""
    return choose_title(title, _read_heading(first.title) if first else None)


def _read_heading(title: str) -> str:
    """Return the words of a heading, without those that are struck out unless it has no others."""
    return strip_markup(blank_struck(title)) or strip_markup(title)
