"""What a rival's process says and is told: one JSON object a line.

    -> says first   {"version": "1.2"}
    <- {"index": ["text", ...]}            -> {"indexed": 2}
    <- {"search": "question", "k": 10}     -> {"found": [1, 0]}     positions, best first
    <- {"count": true}                     -> {"count": 2}          texts it holds

A rival may print what it likes: the real standard output is kept for these lines alone.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Protocol, TextIO


class Memory(Protocol):
    """A rival in its own process, over one folder; positions are those of one set of texts."""

    version: str

    def index(self, texts: Sequence[str]) -> None: ...

    def search(self, query: str, k: int) -> list[int]:
        """Return positions in what was indexed, best first; repetitions are dropped later."""
        ...

    def count(self) -> int:
        """Return how many texts are kept, those of an earlier process in this folder included."""
        ...


def serve(make: Callable[[Path, str], Memory]) -> None:
    """Answer until standard input ends; `make` takes an empty folder and the encoder's address."""
    replies = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    memory = make(Path(os.environ["RIVAL_FOLDER"]), os.environ.get("RIVAL_ENCODER_URL", ""))
    _say(replies, {"version": memory.version})
    for line in sys.stdin:
        _say(replies, _answer(memory, json.loads(line)))


def _answer(memory: Memory, asked: dict[str, Any]) -> dict[str, Any]:
    if "index" in asked:
        memory.index(asked["index"])
        return {"indexed": len(asked["index"])}
    if "count" in asked:
        return {"count": memory.count()}
    return {"found": memory.search(asked["search"], asked["k"])}


def _say(replies: TextIO, message: dict[str, Any]) -> None:
    replies.write(json.dumps(message) + "\n")
    replies.flush()
