"""A memory block of LlamaIndex: what leaves short-term memory is kept, what is close comes in."""

from __future__ import annotations

from typing import Any

from llama_index.core.llms import ChatMessage, MessageRole
from llama_index.core.memory import BaseMemoryBlock
from pydantic import Field, PrivateAttr

from wellworn.adapters.conversations import Conversation, SpokenLine
from wellworn.adapters.tools import MemoryTools
from wellworn.client import AsyncWellworn


class SharedMemoryBlock(BaseMemoryBlock[str]):
    """Context from a shared memory, and the conversation's older lines, which others find there.

    Example:
        block = SharedMemoryBlock(memory=AsyncWellworn(agent_id="ana"))
        memory = Memory.from_defaults(session_id="support-42", memory_blocks=[block])
    """

    name: str = "shared_memory"
    memory: AsyncWellworn = Field(description="Whose `agent_id` is the agent's name there.")
    budget_tokens: int = Field(
        default=600, ge=100, le=20_000, description="Most tokens of context."
    )
    user: str = Field(default="user", description="Under which name the user's words are kept.")
    _conversations: dict[str, Conversation] = PrivateAttr(default_factory=dict)

    async def _aget(self, messages: list[ChatMessage] | None = None, **_block_kwargs: Any) -> str:
        """Return what is close to the last thing that the user said."""
        said = [each.content for each in messages or [] if each.role == MessageRole.USER]
        tools = MemoryTools(self.memory)
        prompt = (said[-1] if said else None) or ""
        context = await tools.pack(prompt, budget_tokens=self.budget_tokens)
        return "" if context is None else context.text

    async def _aput(self, messages: list[ChatMessage]) -> None:
        """Keep what the user and the agent said; calls of tools are left out."""
        names = {MessageRole.USER: self.user, MessageRole.ASSISTANT: self.memory.agent_id}
        for message in messages:
            name = str(message.additional_kwargs.get("session_id") or "llama-index")
            if message.role in names and message.content:
                conversation = self._conversations.setdefault(name, Conversation(self.memory, name))
                await conversation.add([SpokenLine(names[message.role], message.content)])
