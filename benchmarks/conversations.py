"""The reader of LoCoMo: real, long conversations between two people, with labelled questions.

The file is not part of wellworn (its licence is CC BY-NC 4.0). Evidence was written by hand: some
of it names several turns in one string, pads numbers or slips a colon, and a little names turns
that do not exist; the first is repaired, the last left out.

Source: https://github.com/snap-research/locomo, data/locomo10.json.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import NAMESPACE_URL, uuid5

FILE = Path("locomo") / "locomo10.json"
CATEGORIES = {
    1: "multi-hop",
    2: "temporal",
    3: "open-domain",
    4: "single-hop",
    5: "adversarial",
}
_SESSION = re.compile(r"session_(\d+)")
_EVIDENCE = re.compile(r"D:?(\d+):0*(\d+)")


@dataclass(frozen=True)
class Question:
    """A question, the turns that hold its answer, and the sessions they are in."""

    text: str
    category: str
    turns: frozenset[str]
    sessions: frozenset[str]


@dataclass(frozen=True)
class Conversation:
    """Turns as records ready for import; `sessions` gives the session of each by its id."""

    name: str
    records: list[dict[str, Any]]
    questions: list[Question]
    sessions: dict[str, str]


def read(data: Path) -> list[Conversation]:
    """Read all conversations of `data`/locomo/locomo10.json."""
    return [_conversation(raw) for raw in json.loads((data / FILE).read_text("utf-8"))]


def _conversation(raw: dict[str, Any]) -> Conversation:
    name, said = str(raw["sample_id"]), raw["conversation"]
    numbers = sorted(int(match[1]) for key in said if (match := _SESSION.fullmatch(key)))
    records = [record for number in numbers for record in _session(name, number, said)]
    sessions = {record["id"]: record["session"] for record in records}
    asked = [_question(name, item, sessions) for item in raw["qa"]]
    return Conversation(name, records, [one for one in asked if one.turns], sessions)


def _session(name: str, number: int, said: dict[str, Any]) -> list[dict[str, Any]]:
    began = _moment(said[f"session_{number}_date_time"])
    return [
        {
            "record": "thought",
            "kind": "turn",
            "id": _id(name, turn["dia_id"]),
            "content": _content(turn),
            "contributor_id": turn["speaker"],
            "contributor_name": turn["speaker"],
            "session": f"{name}/session_{number}",
            "position": position,
            # The source gives the time of a session; a second a turn keeps their order.
            "created_at": (began + timedelta(seconds=position)).isoformat(),
        }
        for position, turn in enumerate(said[f"session_{number}"])
    ]


def _content(turn: dict[str, Any]) -> str:
    caption = turn.get("blip_caption")
    return f"{turn['text']} [{caption}]".strip() if caption else turn["text"]


def _question(name: str, item: dict[str, Any], sessions: dict[str, str]) -> Question:
    named = _EVIDENCE.findall(" ".join(map(str, item["evidence"])))
    turns = {_id(name, f"D{session}:{turn}") for session, turn in named} & sessions.keys()
    return Question(
        text=item["question"],
        category=CATEGORIES[item["category"]],
        turns=frozenset(turns),
        sessions=frozenset(sessions[turn] for turn in turns),
    )


def _id(conversation: str, turn: str) -> str:
    return str(uuid5(NAMESPACE_URL, f"locomo:{conversation}:{turn}"))


def _moment(text: str) -> datetime:
    """Read a time such as `1:56 pm on 8 May, 2023`."""
    return datetime.strptime(text.strip().upper(), "%I:%M %p ON %d %B, %Y").replace(tzinfo=UTC)
