"""The store in real graphs of LangGraph, and beside the framework's own in-memory store."""

from __future__ import annotations

from typing import TypedDict

import pytest

graphs = pytest.importorskip("langgraph.graph", reason="this agent framework is not installed here")

from langgraph.runtime import Runtime
from langgraph.store.memory import InMemoryStore

from frameworks.conftest import PROMPT, STAGING
from wellworn.adapters.langgraph import SharedStore
from wellworn.client import Wellworn


@pytest.fixture
def ana(server):
    with Wellworn(server.url, agent_id="ana") as memory:
        yield memory


@pytest.fixture
def store(ana):
    return SharedStore(ana)


class State(TypedDict, total=False):
    say: str
    ask: str
    told: list[str]


def build_graph(store):
    """A graph that keeps what it is told, and looks up what it is asked."""

    def keep(state: State, runtime: Runtime):
        if "say" in state:
            runtime.store.put(("notes", "team"), state["say"][:8], {"memory": state["say"]})
        return {}

    def look_up(state: State, runtime: Runtime):
        found = runtime.store.search(("notes",), query=state.get("ask")) if "ask" in state else []
        return {"told": [item.value["memory"] for item in found]}

    builder = graphs.StateGraph(State)
    builder.add_node("keep", keep)
    builder.add_node("look_up", look_up)
    builder.add_edge(graphs.START, "keep")
    builder.add_edge("keep", "look_up")
    return builder.compile(store=store)


def test_what_one_graph_stores_another_searches(store, other):
    build_graph(store).invoke({"say": STAGING})
    assert build_graph(SharedStore(other)).invoke({"ask": PROMPT})["told"] == [STAGING]


@pytest.mark.anyio
async def test_a_graph_that_is_awaited_does_the_same(store):
    graph = build_graph(store)
    await graph.ainvoke({"say": STAGING})
    assert (await graph.ainvoke({"ask": PROMPT}))["told"] == [STAGING]


def test_an_item_is_a_thought_that_others_recall_and_rate(store, other):
    store.put(("notes",), "pooler", {"memory": STAGING})
    reply = other.recall(PROMPT)
    [source] = reply.sources
    assert (source.content, source.contributor) == (STAGING, "ana")
    other.feedback(reply.session_id, source.thought_id, "outdated")
    assert store.search(("notes",), query=PROMPT) == []


VALUES = [
    {"memory": "Ana likes dark themes."},
    {"memory": "Ana likes dark themes.", "sure": 0.5},
    {"kind": "Memory", "content": {"content": "Ana likes dark themes.", "since": [2024, None]}},
    {"memory": ""},
    {"quotes": 'She said "no"\n\tand left.'},
    {},
]


@pytest.mark.parametrize("value", VALUES, ids=str)
def test_a_value_is_read_as_it_was_put(store, value):
    store.put(("users", "ana"), "prefs", value)
    item = store.get(("users", "ana"), "prefs")
    assert (item.value, item.namespace, item.key) == (value, ("users", "ana"), "prefs")


def test_a_new_value_replaces_the_old_and_an_old_one_can_come_back(store, ana):
    for text in ("Momo is a cat.", "Momo is a dog.", "Momo is a cat."):
        store.put(("pets",), "momo", {"memory": text})
        assert store.get(("pets",), "momo").value == {"memory": text}
    assert [item.value["memory"] for item in store.search(("pets",))] == ["Momo is a cat."]
    dog, cat = ana.list_thoughts(tag="store/pets").thoughts
    assert [link.thought_id for link in dog.replaced_by] == [cat.thought_id]


def test_the_same_words_at_two_places_are_two_items(store):
    store.put(("users", "ana"), "food", {"memory": "Likes pizza."})
    store.put(("users", "ben"), "food", {"memory": "Likes pizza."})
    store.put(("users", "ben"), "food", {"memory": "Likes pizza."})
    for user in ("ana", "ben"):
        [item] = store.search(("users", user))
        assert (item.namespace, item.value) == (("users", user), {"memory": "Likes pizza."})


def test_namespaces_that_tags_fold_are_two(store):
    store.put(("users", "a-b"), "tea", {"text": "Green."})
    store.put(("users", "A_B"), "tea", {"text": "Black."})
    assert [item.value for item in store.search(("users", "a-b"))] == [{"text": "Green."}]
    assert store.list_namespaces() == [("users", "A_B"), ("users", "a-b")]


def test_what_is_deleted_is_history_or_erased(store, ana, other):
    store.put(("notes",), "pooler", {"memory": STAGING})
    store.delete(("notes",), "pooler")
    assert store.get(("notes",), "pooler") is None
    assert store.search(("notes",), query=PROMPT) == []
    [thought] = ana.list_thoughts(tag="store/notes").thoughts
    assert (thought.content, thought.expires_at is None) == (STAGING, False)
    erasing = SharedStore(ana, erases=True)
    erasing.put(("notes",), "key", {"memory": "The key is under the mat."})
    erasing.delete(("notes",), "key")
    assert [each.content for each in ana.list_thoughts().thoughts] == [STAGING]
    store.put(("notes",), "pooler", {"memory": STAGING})
    assert store.get(("notes",), "pooler").value == {"memory": STAGING}


LONG = ("tenants", "0b1c2d3e-4f50-6172-8394-a5b6c7d8e9f0", "1b1c2d3e-4f50-6172-8394-a5b6c7d8e9f0")
ITEMS = [
    (("docs",), "a", {"n": 1, "state": "open"}),
    (("docs", "draft"), "b", {"n": 2, "state": "open"}),
    (("docs", "draft"), "c", {"n": 3, "state": "closed"}),
    (("docs", "a b/ü"), "d", {"n": 4}),
    (LONG, "e", {"n": 5}),
    (("docsets",), "f", {"n": 6}),
]
SEARCHES = [
    ((), {}),
    (("docs",), {}),
    (("docs", "draft"), {}),
    (LONG[:2], {}),
    (("none",), {}),
    (("docs",), {"filter": {"state": "open"}}),
    (("docs",), {"filter": {"n": {"$gte": 2, "$lt": 4}}}),
    (("docs",), {"filter": {"state": {"$ne": "open"}, "n": {"$gt": 2}}}),
]
LISTINGS = [
    {},
    {"prefix": ("docs",)},
    {"prefix": ("docs", "*")},
    {"suffix": ("draft",)},
    {"max_depth": 1},
    {"limit": 2, "offset": 1},
]


@pytest.fixture
def both(store):
    own = InMemoryStore()
    for place, key, value in ITEMS:
        store.put(place, key, value)
        own.put(place, key, value)
    return store, own


def test_items_are_found_as_in_the_frameworks_own_store(both):
    for prefix, options in SEARCHES:
        ours, theirs = ({item.key for item in each.search(prefix, **options)} for each in both)
        assert ours == theirs, (prefix, options)
    for options in LISTINGS:
        ours, theirs = (sorted(each.list_namespaces(**options)) for each in both)
        assert ours == theirs, options
    ours = both[0]
    pages = [[item.key for item in ours.search((), limit=2, offset=at)] for at in (0, 2, 4)]
    assert [key for page in pages for key in page] == [item.key for item in ours.search(())]


def test_thoughts_of_others_with_the_same_tag_are_no_items(store, other):
    other.remember("A thought that is no item.", tags=["store/docs"])
    store.put(("docs",), "a", {"n": 1})
    assert [item.key for item in store.search(("docs",))] == ["a"]
    assert store.list_namespaces() == [("docs",)]
