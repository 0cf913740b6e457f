"""One call to memory: what is stored, what is answered, in exactly which shape: seed 3.4 to 3.9."""

from __future__ import annotations

from uuid import UUID

import pytest

from api.world import ids
from empty_memory import over_both

pytestmark = over_both

WELCOME = "Welcome! I haven't seen you before. Ask me anything or share what you're learning."
INSIGHT = "Role boundaries prevent coordination collapse in multi-agent systems."


def is_stored(reply):
    trace = reply["trace"]
    assert trace["contribution_threshold_met"] is (trace["thoughts_contributed"] == 1)
    assert ("contribute" in trace["operations"]) is (trace["thoughts_contributed"] == 1)
    assert (trace["thought_id"] is not None) is (trace["thoughts_contributed"] == 1)
    return trace["thoughts_contributed"] == 1


def test_an_insight_is_stored_and_a_question_finds_it(world):
    stored = world.ask(INSIGHT, "pdsa")
    assert is_stored(stored)
    found = world.ask("What do you know about role boundaries?", "dev")
    assert not is_stored(found)
    assert ids(found) == [stored["trace"]["thought_id"]]
    assert found["result"]["sources"][0]["contributor"] == "Pdsa"


@pytest.mark.parametrize(
    ("prompt", "stored"),
    [
        ("The deploy port is 3200.", True),
        ("Correction: backups run at 04:00, not at 03:00.", True),
        ("Thanks a lot, that was exactly what I was looking for, have a nice day!", False),
        ("🦉" * 51, False),
        ("Is there anything anybody knows about how roles are to be separated?", False),
        ("Is there anything anybody knows,\nabout how roles are\nto be separated?", False),
        ("Is there anything anybody knows about how roles are to be separated?  \n", False),
        ("We separate roles. Is there anything anybody knows about doing so well?", True),
        ("Wow! Is there anything anybody knows about how roles are to be separated?", False),
        ("Is there anything anybody knows about how roles are to be separated? Yes", False),
        ("Is it v2.0 that anybody knows to separate the roles of all of the agents?", False),
        ("We acted based on what you said and keep the roles of agents separate.", True),
    ],
)
def test_what_is_stored_follows_from_what_a_prompt_states(world, prompt, stored):
    reply = world.ask(prompt)
    assert is_stored(reply) is stored
    assert world.rows("SELECT count(*) FROM thoughts") == [(int(stored),)]
    assert world.rows("SELECT query_text FROM query_log") == [(prompt,)]


@pytest.mark.parametrize(
    "prompt",
    [
        "bAsEd On what was said, we decided to keep the roles of agents separate.",
        "  you said that we should keep the roles of agents separate, and we did it",
        "You told me that we should keep the roles of agents separate, and we did.",
        "Regarding your answer: we decided to keep the roles of agents separate.",
        "About your response: we decided to keep the roles of agents separate.",
    ],
)
def test_a_reference_is_a_follow_up_only_where_an_answer_came_before(world, prompt):
    world.know(INSIGHT)
    session = world.ask("role boundaries?")["trace"]["session_id"]
    follow_up = world.ask(prompt, session_id=session)
    assert not is_stored(follow_up)
    assert follow_up["trace"]["contribution"] == "follow_up"
    assert "was not stored" in follow_up["result"]["response"]
    assert is_stored(world.ask(prompt))


def test_the_result_and_trace_have_exactly_the_specified_fields(world):
    stored = world.ask(INSIGHT, "pdsa")["trace"]["thought_id"]
    reply = world.ask("role boundaries?", "dev", context="agent workflows")
    assert reply.keys() == {"result", "trace"}
    session_id = reply["trace"].pop("session_id")
    assert str(UUID(session_id)) == session_id
    score = reply["result"]["sources"][0].pop("score")
    assert 0 < score < 1
    assert reply == {
        "result": {
            "response": f"Based on collective knowledge, here is what others have found:\n\n"
            f"{INSIGHT} (from Pdsa, 2026-02-23)",
            "sources": [
                {"thought_id": stored, "contributor": "Pdsa", "content_preview": INSIGHT[:80]}
            ],
            "highways_nearby": [],
            "disambiguation": None,
            "guidance": WELCOME,
        },
        "trace": {
            "operations": ["retrieve", "reinforce", "onboard"],
            "thoughts_retrieved": 1,
            "thoughts_contributed": 0,
            "contribution_threshold_met": False,
            "contribution": "question",
            "context_used": True,
            "retrieval_method": "hybrid",
            "thought_id": None,
        },
    }


