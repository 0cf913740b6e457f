"""What a page says of itself that it holds no longer is told wherever it is quoted."""

from __future__ import annotations

import pytest

from integration.knowledge_world import local, opened, synced
from knowledge_calls import call
from wellworn.domain.memory import Prompt

NETTLE_DATE = "2024-05-06T00:00:00.000000Z"
DOCUMENTS = {
    "nettle.md": "---\nupdated: 2024-05-06\n---\n\n# Nettle\n\n"
    "Status: superseded by [Thistle](thistle.md)\n\n"
    "Nettle was the ticket system.\n\n- Port: 8200\n",
    "thistle.md": "# Thistle\n\nThistle is the ticket system.\n\n- Port: 8300\n",
}


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    folder = tmp_path_factory.mktemp("past")
    with opened(folder / "home") as app:
        access = local(app)
        synced(app, access, folder / "docs", DOCUMENTS)
        yield app, access


def list_marks(quotes):
    return {quote.path: quote.is_past for quote in quotes}


@pytest.mark.parametrize("term", ["nettle", "nettle port", "nettle owner"])
def test_what_is_resolved_says_that_its_page_is_past(world, term):
    app, access = world
    answer = app.resolve(access, term)
    assert list_marks(answer.evidence) == {"nettle.md": True}
    assert list_marks(value.evidence for value in answer.values) == {"nettle.md": True}


def test_what_is_found_says_it_too_and_other_pages_do_not(world):
    app, access = world
    found = app.search_documents(access, "ticket system", limit=5, sources=None)
    assert list_marks(found) == {"nettle.md": True, "thistle.md": False}


def test_a_call_of_the_memory_says_it(world):
    app, access = world
    prompt = Prompt("what was nettle?", "ann", "Ann", include_knowledge=True)
    reply = app.converse(access, prompt)
    marks = {
        source.citation.partition("#")[0]: source.outdated_at for source in reply.result.sources
    }
    assert marks["mytech/nettle.md"] == NETTLE_DATE
    assert marks["mytech/thistle.md"] is None


def test_a_heading_of_a_page_may_be_taught_by_what_search_prints(world):
    app, access = world
    citation = app.search_documents(access, "thistle", limit=1, sources=None)[0].citation
    assert citation == "mytech/thistle.md#thistle"
    answer = call(app, "learn")(access, "the desk", citation)
    assert (answer.outcome, answer.canonical) == ("resolved", "mytech/thistle.md")
