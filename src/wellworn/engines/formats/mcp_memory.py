"""The file of the MCP reference memory server as thoughts, for each observation and relation.

Source: modelcontextprotocol/servers, src/memory: JSON lines of entities and relations; one JSON
object with both lists, as its `read_graph` tool answers, is read too.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

from wellworn.engines.formats.lines import number_lines
from wellworn.engines.formats.pieces import replace_unstorable
from wellworn.errors import InvalidInput
from wellworn.kit.ids import derive_id

CONTRIBUTOR_ID, CONTRIBUTOR_NAME = "mcp-memory", "MCP memory"
_LONGEST_CONTENT = 10_000
_LONGEST_TAG = 100


def read_mcp_memory(path: Path) -> Iterator[dict[str, Any]]:
    """Yield a thought for each observation, relation, and entity without observations.

    Raises:
        InvalidInput: the file has another format; the message names it and the line.
    """
    types: dict[str, str] = {}
    for place, item in _items(path):
        try:
            yield from _entity(item, types) if _is_entity(item) else _relation(item, types)
        except (KeyError, TypeError):
            message = f"{place}: must be an entity with observations, or a relation"
            raise InvalidInput(message) from None


def _items(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield entities and relations, each with its place for messages."""
    lines = list(number_lines(path))
    whole = _json("".join(line for _, line in lines))
    if isinstance(whole, dict) and ("entities" in whole or "relations" in whole):
        graph = cast("dict[str, Any]", whole)
        for kind in ("entities", "relations"):
            items: Any = graph.get(kind, [])
            for number, item in enumerate(items if isinstance(items, list) else [items], start=1):  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
                yield (
                    f"{path.name}, {kind} {number}",
                    _object(item, f"{path.name}, {kind} {number}"),
                )
        return
    for number, line in lines:
        place = f"{path.name}, line {number}"
        yield place, _object(_json(line), place)


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _object(item: object, place: str) -> dict[str, Any]:
    if not isinstance(item, dict):
        raise InvalidInput(f"{place}: must be a JSON object")
    return cast("dict[str, Any]", item)


def _is_entity(item: dict[str, Any]) -> bool:
    return item.get("type") == "entity" or "entityType" in item


def _entity(item: dict[str, Any], types: dict[str, str]) -> Iterator[dict[str, Any]]:
    name, kind = _text(item["name"]), _text(item["entityType"])
    types[name] = kind
    observations = [_text(observation) for observation in item.get("observations", [])]
    for observation in observations or [""]:
        words = f"{name} ({kind}): {observation}" if observation else f"{name} ({kind})"
        yield _build_thought(words, [kind, name])


def _relation(item: dict[str, Any], types: dict[str, str]) -> Iterator[dict[str, Any]]:
    start, end = _text(item["from"]), _text(item["to"])
    words = f"{start} {_text(item['relationType']).replace('_', ' ')} {end}"
    kinds = [types[name] for name in (start, end) if name in types]
    yield _build_thought(words, [*kinds, start, end])


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError
    return replace_unstorable(value).strip()


def _build_thought(words: str, tags: list[str]) -> dict[str, Any]:
    content = words[:_LONGEST_CONTENT]
    return {
        "record": "thought",
        "id": derive_id("mcp-memory", words),
        "content": content,
        "contributor_id": CONTRIBUTOR_ID,
        "contributor_name": CONTRIBUTOR_NAME,
        "tags": list(dict.fromkeys(tag[:_LONGEST_TAG] for tag in tags if tag)),
    }
