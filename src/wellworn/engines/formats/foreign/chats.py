"""Reads what people said to ChatGPT and to Claude: `conversations.json` of the exports of both.

Of a prompt that was edited, what it became is read: the branch that the conversation ended with.
What the assistant answered is left out, so is what programs put in the person's mouth.

Source: the archives that both send on request, as of 2026.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import Any, Final

from wellworn.engines.formats.foreign.files import read_json_items
from wellworn.engines.formats.foreign.memories import ForeignMemory, list_texts
from wellworn.engines.formats.lines import Tell, keep_inside, list_objects, to_object

CHATGPT, CLAUDE = "chatgpt", "claude"
FILE: Final = "conversations.json"
_SPOKEN: Final = frozenset({"text", "multimodal_text"})
Json = Mapping[str, Any]


def is_conversation_of_chatgpt(item: Json) -> bool:
    """Tell whether a value is a conversation of ChatGPT."""
    return isinstance(item.get("mapping"), dict)


def is_conversation_of_claude(item: Json) -> bool:
    """Tell whether a value is a conversation of Claude."""
    return isinstance(item.get("chat_messages"), list)


def read_chats(path: Path, tell: Tell) -> Iterator[ForeignMemory]:
    """Yield what the person said, as turns of each conversation.

    `path` is the archive, the file in it, or the folder that it was unpacked to.
    """
    items = chain.from_iterable(
        read_json_items(each, tell, FILE) for each in list_files(path, tell)
    )
    for number, item in enumerate(items, start=1):
        conversation = to_object(item)
        if is_conversation_of_chatgpt(conversation):
            yield from _number(conversation, CHATGPT, _list_chatgpt(conversation))
        elif is_conversation_of_claude(conversation):
            yield from _number(conversation, CLAUDE, _list_claude(conversation))
        else:
            tell(f"{path.name}: item {number} is no conversation")


def list_files(path: Path, tell: Tell) -> list[Path]:
    """Return the files with conversations: those of a folder, else the file itself."""
    if not path.is_dir():
        return [path]
    return [*keep_inside(path, sorted(path.glob("conversations*.json")), tell)]


def _number(
    conversation: Json, program: str, messages: Iterator[tuple[object, str, object]]
) -> Iterator[ForeignMemory]:
    """Yield messages with their places in their conversation, which its title and id name."""
    keys = (conversation.get(name) for name in ("uuid", "conversation_id", "id"))
    key = str(next(filter(None, keys), ""))
    title = conversation.get("title") or conversation.get("name") or program
    position = 0
    for name, text, said_at in messages:
        turn = ForeignMemory(
            program,
            f"{key}/{name}",
            text,
            said_at=said_at,
            session=f"{str(title)[:200]} ({key[:8]})",
            position=position,
            is_turn=True,
        )
        yield turn
        position += len(turn.pieces)


def _list_chatgpt(conversation: Json) -> Iterator[tuple[object, str, object]]:
    nodes, name = to_object(conversation["mapping"]), conversation.get("current_node")
    branch: list[dict[str, Any]] = []
    while isinstance(name, str) and (node := to_object(nodes.pop(name, None))):
        branch.append(to_object(node.get("message")))
        name = node.get("parent")
    for message in reversed(branch):
        content = to_object(message.get("content"))
        is_hidden = to_object(message.get("metadata")).get("is_visually_hidden_from_conversation")
        is_of_user = to_object(message.get("author")).get("role") == "user"
        if is_of_user and not is_hidden and content.get("content_type") in _SPOKEN:
            text = "\n".join(list_texts(content.get("parts")))
            said_at = message.get("create_time") or conversation.get("create_time")
            yield message.get("id"), text, said_at


def _list_claude(conversation: Json) -> Iterator[tuple[object, str, object]]:
    for message in list_objects(conversation["chat_messages"]):
        if message.get("sender") == "human":
            blocks = list_objects(message.get("content"))
            parts = [block.get("text") for block in blocks if block.get("type") == "text"]
            text = "\n".join(list_texts(parts)) or str(message.get("text") or "")
            yield message.get("uuid"), text, message.get("created_at")
