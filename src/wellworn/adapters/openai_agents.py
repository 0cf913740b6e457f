"""A shared memory for the OpenAI Agents SDK: a session that others recall from, and three tools."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, cast

from agents import FunctionTool, TResponseInputItem, function_tool
from agents.memory import SessionSettings

from wellworn.adapters.conversations import Conversation, SpokenLine
from wellworn.adapters.tools import MemoryTools
from wellworn.client import AsyncWellworn

_SPEAKERS: Final = ("user", "assistant")


class SharedSession:
    """A conversation that is kept as turns in the memory, where other agents find it.

    It keeps what the user and the agent said. What tools were asked and answered stays out: a later
    run begins from the words alone.

    Example:
        session = SharedSession("support-42", AsyncWellworn(agent_id="ana"))
        result = await Runner.run(agent, "My cat is called Momo.", session=session)
    """

    def __init__(
        self,
        session_id: str,
        memory: AsyncWellworn,
        *,
        user: str = "user",
        session_settings: SessionSettings | None = None,
    ) -> None:
        """Open a conversation.

        Args:
            session_id: its name, for people, too.
            memory: whose `agent_id` is the agent's name in the memory.
            user: the name under which what the user says is kept.
            session_settings: the SDK's own, such as a limit.
        """
        self.session_id = session_id
        self.session_settings: SessionSettings | None = session_settings or SessionSettings()
        self._conversation = Conversation(memory, session_id)
        self._names = {"user": user, "assistant": memory.agent_id}

    async def get_items(self, limit: int | None = None) -> list[TResponseInputItem]:
        parts = await self._conversation.read()
        settings = self.session_settings or SessionSettings()
        latest = settings.limit if limit is None else limit
        kept = parts if latest is None else parts[len(parts) - max(latest, 0) :]
        return [self._to_item(part.contributor, part.text) for part in kept]

    async def add_items(self, items: list[TResponseInputItem]) -> None:
        await self._conversation.add(
            SpokenLine(self._names[role], text) for role, text in _read_messages(items)
        )

    async def pop_item(self) -> TResponseInputItem | None:
        part = await self._conversation.drop_last()
        return None if part is None else self._to_item(part.contributor, part.text)

    async def clear_session(self) -> None:
        await self._conversation.clear()

    def _to_item(self, contributor: str, text: str) -> TResponseInputItem:
        role = "assistant" if contributor == self._names["assistant"] else "user"
        return cast("TResponseInputItem", {"role": role, "content": text})


def build_tools(memory: AsyncWellworn) -> list[FunctionTool]:
    """Return `remember`, `recall` and `rate` as tools of an agent.

    Example:
        agent = Agent("Ana", instructions=INSTRUCTIONS, tools=build_tools(memory))
    """
    tools = MemoryTools(memory)
    return [function_tool(tools.remember), function_tool(tools.recall), function_tool(tools.rate)]


def _read_messages(items: list[TResponseInputItem]) -> Iterator[tuple[str, str]]:
    """Yield the role and the words of each message of the user and the agent."""
    for item in cast("list[dict[str, Any]]", items):
        if item.get("type", "message") == "message" and item.get("role") in _SPEAKERS:
            content = item["content"]
            parts = (
                [content] if isinstance(content, str) else [each.get("text") for each in content]
            )
            yield item["role"], "\n".join(filter(None, parts))
