"""What is true now, over HTTP: replacing, judging, asking for the past, and taking it back."""

from __future__ import annotations

import pytest

from api import walls
from api.sealed_world import Anywhere, founded
from api.world import NOBODY, accepted, ids, refused, talk
from wellworn.domain.thoughts.moderation import MOST_OBJECTIONS_A_DAY

OLD = "The Marlin exporter listens on port 9100."
NEW = "The Marlin exporter listens on port 9200."
BESIDE = "Rack four of the Marlin exporter hums at night."
QUESTION = "Which port does the Marlin exporter listen on?"


@pytest.fixture
def pair(place):
    """A thought and what replaced it a minute later."""
    old = place.know(OLD, "bo")
    place.clock.advance(60)
    return old, place.ask(NEW, "ana", replaces=[old])["trace"]["thought_id"]


def replacing(new, old, agent="dev"):
    return f"thoughts/{new}/replaces/{old}?agent_id={agent}"


def withdraw(place, new, old):
    return accepted(place.send("DELETE", replacing(new, old)))


def listed(place, **narrowed):
    return [thought["thought_id"] for thought in place.read("thoughts", **narrowed)["thoughts"]]


def test_what_was_replaced_is_told_and_not_shown(place, pair):
    old, new = pair
    reply = place.ask(QUESTION, "dev")
    assert ids(reply) == [new]
    assert "replaces what Bo said" in reply["result"]["response"]
    [link] = reply["result"]["sources"][0]["replaces"]
    assert (link["thought_id"], link["stated"], link["content_preview"]) == (old, True, OLD)


@pytest.mark.parametrize("narrowed", [{"filter_tags": ["cellar"]}, {"exclude_self": True}])
def test_what_a_filter_leaves_out_takes_nobodys_place_and_is_told(place, narrowed):
    old = place.know(OLD, "bo", tags=["cellar"])
    place.clock.advance(60)
    new = place.ask(NEW, "ana", replaces=[old])["trace"]["thought_id"]
    [source] = place.ask(QUESTION, "ana", explain=True, **narrowed)["result"]["sources"]
    assert source["thought_id"] == old
    assert [link["thought_id"] for link in source["replaced_by"]] == [new]


def test_who_stores_beside_others_is_asked_whether_it_replaces_one(place):
    old = place.know(OLD, "bo")
    place.clock.advance(60)
    beside = place.ask(BESIDE, "ana")
    assert beside["result"]["response"].endswith("`replaces` and the id of that thought.")
    again = place.ask(BESIDE, "ana", replaces=ids(beside))
    assert "send it again" not in again["result"]["response"]
    assert again["trace"]["thought_id"] == beside["trace"]["thought_id"]
    assert ids(place.ask(QUESTION, "dev")) == [again["trace"]["thought_id"]] != [old]


def test_what_replaces_in_other_words_stands_where_the_first_of_its_chain_stood(place):
    for number in range(60):
        place.know(f"Marlin exporter note {number} on ports.", "bo")
    last = place.know(OLD, "bo")
    for text in (
        "It moved, see the wiki.",
        "Not there either, ask Ana.",
        "Nine thousand three hundred.",
    ):
        place.clock.advance(60)
        last = place.ask(text, "ana", replaces=[last])["trace"]["thought_id"]
    assert ids(place.ask(QUESTION, "dev"))[0] == last


def confirm(member, thought_id):
    """Let a member find a thought useful."""
    session = member.ask(QUESTION, "dev")["trace"]["session_id"]
    member.feedback(session, thought_id, "useful")


def test_an_erased_replacement_gives_back_what_it_replaced(place, pair):
    old, new = pair
    place.forget(new, "ana")
    reply = place.ask(QUESTION, "dev")
    assert ids(reply) == [old]
    assert "replaces" not in reply["result"]["response"]


def test_a_rolled_back_replacement_gives_back_what_it_replaced(opened):
    owner = founded(Anywhere(opened)("home"))
    old = owner.know(OLD, "bo")
    owner.clock.advance(60)
    guest = owner.shared("ana", role="contributor")
    new = guest.ask(NEW, "ana", replaces=[old])["trace"]["thought_id"]
    confirm(owner, new)
    assert ids(owner.ask(QUESTION, "dev")) == [new]
    body = {"owner": guest.member, "since": "2026-01-01T00:00:00Z"}
    accepted(owner.post(f"spaces/{owner.space}/rollback", body))
    assert ids(owner.ask(QUESTION, "dev")) == [old]


