"""Requests that are no search, asked of the one endpoint; and searches, which stay as they were."""

from __future__ import annotations

import pytest

from api.walls import MCP, founded, served
from api.world import accepted, ids, refused, talk

NOT_ASKED = {"retrieval_method": "hybrid"}


@pytest.fixture(scope="module")
def world():
    with served() as world:
        yield world


@pytest.fixture(params=["open", "sealed"])
def owner(world, request):
    return founded(world, "routes", sealed=request.param == "sealed")


def worn(owner) -> str:
    """Make one thought a highway and return its id."""
    thought_id = owner.know("The lamp burns whale oil.", tags=["lamp"])
    for name in ("ada", "bo", "cy"):
        guest = owner.guest("contributor", name)
        guest.ask("What does the lamp burn?", name)
    return thought_id


@pytest.mark.parametrize(
    ("prompt", "method"),
    [
        ("What is trending?", "highways"),
        ("Show me the tags", "outline"),
        ("Any news?", "timeline"),
    ],
)
def test_the_log_has_what_was_answered_without_a_search_and_no_trail_comes_of_it(
    owner, prompt, method
):
    thought_id = owner.know("The lamp burns whale oil.", tags=["lamp"])
    before = accepted(owner.get(f"thoughts/{thought_id}"))["access_count"]
    reply = owner.ask(prompt, "dee")
    assert reply["trace"]["retrieval_method"] == method
    [logged] = [
        one
        for one in owner.everything()
        if one["record"] == "query" and one["session_id"] == reply["trace"]["session_id"]
    ]
    assert (logged["query_text"], logged["agent_id"]) == (prompt, "dee")
    assert (logged["retrieval_method"], logged["returned_ids"]) == (method, [])
    assert accepted(owner.get(f"thoughts/{thought_id}"))["access_count"] == before


def test_what_is_trending_is_answered_from_the_highways(owner):
    thought_id = worn(owner)
    reply = owner.ask("What is trending?")
    assert ids(reply) == [thought_id]
    assert reply["result"]["highways_nearby"] == ["lamp (3 accesses, 3 agents)"]
    assert "- lamp (3 accesses, 3 agents)" in reply["result"]["response"]
    assert reply["trace"]["retrieval_method"] == "highways"
    assert reply["trace"]["thoughts_retrieved"] == 1
    [source] = owner.ask("What is trending?", explain=True)["result"]["sources"]
    assert source["content"] == "The lamp burns whale oil."


def test_no_highways_yet_is_said(owner):
    reply = owner.ask("what are the highways?")
    assert ids(reply) == []
    assert "no highways yet" in reply["result"]["response"]


def test_an_outline_is_answered_in_the_usual_shape(owner):
    owner.know("Salt spoils the glass.", tags=["salt"])
    search = owner.ask("Who spoils the glass?")
    reply = owner.ask("Show the outline of salt")
    assert reply.keys() == search.keys()
    assert reply["result"].keys() == search["result"].keys()
    assert reply["trace"].keys() == search["trace"].keys()
    assert reply["trace"]["retrieval_method"] == "outline"
    assert "Salt spoils the glass." in reply["result"]["response"]
    assert "[tag:salt]" in owner.ask("list the tags")["result"]["response"]
    assert "[tag:salt]" in owner.ask("What topics are there?")["result"]["response"]
    assert "- tags" in owner.ask("show me the outline")["result"]["response"]


def test_a_name_that_nothing_has_makes_it_a_search(owner):
    thought_id = owner.know("An outline of the harbour hangs in the hall.")
    reply = owner.ask("Show the outline of the harbour")
    assert reply["trace"]["retrieval_method"] == "hybrid"
    assert ids(reply) == [thought_id]


def test_a_name_of_several_things_is_asked_back(owner):
    owner.know("Salt spoils the glass.", tags=["salt"])
    owner.import_records(
        *(
            {
                "record": "thought", "kind": "turn", "content": f"Turn {at}.", "session": "salt",
                "position": at, "contributor_id": "bo", "contributor_name": "Bo",
            }
            for at in range(2)
        )
    )  # fmt: skip
    told = owner.ask("outline of salt")["result"]["response"]
    assert "[tag:salt]" in told
    assert "[session:salt]" in told


