"""What retrieval wears in: accesses, pheromone, decay, pairs, highways: seed 4 to 6."""

from __future__ import annotations

import math

import pytest

from api.world import accepted, ids, refused, talk
from empty_memory import over_both
from wellworn.engines.storage.vectors import round_vector
from wellworn.kit.ids import new_id

pytestmark = over_both

ROLES = "Role boundaries prevent coordination collapse."
CACHE = "Cache invalidation remains a hard problem."


def look(world, query, agent="ada", **more):
    body = {"query": query, "agent_id": agent, "session_id": new_id(), **more}
    return accepted(world.post("retrieve", body))


def test_five_retrievals_give_five_accesses_and_a_weight_of_exactly_1_25(world):
    thought = world.know(ROLES)
    for _ in range(5):
        assert ids(world.ask("role boundaries?")) == [thought]
    record = world.record(thought)
    assert (record["access_count"], record["pheromone_weight"]) == (5, 1.25)


def test_a_new_thought_has_the_specified_record(world):
    thought = world.know(ROLES, "pdsa", tags=["multi-agent"], context_metadata="agent workflows")
    record = world.record(thought)
    specified = {
        "contributor_id": "pdsa",
        "contributor_name": "Pdsa",
        "content": ROLES,
        "context_metadata": "agent workflows",
        "created_at": "2026-02-23T15:00:00.000000Z",
        "thought_type": "original",
        "source_ids": [],
        "tags": ["multi-agent"],
        "access_count": 0,
        "last_accessed": None,
        "accessed_by": [],
        "access_log": [],
        "co_retrieved_with": [],
        "pheromone_weight": 1.0,
        "knowledge_space_id": "ks-default",
    }
    assert specified.items() <= record.items()
    assert record["thought_id"] == thought
    assert (record["affirmed_by"], record["erased_at"]) == ([], None)


def test_think_answers_with_the_id_and_the_initial_weight(world):
    body = {"content": ROLES, "contributor_id": "a", "contributor_name": "A"}
    body |= {"thought_type": "original", "source_ids": [], "tags": []}
    reply = accepted(world.post("think", body))
    assert reply.keys() == {"thought_id", "pheromone_weight"}
    assert reply["pheromone_weight"] == 1.0


def test_every_retrieval_leaves_who_when_and_in_which_session(world):
    thought = world.know(ROLES)
    first = world.ask("role boundaries?", "bob")["trace"]["session_id"]
    world.clock.advance(90)
    second = world.ask("role boundaries?", "eve")["trace"]["session_id"]
    third = world.ask("role boundaries?", "bob", session_id=first)["trace"]["session_id"]
    record = world.record(thought)
    assert record["last_accessed"] == "2026-02-23T15:01:30.000000Z"
    assert record["accessed_by"] == ["bob", "eve"]
    assert record["access_log"] == [
        {"user_id": "bob", "timestamp": "2026-02-23T15:00:00.000000Z", "session_id": first},
        {"user_id": "eve", "timestamp": "2026-02-23T15:01:30.000000Z", "session_id": second},
        {"user_id": "bob", "timestamp": "2026-02-23T15:01:30.000000Z", "session_id": third},
    ]


def test_the_access_log_shows_the_newest_hundred(world):
    thought = world.know(ROLES)
    for number in range(103):
        look(world, "role boundaries", f"agent-{number:03}")
    record = world.record(thought)
    shown = [entry["user_id"] for entry in record["access_log"]]
    assert shown == [f"agent-{number:03}" for number in range(3, 103)]
    assert record["access_count"] == 103
    assert len(record["accessed_by"]) == 103


def test_the_weight_stops_at_its_ceiling(world):
    thought = world.know(ROLES)
    for _ in range(182):
        look(world, "role boundaries")
    assert world.weight(thought) == 10.0
    assert world.record(thought)["access_count"] == 182


