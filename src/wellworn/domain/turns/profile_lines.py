"""The lines of `preferences.md` and `facts.md`: what holds of a user, and what held before. Pure.

A line names its turn, its days and, once it is replaced, by which turns. What holds is derived from
these links by the rules of thoughts, so that a turn that is gone gives back what it replaced. What
people wrote or struck out themselves stays as they left it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass, replace
from math import inf
from typing import Final, NamedTuple

from wellworn.domain.thoughts.truth import (
    Objection,
    ReplacementLink,
    ReplacementOrigin,
    Standing,
    Standings,
)
from wellworn.domain.turns.context_document import FILE
from wellworn.domain.turns.links import format_wikilink
from wellworn.domain.turns.models import format_folder

_LINE: Final = re.compile(
    r"(?=.*\)\Z)- (?P<struck>~~)?\*\*(?P<name>[^*]+):\*\* (?P<value>.+?)(?:~~)? "
    r"\((?:(?P<links>\w[^;]{0,1000}); )?turn (?P<turn>\d+)(?P<rest>\D.*)?\)"
)
_LINK: Final = re.compile(
    r"(?:replaced|superseded|said again) in turn (\d+)(?: \(likely, ([\d.]++)\))?"
)
_DAY: Final = re.compile(r"\b\d{4}-\d\d-\d\d\b")


class ReplacingTurn(NamedTuple):
    """The turn of a line that replaces another, and how sure that is; 1 where it was said."""

    turn: int
    confidence: float


@dataclass(frozen=True, slots=True)
class ProfileLine:
    """Something known of the user, and the turn that said it.

    Attributes:
        day, until: from when to when it held, as `2026-01-04`; empty where nobody knows.
        replaced_by: the turns whose lines replace it.
        is_struck: whether it holds no more.
    """

    name: str
    value: str
    turn: int
    day: str = ""
    until: str = ""
    replaced_by: tuple[ReplacingTurn, ...] = ()
    is_struck: bool = False

    @property
    def order(self) -> tuple[str, int]:
        """The order of lines, the later last: an imported turn may speak of long ago."""
        return self.day, self.turn

    def covers(self, day: str) -> bool:
        return self.day <= day < self.until

    def says_again(self, other: ProfileLine) -> bool:
        return self.value.casefold() == other.value.casefold()


Measure = Callable[[ProfileLine, ProfileLine], float]
"""Returns how sure it is, 0 to 1, that the second of two lines of a name replaces the first."""


class ProfileDocument:
    """A file of lines about a user, with whatever else people wrote into it."""

    def __init__(self, text: str) -> None:
        self._rows = [_read_line(row) or row for row in text.removesuffix("\n").split("\n")]

    @property
    def lines(self) -> list[ProfileLine]:
        return [row for row in self._rows if isinstance(row, ProfileLine)]

    @property
    def text(self) -> str:
        lines = self.lines
        rows = [
            _format_line(row, lines) if isinstance(row, ProfileLine) else row for row in self._rows
        ]
        return "\n".join(rows) + "\n"

    def add(self, line: ProfileLine, measure: Measure) -> None:
        """Add a line, and link it with what it replaces; one that is there is not added again."""
        if any(
            (each.name, each.value, each.turn) == (line.name, line.value, line.turn)
            for each in self.lines
        ):
            return
        for place, row in enumerate(self._rows):
            if not isinstance(row, ProfileLine) or row.name != line.name:
                continue
            if row.order <= line.order:
                self._rows[place] = _link(row, line, measure)
            else:
                line = _link(line, row, measure)
        self._rows.append(line)
        self._settle()

    def drop(self, turns: Set[int]) -> None:
        """Remove what turns said and replaced."""
        self._rows = [
            _leave_out(row, turns) if isinstance(row, ProfileLine) else row
            for row in self._rows
            if not isinstance(row, ProfileLine) or row.turn not in turns
        ]
        self._settle()

    def _settle(self) -> None:
        """Strike what does not hold by the links, and nothing else."""
        lines = sorted(self.lines, key=lambda line: line.order)
        standings = _judge(lines)
        settled = {
            line: _settle_line(line, lines, standings.find(seq)) for seq, line in enumerate(lines)
        }
        self._rows = [settled[row] if isinstance(row, ProfileLine) else row for row in self._rows]

    def find_successor(self, line: ProfileLine) -> ProfileLine | None:
        """Return the first line that replaced another."""
        return _find_successor(line, sorted(self.lines, key=lambda each: each.order))


def _judge(lines: Sequence[ProfileLine]) -> Standings:
    """Return what the links between lines, oldest first, say of them; a place is a moment."""
    links = [
        link
        for seq, line in enumerate(lines)
        for by in line.replaced_by
        for newer, other in enumerate(lines)
        if (other.name, other.turn) == (line.name, by.turn) and newer != seq
        for link in [_make_link(newer, seq, by.confidence)]
    ]
    struck = [
        Objection(seq, is_wrong=False, given_at=inf)
        for seq, line in enumerate(lines)
        if line.is_struck and not line.replaced_by
    ]
    return Standings(links, struck, at=inf)


def _make_link(newer: int, older: int, confidence: float) -> ReplacementLink:
    origin = ReplacementOrigin.STATED if confidence == 1 else ReplacementOrigin.INFERRED
    return ReplacementLink(newer, older, origin, "", confidence, float(newer))


def _link(older: ProfileLine, newer: ProfileLine, measure: Measure) -> ProfileLine:
    """Return the older of two lines, linked where the newer surely replaces it."""
    confidence = round(measure(older, newer), 2)
    if not _make_link(1, 0, confidence).is_sure:
        return older
    by = ReplacingTurn(newer.turn, confidence)
    return replace(older, replaced_by=(*older.replaced_by, by))


def _leave_out(line: ProfileLine, turns: Set[int]) -> ProfileLine:
    by = tuple(each for each in line.replaced_by if each.turn not in turns)
    # What people struck out themselves names no turn, and stays so.
    return replace(line, replaced_by=by, is_struck=line.is_struck and not line.replaced_by)


def _settle_line(
    line: ProfileLine, lines: Sequence[ProfileLine], standing: Standing
) -> ProfileLine:
    is_struck = not standing.is_current or any(link.is_sure for link in standing.replaced_by)
    successor = _find_successor(line, lines) if is_struck else None
    until = successor.day if successor else line.until
    return replace(line, is_struck=is_struck, until=until if is_struck else "")


def _find_successor(line: ProfileLine, lines: Sequence[ProfileLine]) -> ProfileLine | None:
    turns = {by.turn for by in line.replaced_by}
    return next((each for each in lines if each.name == line.name and each.turn in turns), None)


def _read_line(row: str) -> ProfileLine | None:
    match = _LINE.fullmatch(row.rstrip())
    if match is None:
        return None
    days = [*_DAY.findall(match["rest"] or ""), "", ""]
    links = _LINK.findall(match["links"] or "")
    return ProfileLine(
        match["name"],
        match["value"],
        int(match["turn"]),
        days[0],
        days[1],
        tuple(ReplacingTurn(int(turn), float(sure or 1)) for turn, sure in links)
        if match["struck"]
        else (),
        is_struck=match["struck"] is not None,
    )


def _format_line(line: ProfileLine, lines: Sequence[ProfileLine]) -> str:
    text = f"**{line.name}:** {line.value}"
    turn = f"turn {line.turn}, "
    turn += format_wikilink(f"{format_folder(line.turn)}/{FILE}", f"turn_{line.turn:06d}")
    if not line.is_struck:
        return f"- {text} ({turn}{f', since {line.day}' if line.day else ''})"
    by = ", ".join(_format_link(line, each, lines) for each in line.replaced_by)
    days = " to ".join(filter(None, [line.day, line.until]))
    return f"- ~~{text}~~ ({f'{by}; ' if by else ''}{turn}{f', {days}' if days else ''})"


def _format_link(line: ProfileLine, by: ReplacingTurn, lines: Sequence[ProfileLine]) -> str:
    is_again = any(
        (each.name, each.turn) == (line.name, by.turn) and each.says_again(line) for each in lines
    )
    likely = "" if by.confidence == 1 else f" (likely, {by.confidence:.2f})"
    return f"{'said again' if is_again else 'replaced'} in turn {by.turn}{likely}"
