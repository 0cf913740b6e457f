"""BEAM: long chats with an assistant; the units are single messages.

The generator of the data left notes to itself at the end of user messages (`->-> 1,2`), which are
cut. Questions without evidence, such as those to abstain from, are left out.

Source: mohammadtavakoli78/BEAM.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final, cast

from benchmarks.retrieval.models import Corpus, Doc, Query
from benchmarks.retrieval.tasks.splits import Split, is_kept

_NOTE: Final = re.compile(r"\s*->->.*$", re.DOTALL)


def beam_100k(data: Path, split: Split) -> Iterator[Corpus]:
    """Yield the chats of about 100,000 tokens; those with odd numbers are dev."""
    return _chats(data / "beam" / "100K", split)


def beam_500k(data: Path, split: Split) -> Iterator[Corpus]:
    """Yield the chats of about 500,000 tokens; those with odd numbers are dev."""
    return _chats(data / "beam" / "500K", split)


def _chats(folder: Path, split: Split) -> Iterator[Corpus]:
    for chat in sorted(folder.glob("*/chat.json"), key=lambda file: int(file.parent.name)):
        number = chat.parent.name
        if not is_kept(split, is_dev=int(number) % 2 == 1):
            continue
        name = f"{folder.name}/{number}"
        docs = tuple(_messages(json.loads(chat.read_text("utf-8")), number))
        known = frozenset(doc.id for doc in docs)
        probes = chat.parent / "probing_questions" / "probing_questions.json"
        queries = tuple(_queries(json.loads(probes.read_text("utf-8")), name, known))
        yield Corpus(name, docs, queries)


def _messages(batches: list[dict[str, Any]], chat: str) -> Iterator[Doc]:
    said = [
        (f"{chat}/{batch['batch_number']}.{number}", message)
        for batch in batches
        for number, turn in enumerate(batch["turns"])
        for message in turn
    ]
    for position, (group, message) in enumerate(said):
        yield Doc(
            id=str(message["id"]),
            text=_NOTE.sub("", message["content"]),
            group=group,
            speaker=message["role"],
            time=message.get("time_anchor") or "",
            position=position,
        )


def _queries(
    asked: Mapping[str, list[dict[str, Any]]], name: str, known: frozenset[str]
) -> Iterator[Query]:
    for category, items in asked.items():
        for index, item in enumerate(items):
            named = frozenset(map(str, message_numbers(item.get("source_chat_ids"))))
            if relevant := named & known:
                query = f"{name}/{category}/{index}"
                yield Query(query, item["question"], relevant, category)


def message_numbers(node: object) -> Iterator[int]:
    """Yield the message numbers in an evidence field: a list, or lists by step or by name."""
    if isinstance(node, int):
        yield node
        return
    if isinstance(node, dict):
        node = list(cast("dict[str, object]", node).values())
    if isinstance(node, list):
        for child in cast("list[object]", node):
            yield from message_numbers(child)