def test_rolling_back_who_repeated_a_replacement_leaves_it(opened):
    owner = founded(Anywhere(opened)("home"))
    old = owner.know(OLD, "bo")
    owner.clock.advance(60)
    new = owner.ask(NEW, "ana", replaces=[old])["trace"]["thought_id"]
    guest = owner.shared("eve", role="contributor")
    guest.ask(NEW, "eve", replaces=[old])
    body = {"owner": guest.member, "since": "2026-01-01T00:00:00Z"}
    accepted(owner.post(f"spaces/{owner.space}/rollback", body))
    assert ids(owner.ask(QUESTION, "dev")) == [new]


def test_what_a_second_one_stated_stays_when_the_first_is_rolled_back(opened):
    owner = founded(Anywhere(opened)("home"))
    old, new = owner.know(OLD, "bo"), owner.know(NEW, "ana")
    guests = [owner.shared(name, role="contributor") for name in ("ana", "eve")]
    for guest in guests:
        owner.clock.advance(60)
        guest.ask(NEW, "ana", replaces=[old])
    for guest, left in zip(guests, ([old], []), strict=True):
        body = {"owner": guest.member, "since": "2026-01-01T00:00:00Z"}
        accepted(owner.post(f"spaces/{owner.space}/rollback", body))
        links = [link for link in owner.record(new)["replaces"] if link["stated"]]
        assert [link["thought_id"] for link in links] == left


def test_a_second_one_s_statement_outlives_that_the_first_withdraws_theirs(opened):
    owner = founded(Anywhere(opened)("home"))
    old, new = owner.know(OLD, "bo"), owner.know(NEW, "ana")
    first, second = (owner.shared(name, role="contributor") for name in ("ana", "eve"))
    for guest in (first, second):
        guest.ask(NEW, "ana", replaces=[old])
    accepted(first.send("DELETE", replacing(new, old)))
    assert [link["thought_id"] for link in owner.record(new)["replaces"]] == [old]
    refused(first.send("DELETE", replacing(new, old)), 403, "FORBIDDEN")
    accepted(second.send("DELETE", replacing(new, old)))
    assert owner.record(new)["replaces"] == []


def test_a_wrong_replacement_gives_way_until_the_signal_is_taken_back(place, pair):
    old, new = pair
    session = place.ask(QUESTION, "dev")["trace"]["session_id"]
    place.feedback(session, new, "wrong")
    assert ids(place.ask(QUESTION, "kim")) == [old]
    place.feedback(session, new, "none")
    assert ids(place.ask(QUESTION, "lea")) == [new]


def test_what_is_outdated_says_so_until_the_signal_is_taken_back(place):
    old = place.know(OLD, "bo")
    session = place.ask(QUESTION, "dev")["trace"]["session_id"]
    place.feedback(session, old, "outdated")
    assert "outdated since" in place.ask(QUESTION, "dev")["result"]["response"]
    place.feedback(session, old, "none")
    assert "outdated" not in place.ask(QUESTION, "dev")["result"]["response"]


def test_two_replacements_of_one_thought_are_both_true(place):
    old = place.know(OLD, "bo")
    place.clock.advance(5)
    said = {"ana": NEW, "kim": "The Marlin exporter listens on port 9300."}
    new = {
        place.ask(content, agent, replaces=[old])["trace"]["thought_id"]
        for agent, content in said.items()
    }
    assert set(ids(place.ask(QUESTION, "dev"))) == new


def test_the_past_is_brought_when_it_is_asked_for(place, pair):
    old, new = pair
    assert ids(place.ask(QUESTION, "dev", as_of="2026-02-23T15:00:30Z")) == [old]
    assert ids(place.ask(QUESTION, "dev", history=True)) == [new, old]
    assert ids(place.ask("What was the port of the Marlin exporter before?", "dev")) == [new, old]


