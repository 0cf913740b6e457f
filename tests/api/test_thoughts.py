"""A thought's provenance, its contributor, its end: thoughts.md 12 and 13."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest

from api.world import NOBODY, accepted, ids, refused, talk
from empty_memory import of_files, over_both
from wellworn.engines.storage.vectors import round_vector
from wellworn.testing.embedder import HashEmbedder

pytestmark = over_both

SECRET = "Marigold Quarterhouse keeps her spare key under the third flowerpot, she says."


@pytest.fixture
def chain(world):
    """One and two, consolidated into three, refined into four."""
    one = world.know("Roles stay apart.", "ann")
    two = world.know("Gates are never skipped.", "ben")
    three = world.know(
        "Roles and gates both prevent collapse.",
        "cat",
        thought_type="consolidation",
        source_ids=[one, two],
    )
    four = world.know(
        "Roles, gates and reviews prevent collapse.",
        "dan",
        thought_type="refinement",
        source_ids=[three],
    )
    return one, two, three, four


def tree(steps, direction):
    return {step["thought_id"]: tree(step[direction], direction) for step in steps}


def test_provenance_leads_back_to_every_origin_and_on_to_what_was_built(world, chain):
    one, two, three, four = chain
    back = world.read(f"thoughts/{four}/provenance")
    assert tree(back["came_from"], "came_from") == {three: {one: {}, two: {}}}
    assert back["built_into"] == []
    on = world.read(f"thoughts/{one}/provenance")
    assert on["came_from"] == []
    assert tree(on["built_into"], "built_into") == {three: {four: {}}}
    middle = world.read(f"thoughts/{three}/provenance")
    assert tree(middle["came_from"], "came_from") == {one: {}, two: {}}
    assert tree(middle["built_into"], "built_into") == {four: {}}


def test_a_step_of_provenance_says_whose_it_is(world, chain):
    one, _, three, _ = chain
    [step] = world.read(f"thoughts/{one}/provenance", depth=1)["built_into"]
    assert step == {
        "thought_id": three,
        "contributor": "Cat",
        "thought_type": "consolidation",
        "content_preview": "Roles and gates both prevent collapse.",
        "created_at": "2026-02-23T15:00:00.000000Z",
        "built_into": [],
    }


def test_depth_limits_how_far_provenance_is_followed(world, chain):
    one, _, three, four = chain
    near = world.read(f"thoughts/{four}/provenance", depth=1)
    assert tree(near["came_from"], "came_from") == {three: {}}
    far = world.read(f"thoughts/{one}/provenance", depth=2)
    assert tree(far["built_into"], "built_into") == {three: {four: {}}}


def test_a_record_names_its_type_and_sources_in_their_order(world, chain):
    one, two, three, _ = chain
    record = world.record(three)
    assert (record["thought_type"], record["source_ids"]) == ("consolidation", [one, two])
    assert world.record(one)["source_ids"] == []


def test_nothing_is_replaced_by_what_is_built_on_it(world, chain):
    for thought in chain:
        assert world.record(thought)["content"]
    assert set(ids(world.ask("roles gates prevent collapse apart skipped"))) == {*chain}


def test_a_contributor_is_summed_up(world):
    roles = world.know("Roles stay apart.", "ann")
    gates = world.know("Gates are never skipped.", "ann")
    world.know("Penguins waddle.", "ben")
    for _ in range(2):
        assert ids(world.ask("roles apart", limit=1)) == [roles]
    assert ids(world.ask("gates skipped", limit=1)) == [gates]
    assert world.read("contributors/ann") == {
        "contributor_id": "ann",
        "contributor_name": "Ann",
        "thoughts_contributed": 2,
        "accesses": 3,
        "most_accessed": [
            {"thought_id": roles, "content_preview": "Roles stay apart.", "access_count": 2},
            {"thought_id": gates, "content_preview": "Gates are never skipped.", "access_count": 1},
        ],
    }


def test_a_contributor_of_nothing_is_not_found(world):
    world.ask("roles?", "ann")
    refused(world.client.get("/api/v1/contributors/ann"), 404, "NOT_FOUND")


@pytest.mark.parametrize("name", ["ann/of green gables", "ann?", "änn", "ann & ben"])
def test_a_contributors_name_may_be_any_text(world, name):
    world.know("Roles stay apart.", name)
    url = "".join(f"%{byte:02X}" for byte in name.encode())
    found = accepted(world.client.get(f"/api/v1/contributors/{url}"))
    assert found["contributor_id"] == name


def test_forgetting_takes_the_words_and_leaves_the_shape(world):
    thought = world.ask(SECRET, "ann", context="gossip", tags=["neighbours"])["trace"]["thought_id"]
    world.ask("spare key?", "ben")
    world.clock.advance(60)
    reply = world.forget(thought, "ann", reason="private")
    assert reply == {"thought_id": thought, "erased_at": "2026-02-23T15:01:00.000000Z"}
    record = world.record(thought)
    assert record["erased_at"] == reply["erased_at"]
    assert (record["content"], record["context_metadata"], record["tags"]) == ("", None, [])
    assert (record["access_count"], record["accessed_by"]) == (1, ["ben"])
    assert record["contributor_id"] == "ann"
    assert world.read("health")["collections"]["thought_space"]["points"] == 0


def test_what_is_forgotten_is_found_by_nobody(world):
    thought = world.know(SECRET, "ann")
    other = world.know("Bert keeps no spare key at all.", "ann")
    for agent in ("ben", "eve", "kim"):
        assert set(ids(world.ask("spare key flowerpot", agent))) == {thought, other}
    world.forget(thought)
    assert ids(world.ask("spare key flowerpot", "ben")) == [other]
    assert [one["thought_id"] for one in world.read("search", q="flowerpot")["results"]] == [other]
    assert [road["thought_id"] for road in world.read("highways")] == [other]
    assert [one["thought_id"] for one in world.read("contributors/ann")["most_accessed"]] == [other]
    lines = [line for line in world.client.get("/api/v1/export").text.splitlines() if line]
    assert not any("flowerpot" in line for line in lines if '"record":"thought"' in line)


@of_files
def test_no_file_of_the_data_folder_holds_what_was_forgotten(world):
    reply = world.client.post(
        "/api/v1/memory",
        json=talk(SECRET, "ann", context="Gossip about Marigold Quarterhouse", tags=["flowerpots"]),
        headers={"idempotency-key": "once"},
    )
    thought = accepted(reply)["trace"]["thought_id"]
    for number in range(30):
        world.know(f"Filler {number} says nothing of note.")
        world.ask(SECRET.lower().replace(",", " "), "ann", contribute="never", limit=1)
    world.client.post(
        "/api/v1/memory", json=talk("spare key?", "ben"), headers={"idempotency-key": "twice"}
    )
    world.ask(SECRET, "ben", tags=["flowerpots"])
    assert holding(world, b"Marigold Quarterhouse")
    world.forget(thought)
    assert holding(world, b"Marigold Quarterhouse") == []
    world.app.maintain()
    assert holding(world, b"flowerpots") == []


@of_files
def test_erased_words_that_a_long_read_held_back_go_with_the_next_maintenance(world):
    thought = world.know(SECRET, "ann")
    with world.app.database.read() as reader:
        reader.exec_driver_sql("SELECT count(*) FROM thoughts").scalar()
        world.forget(thought)
        assert holding(world, b"Marigold Quarterhouse")
    world.app.maintain()
    assert holding(world, b"Marigold Quarterhouse") == []


def test_no_file_of_the_data_folder_holds_the_vector_of_what_was_forgotten(world):
    thought = world.know(SECRET, "ann")
    kept = round_vector(world.app.embedder.embed([SECRET])[0]).astype("<f2")
    vector = kept.tobytes()[:64]
    assert holding(world, vector)
    world.forget(thought)
    world.app.maintain()
    assert holding(world, vector) == []


def holding(world, words):
    """Name the files of the data folder that hold these bytes."""
    files = [path for path in world.home.rglob("*") if path.is_file()]
    return [path.name for path in files if words in path.read_bytes()]


def test_the_erasure_is_itself_traced(world):
    thought = world.know(SECRET, "ann")
    world.forget(thought, "bob", reason="asked by Marigold")
    assert world.rows("SELECT erased_by, reason FROM erasures") == [("bob", "asked by Marigold")]
    assert world.record(thought)["erased_at"]


def test_forgetting_again_changes_nothing(world):
    thought = world.know(SECRET, "ann")
    first = world.forget(thought)
    world.clock.advance(60)
    assert world.forget(thought) == first
    assert world.rows("SELECT count(*) FROM erasures") == [(1,)]


def test_what_was_forgotten_can_be_said_anew_and_is_a_new_thought(world):
    thought = world.know(SECRET, "ann")
    world.forget(thought)
    again = world.know(SECRET, "ann")
    assert again != thought
    assert [one["thought_id"] for one in world.read("search", q="flowerpot")["results"]] == [again]


def test_a_forgotten_link_keeps_the_chain_together(world, chain):
    one, two, three, four = chain
    world.forget(three)
    back = world.read(f"thoughts/{four}/provenance")
    assert tree(back["came_from"], "came_from") == {three: {one: {}, two: {}}}
    assert back["came_from"][0]["content_preview"] == ""


def test_forgetting_stays_done_when_the_folder_is_opened_again(opened):
    world = opened(HashEmbedder())
    thought = world.know(SECRET, "ann")
    world.forget(thought)
    world.app.close()
    again = opened(HashEmbedder())
    assert again.read("search", q="flowerpot")["results"] == []
    assert again.record(thought)["erased_at"]


def test_whoever_forgets_says_who_they_are_and_what(world):
    thought = world.know(SECRET, "ann")
    url = f"/api/v1/thoughts/{thought}"
    for body in ({}, {"agent_id": ""}, {"agent_id": "ann", "reason": "x" * 2001}, {"agent": "ann"}):
        refused(world.client.request("DELETE", url, json=body), 400, "VALIDATION_ERROR")
    refused(world.client.delete(url), 400, "VALIDATION_ERROR")
    unknown = world.client.request("DELETE", f"/api/v1/thoughts/{NOBODY}", json={"agent_id": "ann"})
    refused(unknown, 404, "THOUGHT_NOT_FOUND")
    assert world.record(thought)["content"] == SECRET


@of_files
def test_the_database_is_sound_after_all_that(world, chain):
    world.forget(chain[2])
    world.ask("roles gates", "ann")
    with closing(sqlite3.connect(world.home / "wellworn.db")) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
