"""A shared memory as a capability of pydantic-ai: context before a run, and three tools in it."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, field
from typing import TYPE_CHECKING, Any

from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.messages import ModelRequest, UserPromptPart
from pydantic_ai.tools import AgentDepsT, RunContext
from pydantic_ai.toolsets import FunctionToolset

from wellworn.adapters.tools import INSTRUCTIONS, MemoryTools
from wellworn.client import AsyncWellworn

if TYPE_CHECKING:
    from pydantic_ai.models import ModelRequestContext


@dataclass
class SharedMemory(AbstractCapability[AgentDepsT]):
    """What is close to the prompt, and the tools `remember`, `recall` and `rate`.

    The context is added to the user's message, once a run, and stays in the message history: it is
    what others said, and no instruction of the system.

    Attributes:
        memory: whose `agent_id` is the agent's name in the memory.
        budget_tokens: most tokens of context; 0 for none.

    Example:
        memory = AsyncWellworn(agent_id="ana")
        agent = Agent("openai:gpt-5", capabilities=[SharedMemory(memory)])
    """

    memory: AsyncWellworn
    budget_tokens: int = 600
    _: KW_ONLY
    id: str | None = "wellworn"
    _tools: MemoryTools = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self._tools = MemoryTools(self.memory)

    def get_instructions(self) -> str:
        return INSTRUCTIONS

    def get_toolset(self) -> FunctionToolset[Any]:
        tools = [self._tools.remember, self._tools.recall, self._tools.rate]
        return FunctionToolset(tools, id=self.id)

    async def before_model_request(
        self, ctx: RunContext[AgentDepsT], request_context: ModelRequestContext
    ) -> ModelRequestContext:
        request = request_context.messages[-1]
        if ctx.run_step > 1 or not self.budget_tokens or not isinstance(request, ModelRequest):
            return request_context
        said = [part.content for part in request.parts if isinstance(part, UserPromptPart)]
        prompt = "\n".join(text for text in said if isinstance(text, str))
        context = await self._tools.pack(prompt, budget_tokens=self.budget_tokens)
        if context is not None:
            request.parts = [*request.parts, UserPromptPart(context.text)]
        return request_context