def test_only_what_one_contributor_said_in_a_time_is_brought(place, pair):
    old, new = pair
    assert ids(place.ask(QUESTION, "dev", by="Bo", history=True)) == [old]
    assert ids(place.ask(QUESTION, "dev", since="2026-02-23T15:00:30Z", history=True)) == [new]
    refused(place.post("memory", talk(QUESTION, since="2026-02-30")), 400, "VALIDATION_ERROR")
    inverted = talk(QUESTION, since="2026-02-03", until="2026-02-01")
    told = refused(place.post("memory", inverted), 400, "VALIDATION_ERROR")
    assert "wrong way round" in told


def test_what_was_said_again_is_true_again(place, pair):
    old, _ = pair
    place.clock.advance(60)
    place.know(OLD, "bo")
    assert ids(place.ask(QUESTION, "dev"))[0] == old


def test_an_unknown_thought_cannot_be_replaced(place):
    refused(place.post("memory", talk(NEW, replaces=[NOBODY])), 404, "THOUGHT_NOT_FOUND")


def test_what_replaces_is_stored_so_it_cannot_be_only_asked(place):
    old = place.know(OLD, "bo")
    body = talk(NEW, replaces=[old], contribute="never")
    refused(place.post("memory", body), 400, "VALIDATION_ERROR")


def test_a_thought_of_another_space_cannot_be_replaced(opened):
    first = founded(Anywhere(opened)("home"))
    other = founded(first, "other")
    old = first.know(OLD, "bo")
    refused(other.post("memory", talk(NEW, replaces=[old])), 404, "THOUGHT_NOT_FOUND")


def test_a_reader_replaces_nothing(opened):
    owner = founded(Anywhere(opened)("home"))
    old = owner.know(OLD, "bo")
    reader = owner.shared("rea", role="reader")
    refused(reader.post("memory", talk(NEW, "rea", replaces=[old])), 403, "FORBIDDEN")
    assert ids(owner.ask(QUESTION, "dev")) == [old]


def test_a_refinement_stands_above_what_it_refines(place):
    old = place.know(OLD, "bo")
    place.clock.advance(60)
    told = "On cube the Marlin exporter listens on port 9100, and on no other."
    new = place.ask(told, "ana", source_ids=[old])["trace"]["thought_id"]
    assert place.record(new)["thought_type"] == "refinement"
    assert ids(place.ask(QUESTION, "dev")) == [new, old]


def test_nobody_calls_everything_outdated(world):
    known = [
        world.know(f"The lamp of room {n} is out.", "bo") for n in range(MOST_OBJECTIONS_A_DAY + 1)
    ]
    session = world.ask("lamp of which room?", "eve", limit=50)["trace"]["session_id"]
    body = {"session_id": session, "signal": "outdated"}
    for thought_id in known[:-1]:
        accepted(world.post("memory/feedback", {**body, "thought_id": thought_id}))
    refused(world.post("memory/feedback", {**body, "thought_id": known[-1]}), 429, "RATE_LIMITED")


def test_a_withdrawn_replacement_gives_back_what_it_replaced_until_it_is_said_again(place, pair):
    old, new = pair
    assert [link["thought_id"] for link in place.record(new)["replaces"]] == [old]
    assert [link["thought_id"] for link in place.record(old)["replaced_by"]] == [new]
    assert withdraw(place, new, old) == {"thought_id": new, "replaced_id": old}
    assert set(ids(place.ask(QUESTION, "dev"))) == {old, new}
    assert place.record(old)["replaced_by"] == []
    assert place.record(old)["outdated_at"] is None
    place.ask(NEW, "ana", replaces=[old])
    assert ids(place.ask(QUESTION, "dev")) == [new]


def test_what_replaces_nothing_cannot_be_withdrawn(place, pair):
    old, new = pair
    withdraw(place, new, old)
    refused(place.send("DELETE", replacing(new, old)), 404, "THOUGHT_NOT_FOUND")
    refused(place.send("DELETE", replacing(new, NOBODY)), 404, "THOUGHT_NOT_FOUND")


def test_a_stranger_to_both_thoughts_withdraws_nothing_that_was_stated(opened):
    owner = founded(Anywhere(opened)("home"))
    guests = {name: owner.shared(name, role="contributor") for name in ("ana", "bo", "eve")}
    old = guests["bo"].know(OLD, "bo")
    owner.clock.advance(60)
    new = guests["ana"].ask(NEW, "ana", replaces=[old])["trace"]["thought_id"]
    confirm(owner, new)
    refused(guests["eve"].send("DELETE", replacing(new, old, "eve")), 403, "FORBIDDEN")
    assert ids(owner.ask(QUESTION, "dev")) == [new]
    accepted(guests["bo"].send("DELETE", replacing(new, old, "bo")))
    assert set(ids(owner.ask(QUESTION, "dev"))) == {old, new}