def test_what_is_not_shown_is_not_worn(world):
    shown, hidden = world.know(ROLES), world.know(CACHE)
    world.ask("role boundaries?", limit=1)
    assert world.weight(shown) == 1.05
    assert world.weight(hidden) == 1.0
    assert world.record(hidden)["access_count"] == 0


def test_the_plain_look_up_leaves_no_trace(world):
    thought = world.know(ROLES)
    [found] = world.read("search", q="role boundaries")["results"]
    assert found["thought_id"] == thought
    assert world.record(thought)["access_count"] == 0
    assert world.rows("SELECT count(*) FROM query_log") == [(0,)]


@pytest.mark.parametrize(
    ("hours", "weight"),
    [
        (0.99, 1.05),
        (1.0, 1.05),
        (2.0, 1.05 * 0.995),
        (3.0, 1.05 * 0.995**2),
        (25.0, 1.05 * 0.995**24),
        (24 * 31, 0.1),
        (24 * 3650, 0.1),
    ],
)
def test_a_weight_fades_by_the_hour_after_an_hour_of_grace_down_to_its_floor(world, hours, weight):
    thought = world.know(ROLES)
    world.ask("role boundaries?")
    world.clock.advance(hours=hours)
    assert world.weight(thought) == pytest.approx(max(0.1, weight), abs=2e-9)


def test_the_floor_is_reached_within_a_month_or_so_and_not_within_a_fortnight(world):
    thought = world.know(ROLES)
    world.clock.advance(hours=24 * 14)
    assert world.weight(thought) > 0.1
    world.clock.advance(hours=24 * 7)
    assert world.weight(thought) == 0.1


def test_a_thought_nobody_retrieved_fades_from_its_creation(world):
    thought = world.know(ROLES)
    world.clock.advance(hours=11)
    assert world.weight(thought) == pytest.approx(0.995**10, abs=2e-9)


def test_a_retrieval_adds_to_what_is_left(world):
    thought = world.know(ROLES)
    world.clock.advance(hours=101)
    [found] = look(world, "role boundaries")
    assert found["pheromone_weight"] == pytest.approx(0.995**100 + 0.05, abs=2e-9)
    assert world.weight(thought) == found["pheromone_weight"]


def test_running_the_decay_job_changes_no_weight_that_is_read(world):
    thought = world.know(ROLES)
    world.ask("role boundaries?")
    world.clock.advance(hours=50.5)
    before = world.weight(thought)
    assert before < 1.05
    assert accepted(world.client.post("/api/v1/maintenance/decay")) == {"settled": 1}
    assert world.weight(thought) == before
    assert accepted(world.client.post("/api/v1/maintenance/decay")) == {"settled": 0}
    world.clock.advance(hours=1)
    assert world.weight(thought) == pytest.approx(before * 0.995, abs=2e-9)


def test_thoughts_shown_together_are_paired_with_each_other(world):
    one, two, three = (world.know(f"Roles stay apart, case {n}.") for n in ("a", "b", "c"))
    look(world, "roles stay apart case")
    look(world, "roles stay apart case b", limit=1)
    look(world, "roles stay apart case")
    for thought in (one, two, three):
        together = world.record(thought)["co_retrieved_with"]
        assert {entry["thought_id"] for entry in together} == {one, two, three} - {thought}
        assert all(entry.keys() == {"thought_id", "count"} for entry in together)
        assert [entry["count"] for entry in together] == [2, 2]


