"""Writes what stands for a turn outside of it: `metadata.json`, and the note of all turns.

The index in the database is made of the metadata, and can be made again of it at any time.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from wellworn.domain.turns.context_document import FILE as CONTEXT
from wellworn.domain.turns.files import Vault
from wellworn.domain.turns.journal import TurnJournal
from wellworn.domain.turns.links import format_wikilink
from wellworn.domain.turns.models import Intent, Response, Turn, TurnStatus
from wellworn.domain.turns.sections import format_words
from wellworn.domain.turns.webpages import format_json, parse_object, read_json, write_json
from wellworn.domain.turns.wording import find_area
from wellworn.kit.clock import from_iso, to_iso, to_iso_if_any
from wellworn.kit.text import shorten

METADATA: Final = "metadata.json"
INDEX: Final = "turns/index.md"
ARCHIVE: Final = "archive/"
MOST_LISTED: Final = 50
_LONGEST_QUERY: Final = 80


def write_metadata(vault: Vault, turn: Turn, sources: Sequence[str] = ()) -> None:
    """Write what the index knows of a turn, so that it can be made again from the files."""
    metadata: dict[str, Any] = {
        "turn_id": turn.id,
        "turn_number": turn.number,
        "session_id": turn.user_id,
        "status": turn.status.value,
        "query": turn.query,
        "resolved_query": turn.resolved_query,
        "topic": turn.topic,
        "intent": turn.intent.value,
        "engine": turn.engine,
        "summary": turn.summary,
        "quality": turn.quality,
        "created_at": to_iso(turn.created_at),
        "ended_at": to_iso_if_any(turn.ended_at),
        "follows": turn.follows,
        "archived_at": to_iso_if_any(turn.archived_at),
        "has_answer": turn.has_answer,
        "sources": list(sources),
    }
    write_json(vault, f"{turn.folder}/{METADATA}", metadata)


def read_turn(vault: Vault, folder: str, user_id: str) -> Turn | None:
    """Return a turn by its metadata; None where people made something else of the file."""
    data = read_json(vault, f"{folder}/{METADATA}") or {}
    try:
        status = TurnStatus(data["status"])
        return Turn(
            id=str(data["turn_id"]),
            user_id=user_id,
            number=int(data["turn_number"]),
            status=TurnStatus.INTERRUPTED if status is TurnStatus.RUNNING else status,
            query=str(data["query"]),
            resolved_query=str(data["resolved_query"]),
            topic=str(data["topic"]),
            intent=Intent(data["intent"]),
            engine=str(data["engine"]),
            summary=str(data["summary"]),
            quality=data["quality"],
            created_at=from_iso(data["created_at"]),
            ended_at=from_iso(data["ended_at"]) if data["ended_at"] else None,
            follows=data["follows"],
            archived_at=_read_archived(data) if folder.startswith(ARCHIVE) else None,
            has_answer=_read_has_answer(vault, folder, data),
        )
    except (KeyError, TypeError, ValueError):
        return None


def _read_archived(data: Mapping[str, Any]) -> float:
    return from_iso(data.get("archived_at") or data["ended_at"] or data["created_at"])


def _read_has_answer(vault: Vault, folder: str, data: Mapping[str, Any]) -> bool:
    """Return what the metadata notes, or of a turn from before that was noted, what it decided."""
    noted = data.get("has_answer")
    return noted if isinstance(noted, bool) else find_answer(vault, folder)


def find_answer(vault: Vault, folder: str) -> bool:
    """Tell by its journal whether a turn says more than that nothing was found."""
    outputs = [entry.output for entry in TurnJournal(vault, folder).phases]
    responses = [output for output in outputs if isinstance(output, Response)]
    return not responses or responses[-1].has_answer


def change_metadata(metadata: str, turn: Turn) -> str:
    """Return a turn's metadata with what says whether it is in the archive."""
    data = parse_object(metadata) | {"archived_at": to_iso_if_any(turn.archived_at)}
    return format_json(data)


def read_turn_id(metadata: str | None) -> str | None:
    """Return the id in a turn's metadata; None where people made something else of it."""
    turn_id = parse_object(metadata or "").get("turn_id")
    return turn_id if isinstance(turn_id, str) else None


def format_index(recent: Sequence[Turn]) -> str:
    """Return the note that lists a user's turns, newest first."""
    links = [format_wikilink(f"{turn.folder}/{CONTEXT}", f"Turn {turn.number}") for turn in recent]
    entries = [
        (turn.topic, link, shorten(format_words(turn.query), _LONGEST_QUERY))
        for turn, link in zip(recent, links, strict=True)
    ]
    return format_index_note("Turns Index", "Recent turns and navigation.", entries)


def format_index_note(title: str, about: str, entries: Sequence[tuple[str, str, str]]) -> str:
    """Return a note that lists documents, first in their order and then by what they are about.

    Each entry is the topic of a document, the link to it, and what is told of it.
    """
    areas: dict[str, list[str]] = {}
    for topic, link, _ in entries:
        areas.setdefault(find_area(topic), []).append(link)
    head = f"---\nid: {title.lower().replace(' ', '_')}\ncontent_types: [index]\n---\n\n"
    return (
        f"{head}# {title}\n\n{about}\n\n## Recent\n"
        + "\n".join(f"- {link} - {text}" for _, link, text in entries)
        + "\n\n## By Topic\n"
        + "\n".join(f"- #{area} - {', '.join(areas[area])}" for area in sorted(areas))
        + "\n"
    )