def test_a_rolled_back_withdrawal_leaves_the_replacement(opened):
    owner = founded(Anywhere(opened)("home"))
    guest = owner.shared("bo", role="contributor")
    old = guest.know(OLD, "bo")
    owner.clock.advance(60)
    new = owner.ask(NEW, "ana", replaces=[old])["trace"]["thought_id"]
    owner.clock.advance(60)
    accepted(guest.send("DELETE", replacing(new, old, "bo")))
    since = owner.record(new)["created_at"]
    body = {"owner": guest.member, "since": since}
    accepted(owner.post(f"spaces/{owner.space}/rollback", body))
    assert ids(owner.ask(QUESTION, "dev")) == [new]


def test_what_was_said_is_listed_by_time_person_and_tag(place, pair):
    old, new = pair
    place.clock.advance(60)
    tide = place.know("The tide tables are in the drawer.", "kim", tags=["Harbour-Life"])
    gone = place.know("Kim is on holiday.", "kim")
    place.forget(gone, "kim")
    assert listed(place) == [tide, new, old]
    assert listed(place, since="2026-02-23T15:00:30Z", until="2026-02-23T15:01:30Z") == [new]
    assert listed(place, by="BO") == [old]
    assert listed(place, tag="harbour life") == [tide]
    first = place.read("thoughts", limit=2)
    assert [thought["thought_id"] for thought in first["thoughts"]] == [tide, new]
    assert first["thoughts"][1]["replaces"][0]["thought_id"] == old
    second = place.read("thoughts", limit=2, cursor=first["next_cursor"])
    assert [thought["thought_id"] for thought in second["thoughts"]] == [old]
    assert second["thoughts"][0]["outdated_at"] == first["thoughts"][1]["created_at"]
    assert second["next_cursor"] is None
    assert place.record(tide)["access_count"] == 0


@pytest.mark.parametrize(
    ("prompt", "agent", "found"),
    [
        ("Catch me up!", "dev", ["tide", "new", "old"]),
        ("What happened yesterday?", "dev", ["new", "old"]),
        ("What came up on 23 February?", "dev", ["new", "old"]),
        ("What happened in the week of 24 February?", "dev", ["tide", "new", "old"]),
        ("What did we decide in the first half of February?", "dev", []),
        ("What have I missed since yesterday?", "dev", ["tide", "new", "old"]),
        ("What did Bo say?", "dev", ["old"]),
        ("What do you know about me?", "ana", ["new"]),
        ("What do you know about me?", "dev", []),
        ("What happened last year?", "dev", []),
    ],
)
def test_looking_back_lists_what_was_said(place, pair, prompt, agent, found):
    old, new = pair
    place.clock.advance(24 * 3600)
    tide = place.know("The tide tables are in the drawer.", "kim", tags=["harbour"])
    reply = place.ask(prompt, agent)
    names = {old: "old", new: "new", tide: "tide"}
    assert [names[thought_id] for thought_id in ids(reply)] == found
    assert reply["trace"]["retrieval_method"] == "timeline"
    assert reply["trace"]["thoughts_contributed"] == 0
    response = reply["result"]["response"]
    assert ("2026-02-23, Bo: The Marlin exporter" in response) == ("old" in found)
    assert ("(outdated since" in response) == ("old" in found)
    assert ("Topics: harbour." in response) == ("tide" in found)
    assert place.record(tide)["access_count"] == 0


@pytest.mark.parametrize(
    "prompt",
    [
        "What's new in the billing API?",
        "What did Bo say about the port?",
        "What happened at the port in February?",
    ],
)
def test_what_asks_for_a_matter_is_a_search(place, pair, prompt):
    assert place.ask(prompt, "dev")["trace"]["retrieval_method"] == "hybrid"


