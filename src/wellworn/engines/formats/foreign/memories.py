"""One memory of another program, and the records that it becomes; pure.

Each reader yields these, so that ids, tags, times and what replaced what are the same for all.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, cast

from wellworn.engines.formats.lines import Tell, read_moment
from wellworn.engines.formats.pieces import (
    LONGEST_CONTENT,
    fit_tags,
    replace_unstorable,
    split_into_pieces,
)
from wellworn.kit.clock import from_iso
from wellworn.kit.ids import derive_id
from wellworn.kit.text import is_blank

_LONGEST_NAME, _LONGEST_NOTE, _LONGEST_SESSION = 100, 2_000, 1_000
STATED_THERE = "replaced in the memory that it was imported from"


@dataclass(frozen=True, slots=True)
class ForeignMemory:
    """A memory as another program holds it.

    Attributes:
        program: who held it, as `wellworn import` calls it.
        key: its id there; with its words it gives the id here, so that imports can be repeated.
        author: empty where the program does not say.
        said_at: ISO 8601, or seconds since 1970; None where the program does not say.
        ended_at: since when it is history.
        replaces: the memories before it, which are yielded as well.
        session: the conversation or file, in which it stands at `position`.
        is_turn: it was said in a conversation.
        note: what else is known of where it comes from.
    """

    program: str
    key: str
    text: str
    author: str = ""
    tags: tuple[str, ...] = ()
    said_at: object = None
    ended_at: object = None
    replaces: tuple[ForeignMemory, ...] = ()
    session: str | None = None
    position: int | None = None
    note: str = ""
    is_turn: bool = False

    @property
    def contributor(self) -> str:
        """Who said it, by name; the program where it does not say."""
        author = replace_unstorable(self.author)
        return self.program if is_blank(author) else author[:_LONGEST_NAME]

    @property
    def pieces(self) -> list[str]:
        """The words, in as many thoughts as they need; none where they are blank."""
        text = replace_unstorable(self.text).strip()
        return [] if is_blank(text) else split_into_pieces(text, LONGEST_CONTENT)

    def build_id(self, piece: str) -> str:
        """Return the id of a piece of it."""
        return derive_id(self.program, replace_unstorable(self.key), piece)


def list_records(memories: Iterable[ForeignMemory], tell: Tell) -> Iterator[dict[str, Any]]:
    """Yield the records of memories: thoughts or turns, then their ends and what they replace.

    `tell` is told of tags and times that are left out.
    """
    later: list[dict[str, Any]] = []
    seen: set[str] = set()
    for memory in memories:
        place = f"{memory.program} {memory.key}"
        said_at = _read_time(memory.said_at, place, tell)
        tags = fit_tags(map(replace_unstorable, memory.tags), place, tell)
        for number, piece in enumerate(memory.pieces):
            thought = _build_thought(memory, piece, number)
            if thought["id"] not in seen:
                seen.add(thought["id"])
                yield thought | {"tags": tags, "created_at": said_at}
        later += _list_ends(memory, _read_time(memory.ended_at, place, tell))
        later += _list_replacements(memory, said_at)
    yield from later


def _build_thought(memory: ForeignMemory, piece: str, number: int) -> dict[str, Any]:
    return {
        "record": "thought",
        "kind": "turn" if memory.is_turn else "thought",
        "id": memory.build_id(piece),
        "content": piece,
        "contributor_id": memory.contributor,
        "contributor_name": memory.contributor,
        "context_metadata": _describe_origin(memory),
        "session": memory.session and replace_unstorable(memory.session)[:_LONGEST_SESSION],
        "position": None if memory.position is None else memory.position + number,
    }


def _describe_origin(memory: ForeignMemory) -> str:
    origin = f"{memory.program} {memory.key}" + (f", {memory.note}" if memory.note else "")
    return replace_unstorable(origin)[:_LONGEST_NOTE]


def _list_ends(memory: ForeignMemory, ended_at: str | None) -> Iterator[dict[str, Any]]:
    for piece in memory.pieces if ended_at else ():
        yield {
            "record": "end",
            "thought_id": memory.build_id(piece),
            "contributor_id": memory.contributor,
            "expires_at": from_iso(ended_at or ""),
            "given_at": from_iso(ended_at or ""),
        }


def _list_replacements(memory: ForeignMemory, said_at: str | None) -> Iterator[dict[str, Any]]:
    """Yield that the first piece replaces what was there before."""
    for piece in memory.pieces[:1]:
        for before in memory.replaces:
            for old in before.pieces:
                if (replaced := before.build_id(old)) != memory.build_id(piece):
                    yield {
                        "record": "replacement",
                        "thought_id": memory.build_id(piece),
                        "replaced_id": replaced,
                        "origin": "stated",
                        "reason": STATED_THERE,
                        "confidence": 1.0,
                        "made_by": memory.contributor,
                        "made_at": from_iso(said_at) if said_at else 0.0,
                        "withdrawn_by": None,
                        "withdrawn_at": None,
                    }


def _read_time(value: object, place: str, tell: Tell) -> str | None:
    try:
        return None if value is None or value == "" else read_moment(value)
    except ValueError:
        tell(f"{place}: its time was not understood; it counts as said now")
        return None


def list_texts(value: object) -> list[str]:
    """Return the texts of a list, or a text as the only one of it; none for anything else."""
    values = cast("list[object]", value) if isinstance(value, list) else [value]
    return [each for each in values if isinstance(each, str)]
