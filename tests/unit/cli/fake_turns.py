"""What the fake server answers about turns; those that are worked on are told as events."""

from __future__ import annotations

import json
from typing import Any

TURN = "70a2b3c4-0000-4000-8000-000000000001"
LISTED: dict[str, Any] = {
    "id": TURN,
    "number": 12,
    "status": "done",
    "query": "what\nburns \x1b[2Jnow?",
    "resolved_query": "what burns now?",
    "topic": "lamp",
    "intent": "informational",
    "engine": "extractive",
    "summary": "Whale oil.",
    "quality": 0.9,
    "created_at": "2026-02-23T15:00:00.000000Z",
    "ended_at": "2026-02-23T15:00:01.000000Z",
    "archived_at": None,
    "follows": 11,
}
SOURCE = {
    "number": 1,
    "kind": "knowledge",
    "title": "Lamps",
    "text": "It burns\nwhale oil \x1b[2J.",
    "source": "house/lamps.md#oil",
    "link": None,
    "moment": "2026-02-23T15:00:00.000000Z",
    "stale": True,
}
ANSWER: dict[str, Any] = {
    "turn": LISTED,
    "text": "It burns \x1b[2Jwhale oil [1].",
    "claims": [{"text": "whale oil", "evidence": 1, "confidence": 0.9, "goal": "GOAL_1"}],
    "sources": [SOURCE],
    "missing": [],
    "edited": ["2. Gathered Context"],
}
BEGUN = [{"phase": "analysis", "attempt": 1}, {"phase": "synthesis", "attempt": 2}]


def write_events(*events: tuple[str, Any]) -> bytes:
    """Return events as a server sends them, with a comment before the last one."""
    blocks = [f"event: {name}\ndata: {json.dumps(data)}\n\n" for name, data in events]
    return "".join([*blocks[:-1], ": still there\n\n", *blocks[-1:]]).encode()


EVENTS = write_events(*(("phase", begun) for begun in BEGUN), ("answer", ANSWER))
ANSWERS: dict[tuple[str, str], Any] = {
    ("POST", "/api/v1/turns"): EVENTS,
    ("GET", "/api/v1/turns"): {"turns": [LISTED], "next_before": None},
    ("GET", f"/api/v1/turns/{TURN}"): ANSWER,
    ("POST", f"/api/v1/turns/{TURN}/resume"): EVENTS,
    ("GET", f"/api/v1/turns/{TURN}/files"): {"turn_id": TURN, "files": ["context.md"]},
    ("GET", f"/api/v1/turns/{TURN}/files/context%2Emd"): b"## 0. User Query \x1b[2J\n",
    ("DELETE", f"/api/v1/turns/{TURN}"): {"removed": TURN},
    ("POST", "/api/v1/turns/rebuild"): {"indexed": 3},
}