def test_the_response_quotes_the_first_three_with_author_and_day(world):
    for place, cause in enumerate(("gardens", "kitchens", "theatres", "harbours")):
        world.know(f"Roles are kept apart by the people of {cause}.", f"agent-{place}")
    reply = world.ask("roles kept apart?")
    shown = reply["result"]["sources"]
    assert len(shown) == 4
    for place, source in enumerate(shown):
        content = world.record(source["thought_id"])["content"]
        quote = f"{content} (from {source['contributor']}, 2026-02-23"
        assert (quote in reply["result"]["response"]) is (place < 3)


def test_a_long_thought_is_quoted_where_it_matches_and_previewed_by_80_characters(world):
    filler = "Nothing of interest happened on the quay that day. " * 12
    long = world.know(f"{filler}Roles are kept apart by a fence. {filler}")
    reply = world.ask("roles kept apart fence?", min_relevance=0)
    [source] = reply["result"]["sources"]
    assert source["content_preview"] == world.record(long)["content"][:80]
    assert "Roles are kept apart by a fence." in reply["result"]["response"]
    assert len(reply["result"]["response"]) < 600


def test_an_empty_memory_answers_with_no_sources(world):
    reply = world.ask("role separation?")
    assert reply["result"]["sources"] == []
    assert reply["result"]["response"]
    assert reply["trace"]["operations"] == ["retrieve", "onboard"]
    assert reply["trace"]["thoughts_retrieved"] == 0


def test_a_thought_never_finds_itself_in_the_call_that_stores_it(world):
    first = world.ask(INSIGHT)
    assert first["result"]["sources"] == []
    second = world.ask(INSIGHT + " Again, and in other words.")
    assert ids(second) == [first["trace"]["thought_id"]]
    assert world.record(second["trace"]["thought_id"])["access_count"] == 0


def test_context_turns_the_search(world):
    cooking = world.know("In a restaurant kitchen the roles of chefs are separate.")
    agents = world.know("In a software workflow the roles of agents are separate.")
    kitchen = world.ask("separate roles", context="restaurant kitchen chefs")
    software = world.ask("separate roles", context="software workflow agents")
    assert ids(kitchen)[0] == cooking
    assert ids(software)[0] == agents


def test_context_and_prompt_are_embedded_as_one_text(world):
    world.know("In a restaurant kitchen the roles of chefs are separate.")
    both = world.ask("separate roles", context="restaurant kitchen")
    one = world.ask("restaurant kitchen separate roles")
    assert both["result"]["sources"][0]["score"] == one["result"]["sources"][0]["score"]


def test_context_is_kept_with_the_thought_and_in_the_query_log_but_not_embedded(world):
    reply = world.ask(INSIGHT, context="xylophone maintenance")
    thought = reply["trace"]["thought_id"]
    assert world.record(thought)["context_metadata"] == "xylophone maintenance"
    assert world.rows("SELECT query_text, context_text FROM query_log") == [
        (INSIGHT, "xylophone maintenance")
    ]
    plain = world.know("Xylophones are maintained by hitting them gently.")
    score = {
        one["thought_id"]: one["score"] for one in world.read("search", q="xylophone")["results"]
    }
    assert thought not in score or score[thought] < 0.2
    assert plain not in score or score[plain] < 0.2


@pytest.mark.parametrize(("context", "used"), [("a workflow", True), ("", False), (None, False)])
def test_the_trace_says_whether_there_was_context(world, context, used):
    assert world.ask("role separation?", context=context)["trace"]["context_used"] is used


