"""Conversations that frameworks hand over, kept as turns: each line a thought with its place.

Words are kept, calls of tools are not. Secrets are replaced before anything is stored, so what is
read again may differ from what was said.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from wellworn.client import AsyncWellworn, WellwornClientError
from wellworn.client.models import Part
from wellworn.engines.formats import LONGEST_CONTENT, replace_unstorable, split_into_pieces


@dataclass(frozen=True)
class SpokenLine:
    """What somebody said, and when (ISO 8601) if that is known."""

    speaker: str
    text: str
    said_at: str | None = None


class Conversation:
    """One conversation in a memory, by its name.

    Lines that are taken out are erased: they were the framework's own, and it asks for that.
    """

    def __init__(self, memory: AsyncWellworn, name: str, *, tags: Sequence[str] = ()) -> None:
        self._memory = memory
        self._name = name
        self._tags = tags
        self._next: int | None = None

    async def read(self) -> list[Part]:
        """Return the lines in their order; none where nothing was said."""
        try:
            return [part async for part in self._memory.read_all(f"session:{self._name}")]
        except WellwornClientError as failure:
            if failure.code != "NOT_FOUND":
                raise
            return []

    async def add(self, lines: Iterable[SpokenLine]) -> None:
        """Append lines; those without words are left out."""
        if self._next is None:
            last = (await self.read())[-1:]
            places = [(await self._memory.thought(part.source)).position for part in last]
            self._next = 1 + max((place for place in places if place is not None), default=-1)
        records = to_records(self._name, lines, first=self._next, tags=self._tags)
        if records:
            self._next += len(records)
            await self._memory.import_records(record | {"id": str(uuid4())} for record in records)

    async def drop_last(self) -> Part | None:
        """Erase the last line and return it; None where there is none."""
        last = (await self.read())[-1:]
        for part in last:
            await self._memory.erase(part.source, reason="taken out of its conversation")
        return last[0] if last else None

    async def clear(self) -> None:
        """Erase every line."""
        for part in await self.read():
            await self._memory.erase(part.source, reason="its conversation was cleared")


def to_records(
    name: str, lines: Iterable[SpokenLine], *, first: int = 0, tags: Sequence[str] = ()
) -> list[dict[str, Any]]:
    """Return the records of lines. Without an id, the same words at the same place are the same."""
    pieces = [
        (line, piece)
        for line in lines
        for piece in split_into_pieces(replace_unstorable(line.text), LONGEST_CONTENT)
    ]
    return [
        {
            "record": "thought",
            "kind": "turn",
            "content": piece,
            "contributor_id": line.speaker[:100],
            "contributor_name": line.speaker[:100],
            "session": name,
            "position": place,
            "created_at": line.said_at,
            "tags": [*tags],
        }
        for place, (line, piece) in enumerate(pieces, start=first)
    ]
