"""Counts the numbered paragraphs of a DOCX file, and writes their labels as Word shows them.

Lists that share an abstract numbering go on counting one from the other, until one of them states
where it starts.

Source: ECMA-376 part 1, section 17.9 (numbering).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any, Final

from docx.opc.constants import RELATIONSHIP_TYPE

from wellworn.engines.extraction.docx_elements import children_of, tag, value_of
from wellworn.engines.extraction.numbering import format_number

_DEPTHS: Final = 9
_PLACE: Final = re.compile(r"%([1-9])")
_NUMBER: Final = re.compile(r"\d{1,9}")


@dataclass(frozen=True, slots=True)
class _Level:
    """How a depth is numbered."""

    shape: str = "decimal"
    text: str | None = None
    start: int = 1
    restarts_after: int | None = None
    is_legal: bool = False


@dataclass(slots=True)
class _List:
    """A numbering in use: its levels, its starts of its own, and the counts it shares."""

    levels: dict[int, _Level]
    counts: dict[int, int]
    starts: dict[int, int] = field(default_factory=dict[int, int])
    pending: set[int] = field(default_factory=set[int])


class Numberings:
    """The numberings of one document, counted as its paragraphs are met."""

    def __init__(self, document: Any) -> None:
        kind = RELATIONSHIP_TYPE.NUMBERING
        shapes = {
            each.get(tag("abstractNumId")): each
            for each in children_of(document, kind, "abstractNum")
        }
        counts: dict[str | None, dict[int, int]] = {}
        self._lists: dict[str, _List] = {}
        for number in children_of(document, kind, "num"):
            shape = value_of(number, "abstractNumId")
            own = _List(_read_levels(shapes.get(shape)), counts.setdefault(shape, {}))
            for override in number.iterchildren(tag("lvlOverride")):
                _read_override(override, own)
            self._lists[number.get(tag("numId"), "")] = own

    def next_label(self, number: str, depth: int) -> str | None:
        """Count a paragraph; return its label, `-` for a bullet, None where nothing is shown."""
        numbering = self._lists.get(number)
        if numbering is None:
            return "-"
        level = numbering.levels.get(depth, _Level("bullet"))
        if level.shape == "none":
            return None
        counts = numbering.counts
        if depth in numbering.pending:
            numbering.pending.discard(depth)
            counts[depth] = numbering.starts[depth]
        else:
            counts[depth] = counts.get(depth, _start(numbering, depth) - 1) + 1
        for deeper in range(depth + 1, _DEPTHS):
            after = numbering.levels.get(deeper, _Level()).restarts_after
            if after is None or depth < after:
                counts.pop(deeper, None)
        return "-" if level.shape == "bullet" else _write(numbering, level, depth)


def _write(numbering: _List, level: _Level, depth: int) -> str:
    def place(match: re.Match[str]) -> str:
        at = int(match[1]) - 1
        shape = numbering.levels.get(at, _Level()).shape
        number = numbering.counts.get(at, _start(numbering, at))
        return format_number(number, "decimal" if level.is_legal else shape)

    text = f"%{depth + 1}." if level.text is None else level.text
    return _PLACE.sub(place, text).strip() or "-"


def _start(numbering: _List, depth: int) -> int:
    return numbering.starts.get(depth, numbering.levels.get(depth, _Level()).start)


def _read_levels(shape: Any) -> dict[int, _Level]:
    levels = shape.iterchildren(tag("lvl")) if shape is not None else ()
    return {
        int(level.get(tag("ilvl"), at)): _read_level(level)
        for at, level in enumerate(levels)
        if level.get(tag("ilvl"), "0").isdecimal()
    }


def _read_level(level: Any) -> _Level:
    restart = value_of(level, "lvlRestart")
    legal = level.find(tag("isLgl"))
    return _Level(
        value_of(level, "numFmt") or "decimal",
        value_of(level, "lvlText"),
        _read_number(value_of(level, "start"), missing=1),
        int(restart) if restart and restart.isdecimal() else None,
        legal is not None and legal.get(tag("val")) not in {"0", "false", "off"},
    )


def _read_override(override: Any, own: _List) -> None:
    depth = _read_number(override.get(tag("ilvl")))
    own_level = override.find(tag("lvl"))
    if own_level is not None:
        own.levels = own.levels | {depth: _read_level(own_level)}
    start = value_of(override, "startOverride")
    if start is not None:
        own.starts[depth] = _read_number(start)
        own.pending.add(depth)


def _read_number(written: str | None, *, missing: int = 0) -> int:
    return int(written) if written and _NUMBER.fullmatch(written) else missing
