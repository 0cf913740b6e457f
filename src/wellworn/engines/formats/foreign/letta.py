"""Reads an agent file (`.af`) of Letta: its memory blocks, and what people said to the agent.

Source: letta 0.16.8, schemas/agent_file.py, and serialize_schemas/pydantic_agent_schema.py for the
files that came before it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from wellworn.engines.formats.foreign.files import read_json_items
from wellworn.engines.formats.foreign.memories import ForeignMemory, list_texts
from wellworn.engines.formats.lines import Tell, list_objects, to_object

NAME: Final = "letta"
_BLOCKS: Final = ("blocks", "core_memory")


def is_letta(value: Mapping[str, Any]) -> bool:
    """Tell whether a value is an agent file."""
    return {"agents", "blocks"} <= value.keys() or {"core_memory", "messages"} <= value.keys()


def read_letta(path: Path, tell: Tell) -> Iterator[ForeignMemory]:
    """Yield each block that says something, then each message of a person."""
    for value in map(to_object, read_json_items(path, tell)):
        if not is_letta(value):
            tell(f"{path.name}: is no agent file of Letta")
            continue
        for block in (each for name in _BLOCKS for each in list_objects(value.get(name))):
            yield _build_block(block, value.get("created_at"))
        for agent in list_objects(value.get("agents")) or [value]:
            yield from _list_messages(agent)


def _build_block(block: Mapping[str, Any], exported_at: object) -> ForeignMemory:
    label = str(block.get("label") or "block")
    text = str(block.get("value") or "").strip()
    return ForeignMemory(
        NAME,
        str(block.get("id") or label),
        f"{label}\n\n{text}" if text else "",
        tags=(label, *list_texts(block.get("tags"))),
        said_at=block.get("updated_at") or block.get("created_at") or exported_at,
    )


def _list_messages(agent: Mapping[str, Any]) -> Iterator[ForeignMemory]:
    session, position = str(agent.get("name") or agent.get("id") or NAME), 0
    for number, message in enumerate(list_objects(agent.get("messages"))):
        if message.get("role") != "user":
            continue
        content = message.get("content") or message.get("text")
        parts = [block.get("text") for block in list_objects(content)]
        turn = ForeignMemory(
            NAME,
            f"{session}/{message.get('id') or number}",
            _unpack("\n".join(list_texts(parts if isinstance(content, list) else content))),
            author=str(message.get("name") or ""),
            said_at=message.get("created_at"),
            session=session,
            position=position,
            is_turn=True,
        )
        yield turn
        position += len(turn.pieces)


def _unpack(text: str) -> str:
    """Return what a person said out of the envelope in which an agent got it; alarms have none."""
    try:
        envelope = to_object(json.loads(text))
    except (ValueError, RecursionError):
        return text
    if "type" not in envelope:
        return text
    return str(envelope.get("message") or "") if envelope["type"] == "user_message" else ""
