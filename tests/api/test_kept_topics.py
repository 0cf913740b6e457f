"""Topics over HTTP: kept with their ids, told with their trends, and gone with their thoughts."""

from __future__ import annotations

import numpy as np
import pytest

from api.test_topics import LAMPS, ROPES, found_lamps, maintained, said, tiny
from api.walls import founded, kept, lines, served
from api.world import NOBODY, accepted, refused
from empty_memory import look_into
from wellworn.domain.thoughts.store import topics as store
from wellworn.domain.thoughts.topics import layout
from wellworn.engines.retrieval.topics import TopicCluster
from wellworn.kit.clock import to_iso

__all__ = ["tiny"]
DAY_S = 86_400.0
TABLES = ("topic_trees", "topics", "topic_changes")


@pytest.fixture(scope="module")
def world():
    with served() as world:
        yield world


@pytest.fixture(params=["open", "sealed"])
def owner(world, request):
    return found_lamps(world, "keeping", sealed=request.param == "sealed")


def tree(caller, **asked):
    return accepted(caller.get("topics", params=asked))


def ids(caller) -> list[str]:
    return [topic["id"] for topic in tree(caller)["topics"]]


def services(caller):
    known = caller.world.app.guard.pool._open.get(caller.space)
    return known.services if known else caller.world.app.guard.pool.shared


def forget_layouts(caller) -> None:
    """Forget all that is in memory, as a restart does."""
    services(caller).thoughts.topics._layouts.clear()


def erase(caller, thought_id: str) -> None:
    accepted(caller.send("DELETE", f"thoughts/{thought_id}", {"agent_id": "ana"}))


def thoughts_of(caller, topic_id: str) -> list[str]:
    page = accepted(caller.get(f"topics/{topic_id}", params={"limit": 100}))
    return [thought["thought_id"] for thought in page["thoughts"]]


def rows_of(world, space: str) -> int:
    with look_into(world.home) as database:
        where = "WHERE knowledge_space_id = ?"
        counts = (f"SELECT count(*) FROM {table} {where}" for table in TABLES)
        return sum(database.execute(count, (space,)).fetchone()[0] for count in counts)


def test_topics_are_told_with_their_words_their_size_and_a_central_thought(owner):
    found = tree(owner)
    lamps, ropes = found["topics"]
    assert {"lamp", "oil"} <= set(lamps["title"].split(", "))
    assert (lamps["size"], ropes["size"]) == (6, 5)
    assert lamps["central"]["content_preview"] in LAMPS
    assert lamps["central"]["contributor"] == "Ana"
    assert (found["thoughts"], found["in_topics"], found["is_waiting"]) == (12, 11, False)
    assert found["next_offset"] is None


def test_the_outline_has_the_same_ids(owner):
    outline = accepted(owner.get("outline", params={"of": "topics"}))["node"]
    assert [one["id"] for one in outline["children"]] == [f"topic:{each}" for each in ids(owner)]


def test_a_topic_is_told_with_its_thoughts_by_the_page(owner):
    lamps = tree(owner)["topics"][0]
    page = accepted(owner.get(f"topics/{lamps['id']}", params={"limit": 4}))
    assert page["topic"] == lamps
    assert page["path"] == []
    assert page["thoughts"][0] == lamps["central"]
    assert page["next_offset"] == 4
    rest = accepted(owner.get(f"topics/topic:{lamps['id']}", params={"limit": 4, "offset": 4}))
    texts = [one["content_preview"] for one in page["thoughts"] + rest["thoughts"]]
    assert (sorted(texts), rest["next_offset"]) == (sorted(LAMPS), None)


