"""A context provider of Microsoft's Agent Framework: context before a run, and three tools."""

from __future__ import annotations

from typing import Any, Final

from agent_framework import AgentSession, ContextProvider, Message, SessionContext, SupportsAgentRun

from wellworn.adapters.conversations import Conversation, SpokenLine
from wellworn.adapters.tools import INSTRUCTIONS, MemoryTools
from wellworn.client import AsyncWellworn

_SPEAKERS: Final = ("user", "assistant")


class SharedMemoryProvider(ContextProvider):
    """What is close to the input, and the tools `remember`, `recall` and `rate`.

    If asked for, it also keeps the conversation as turns that other agents find.

    Example:
        memory = AsyncWellworn(agent_id="ana")
        agent = Agent(client, context_providers=[SharedMemoryProvider(memory)])
    """

    def __init__(
        self,
        memory: AsyncWellworn,
        *,
        budget_tokens: int = 600,
        keeps: bool = False,
        user: str = "user",
        source_id: str = "wellworn",
    ) -> None:
        """Make a provider of a memory.

        Args:
            memory: whose `agent_id` is the agent's name there.
            budget_tokens: most tokens of context.
            keeps: keep what the user and the agent say.
            user: the name under which what the user says is kept.
            source_id: the framework's own name of the provider.
        """
        super().__init__(source_id)
        self._memory = memory
        self._budget_tokens = budget_tokens
        self._keeps = keeps
        self._names = {"user": user, "assistant": memory.agent_id}
        self._tools = MemoryTools(memory)

    async def before_run(
        self,
        *,
        agent: SupportsAgentRun,  # noqa: ARG002 - of the port
        session: AgentSession,  # noqa: ARG002 - of the port
        context: SessionContext,
        state: dict[str, Any],
    ) -> None:
        """Add what is close to the input, and was not shown in this session before."""
        tools = self._tools
        context.extend_instructions(self.source_id, INSTRUCTIONS)
        context.extend_tools(self.source_id, [tools.remember, tools.recall, tools.rate])
        prompt = "\n".join(each.text for each in context.input_messages if each.role == "user")
        shown: list[str] = state.setdefault("shown", [])
        packed = await tools.pack(
            prompt, budget_tokens=self._budget_tokens, leave_out=shown[-1_000:]
        )
        if packed is not None:
            shown.extend(item.id for item in packed.items)
            context.extend_messages(self, [Message("user", [packed.text])])

    async def after_run(
        self,
        *,
        agent: SupportsAgentRun,  # noqa: ARG002 - of the port
        session: AgentSession,
        context: SessionContext,
        state: dict[str, Any],  # noqa: ARG002 - of the port
    ) -> None:
        """Keep what was said, if that is asked for."""
        if not self._keeps:
            return
        answered = context.response.messages if context.response else []
        await Conversation(self._memory, session.session_id).add(
            SpokenLine(self._names[each.role], each.text)
            for each in [*context.input_messages, *answered]
            if each.role in _SPEAKERS
        )
