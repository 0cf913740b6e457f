"""What is found, in which order and why: seed 7, thoughts.md 9 and Ranking."""

from __future__ import annotations

import random
from dataclasses import fields

import pytest

from api.world import accepted, ids, refused
from wellworn.engines.retrieval.weights import Weights

WORDS = ["river", "stone", "lamp", "orchard", "copper", "violin"]
WORDS += ["harbour", "meadow", "candle", "thunder", "pepper", "window"]


def shown(world, prompt, **more):
    return world.ask(prompt, **more)["result"]["sources"]


def test_meaning_is_found_where_no_word_is_shared(meaning):
    pets = meaning.know("Felines enjoy long naps in sunny places.")
    meaning.know("The quarterly budget needs another signature.")
    [first, *_] = shown(meaning, "where do cats like to sleep")
    assert first["thought_id"] == pets


def test_a_search_that_leaves_no_trail_takes_the_times_of_a_recall(world):
    old = world.know("The lamp burns oil.", "bo")
    world.clock.advance(60)
    new = world.know("The lamp burns gas.", "ana", replaces=[old])

    def found(**scope):
        results = world.read("search", q="What does the lamp burn?", **scope)["results"]
        return [result["thought_id"] for result in results]

    assert found() == [new]
    assert found(history="true") == [new, old]
    assert found(as_of="2026-02-23T15:00:30Z") == [old]
    assert found(by="Ana") == [new]
    assert found(until="2026-02-22") == found(since="2026-02-24") == []
    refused(world.client.get("/api/v1/search?q=lamp&as_of=2026-02-30"), 400, "VALIDATION_ERROR")


def long_thought(fact, at):
    """Return a text of 10,000 characters with the fact at its end or start."""
    chance = random.Random(7)
    filler = " ".join(chance.choices(WORDS, k=3_000))
    room = 10_000 - len(fact) - 1
    text = f"{filler[:room]} {fact}" if at == "end" else f"{fact} {filler[:room]}"
    assert len(text) == 10_000
    return text


@pytest.mark.parametrize("method", ["vector", "hybrid"])
@pytest.mark.parametrize("at", ["start", "end"])
def test_a_fact_at_either_end_of_a_long_thought_is_found_once(meaning, at, method):
    fact = "The submarine Nautilus is repainted in turquoise every second spring."
    thought = meaning.know(long_thought(fact, at))
    for number in range(20):
        meaning.know(f"Ships like number {number} are repaired in the dock of the harbour.")
    # Beyond its first passage it is found by its words until it is embedded.
    [first, *_] = shown(meaning, "Nautilus turquoise")
    assert first["thought_id"] == thought
    meaning.app.embedding.finish()
    found = shown(meaning, "When is the Nautilus repainted?", retrieval_method=method, limit=50)
    assert found[0]["thought_id"] == thought
    assert [one["thought_id"] for one in found].count(thought) == 1


def test_a_long_thought_counts_as_one_access(world):
    thought = world.know(long_thought("Nautilus turquoise.", "end"))
    assert ids(world.ask("nautilus turquoise river stone lamp")) == [thought]
    assert world.record(thought)["access_count"] == 1


@pytest.fixture
def crowd(world):
    """300 thoughts nearer to `river stone lamp` than one that names an identifier."""
    records = [
        {
            "record": "thought",
            "content": f"river stone lamp {WORDS[n % 12]} {n}",
            "contributor_id": "a",
            "contributor_name": "A",
        }
        for n in range(300)
    ]
    import json

    body = "\n".join(json.dumps(record) for record in records)
    headers = {"content-type": "application/x-ndjson"}
    accepted(world.client.post("/api/v1/import", content=body, headers=headers))
    world.app.embedding.finish()
    return world.know(f"ERR-7Q41X means {' '.join(f'other{n}' for n in range(120))}")


def test_an_exact_identifier_outside_of_the_nearest_is_found_by_hybrid(world, crowd):
    prompt = "river stone lamp ERR-7Q41X"
    assert crowd not in ids(world.ask(prompt, retrieval_method="vector", limit=50))
    assert crowd in ids(world.ask(prompt, limit=10))
    assert world.ask(prompt)["trace"]["retrieval_method"] == "hybrid"


def test_vector_alone_is_the_cosine_order(world, crowd):
    reply = world.ask("river stone lamp copper 7", retrieval_method="vector", limit=50)
    assert reply["trace"]["retrieval_method"] == "vector"
    found = reply["result"]["sources"]
    scores = [one["score"] for one in found]
    assert scores == sorted(scores, reverse=True)
    query = world.app.embedder.encode_query("river stone lamp copper 7").vector
    contents = [world.record(one["thought_id"])["content"] for one in found[:5]]
    for one, vector in zip(found, world.app.embedder.embed(contents), strict=False):
        assert one["score"] == pytest.approx(float(query @ vector), abs=1e-3)


@pytest.mark.parametrize("method", ["vector", "hybrid"])
def test_the_parts_of_an_explanation_add_up_and_order_the_list(world, crowd, method):
    found = shown(world, "river stone ERR-7Q41X", explain=True, limit=50, retrieval_method=method)
    assert len(found) == 50
    for one in found:
        assert one["rank_score"] == pytest.approx(sum(one["why"].values()), abs=1e-9)
    ranks = [one["rank_score"] for one in found]
    assert ranks == sorted(ranks, reverse=True)
    if method == "hybrid":
        reasons = {field.name for field in fields(Weights)} | {"usefulness"}
        assert all(one["why"].keys() <= reasons for one in found)
        assert {"meaning", "words", "pieces"} <= found[0]["why"].keys()


def test_an_explanation_brings_the_content_along(world):
    thought = world.know("Roles stay apart. " * 10, "zoe", tags=["roles"])
    [one] = shown(world, "roles apart", explain=True)
    assert one["content"] == world.record(thought)["content"]
    assert (one["tags"], one["created_at"]) == (["roles"], "2026-02-23T15:00:00.000000Z")
    [plain] = shown(world, "roles apart")
    assert plain.keys() == {"thought_id", "contributor", "score", "content_preview"}


def test_retrieve_explains_as_well(world):
    world.know("Roles stay apart.")
    body = {"query": "roles", "agent_id": "a", "explain": True}
    body["session_id"] = "7b9f0a52-5a8e-4c65-9d59-0b8f6c0a1f11"
    [found] = accepted(world.post("retrieve", body))
    assert found["rank_score"] == pytest.approx(sum(found["why"].values()))


def test_popularity_alone_moves_nothing(world):
    near, far = world.know("Roles stay apart."), world.know("Roles stay apart if they can at all.")
    before = ids(world.ask("roles apart", "eve"))
    assert before == [near, far]
    for number in range(20):
        world.ask("apart if they can at all", f"agent-{number}", limit=1)
    assert world.record(far)["access_count"] == 21
    assert ids(world.ask("roles apart", "kim")) == before
