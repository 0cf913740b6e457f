"""How a turn of a coding agent's session is sent: opened, appended to, closed; each part once."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from wellworn.client import Wellworn
    from wellworn.engines.formats import SessionTurn

_AT_ONCE: Final = 20
_UNANSWERED: Final = "(The session has no answer to this.)"


def import_turn(memory: Wellworn, turn: SessionTurn) -> bool:
    """Send what the server does not have of a turn; tell whether there was anything."""
    opened = memory.open_turn(turn.query, engine=turn.engine, key=turn.key, asked_at=turn.asked_at)
    if opened.status != "open":
        return False
    rest = turn.entries[_count_entries(memory, opened.id) :]
    for start in range(0, len(rest), _AT_ONCE):
        memory.append_to_turn(opened.id, rest[start : start + _AT_ONCE])
    memory.close_turn(opened.id, turn.answer or _UNANSWERED)
    return True


def _count_entries(memory: Wellworn, turn_id: str) -> int:
    """Return how many entries an interrupted import has sent already."""
    lines = memory.read_turn_file(turn_id, "journal.jsonl").splitlines()
    return sum("call" in json.loads(line) for line in lines)