def test_an_agent_is_welcomed_once_and_gets_its_results_all_the_same(world):
    thought = world.know(INSIGHT)
    first = world.ask("role boundaries?", "newcomer")
    assert first["result"]["guidance"] == WELCOME
    assert "onboard" in first["trace"]["operations"]
    assert ids(first) == [thought]
    second = world.ask("role boundaries?", "newcomer")
    assert second["result"]["guidance"] is None
    assert "onboard" not in second["trace"]["operations"]


def test_an_agent_whose_first_call_is_no_search_is_welcomed_once(world):
    replies = [world.ask("what is trending?", "newcomer") for _ in range(2)]
    replies.append(world.ask("role boundaries?", "newcomer"))
    assert [reply["result"]["guidance"] for reply in replies] == [WELCOME, None, None]


def test_whoever_only_contributed_by_think_is_still_new_to_the_conversation(world):
    world.know(INSIGHT, "writer")
    assert world.ask("role boundaries?", "writer")["result"]["guidance"] == WELCOME


def test_every_call_is_in_the_query_log(world):
    thought = world.know(INSIGHT)
    reply = world.ask("role boundaries?", "dev")
    session = reply["trace"]["session_id"]
    [row] = world.rows(
        "SELECT id, agent_id, query_text, context_text, query_vector, returned_ids, session_id, "
        "timestamp, result_count, knowledge_space_id FROM query_log"
    )
    assert str(UUID(row[0])) == row[0]
    assert row[1:4] == ("dev", "role boundaries?", None)
    assert len(row[4]) == 384 * 4
    assert row[5:7] == (f'["{thought}"]', session)
    assert row[7].startswith("2026-02-23T15:00:00")
    assert row[8:] == (1, "ks-default")


def test_a_session_is_continued_and_without_one_a_new_one_begins(world):
    first = world.ask("role separation?")["trace"]["session_id"]
    assert world.ask("and roles?", session_id=first)["trace"]["session_id"] == first
    assert world.ask("and roles?")["trace"]["session_id"] != first


def test_a_call_stores_or_does_not_store_when_told_so(world):
    never = world.ask(INSIGHT, contribute="never")["trace"]
    assert (never["thoughts_contributed"], never["contribution_threshold_met"]) == (0, True)
    always = world.ask("Short.", contribute="always")["trace"]
    assert (always["thoughts_contributed"], always["contribution_threshold_met"]) == (1, False)
    assert world.record(always["thought_id"])["content"] == "Short."


def test_limit_says_how_many_are_shown(world):
    for number in range(12):
        world.know(f"Roles are separate in case {number}.")
    assert len(ids(world.ask("separate roles case", limit=3))) == 3
    assert len(ids(world.ask("separate roles case", limit=50))) == 12
    assert len(ids(world.ask("separate roles case"))) == 10


def test_what_is_only_in_the_same_language_has_nothing_to_do_with_a_prompt(meaning):
    """To the encoder, which learned English, all German texts are alike."""
    notes = {
        name: meaning.know(text, "ana")
        for name, text in {
            "key": "Die Probebühne ist montags geschlossen, den Schlüssel hat Herr Wimmer.",
            "show": "Ich glaube, die Premiere wird ausverkauft sein.",
            "list": "Wir haben die Gästeliste auf 40 Personen begrenzt.",
            "rehearsal": "Am Dienstag um 17 Uhr ist Technikprobe, alle in Schwarz.",
            "scanner": "Der Scanner an der Osttür ist kaputt und wird repariert.",
            "cake": "Meine Schwester bringt zu jeder Premiere einen Kuchen mit.",
            "wages": "Die Aushilfen bekommen vierzehn Euro in der Stunde.",
            "van": "Der Transporter braucht im März neue Reifen.",
            "lamp": "Im Keller fehlt noch eine Lampe über der Treppe.",
            "poster": "Die Plakate hängen ab Montag in der Innenstadt.",
            "bar": "An der Bar gibt es keine Gläser mehr für Rotwein.",
        }.items()
    }
    assert len(ids(meaning.ask("Danke dir, das hat mir sehr geholfen.", "bo"))) <= 2
    assert ids(meaning.ask("Wer hat den Schlüssel zur Probebühne?", "bo"))[0] == notes["key"]