def test_topics_inside_a_topic_are_told_to_a_depth_and_lead_back(owner, monkeypatch):
    def nested(vectors, *_) -> tuple[TopicCluster, ...]:
        rows = np.arange(len(vectors))
        inner = TopicCluster(rows[:4])
        return (
            TopicCluster(
                rows,
                (TopicCluster(rows[:8], (inner,)), TopicCluster(rows[8:])),
            ),
        )

    monkeypatch.setattr(layout, "cluster_topics", nested)
    [top] = accepted(owner.post("topics"))["topics"]
    assert (top["count"], top["children"]) == (2, [])
    [top] = tree(owner, depth=2)["topics"]
    assert [(one["size"], one["count"], one["children"]) for one in top["children"]] == [
        (8, 1, []), (4, 0, []),
    ]  # fmt: skip
    [top] = tree(owner, depth=4)["topics"]
    [inner] = top["children"][0]["children"]
    page = accepted(owner.get(f"topics/{inner['id']}"))
    assert [one["id"] for one in page["path"]] == [top["id"], top["children"][0]["id"]]
    assert page["path"][0]["title"] == top["title"]
    assert accepted(owner.get(f"topics/{top['id']}"))["topic"] == tree(owner, depth=2)["topics"][0]
    forget_layouts(owner)
    assert tree(owner, depth=4)["topics"] == [top]


def test_what_is_no_topic_is_not_found_and_what_is_no_id_is_refused(owner):
    refused(owner.get(f"topics/{NOBODY[:8]}00000000"), 404, "NOT_FOUND")
    refused(owner.get("topics/lamps"), 400, "VALIDATION_ERROR")
    refused(owner.get("topics", params={"depth": 5}), 400, "VALIDATION_ERROR")


def test_topics_are_kept_by_the_upkeep_after_somebody_looked(owner, world):
    assert tree(owner)["made_at"] is None
    maintained(world)
    found = tree(owner)
    assert found["made_at"] == to_iso(world.clock.now())
    forget_layouts(owner)
    assert tree(owner) == found


def test_a_topic_keeps_its_id_when_its_central_thought_is_erased(owner, world):
    before = ids(owner)
    maintained(world)
    erase(owner, tree(owner)["topics"][0]["central"]["thought_id"])
    accepted(owner.import_records(said("The lamp oil of the last lamp is whale oil.")))
    assert ids(owner) == before
    maintained(world)
    assert ids(owner) == before


def test_sorting_on_demand_keeps_the_topics_and_readers_may_not_ask_for_it(owner):
    sorted_now = accepted(owner.post("topics"))
    assert sorted_now["made_at"] is not None
    assert [one["id"] for one in sorted_now["topics"]] == ids(owner)
    guest = owner.guest("reader")
    refused(guest.post("topics"), 403, "FORBIDDEN")
    assert ids(guest) == ids(owner)


def test_a_topic_that_went_into_another_is_found_by_its_id_and_told(owner, monkeypatch):
    accepted(owner.post("topics"))
    lamps, ropes = ids(owner)
    with monkeypatch.context() as patch:
        patch.setattr(layout, "cluster_topics", lambda vectors, *_: (everything(vectors),))
        accepted(owner.import_records(said("Something else.")))
        [only] = accepted(owner.post("topics"))["topics"]
        assert (only["id"], only["size"]) == (lamps, 13)
        [change] = tree(owner)["changes"]
        assert (change["kind"], change["topic_id"], change["other_id"], change["shared"]) == (
            "merged", ropes, lamps, 5,
        )  # fmt: skip
        page = accepted(owner.get(f"topics/{ropes}"))
        assert (page["topic"]["id"], page["changes"]) == (lamps, [change])
    accepted(owner.import_records(said("And something else.")))
    again, parted = accepted(owner.post("topics"))["topics"]
    assert (again["id"], again["size"]) == (lamps, 6)
    split = tree(owner)["changes"][0]
    assert (split["kind"], split["topic_id"], split["other_id"]) == ("split", parted["id"], lamps)
    # What forms again around the same thought is called as it was.
    assert parted["id"] == ropes
    assert accepted(owner.get(f"topics/{ropes}"))["topic"]["id"] == ropes


def everything(vectors) -> TopicCluster:
    return TopicCluster(np.arange(len(vectors)))


