"""Imports sessions of agents as turns: what of them is sent, counted, and taken back."""

from __future__ import annotations

import json
import shlex
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import TYPE_CHECKING, Any, Final

from wellworn.interfaces.cli.context import CommandContext
from wellworn.interfaces.cli.output import format_minute, print_table, say

if TYPE_CHECKING:
    from wellworn.client import Wellworn
    from wellworn.engines.formats import SessionPart

_UNANSWERED: Final = "(The session has no answer to this.)"


class SessionImport:
    """Sends turns as their parts come in; counts those that were new, and those that were not.

    Attributes:
        numbers: of the turns that were imported, among those of the agent.
        known: how many were there before.
    """

    def __init__(self, memory: Wellworn) -> None:
        self._memory = memory
        self._turn_id: str | None = None
        self._number = self._sent = 0
        self.numbers: list[int] = []
        self.known = 0

    def send(self, part: SessionPart) -> None:
        """Send what the server does not have of a part; a turn's parts come in their order."""
        if part.before == 0:
            self._begin(part)
        if self._turn_id is None:
            return
        if rest := part.entries[max(0, self._sent - part.before) :]:
            self._memory.append_to_turn(self._turn_id, rest)
        if part.answer is not None:
            self._memory.close_turn(self._turn_id, part.answer or _UNANSWERED)
            self.numbers.append(self._number)

    def _begin(self, part: SessionPart) -> None:
        """Open a turn, or one whose import was interrupted; one that is over is passed over."""
        opened = self._memory.open_turn(
            part.query, engine=part.engine, key=part.key, asked_at=part.asked_at
        )
        is_open = opened.status == "open"
        self._turn_id, self._number = opened.id if is_open else None, opened.number
        self._sent = _count_entries(self._memory, opened.id) if is_open else 0
        self.known += not is_open


def _count_entries(memory: Wellworn, turn_id: str) -> int:
    """Return how many entries an interrupted import has sent already."""
    # Not `splitlines`, which also divides at characters that JSON leaves as they are.
    lines = memory.read_turn_file(turn_id, "journal.jsonl").split("\n")
    return sum(_is_entry(line) for line in lines)


def _is_entry(line: str) -> bool:
    """Tell whether a line is an entry; one that the end of a process tore is none."""
    try:
        return "call" in json.loads(line)
    except ValueError:
        return False


class SessionOutline:
    """Counts turns as their parts pass."""

    def __init__(self) -> None:
        self.turns = self._entries = 0
        self._models: Counter[str] = Counter()
        self._first = self._last = ""

    def add(self, part: SessionPart) -> None:
        """Count a part."""
        self._entries += len(part.entries)
        if part.answer is not None:
            self.turns += 1
            self._models[part.engine] += 1
        if part.asked_at:
            self._first = min(self._first or part.asked_at, part.asked_at)
            self._last = max(self._last, part.asked_at)

    def to_json(self) -> dict[str, Any]:
        """Return the counts, and when the first and the last were asked."""
        return {
            "turns": self.turns,
            "entries": self._entries,
            "models": dict(self._models.most_common()),
            "from": self._first or None,
            "to": self._last or None,
        }

    def print(self) -> None:
        """Print the counts for people."""
        dates = [format_minute(time) for time in (self._first, self._last) if time]
        say("sessions: would import")
        print_table(
            {"turns": str(self.turns), "tool calls and notes": str(self._entries)}
            | {"asked": " to ".join(dict.fromkeys(dates))}
            | {"models": ", ".join(f"{name} ({n})" for name, n in self._models.most_common(8))}
        )


def list_undo(numbers: Iterable[int], agent: str) -> list[str]:
    """Return the command that deletes turns of an agent; none for no turns.

    >>> list_undo([3, 4, 5, 9], "cli")
    ['wellworn turn delete 3-5 9']
    """
    ranges = [*_list_ranges(sorted(numbers))]
    named = () if agent == CommandContext.agent else ("--agent", agent)
    return [shlex.join(("wellworn", "turn", "delete", *ranges, *named))] if ranges else []


def _list_ranges(numbers: Iterable[int]) -> Iterator[str]:
    for _, group in groupby(enumerate(numbers), key=lambda pair: pair[1] - pair[0]):
        first, *_, last = [number for _, number in group] * 2
        yield str(first) if first == last else f"{first}-{last}"