def test_links_come_back_with_an_import(world):
    owner, other = walls.founded(world), walls.founded(world, "other")
    old = owner.know(OLD, "bo")
    world.clock.advance(60)
    new = owner.ask(NEW, "ana", replaces=[old])["trace"]["thought_id"]
    owner.guest().ask(NEW, "eve", replaces=[old])
    for _ in range(2):
        accepted(other.import_records(*owner.everything()))
    assert ids(other.ask(QUESTION, "dev")) == [new]
    links, copied = (
        [record for record in place.everything() if record["record"] == "replacement"]
        for place in (owner, other)
    )
    assert len(links) == 2
    assert copied == links


def test_models_replace_ask_for_the_past_and_judge(opened):
    owner = founded(Anywhere(opened)("home"))
    old = owner.know(OLD, "bo")
    owner.clock.advance(60)
    new = structured(call_tool(owner, "remember", content=NEW, replaces=[old]))["thought_id"]
    now = structured(call_tool(owner, "recall", query=QUESTION))
    [shown] = now["thoughts"]
    assert (shown["thought_id"], shown["created_at"]) == (new, "2026-02-23T15:01:00Z")
    assert [link["thought_id"] for link in shown["replaces"]] == [old]
    past = structured(call_tool(owner, "recall", query=QUESTION, as_of="2026-02-23T15:00:30Z"))
    assert [thought["thought_id"] for thought in past["thoughts"]] == [old]
    said = structured(call_tool(owner, "recall", query=QUESTION, by="bo", history=True))
    assert [thought["thought_id"] for thought in said["thoughts"]] == [old]
    judged = {"session_id": now["session_id"], "thought_id": new}
    structured(call_tool(owner, "feedback", **judged, signal="wrong"))
    [again] = structured(call_tool(owner, "recall", query=QUESTION))["thoughts"]
    assert again["thought_id"] == old


@pytest.mark.parametrize(
    ("tool", "wrong"),
    [
        ("recall", {"query": "x", "since": "2026-02-30"}),
        ("recall", {"query": "x", "since": "2026-02-03", "until": "2026-02-01"}),
        ("recall", {"query": "x", "min_relevance": 2}),
        ("remember", {"content": "x", "replaces": ["9"]}),
        ("feedback", {"session_id": NOBODY, "thought_id": NOBODY, "signal": "stale"}),
    ],
)
def test_models_are_told_which_argument_is_wrong(opened, tool, wrong):
    result = call_tool(founded(Anywhere(opened)("home")), tool, **wrong).json()["result"]
    assert result["isError"]
    assert [*wrong][-1] in result["content"][0]["text"]


def call_tool(place, name, **arguments):
    params = {"name": name, "arguments": arguments}
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    return place.client.post("/mcp", json=message, headers=walls.MCP)


def structured(reply):
    result = accepted(reply)["result"]
    assert not result.get("isError"), result
    return result["structuredContent"]


@pytest.fixture
def members(opened):
    """The founder of a space, who is its admin, and three members."""
    owner = founded(Anywhere(opened)("home"))
    return owner, *(owner.shared(name, role="contributor") for name in ("bo", "eve", "kim"))


def test_what_a_member_states_against_another_stands_beside_until_somebody_else_confirms_it(
    members,
):
    _, bo, eve, kim = members
    old = bo.know(OLD, "bo")
    bo.clock.advance(60)
    lie = eve.ask(NEW, "eve", replaces=[old])["trace"]["thought_id"]
    reply = kim.ask(QUESTION, "kim")
    assert ids(reply) == [old, lie]
    assert "contradicts" in reply["result"]["response"]
    older, newer = reply["result"]["sources"]
    assert "outdated_at" not in older
    for [link], other in ((older["replaced_by"], lie), (newer["replaces"], old)):
        assert (link["thought_id"], link["stated"], link["contested"]) == (other, False, True)
    assert older["contested"] is newer["contested"] is True
    confirm(kim, lie)
    now = kim.ask(QUESTION, "kim")["result"]["sources"]
    by_id = {source["thought_id"]: source for source in now}
    assert by_id.keys() == {lie}
    assert [link["contested"] for link in by_id[lie]["replaces"]] == [False]
    assert "contested" not in by_id[lie]


