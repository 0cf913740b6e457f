"""The block in a real memory of LlamaIndex, whose short-term memory overflows."""

from __future__ import annotations

from contextlib import asynccontextmanager

import pytest

pytest.importorskip("llama_index.core", reason="this agent framework is not installed here")

from llama_index.core.llms import ChatMessage
from llama_index.core.memory import Memory

from frameworks.conftest import PROMPT, STAGING
from wellworn.adapters.llama_index import SharedMemoryBlock

pytestmark = pytest.mark.anyio


@asynccontextmanager
async def open_memory(memory, **options):
    block = SharedMemoryBlock(memory=memory, **options)
    limits = {"token_limit": 60, "token_flush_size": 10, "chat_history_token_ratio": 0.5}
    opened = Memory.from_defaults(session_id="c", memory_blocks=[block], **limits)
    yield opened
    # It has no way of its own to close its database.
    await opened.sql_store._async_engine.dispose()


async def test_what_is_close_to_the_last_message_comes_in(memory, known):
    async with open_memory(memory) as talk:
        assert "wellworn" not in str(await talk.aget(input="fix the typo in the README"))
        [context, *_] = await talk.aget(input=PROMPT)
    assert STAGING in context.content
    assert "ben" in context.content


async def test_what_leaves_short_term_memory_is_kept_and_recalled_by_others(memory, other):
    async with open_memory(memory, user="cleo") as talk:
        await talk.aput(ChatMessage(role="user", content="My cat is called Momo."))
        await talk.aput(ChatMessage(role="assistant", content="Nice!"))
        await talk.aput(ChatMessage(role="tool", content="a tool's answer"))
        for number in range(8):
            await talk.aput(ChatMessage(role="user", content=f"Chapter {number} is about boats."))
            await talk.aput(ChatMessage(role="assistant", content="Go on."))
    parts = [part async for part in memory.read_all("session:c")]
    said = [(part.contributor, part.text) for part in parts]
    assert said[:2] == [("cleo", "My cat is called Momo."), ("ana", "Nice!")]
    assert "a tool's answer" not in [text for _, text in said]
    assert len(said) == len({part.source for part in parts}) > 2
    [source, *_] = other.recall("what is the cat called?").sources
    assert (source.content, source.contributor) == ("My cat is called Momo.", "cleo")