def test_what_is_replaced_or_called_outdated_is_gone_with_the_next_look(owner, world):
    accepted(owner.post("topics"))
    ropes = tree(owner)["topics"][1]
    [*_, old] = thoughts_of(owner, ropes["id"])
    owner.ask("Of the net alone.", "ana", contribute="always", replaces=[old])
    assert old not in thoughts_of(owner, ropes["id"])
    assert tree(owner)["topics"][1]["size"] == 4


def test_what_has_ended_is_gone_with_the_next_look(owner, world):
    accepted(owner.post("topics"))
    ropes = tree(owner)["topics"][1]
    [*_, ended] = thoughts_of(owner, ropes["id"])
    end = {"expires_at": to_iso(world.clock.now() + 24 * 3600), "agent_id": "ana"}
    accepted(owner.send("PUT", f"thoughts/{ended}/end", end))
    assert ended in thoughts_of(owner, ropes["id"])
    world.clock.advance(5 * 24 * 3600)
    assert ended not in thoughts_of(owner, ropes["id"])


def test_no_word_of_what_is_erased_is_told_of_a_topic(owner, world):
    secrets = [said(f"Secret hemp rope, secret coil {at} of hemp rope.") for at in "vwxyz"]
    accepted(owner.import_records(*secrets))
    accepted(owner.post("topics"))

    def told() -> str:
        pages = [owner.get(f"topics/{one}", params={"limit": 100}).text for one in ids(owner)]
        return str([tree(owner, depth=4), pages]).casefold()

    assert "secret" in told()
    for topic in ids(owner):
        page = accepted(owner.get(f"topics/{topic}", params={"limit": 100}))
        for thought in page["thoughts"]:
            if "Secret" in thought["content_preview"]:
                erase(owner, thought["thought_id"])
    assert "secret" not in told()


def test_ten_thoughts_all_the_same_and_all_different(world):
    few = founded(world, "ten")
    accepted(few.import_records(*(said(f"{at * 3} {at * 5} {at * 7}") for at in "bcdfghklmn")))
    assert tree(few)["topics"] == []
    assert accepted(few.post("topics"))["made_at"] is not None
    same = founded(world, "same")
    accepted(same.import_records(*(said(f"The lamp burns oil{'.' * at}") for at in range(1, 11))))
    [only] = accepted(same.post("topics"))["topics"]
    assert only["size"] == len(thoughts_of(same, only["id"])) == tree(same)["thoughts"]


def test_an_empty_space_has_no_topics_and_says_so(world):
    empty = founded(world, "empty")
    for found in (tree(empty), accepted(empty.post("topics")), tree(empty, surging=True)):
        assert (found["topics"], found["thoughts"], found["said_since"]) == ([], 0, None)


def test_another_encoder_shows_what_is_kept_until_all_is_embedded_again(owner, monkeypatch):
    found = accepted(owner.post("topics"))
    index = services(owner).thoughts.topics
    forget_layouts(owner)
    monkeypatch.setattr(index, "_version", index._version + 1)
    assert ids(owner) == [one["id"] for one in found["topics"]]
    accepted(owner.import_records(said("The lamp oil of the last lamp is whale oil.")))
    assert ids(accepted(owner.post("topics")) and owner) == [one["id"] for one in found["topics"]]


def test_a_kill_in_the_middle_leaves_the_topics_as_they_were(owner, world):
    found = accepted(owner.post("topics"))
    accepted(owner.import_records(*(said(f"A gull steals herring, gull {at}.") for at in "abcd")))

    class Died(BaseException):
        pass

    def die():
        raise Died

    with pytest.raises(Died):
        services(owner).thoughts.topics.sort(owner.space, die)
    forget_layouts(owner)
    assert tree(owner)["made_at"] == found["made_at"]
    assert set(ids(owner)) >= {one["id"] for one in found["topics"]}


def test_topics_of_a_large_space_are_shown_at_once_after_a_restart(owner, world, tiny):
    accepted(owner.post("topics"))
    found = tree(owner)
    forget_layouts(owner)
    assert tree(owner) == found
    accepted(owner.import_records(said("One more hemp rope to splice, coil the hemp rope.")))
    assert tree(owner)["topics"] == found["topics"]
    maintained(world)
    assert [one["size"] for one in tree(owner)["topics"]] == [6, 6]