def test_who_stands_by_what_is_contradicted_outweighs_one_who_confirms_the_contradiction(members):
    owner, bo, eve, kim = members
    old = bo.know(OLD, "bo")
    bo.clock.advance(60)
    lie = eve.ask(NEW, "eve", replaces=[old])["trace"]["thought_id"]
    bo.clock.advance(60)
    confirm(kim, old)
    confirm(owner, old)
    confirm(owner.shared("friend", role="contributor"), lie)
    assert ids(kim.ask(QUESTION, "kim")) == [old, lie]


def test_who_corrects_themselves_and_an_admin_are_believed_at_once(members):
    owner, bo, eve, _ = members
    old = bo.know(OLD, "bo")
    bo.clock.advance(60)
    new = bo.ask(NEW, "bo-again", replaces=[old])["trace"]["thought_id"]
    assert ids(eve.ask(QUESTION, "dev")) == [new]
    bo.clock.advance(60)
    newest = owner.ask(NEW.replace("93", "95"), "ana", replaces=[new])["trace"]["thought_id"]
    assert ids(eve.ask(QUESTION, "dev")) == [newest]


def test_a_correction_by_the_first_author_stands_above_the_lie_that_it_answers(members):
    _, bo, eve, kim = members
    old = bo.know("The door codes of the lab are changed every six weeks.", "bo")
    bo.clock.advance(60)
    told = "Codes for the lab door stay the same for three years."
    lie = eve.ask(told, "eve", replaces=[old])["trace"]["thought_id"]
    session = eve.ask("door codes of the lab?", "eve")["trace"]["session_id"]
    eve.feedback(session, old, "wrong")
    told = "The door codes of the lab are now changed every four weeks."
    new = bo.ask(told, "bo", replaces=[old])["trace"]["thought_id"]
    shown = ids(kim.ask("How often are the door codes of the lab changed?", "kim"))
    assert shown == [new, old, lie]


@pytest.mark.parametrize("signal", ["wrong", "outdated"])
def test_one_member_s_word_takes_nothing_of_another_s_away(members, signal):
    owner, bo, eve, kim = members
    known = bo.know(OLD, "bo")
    other = bo.know("On cube the Marlin exporter is restarted at noon.", "bo")

    def judge(member):
        session = member.ask(QUESTION, "dev")["trace"]["session_id"]
        member.feedback(session, known, signal)

    judge(eve)
    assert ids(kim.ask(QUESTION, "dev"))[0] == known
    judge(kim)
    shown = ids(kim.ask(QUESTION, "dev"))
    assert shown == ([other] if signal == "wrong" else [other, known])
    assert (bo.record(known)["outdated_at"] is not None) is True
    bo.know(OLD, "bo")
    assert ids(kim.ask(QUESTION, "dev")) == shown
    assert owner.record(known)["outdated_at"] is not None


def test_an_admin_s_word_is_enough(members):
    owner, bo, eve, _ = members
    known = bo.know(OLD, "bo")
    session = owner.ask(QUESTION, "dev")["trace"]["session_id"]
    owner.feedback(session, known, "wrong")
    assert ids(eve.ask(QUESTION, "dev")) == []


def test_what_says_the_same_is_one_result_that_tells_how_many_say_it_and_who(members):
    _, bo, eve, kim = members
    for number in range(4):
        eve.know(f"Entry {number}: {OLD}", "eve")
    kim.know(f"For the record, {OLD}", "kim")
    other = bo.know("On cube the Marlin exporter is restarted at noon.", "bo")
    reply = kim.ask(QUESTION, "kim", limit=3)
    first, second = reply["result"]["sources"]
    assert first["alike"]["count"] == 4
    assert {first["contributor"], *first["alike"]["contributors"]} == {"Eve", "Kim"}
    assert (second["thought_id"], "alike" in second) == (other, False)
    assert "4 more alike, by Eve" in reply["result"]["response"]


@pytest.mark.parametrize("is_sealed", [False, True])
def test_a_member_is_found_by_id_under_whatever_name_they_spoke(opened, is_sealed):
    owner = founded(Anywhere(opened)("home"), sealed=is_sealed)
    bo = owner.shared("bo", role="contributor")
    said = bo.know(OLD, "some-agent")
    owner.know(NEW, "another-agent")
    assert listed(owner, by=bo.member) == [said]
    assert ids(owner.ask(QUESTION, "dev", by=bo.member, contribute="never")) == [said]
