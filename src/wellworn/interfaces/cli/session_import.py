"""Sends a turn of a coding agent's session: opened, appended to, closed, each part once."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from wellworn.client import Wellworn
    from wellworn.engines.formats import SessionPart

_UNANSWERED: Final = "(The session has no answer to this.)"


class SessionImport:
    """Sends turns as their parts come in; counts those that were new, and those that were not."""

    def __init__(self, memory: Wellworn) -> None:
        self._memory = memory
        self._turn_id: str | None = None
        self._sent = 0
        self.imported = self.known = 0

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
            self.imported += 1

    def _begin(self, part: SessionPart) -> None:
        """Open a turn, or one whose import was interrupted; one that is over is passed over."""
        opened = self._memory.open_turn(
            part.query, engine=part.engine, key=part.key, asked_at=part.asked_at
        )
        is_open = opened.status == "open"
        self._turn_id = opened.id if is_open else None
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
