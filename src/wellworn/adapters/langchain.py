"""A shared memory for LangChain: a retriever of thoughts and documents, and three tools.

Its chat message histories are deprecated, to be removed in 2.0, so there is none of them here: a
graph's checkpointer keeps a conversation, and `wellworn.adapters.langgraph` what outlives it.
"""

from __future__ import annotations

from typing import Any

from langchain_core.callbacks import CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from langchain_core.tools import BaseTool, StructuredTool
from pydantic import Field

from wellworn.adapters.tools import MemoryTools
from wellworn.client import AsyncWellworn, Wellworn
from wellworn.client.models import Source


class SharedMemoryRetriever(BaseRetriever):
    """What agents said and documents say, best first; it ends where relevance ends.

    Each document's metadata has who said it and when, what replaced it, and the `session_id` that
    feedback on it takes.

    Example:
        retriever = SharedMemoryRetriever(memory=Wellworn(agent_id="ana"))
        documents = retriever.invoke("why does staging refuse connections?")
    """

    memory: Wellworn
    k: int = Field(default=10, ge=1, le=50, description="Most results.")
    filter_tags: list[str] = Field(default=[], description="Only thoughts with one of these tags.")
    include_knowledge: bool = Field(default=True, description="Also passages of documents.")

    def _get_relevant_documents(
        self,
        query: str,
        *,
        run_manager: CallbackManagerForRetrieverRun,  # noqa: ARG002 - of the port
    ) -> list[Document]:
        reply = self.memory.recall(
            query,
            limit=self.k,
            filter_tags=self.filter_tags,
            include_knowledge=self.include_knowledge,
        )
        return [_to_document(source, reply.session_id) for source in reply.sources]


def build_tools(memory: AsyncWellworn) -> list[BaseTool]:
    """Return `remember`, `recall` and `rate` as tools of an agent that is awaited.

    Example:
        agent = create_agent("openai:gpt-5", build_tools(memory), system_prompt=INSTRUCTIONS)
    """
    tools = MemoryTools(memory)
    return [
        StructuredTool.from_function(coroutine=tool, parse_docstring=True)
        for tool in (tools.remember, tools.recall, tools.rate)
    ]


def _to_document(source: Source, session_id: str) -> Document:
    left_out = {"thought_id", "content", "content_preview", "why", "tags"}
    metadata: dict[str, Any] = source.model_dump(exclude=left_out, exclude_none=True)
    return Document(
        source.content or source.content_preview,
        id=source.thought_id,
        metadata=metadata | {"tags": list(source.tags or ()), "session_id": session_id},
    )
