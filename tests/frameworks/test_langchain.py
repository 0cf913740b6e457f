"""The retriever and the tools, called as LangChain calls them."""

from __future__ import annotations

import pytest

pytest.importorskip("langchain_core", reason="this agent framework is not installed here")

from langchain_core.runnables import RunnableLambda

from frameworks.conftest import PROMPT, STAGING
from wellworn.adapters.langchain import SharedMemoryRetriever, build_tools
from wellworn.client import Wellworn


@pytest.fixture
def ana(server):
    with Wellworn(server.url, agent_id="ana") as memory:
        yield memory


def test_a_chain_retrieves_what_another_agent_said_and_rates_it(ana, known):
    chain = SharedMemoryRetriever(memory=ana) | RunnableLambda(lambda documents: documents[0])
    document = chain.invoke(PROMPT)
    assert (document.page_content, document.id) == (STAGING, known)
    assert document.metadata["contributor"] == "ben"
    assert ana.feedback(document.metadata["session_id"], document.id, "useful").signal == "useful"


@pytest.mark.anyio
async def test_an_awaited_retriever_keeps_to_its_limits(ana, other, known):
    for number in range(3):
        other.remember(f"Staging host {number} refuses connections.", tags=["hosts"])
    retriever = SharedMemoryRetriever(memory=ana, k=2, filter_tags=["hosts"])
    documents = await retriever.ainvoke("which staging hosts refuse connections?")
    assert len(documents) == 2
    assert all(document.metadata["tags"] == ["hosts"] for document in documents)


def test_passages_of_documents_are_retrieved_with_their_citation(ana, tmp_path):
    (tmp_path / "runbook.md").write_text("# Pooler\n\nRestart the pooler with `systemctl`.\n")
    source = ana.add_source("folder", "runbooks", {"path": str(tmp_path)})
    ana.sync_source(source.id)
    document, *_ = SharedMemoryRetriever(memory=ana).invoke("how do I restart the pooler?")
    assert "systemctl" in document.page_content
    assert document.metadata["citation"].startswith("runbooks/runbook.md")
    assert SharedMemoryRetriever(memory=ana, include_knowledge=False).invoke("pooler?") == []


@pytest.mark.anyio
async def test_the_tools_remember_recall_and_rate(memory, known, other):
    remember, recall, rate = build_tools(memory)
    assert set(remember.args) == {"content", "replaces"}
    assert "best first" in recall.description
    [source] = await recall.ainvoke({"question": "why does staging refuse connections?"})
    assert source["thought_id"] == known
    assert await rate.ainvoke({"thought_id": known, "signal": "useful"}) == "rated as useful"
    await remember.ainvoke({"content": "Staging takes 500 clients.", "replaces": [known]})
    assert other.list_thoughts(by="ana").thoughts[0].replaces[0].thought_id == known
