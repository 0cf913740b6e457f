"""Reads a folder of Basic Memory: notes in Markdown, with observations and relations as list items.

`- [category] text #tag (context)` becomes a thought that begins with the note's title, and
`- relation [[Other note]]` one that names both. The rest of a note is read as any other Markdown.

Source: basic-memory 0.24, markdown/plugins.py and markdown/schemas.py.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any, Final

from wellworn.engines.formats.foreign.files import read_head
from wellworn.engines.formats.foreign.memories import ForeignMemory
from wellworn.engines.formats.lines import Tell
from wellworn.engines.formats.markdown import read_markdown

NAME: Final = "basic-memory"
# A mark of a task or of a time in a transcript is no category.
_OBSERVATION: Final = re.compile(
    r"[-*+] \[(?P<category>(?!\d{1,3}:)[^\[\]()]{2,100}|[A-WYZa-wyz])\] +(?P<words>\S.*)"
)
_RELATION: Final = re.compile(
    r"[-*+] (?:(?P<kind>[^\s\[\]\"']{1,100})"
    r"|(?P<quote>[\"'])(?P<quoted>[^\[\]\"']{1,100})(?P=quote))"
    r" \[\[(?P<target>[^\[\]]{1,300})\]\](?P<context> *\([^()]*\))? *"
)
_TAG: Final = re.compile(r"(?<!\S)#([^\s#]+)")
_FENCES: Final = ("```", "~~~")
_LOOKED_AT: Final = 20
_HEAD_BYTES: Final = 2_000


def is_basic_memory(path: Path) -> bool:
    """Tell whether notes of a folder have a type and a permalink, which Basic Memory writes."""
    notes = islice(path.rglob("*.md"), _LOOKED_AT) if path.is_dir() else ()
    heads = (read_head(note, _HEAD_BYTES) for note in notes if note.is_file())
    return any(b"\npermalink: " in head and b"\ntype: " in head for head in heads)


def read_basic_memory(path: Path, tell: Tell) -> Iterator[ForeignMemory]:
    """Yield a memory for each observation and relation, and for the rest of each piece of a note.

    A note without a date in its front matter is as old as its file.
    """
    root = path.parent if path.is_file() else path
    for record in read_markdown(path, tell):
        name = str(record["context_metadata"])
        said_at = record.get("created_at") or _read_age(root / name)
        title, in_code = Path(name).stem, False
        rest: list[str] = []
        for line in str(record["content"]).split("\n"):
            item = line.strip()
            in_code ^= item.startswith(_FENCES)
            found = None if in_code else _read_item(title, item)
            if found is None:
                rest.append(line)
            else:
                yield _build(record, *found, said_at=said_at)
        if len(rest) == record["content"].count("\n") + 1 or "".join(rest[1:]).strip():
            yield _build(record, "\n".join(rest), (), said_at=said_at)


def _read_age(note: Path) -> float | None:
    try:
        return note.stat().st_mtime
    except OSError:  # Its name has what no text can hold.
        return None


def _read_item(title: str, item: str) -> tuple[str, tuple[str, ...]] | None:
    """Return what a line says, with its tags; None where it is neither of both."""
    if observation := _OBSERVATION.fullmatch(item):
        words = observation["words"]
        return f"{title}: {words}", (observation["category"].strip(), *_TAG.findall(words))
    if relation := _RELATION.fullmatch(item):
        kind = (relation["kind"] or relation["quoted"]).replace("_", " ")
        return f"{title} {kind} {relation['target']}{relation['context'] or ''}", ()
    return None


def _build(
    record: Mapping[str, Any], text: str, tags: tuple[str, ...], *, said_at: object
) -> ForeignMemory:
    return ForeignMemory(
        NAME,
        record["context_metadata"],
        text,
        author=record["contributor_id"],
        tags=(*tags, *record["tags"]),
        said_at=said_at,
        session=record["session"],
        position=record["position"],
    )