def test_what_is_embedded_later_joins_its_topic_with_the_next_look(owner, world):
    late = said("The lamp oil of the last lamp is whale oil.")
    accepted(owner.send("POST", "import", lines=lines([late])))
    accepted(owner.post("topics"))
    assert tree(owner)["topics"][0]["size"] == 6
    world.app.embedding.finish()
    assert tree(owner)["topics"][0]["size"] == 7
    maintained(world)
    forget_layouts(owner)
    assert tree(owner)["topics"][0]["size"] == 7


def pass_time(owner, hours: float) -> None:
    """Let hours pass, with a member who opens the space and looks at something else."""
    owner.world.clock.advance(hours=hours)
    owner.world.app.maintain()
    accepted(owner.get("health"))
    maintained(owner.world)


def test_a_space_that_changed_is_sorted_anew_once_a_day(owner, world):
    accepted(owner.post("topics"))
    made_at = keeping_time(owner)
    accepted(owner.import_records(said("The lamp oil of the last lamp is whale oil.")))
    pass_time(owner, 2)
    assert keeping_time(owner) == made_at
    pass_time(owner, 23)
    made_at = keeping_time(owner)
    assert made_at == world.clock.now()
    # What did not change is not sorted again, nor does a clock that runs back keep it from it.
    pass_time(owner, 25)
    assert keeping_time(owner) == made_at
    accepted(owner.import_records(said("The lamp oil of the next lamp is whale oil.")))
    pass_time(owner, -60)
    assert keeping_time(owner) == world.clock.now()


def keeping_time(owner) -> float:
    """Return when topics were kept, without a look at them."""
    with services(owner).database.read() as transaction:
        return store.find_tree(transaction, owner.space).made_at


def test_the_trail_names_the_thoughts_that_were_shown(owner):
    lamps = tree(owner)["topics"][0]
    [listed] = [one for one in owner.trail() if one["action"] == "thought.listed"][-1:]
    assert lamps["central"]["thought_id"] in listed["targets"]
    accepted(owner.get(f"topics/{lamps['id']}"))
    [read] = [one for one in owner.trail() if one["action"] == "thought.listed"][-1:]
    assert len(read["targets"]) == 6


def test_nothing_of_the_topics_of_a_sealed_space_is_outside_of_it(world):
    owner = founded(world, "hidden", sealed=True)
    accepted(owner.import_records(*(said(f"Hidden herring, gull {at} hid it.") for at in "abcd")))
    found = accepted(owner.post("topics"))
    assert rows_of(world, owner.space) == 0
    assert all(topic["id"] not in str(kept(world)) for topic in found["topics"])
    with world.app.guard.pool.close_for(owner.space):
        pass
    assert tree(owner) == found


def test_topics_leave_the_open_database_when_their_space_is_sealed_or_deleted(world):
    owner = founded(world, "closing")
    accepted(owner.import_records(*map(said, LAMPS + ROPES)))
    accepted(owner.post("topics"))
    assert rows_of(world, owner.space) == 3
    accepted(owner.post(f"spaces/{owner.space}/seal"))
    assert rows_of(world, owner.space) == 0
    gone = founded(world, "gone")
    accepted(gone.import_records(*map(said, LAMPS)))
    accepted(gone.post("topics"))
    accepted(gone.send("DELETE", f"spaces/{gone.space}"))
    assert rows_of(world, gone.space) == 0


def test_a_space_that_left_while_it_was_sorted_has_nothing_kept(world):
    owner = founded(world, "leaving")
    accepted(owner.import_records(*map(said, LAMPS + ROPES)))
    index = world.app.thoughts.topics
    left = []

    def leave():
        if not left:
            left.append(accepted(owner.send("DELETE", f"spaces/{owner.space}")))

    assert not index.sort(owner.space, leave)
    assert rows_of(world, owner.space) == 0