def test_the_50_strongest_companions_are_shown_and_newcomers_can_become_one(world):
    hub = world.know("Hub of every wheel.", tags=["hub"])
    for number in range(60):
        world.know(f"Spoke {number} of the wheel.", tags=["hub", f"spoke-{number}"])
    for number in range(60):
        tags = ["hub", f"spoke-{number}"]
        found = look(world, "hub wheel spoke", filter_tags=tags, match_all_tags=True)
        assert len(found) == 1
    for _ in range(2):
        look(world, "hub of every wheel spoke", limit=50)
    crowd = world.record(hub)["co_retrieved_with"]
    assert len(crowd) == 50 - 1
    newcomer = world.know("Hub of every newcomer.", tags=["late"])
    for _ in range(5):
        look(world, "Hub of every newcomer", limit=2)
    for _ in range(2):
        for number in range(60):
            look(world, f"Hub of every wheel. Spoke {number}", limit=3)
    companions = world.record(hub)["co_retrieved_with"]
    assert len(companions) == 50
    assert newcomer in {entry["thought_id"] for entry in companions}
    counts = [entry["count"] for entry in companions]
    assert counts == sorted(counts, reverse=True)


def test_retrieve_answers_with_the_specified_fields_best_first(world):
    thought = world.know(ROLES, "pdsa", tags=["roles"])
    world.know(CACHE)
    best, *rest = look(world, "role boundaries prevent collapse", retrieval_method="vector")
    assert best.pop("score") == pytest.approx(0.9, abs=0.1)
    assert best == {
        "thought_id": thought,
        "content": ROLES,
        "contributor_name": "Pdsa",
        "pheromone_weight": 1.05,
        "tags": ["roles"],
    }
    assert all(found["score"] >= 0 for found in rest)


def test_retrieve_takes_a_vector_of_the_callers(world):
    thought = world.know(ROLES)
    world.know(CACHE)
    vector = [float(x) for x in world.app.embedder.encode_query("role boundaries").vector]
    body = {"query_embedding": vector, "agent_id": "ada", "session_id": new_id(), "limit": 1}
    [found] = accepted(world.post("retrieve", body))
    assert found["thought_id"] == thought
    scaled = [1e300 * x for x in vector]
    [again] = accepted(world.post("retrieve", body | {"query_embedding": scaled}))
    assert again["score"] == pytest.approx(found["score"], abs=1e-5)
    [row] = world.rows("SELECT result_count, query_text FROM query_log LIMIT 1")
    assert row == (1, "")


def test_retrieve_returns_ten_unless_told_otherwise(world):
    for number in range(12):
        world.know(f"Roles stay apart, case {number}.")
    assert len(look(world, "roles stay apart")) == 10
    assert len(look(world, "roles stay apart", limit=12)) == 12


def test_nothing_below_a_cosine_of_zero_is_returned_by_vector(world):
    for number in range(40):
        world.know(f"Word{number} is a word of number {number}.")
    found = look(world, "qwerty uiop", limit=50, retrieval_method="vector")
    assert 0 < len(found) < 40
    assert all(one["score"] >= 0 for one in found)


@pytest.fixture
def worn(world):
    """Three agents on the role road, one busy agent and a guest on the cache road."""
    roles = world.know(ROLES, tags=["role-separation"])
    cache = world.know(CACHE)
    world.know("Nobody ever looks at penguins.")
    for agent in ("bob", "eve", "kim"):
        look(world, "role boundaries", agent, limit=1)
    world.clock.advance(hours=3)
    for agent in ("bob", "bob", "bob", "bob", "eve"):
        look(world, "cache invalidation", agent, limit=1)
    return roles, cache


def test_highways_are_what_three_accesses_of_two_agents_wear_in(world, worn):
    roles, cache = worn
    first, second = world.read("highways")
    assert first == {
        "thought_id": cache,
        "content_preview": CACHE,
        "access_count": 5,
        "unique_users": 2,
        "traffic_score": 10,
        "pheromone_weight": first["pheromone_weight"],
        "tags": [],
        "last_accessed": "2026-02-23T18:00:00.000000Z",
        "use_score": 0.0,
        "co_retrieved": [],
    }
    assert second["thought_id"] == roles
    assert (second["traffic_score"], second["tags"]) == (9, ["role-separation"])


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ({"min_access": 4}, ["cache"]),
        ({"min_users": 3}, ["roles"]),
        ({"limit": 1}, ["cache"]),
        ({"min_access": 6}, []),
        ({"sort_by": "recent"}, ["cache", "roles"]),
        ({"sort_by": "pheromone"}, ["cache", "roles"]),
    ],
)
def test_highways_can_be_chosen_and_sorted(world, worn, query, expected):
    names = dict(zip(worn, ("roles", "cache"), strict=True))
    found = [names[road["thought_id"]] for road in world.read("highways", **query)]
    assert found == expected


