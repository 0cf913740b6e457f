"""Sleep over HTTP: what several thoughts say alike is told in quotes of what is true now."""

from __future__ import annotations

import pytest

from api.test_topics import LAMPS, ROPES, said
from api.walls import founded, served
from api.world import accepted, ids, talk
from wellworn.kit.clock import to_iso

DAY_S = 86_400.0
ASKED = "What does the lamp burn, whale oil?"


@pytest.fixture(scope="module")
def world():
    with served() as world:
        yield world


@pytest.fixture(params=["open", "sealed"])
def owner(world, request):
    owner = founded(world, "sleeping", sealed=request.param == "sealed")
    accepted(owner.import_records(*map(said, LAMPS + ROPES), said("Nobody rhymes with orange.")))
    return owner


def sleep(caller, **asked):
    return accepted(caller.post("sleep", asked))


def kept(caller):
    return accepted(caller.get("sleep"))


def count(rest) -> tuple[int, int, int, int]:
    return rest["made"], rest["renewed"], rest["kept"], rest["removed"]


def texts(overview) -> list[str]:
    return [quote["content_preview"] for quote in overview["quotes"]]


def told(caller):
    """Return the overview of an answer about the lamps, if it has one."""
    return accepted(caller.post("memory", talk(ASKED)))["result"].get("overview")


def test_a_dry_run_tells_titled_quotes_with_their_sources_and_keeps_nothing(owner):
    found = sleep(owner, dry_run=True)
    assert (count(found), found["dry_run"], found["slept_at"]) == ((2, 0, 0, 0), True, None)
    lamps, ropes = found["overviews"]
    assert {"lamp", "oil"} <= set(lamps["title"].split(", "))
    assert len(lamps["quotes"]) == 3
    assert set(texts(lamps)) <= set(LAMPS)
    assert set(texts(ropes)) <= set(ROPES)
    assert len(set(lamps["source_ids"])) == lamps["size"] == 6
    assert lamps["source_ids"][:3] == [quote["thought_id"] for quote in lamps["quotes"]]
    assert lamps["thought_type"] == "consolidation"
    assert kept(owner)["overviews"] == []
    assert told(owner) is None


def test_what_a_sleep_kept_is_told_and_the_next_one_leaves_it_as_it_is(owner):
    first = sleep(owner)
    assert count(first) == (2, 0, 0, 0)
    assert kept(owner)["overviews"] == first["overviews"]
    assert (kept(owner)["slept_at"], kept(owner)["kept"]) == (first["slept_at"], 2)
    again = sleep(owner)
    assert count(again) == (0, 0, 2, 0)
    assert again["overviews"] == first["overviews"]


def test_an_answer_tells_it_beside_its_results_and_so_does_a_search(owner):
    lamps = sleep(owner)["overviews"][0]
    reply = accepted(owner.post("memory", talk(ASKED)))
    assert reply["result"]["overview"] == lamps
    assert lamps["id"] not in ids(reply)
    found = accepted(owner.get("search", params={"q": ASKED}))
    assert found["overview"] == lamps
    assert lamps["id"] not in [hit["thought_id"] for hit in found["results"]]


def test_it_is_not_told_where_results_are_limited_or_only_one_belongs_to_it(owner):
    sleep(owner)
    for limit in ({"limit": 1}, {"exclude_self": True}, {"filter_tags": ["lamp"]}):
        reply = accepted(owner.post("memory", talk(ASKED, **limit)))
        assert "overview" not in reply["result"], limit
    assert "overview" not in accepted(owner.get("search", params={"q": ASKED, "by": "ana"}))


def test_it_leaves_no_trail_on_what_it_quotes(owner):
    sleep(owner)
    lamps = kept(owner)["overviews"][0]
    reply = accepted(owner.post("memory", talk(ASKED, limit=2)))
    [beside, *_] = {quote["thought_id"] for quote in lamps["quotes"]} - set(ids(reply))
    record = accepted(owner.get(f"thoughts/{beside}"))
    assert (record["access_count"], record["pheromone_weight"]) == (0, 1.0)


def test_an_erased_source_is_gone_from_it_at_once_and_the_next_sleep_renews_it(owner):
    before = sleep(owner)["overviews"][0]
    gone = before["quotes"][0]
    accepted(owner.send("DELETE", f"thoughts/{gone['thought_id']}", {"agent_id": "ana"}))
    left = told(owner)
    assert gone["content_preview"] not in texts(left)
    assert gone["thought_id"] not in left["source_ids"]
    again = sleep(owner)
    assert count(again) == (0, 1, 1, 0)
    [now] = [each for each in again["overviews"] if each["id"] == before["id"]]
    assert (now["version"], now["size"], len(now["quotes"])) == (2, 5, 3)


@pytest.mark.parametrize("way", ["outdated", "replaced", "ended"])
def test_what_is_no_longer_true_is_quoted_no_more_and_leaves_with_the_next_sleep(owner, way):
    before = sleep(owner)["overviews"][0]
    gone = before["quotes"][0]
    if way == "replaced":
        body = {
            "content": "The beacon is dark since May.", "contributor_id": "ana",
            "contributor_name": "Ana", "thought_type": "original", "source_ids": [], "tags": [],
            "replaces": [gone["thought_id"]],
        }  # fmt: skip
        accepted(owner.post("think", body))
    else:
        how = {"action": "outdated"} if way == "outdated" else {
            "action": "end", "expires_at": to_iso(owner.world.clock.now() + 60.0),
        }  # fmt: skip
        body = {"thought_ids": [gone["thought_id"]], "agent_id": "ana", **how}
        accepted(owner.post("curation", body))
        owner.world.clock.advance(120.0 if way == "ended" else 0.0)
    for overview in (told(owner), kept(owner)["overviews"][0]):
        assert gone["content_preview"] not in texts(overview)
    sleep(owner)
    for overview in kept(owner)["overviews"]:
        assert gone["thought_id"] not in overview["source_ids"]


def test_where_too_little_is_left_nothing_is_told_and_the_next_sleep_takes_it_away(owner):
    lamps = sleep(owner)["overviews"][0]
    for quote in lamps["quotes"][:2]:
        accepted(owner.send("DELETE", f"thoughts/{quote['thought_id']}", {"agent_id": "ana"}))
    assert told(owner) is None
    assert lamps["id"] not in [each["id"] for each in kept(owner)["overviews"]]
    for source in lamps["source_ids"][3:5]:
        accepted(owner.send("DELETE", f"thoughts/{source}", {"agent_id": "ana"}))
    assert count(sleep(owner)) == (0, 0, 1, 1)


def test_what_arrives_later_becomes_a_source_and_the_quotes_stay(owner):
    before = sleep(owner)["overviews"][0]
    accepted(owner.import_records(said("The lamp burns whale oil, watch g of the lamp oil.")))
    again = sleep(owner)
    now = again["overviews"][0]
    assert count(again) == (0, 1, 1, 0)
    assert (now["id"], now["version"], now["size"]) == (before["id"], 2, 7)
    assert now["quotes"] == before["quotes"]
