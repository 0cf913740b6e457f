"""Tells how the runs of a DOCX file are set: struck, raised, lowered, hidden; and writes them so.

Source: ECMA-376 part 1, sections 17.3.2 (run properties), 17.7.2 (inheritance of styles).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any, Final, NamedTuple

from wellworn.engines.extraction.docx_elements import tag
from wellworn.engines.extraction.docx_styles import Styles
from wellworn.engines.extraction.raised import (
    LOOK_BACK,
    format_lowered,
    format_raised,
    format_struck,
)

_OFF: Final = frozenset({"0", "false", "off"})
_PROPERTIES: Final = tag("rPr")
_STRIKES: Final = (tag("strike"), tag("dstrike"))
_LEVELS: Final = {"superscript": 1, "subscript": -1}


class RunSetting(NamedTuple):
    """How words are set."""

    is_struck: bool = False
    level: int = 0
    """1 is raised, -1 lowered."""
    is_hidden: bool = False


PLAIN: Final = RunSetting()
Piece = tuple[str, RunSetting]


class Runs:
    """The settings of the runs of one document, their styles included."""

    def __init__(self, styles: Styles) -> None:
        self._styles = styles
        self._known: dict[tuple[str, str], RunSetting] = {}

    def set(self, run: Any) -> RunSetting:
        """Return how the words of a run are set."""
        inherited = self._find_inherited(run)
        own = run.find(_PROPERTIES)
        return inherited if own is None else _override(inherited, own)

    def _find_inherited(self, run: Any) -> RunSetting:
        character = _style(run.find(_PROPERTIES), "rStyle")
        paragraph = next(run.iterancestors(tag("p")), None)
        around = _style(paragraph.find(tag("pPr")) if paragraph is not None else None, "pStyle")
        if (character, around) not in self._known:
            made = PLAIN
            for style in (*self._bases(around), *self._bases(character)):
                own = style.find(_PROPERTIES)
                made = made if own is None else _override(made, own)
            self._known[character, around] = made
        return self._known[character, around]

    def _bases(self, style: str) -> Iterator[Any]:
        return reversed(self._styles.chain(style or None))


def write_runs(pieces: Sequence[Piece]) -> str:
    """Return the words of runs, with the marks of what is struck, raised and lowered."""
    text = ""
    for is_struck, group in groupby(pieces, key=lambda piece: piece[1].is_struck):
        words = _write_levels(list(group), text)
        text += format_struck(words) if is_struck else words
    return text


def _write_levels(pieces: Sequence[Piece], before: str) -> str:
    groups = [
        ("".join(text for text, _ in group), level)
        for level, group in groupby(pieces, key=lambda piece: piece[1].level)
    ]
    follows = [*(text for text, _ in groups[1:]), ""]
    written = ""
    for (text, level), after in zip(groups, follows, strict=True):
        stem = (before[-LOOK_BACK:] + written)[-LOOK_BACK:]
        if level > 0:
            written += format_raised(text, stem, after=after)
        elif level < 0:
            written += format_lowered(text, stem, after=after)
        else:
            written += text
    return written


def _override(inherited: RunSetting, own: Any) -> RunSetting:
    """Return a setting with what properties themselves say."""
    strikes = [_is_on(each) for each in own.iterchildren(*_STRIKES)]
    hidden = own.find(tag("vanish"))
    align = own.find(tag("vertAlign"))
    return RunSetting(
        any(strikes) if strikes else inherited.is_struck,
        _LEVELS.get(align.get(tag("val")), 0) if align is not None else inherited.level,
        _is_on(hidden) if hidden is not None else inherited.is_hidden,
    )


def _is_on(toggle: Any) -> bool:
    return toggle.get(tag("val")) not in _OFF


def _style(properties: Any, name: str) -> str:
    style = properties.find(tag(name)) if properties is not None else None
    return style.get(tag("val"), "") if style is not None else ""