def test_the_thoughts_of_a_member_who_is_rolled_back_leave_the_topics(owner):
    guest = owner.guest("contributor")
    for at in "uvw":
        guest.know(f"Splice the hemp rope, coil {at} of hemp rope.")
    owner.world.app.embedding.finish()
    before = accepted(owner.post("topics"))["topics"]
    assert [one["size"] for one in before] == [8, 6]
    body = {"owner": guest.member_id, "since": "2020-01-01T00:00:00Z"}
    accepted(owner.post(f"spaces/{owner.space}/rollback", body))
    after = tree(owner)["topics"]
    assert {one["id"]: one["size"] for one in after} == {
        before[0]["id"]: 5, before[1]["id"]: 6,
    }  # fmt: skip


def test_documents_about_the_same_stand_beside_a_topic_for_who_may_read_them(owner):
    base = "/api/knowledge/sources"
    guest = owner.guest("reader")
    for name, agents in (("lamps", None), ("mine", [owner.member_id])):
        body = {"source_type": "upload", "name": name, "config": {}, "agents": agents}
        source = accepted(owner.post(base, body))["id"]
        text = f"# Oil\n\nThe lamp burns whale oil, watch {name} of the lamp oil.\n"
        accepted(owner.send("PUT", f"{base}/{source}/files/oil.md", content=text.encode()))
    owner.world.app.embedding.finish()
    lamps, ropes = ids(owner)

    def beside(caller, topic: str, **asked) -> list[str]:
        page = accepted(caller.get(f"topics/{topic}", params=asked))
        return sorted(passage["citation"] for passage in page["documents"])

    assert beside(owner, lamps) == ["lamps/oil.md#oil", "mine/oil.md#oil"]
    assert beside(guest, lamps) == ["lamps/oil.md#oil"]
    assert beside(owner, ropes) == []
    assert beside(owner, lamps, offset=1) == []


# ----------------------------------------------------------------------------------- trends


def dated(text: str, age_days: float, world, by: str = "ana") -> dict:
    moment = to_iso(world.clock.now() - age_days * DAY_S)
    return {**said(text), "created_at": moment, "contributor_id": by, "contributor_name": by}


def test_a_topic_that_is_talked_about_more_than_usual_surges(world):
    owner = founded(world, "surging")
    usual = [
        dated(f"The lamp burns whale oil, watch {at} of the lamp oil.", at * 1.5 + 0.1, world)
        for at in range(20)
    ]
    ropes = [
        dated(f"Splice the hemp rope, coil {at} of hemp rope.", at / 20, world, f"agent{at % 4}")
        for at in range(20)
    ]
    accepted(owner.import_records(*usual, *ropes))
    [one] = tree(owner, surging=True)["topics"]
    assert {"rope", "hemp"} <= set(one["title"].split(", "))
    assert (one["said"]["recent"], one["said"]["before"], one["contributors"]) == (20, 0, 4)
    assert one["said"]["course"] == "surging"
    assert one["said"]["p"] < 0.001
    steady = next(topic for topic in tree(owner)["topics"] if topic["id"] != one["id"])
    assert (steady["said"]["course"], steady["said"]["recent"]) == ("steady", 2)


def test_without_seven_days_before_nothing_is_said_of_a_trend(owner):
    found = tree(owner)
    assert {topic["said"]["course"] for topic in found["topics"]} == {"unknown"}
    assert found["said_since"] is not None
    assert tree(owner, surging=True)["topics"] == []


def test_questions_are_counted_by_the_topic_of_their_first_result(world):
    owner = founded(world, "asking")
    accepted(owner.import_records(*map(said, LAMPS + ROPES)))
    assert tree(owner)["asked_since"] is None
    for at in "klm":
        owner.ask(f"Which lamp oil burns at watch {at}?", f"ben{at}", contribute="never")
    lamps, ropes = tree(owner)["topics"]
    assert (lamps["asked"]["recent"], ropes["asked"]["recent"]) == (3, 0)
    assert tree(owner)["asked_since"] is not None