@pytest.mark.parametrize(
    "more",
    [
        NOT_ASKED,
        {"filter_tags": ["lamp"]},
        {"min_score": 0.1},
        {"exclude_self": True},
        {"include_unverified": True},
    ],
)
def test_who_says_how_to_search_gets_a_search(owner, more):
    owner.know("The lamp burns whale oil.", tags=["lamp"])
    reply = owner.ask("what is trending?", **more)
    assert reply["trace"]["retrieval_method"] == "hybrid"


def test_what_is_stored_is_never_routed(owner):
    reply = owner.ask("What is trending?", contribute="always")
    assert reply["trace"]["thoughts_contributed"] == 1
    assert reply["trace"]["retrieval_method"] == "hybrid"
    told = "The outline of the deployment runbook for production is what we show."
    assert owner.ask(told)["trace"]["thoughts_contributed"] == 1


def test_a_routed_answer_leaves_no_trail_and_is_followed_up_in_its_session(owner):
    worn(owner)
    logged = {"session", "query"}
    before = [one for one in owner.everything() if one["record"] not in logged]
    session = owner.ask("What is trending?")["trace"]["session_id"]
    assert [one for one in owner.everything() if one["record"] not in logged] == before
    again = owner.ask("What does the lamp burn?", session_id=session)
    assert again["trace"]["session_id"] == session
    body = talk("What is trending?", "eve", session_id=session)
    refused(owner.post("memory", body), 404, "SESSION_NOT_FOUND")


def test_searches_are_what_they_were_without_routing(world, monkeypatch):
    asked = ["What does the lamp burn?", "lamp", "What are highways of salt?", "Outline of glass?"]

    def answers():
        owner = founded(world)
        for number in range(12):
            owner.know(f"Lamp {number} burns oil of kind {number}.", tags=[f"kind-{number % 4}"])
        known = {one["id"]: one["content"] for one in owner.everything() if "content" in one}
        for prompt in asked:
            reply = owner.ask(prompt, explain=True)
            for source in reply["result"]["sources"]:
                source["thought_id"] = known[source["thought_id"]]
            del reply["trace"]["session_id"]
            yield reply

    with_routing = list(answers())
    monkeypatch.setattr("wellworn.domain.memory.direct_answers.parse_request", lambda _: None)
    assert with_routing == list(answers())


def test_an_agent_that_recalls_over_mcp_reads_the_outline_in_a_fence(owner):
    owner.know("Salt spoils the glass.", tags=["salt"])
    told = owner.tool("recall", query="show the outline of salt", agent_id="ada", headers=MCP)
    [block] = told.json()["result"]["content"]
    assert "Salt spoils the glass." in block["text"].partition("<wellworn-memory")[2]
    assert "Nothing related" not in block["text"]


def test_the_outline_of_a_space_is_never_kept_for_a_retry(owner):
    said = owner.know("The password is swordfish.", tags=["salt"])
    headers = {"idempotency-key": "once"}
    body = talk("show the outline of salt")
    assert (
        "swordfish" in accepted(owner.post("memory", body, headers=headers))["result"]["response"]
    )
    accepted(owner.send("DELETE", f"thoughts/{said}", {"agent_id": "zoe"}))
    again = accepted(owner.post("memory", body, headers=headers))
    assert "swordfish" not in again["result"]["response"]


@pytest.mark.parametrize(
    "prompt", ["What was going on?", "Anything I should know?", "¿Qué hubo de nuevo?"]
)
def test_a_general_question_lists_what_lies_in_the_scope(owner, prompt):
    thought_id = owner.know("The lamp burns whale oil.")
    assert ids(owner.ask(prompt, since="2020-01-01")) == [thought_id]
    assert ids(owner.ask(prompt, until="2020-01-01")) == []


def test_a_time_in_which_nothing_was_said_shows_what_is_near(owner):
    thought_id = owner.know("The lamp burns whale oil.")
    reply = owner.ask("What happened 4 days ago?")
    assert "Nothing was said in that time. What was said near it" in reply["result"]["response"]
    assert ids(reply) == [thought_id]
