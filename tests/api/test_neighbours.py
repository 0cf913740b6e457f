"""What is tied to a thought is told by kind, each with how it is known, to who may see it."""

from __future__ import annotations

import pytest

from api.test_needed_next import use
from api.world import NOBODY, accepted, ids, refused
from wellworn.errors import EmbeddingFailed

ROLES = "Role separation keeps agents from stepping on each other's boundaries."
CACHE = "Cache invalidation remains hard wherever two writers meet."
BREAD = "Bread dough rises slowly in a cold kitchen."


@pytest.fixture
def known(place):
    return place.know(ROLES), place.know(CACHE), place.know(BREAD)


def tied(place, thought_id, kind, **more):
    found = place.read(f"thoughts/{thought_id}/neighbours", kind=kind, **more)
    assert {each["kind"] for each in found["neighbours"]} <= {kind}
    assert [name for name, count in found["counts"].items() if count is not None] == [kind]
    return found["neighbours"]


def test_what_was_used_in_one_session_is_told_with_how_often_and_by_how_many(world):
    roles, cache, bread = world.know(ROLES), world.know(CACHE), world.know(BREAD)
    asked = ("role boundaries?", roles), ("cache invalidation?", cache)
    use(world, "dev", *asked)
    world.clock.advance(hours=24)
    use(world, "eve", *asked)
    use(world, "joe", ("cold kitchen bread?", bread))
    [other] = tied(world, roles, "co_use")
    assert (other["thought_id"], other["count"], other["agents"]) == (cache, 2, 2)
    assert other["evidence"] == (
        "used together in 2 sessions of 2 agents, last on 2026-02-24; of 3 sessions 2 used the one "
        "and 2 the other"
    )
    assert (other["first_at"][:10], other["last_at"][:10]) == ("2026-02-23", "2026-02-24")
    # Twice in full, the older nearly, times log2 of 3/2.
    assert other["score"] == pytest.approx((1 + 0.5 ** (1 / 14)) * 0.585, abs=0.01)
    assert tied(world, bread, "co_use") == []


def test_what_is_used_together_by_chance_weighs_nothing(world):
    roles, cache = world.know(ROLES), world.know(CACHE)
    use(world, "dev", ("role boundaries?", roles), ("cache invalidation?", cache))
    # All sessions there are used both.
    [other] = tied(world, roles, "co_use")
    assert (other["count"], other["score"]) == (1, 0.0)


def test_what_was_built_on_another_is_told_from_both_ends(place, known):
    roles, cache, _ = known
    built = place.know("Roles of caches.", thought_type="refinement", source_ids=[roles, cache])
    came_from = tied(place, built, "provenance")
    assert {each["thought_id"] for each in came_from} == {roles, cache}
    assert {each["relation"] for each in came_from} == {"came_from"}
    [into] = tied(place, roles, "provenance")
    assert (into["thought_id"], into["relation"]) == (built, "built_into")
    assert into["evidence"] == "built on this on 2026-02-23, as a refinement"


def test_what_replaces_another_is_told_with_who_says_so(place, known):
    roles, *_ = known
    newer = place.know("Role separation is over.", replaces=[roles])
    [by] = tied(place, roles, "replacement")
    assert (by["thought_id"], by["relation"], by["score"]) == (newer, "replaced_by", 1.0)
    [what] = tied(place, newer, "replacement")
    assert (what["thought_id"], what["relation"]) == (roles, "replaces")
    assert what["outdated_at"] is not None
    assert "stated" in what["evidence"]


def test_who_stands_by_it_is_told_and_what_says_the_same_is_not_merely_near(place):
    first = place.know(ROLES)
    same = place.know(f"Entry 3: {ROLES}")
    place.know(ROLES, "amy")
    place.know(ROLES, "amy")
    reply = place.ask("role boundaries?", "dev", limit=1)
    [shown] = ids(reply)
    place.feedback(reply["trace"]["session_id"], shown, "useful")
    [alike] = tied(place, first, "affirmation")
    assert alike["thought_id"] == same
    assert same not in {each["thought_id"] for each in tied(place, first, "nearness")}
    by = {
        each["contributor"]: each["count"]
        for one in (first, same)
        for each in place.read(f"thoughts/{one}/neighbours")["affirmed_by"]
    }
    assert by["Amy"] == 2


def test_what_one_list_showed_is_told_apart_from_what_was_used(place, known):
    place.ask("role boundaries? cache invalidation? bread?", "dev", limit=3)
    place.ask("role boundaries? cache invalidation? bread?", "eve", limit=3)
    roles, *others = known
    shown = tied(place, roles, "co_retrieval")
    assert {each["thought_id"] for each in shown} == set(others)
    assert {each["count"] for each in shown} == {2}
    assert all(each["evidence"].startswith("shown together 2 times to ") for each in shown)
    assert tied(place, roles, "co_use") == []


def test_what_lies_near_comes_with_its_cosine_the_nearest_first(place, known):
    near = place.know("Role separation keeps agents apart.")
    roles, *_ = known
    found = tied(place, roles, "nearness")
    assert found[0]["thought_id"] == near
    cosines = [each["score"] for each in found]
    assert cosines == sorted(cosines, reverse=True)
    assert roles not in {each["thought_id"] for each in found}
    assert len(tied(place, roles, "nearness", limit=1)) == 1
    assert place.read(f"thoughts/{roles}/neighbours", limit=1)["counts"]["nearness"] == len(found)


def test_what_is_near_is_unknown_while_the_encoder_fails(world, monkeypatch):
    known = world.know(ROLES)
    world.know(f"Entry 3: {ROLES}")

    def fail(_):
        raise EmbeddingFailed("gone")

    monkeypatch.setattr(world.app.thoughts.neighbourhood._embedder, "encode_query", fail)
    counts = world.read(f"thoughts/{known}/neighbours")["counts"]
    assert (counts["nearness"], counts["affirmation"], counts["co_use"]) == (None, None, 0)


def test_erased_thoughts_are_no_neighbours_and_have_none(place, known):
    roles, cache, _ = known
    place.know("Roles of caches.", thought_type="refinement", source_ids=[roles, cache])
    place.ask("role boundaries? cache invalidation? bread?", "dev", limit=3)
    place.forget(cache)
    found = place.read(f"thoughts/{roles}/neighbours", limit=50)
    assert cache not in {each["thought_id"] for each in found["neighbours"]}
    for gone in (cache, NOBODY):
        refused(place.send("GET", f"thoughts/{gone}/neighbours"), 404, "THOUGHT_NOT_FOUND")


def test_looking_leaves_no_trail(place, known):
    roles, *_ = known
    before = [place.record(each) for each in known]
    accepted(place.send("GET", f"thoughts/{roles}/neighbours"))
    assert [place.record(each) for each in known] == before
