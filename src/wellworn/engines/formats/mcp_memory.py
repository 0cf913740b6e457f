"""The file of the MCP reference memory server as thoughts, for each observation and relation.

Source: modelcontextprotocol/servers, src/memory: JSON lines of entities and relations; one JSON
object with both lists, as its `read_graph` tool answers, is read too.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from wellworn.engines.formats.lines import Tell, number_lines, refuse
from wellworn.engines.formats.pieces import (
    LONGEST_CONTENT,
    fit_tags,
    replace_unstorable,
    split_into_pieces,
)
from wellworn.kit.ids import derive_id

CONTRIBUTOR_ID, CONTRIBUTOR_NAME = "mcp-memory", "MCP memory"
_LEAST_ROOM = 1_000
"""Characters of a piece of an observation; where a name leaves fewer, it stands in one piece."""


def read_mcp_memory(path: Path, tell: Tell = refuse) -> Iterator[dict[str, Any]]:
    """Yield a thought for each observation, relation, and entity without observations.

    An observation that is too long for a thought becomes several. `tell` is told what is left out.

    Raises:
        InvalidInput: the file cannot be read; or a line has another format and `tell` ends the
            import. The message names it and the line.
    """
    types: dict[str, str] = {}
    for place, item in _items(path):
        try:
            texts = [*_read_item(item, types, lambda fault, place=place: tell(f"{place}: {fault}"))]
        except (KeyError, TypeError):
            tell(f"{place}: must be an entity with observations, or a relation")
            continue
        if texts:
            tags = fit_tags(texts[0].tags, place, tell)
            pieces = (piece for text in texts for piece in text.pieces if piece.strip())
            yield from (_build_thought(piece, tags) for piece in pieces)


@dataclass(frozen=True, slots=True)
class _Observation:
    """An observation on something; `head` names it."""

    head: str
    words: str
    tags: list[str]

    @property
    def pieces(self) -> Iterator[str]:
        """The words in thoughts, each of which begins with the head if there is room."""
        room = LONGEST_CONTENT - len(self.head)
        if room < _LEAST_ROOM:
            yield from split_into_pieces(f"{self.head}{self.words}", LONGEST_CONTENT)
        else:
            for piece in split_into_pieces(self.words, room) or [""]:
                yield f"{self.head}{piece}"


def _items(path: Path) -> Iterator[tuple[str, object]]:
    """Yield entities and relations, each with its place for messages."""
    lines = list(number_lines(path))
    whole = _json("".join(line for _, line in lines))
    if isinstance(whole, dict) and ("entities" in whole or "relations" in whole):
        graph = cast("dict[str, Any]", whole)
        for kind in ("entities", "relations"):
            items: Any = graph.get(kind, [])
            for number, item in enumerate(items if isinstance(items, list) else [items], start=1):  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
                yield f"{path.name}, {kind} {number}", item
        return
    for number, line in lines:
        for item in _list_values(line):
            yield f"{path.name}, line {number}", item


def _list_values(line: str) -> Iterator[object]:
    """Yield the values of a line: two writers at once leave several; None for what is no JSON."""
    decoder, line, at = json.JSONDecoder(), line.strip(), 0
    while at < len(line):
        if line[at].isspace():
            at += 1
            continue
        try:
            value, at = decoder.raw_decode(line, at)
        except (ValueError, RecursionError):
            yield None
            return
        yield value


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _read_item(item: object, types: dict[str, str], tell: Tell) -> Iterator[_Observation]:
    if not isinstance(item, dict):
        raise TypeError
    fields = cast("dict[str, Any]", item)
    return _entity(fields, types, tell) if _is_entity(fields) else _relation(fields, types)


def _is_entity(item: dict[str, Any]) -> bool:
    return item.get("type") == "entity" or "entityType" in item


def _entity(item: dict[str, Any], types: dict[str, str], tell: Tell) -> Iterator[_Observation]:
    name, kind = _read_text(item["name"]), _read_text(item["entityType"])
    types[name] = kind
    given = _read_list(item.get("observations"))
    observations = [_read_text(each) for each in given if isinstance(each, str)]
    if len(observations) < len(given):
        tell("an observation that is no text")
    for observation in observations or ([] if given else [""]):
        head = f"{name} ({kind}): " if observation else f"{name} ({kind})"
        yield _Observation(head, observation, [kind, name])


def _relation(item: dict[str, Any], types: dict[str, str]) -> Iterator[_Observation]:
    start, end = _read_text(item["from"]), _read_text(item["to"])
    words = f"{start} {_read_text(item['relationType']).replace('_', ' ')} {end}"
    kinds = [types[name] for name in (start, end) if name in types]
    yield _Observation("", words, [*kinds, start, end])


def _read_list(value: object) -> list[object]:
    """Return a list; one text in its place is a list of it, which is no list of letters."""
    if isinstance(value, str):
        return [value]
    if not isinstance(value, list):
        return [] if value is None else [value]
    return cast("list[object]", value)


def _read_text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError
    return replace_unstorable(value).strip()


def _build_thought(content: str, tags: list[str]) -> dict[str, Any]:
    return {
        "record": "thought",
        "id": derive_id("mcp-memory", content),
        "content": content,
        "contributor_id": CONTRIBUTOR_ID,
        "contributor_name": CONTRIBUTOR_NAME,
        "tags": tags,
    }