def test_highways_by_use_put_what_was_confirmed_first(world, worn):
    roles, cache = worn
    reply = world.ask("role boundaries?", "bob", limit=1)
    world.feedback(reply["trace"]["session_id"], roles, "useful")
    used, *_ = world.read("highways", sort_by="use")
    assert (used["thought_id"], used["use_score"]) == (roles, 1.0)
    assert world.read("highways")[-1]["thought_id"] in {roles, cache}


def test_highways_name_what_is_found_along_with_them(world):
    one, two = world.know("Roles stay apart, case a."), world.know("Roles stay apart, case b.")
    for agent in ("bob", "eve", "kim"):
        look(world, "roles stay apart", agent)
    road = next(road for road in world.read("highways") if road["thought_id"] == one)
    assert road["co_retrieved"] == [
        {"thought_id": two, "count": 3, "content_preview": "Roles stay apart, case b."}
    ]


def test_an_answer_names_the_highways_near_its_prompt(world, worn):
    near = world.ask("role boundaries?", "dev", limit=1)["result"]["highways_nearby"]
    assert near[0] == "role-separation (4 accesses, 4 agents)"
    other = world.ask("cache invalidation?", "dev", limit=1)["result"]["highways_nearby"]
    assert other == ["Cache invalidation remains a hard problem. (6 accesses, 3 agents)"]


def test_what_few_have_walked_is_no_highway(world):
    world.know(ROLES)
    for _ in range(5):
        nearby = world.ask("role boundaries?", "bob")["result"]["highways_nearby"]
    assert nearby == []
    assert world.ask("role boundaries?", "eve")["result"]["highways_nearby"] == [
        "Role boundaries prevent coordination collapse. (6 accesses, 2 agents)"
    ]


def test_after_many_interactions_of_many_agents_the_most_trafficked_are_named(world):
    """The acceptance test of phase 4."""
    thought = world.ask(f"{ROLES} Everybody should know.", "pdsa")["trace"]["thought_id"]
    for number in range(12):
        reply = world.ask("role boundaries?", f"dev-{number % 4}")
        assert ids(reply) == [thought]
    label = "Role boundaries prevent coordination collapse. Everybody…"
    assert reply["result"]["highways_nearby"] == [f"{label} (12 accesses, 4 agents)"]


def test_inner_functions_are_routes_that_no_document_names(world):
    paths = world.read("openapi.json")["paths"]
    listed = {endpoint["path"] for endpoint in world.read("")["endpoints"]}
    for inner in ("think", "retrieve", "highways"):
        assert f"/api/v1/{inner}" not in paths
        assert f"/api/v1/{inner}" not in listed
    assert "/api/v1/memory" in paths
    assert listed == set(paths)


def test_scores_are_cosines(world):
    world.know(ROLES)
    vector = round_vector(world.app.embedder.encode_query("role boundaries").vector)
    other = round_vector(world.app.embedder.embed([ROLES])[0])
    for method in ("vector", "hybrid"):
        [source] = world.ask("role boundaries", retrieval_method=method)["result"]["sources"]
        assert math.isclose(source["score"], float(vector @ other), abs_tol=1e-5)


def test_a_session_of_retrieve_belongs_to_its_agent_from_then_on(world):
    session = new_id()
    accepted(world.post("retrieve", {"query": "a", "agent_id": "ada", "session_id": session}))
    assert world.ask("roles?", "ada", session_id=session)["trace"]["session_id"] == session
    response = world.post("memory", talk("roles?", "bob", session_id=session))
    refused(response, 404, "SESSION_NOT_FOUND")
