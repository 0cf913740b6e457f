"""A memory service of Google ADK: sessions are kept as turns, and searched with all that is known.

The service keeps users apart as ADK expects: by a tag, which is no wall. What must not be found by
others belongs in a space of its own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from google.adk.memory.base_memory_service import BaseMemoryService, SearchMemoryResponse
from google.adk.memory.memory_entry import MemoryEntry
from google.genai import types

from wellworn.adapters.conversations import Conversation, SpokenLine, to_records
from wellworn.client import AsyncWellworn
from wellworn.client.models import Source
from wellworn.kit.text import fingerprint

if TYPE_CHECKING:
    from google.adk.events.event import Event
    from google.adk.sessions.session import Session


class SharedMemoryService(BaseMemoryService):
    """Words of sessions, and memories, of ADK's users; `shared` finds what every agent said.

    Example:
        memory = AsyncWellworn(agent_id="ana")
        runner = Runner(..., memory_service=SharedMemoryService(memory, shared=True))
    """

    def __init__(self, memory: AsyncWellworn, *, shared: bool = False, limit: int = 10) -> None:
        """Make a service of a memory.

        Args:
            memory: whose `agent_id` is the name of what is remembered without an author.
            shared: search everything in the memory's space, not what this user's sessions said.
            limit: most results of a search, up to 50.
        """
        self._memory = memory
        self._shared = shared
        self._limit = limit

    async def add_session_to_memory(self, session: Session) -> None:
        """Keep what is new in a session; what was kept before, or erased since, stays as it is."""
        name = f"{session.app_name}/{session.user_id}/{session.id}"
        tags = [_tag_user(session.app_name, session.user_id)]
        records = to_records(name, _read_events(session.events), tags=tags)
        if records:
            await self._memory.import_records(records)

    async def add_events_to_memory(
        self,
        *,
        app_name: str,
        user_id: str,
        events: Sequence[Event],
        session_id: str | None = None,
        custom_metadata: Mapping[str, object] | None = None,  # noqa: ARG002 - of the port
    ) -> None:
        """Append events to what is kept of a session."""
        name = f"{app_name}/{user_id}/{session_id or 'events'}"
        tags = [_tag_user(app_name, user_id)]
        await Conversation(self._memory, name, tags=tags).add(_read_events(events))

    async def add_memory(
        self,
        *,
        app_name: str,
        user_id: str,
        memories: Sequence[MemoryEntry],
        custom_metadata: Mapping[str, object] | None = None,  # noqa: ARG002 - of the port
    ) -> None:
        """Remember each memory as a statement of this agent."""
        for entry in memories:
            if text := _read_text(entry.content):
                await self._memory.remember(text, tags=[_tag_user(app_name, user_id)])

    async def search_memory(
        self, *, app_name: str, user_id: str, query: str
    ) -> SearchMemoryResponse:
        """Recall what is close to a query, best first; it counts as shown."""
        tags = [] if self._shared else [_tag_user(app_name, user_id)]
        reply = await self._memory.recall(query, limit=self._limit, filter_tags=tags)
        entries = [_to_entry(source, reply.session_id) for source in reply.sources]
        return SearchMemoryResponse(memories=entries)

    async def delete_memory(
        self,
        *,
        app_name: str,  # noqa: ARG002 - of the port
        user_id: str,  # noqa: ARG002 - of the port
        memory_id: str | None = None,
    ) -> None:
        """Erase a memory, which its `id` names."""
        if memory_id:
            await self._memory.erase(memory_id, reason="deleted by its application")


def _tag_user(app_name: str, user_id: str) -> str:
    return f"adk/{fingerprint(app_name, user_id)[:16]}"


def _read_events(events: Sequence[Event]) -> list[SpokenLine]:
    """Return the words of events; partial ones come again whole."""
    return [
        SpokenLine(
            event.author or "agent", text, datetime.fromtimestamp(event.timestamp, UTC).isoformat()
        )
        for event in events
        if not event.partial and (text := _read_text(event.content))
    ]


def _read_text(content: types.Content | None) -> str:
    parts = (content.parts if content else None) or []
    return "\n".join(part.text for part in parts if part.text and not part.thought)


def _to_entry(source: Source, session_id: str) -> MemoryEntry:
    text = source.content or source.content_preview
    return MemoryEntry(
        id=source.thought_id,
        content=types.Content(role="user", parts=[types.Part(text=text)]),
        author=source.contributor,
        timestamp=source.created_at,
        custom_metadata={"session_id": session_id, "outdated_at": source.outdated_at},
    )
