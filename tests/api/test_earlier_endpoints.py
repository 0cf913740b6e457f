"""The endpoints that were there before, unchanged: seed 1 and 2; and how the server is."""

from __future__ import annotations

import pytest

from api.world import accepted
from wellworn import __version__


def ingest(world, content, **metadata):
    body = {"content": content} | ({"metadata": metadata} if metadata else {})
    return accepted(world.post("ingest", body))


def test_ingest_stores_and_query_finds_the_nearest_five(world):
    stored = [ingest(world, f"Always separate roles, rule {n}.") for n in range(7)]
    assert all(one["status"] == "ingested" for one in stored)
    reply = accepted(world.post("query", {"query": "separate roles rule 3"}))
    assert (reply["query"], reply["count"]) == ("separate roles rule 3", 5)
    assert len(reply["results"]) == 5
    best = reply["results"][0]
    assert best["id"] == stored[3]["id"]
    assert best["content"] == "Always separate roles, rule 3."
    scores = [one["score"] for one in reply["results"]]
    assert scores == sorted(scores, reverse=True)


def test_a_result_tells_where_it_comes_from(world):
    ingest(world, "Separate roles.", domain="process", source="handbook")
    [found] = accepted(world.post("query", {"query": "roles"}))["results"]
    assert found.keys() >= {
        "id", "content", "score", "domain", "file_path", "file_name", "chunk_index",
        "total_chunks", "source",
    }  # fmt: skip
    assert (found["domain"], found["source"]) == ("process", "handbook")


def test_query_can_keep_to_a_domain(world):
    ingest(world, "Separate roles.", domain="process")
    ingest(world, "Separate roles of servers.", domain="network")
    reply = accepted(world.post("query", {"query": "separate roles", "domain": "network"}))
    assert [one["domain"] for one in reply["results"]] == ["network"]
    more = {"query": "separate roles", "intent": "learn", "language": "en"}
    assert accepted(world.post("query", more))["count"] == 2


def test_practices_and_thoughts_do_not_mix(world):
    ingest(world, "Separate roles in practice.")
    world.know("Separate roles in thought.")
    [practice] = accepted(world.post("query", {"query": "separate roles"}))["results"]
    assert practice["content"] == "Separate roles in practice."
    [thought] = world.ask("separate roles")["result"]["sources"]
    assert thought["content_preview"] == "Separate roles in thought."


def test_query_on_nothing_finds_nothing(world):
    reply = accepted(world.post("query", {"query": "roles"}))
    assert reply == {"results": [], "query": "roles", "count": 0}


def test_health_counts_what_is_stored(world):
    world.know("Roles stay apart.")
    world.know("Gates are never skipped.")
    ingest(world, "Separate roles.")
    assert world.read("health") == {
        "status": "ok",
        "version": __version__,
        "qdrant": {"status": "ok"},
        "collections": {"thought_space": {"points": 2}, "best_practices": {"points": 1}},
        "database": {"status": "ok"},
        "embedding": {"status": "ok", "model": world.app.embedder.name},
        "reading": {"status": "off", "model": None},
        "advice": None,
        "unindexed": 0,
        "findable": {"thoughts": 2, "by_words": 2, "by_meaning": 2},
    }


def test_the_root_lists_every_documented_endpoint(world):
    reply = world.read("")
    assert (reply["name"], reply["version"]) == ("wellworn", __version__)
    listed = {(one["method"], one["path"]) for one in reply["endpoints"]}
    assert {
        ("POST", "/api/v1/memory"),
        ("POST", "/api/v1/memory/feedback"),
        ("POST", "/api/v1/query"),
        ("POST", "/api/v1/ingest"),
        ("GET", "/api/v1/health"),
    } <= listed
    assert all(one["description"] for one in reply["endpoints"])


@pytest.mark.parametrize("probe", ["live", "ready"])
def test_probes_answer(world, probe):
    assert accepted(world.client.get(f"/health/{probe}"))["status"] == "ok"
