"""The example flows of the specification of turns, decided by a (scripted) language model.

Source: the specification of document IO, section 14.
"""

from __future__ import annotations

import pytest

from integration.turn_world import (
    FIND_SOME,
    HAMSTERS,
    LAPTOP,
    READ_HAMSTERS,
    READ_LAPTOP,
    READ_THREAD,
    list_quotes,
    welcome_person,
)
from unit.turns.prompted_world import REFUSED, write_answer
from wellworn.application.bootstrap import opening
from wellworn.testing.chat_model import ScriptedModel

APPROVED = {
    "decision": "APPROVE",
    "confidence": 95,
    "issues": [],
    "hints": [],
    "unserved_goals": [],
}


@pytest.fixture
def script():
    """What the model fills in, by the type of output; it refuses what is not there."""
    return {}


@pytest.fixture
def model(script):
    def answer(request):
        name = request.output_type.__name__.removesuffix("Output").lower()
        answers = script.get(name, REFUSED)
        return answers.pop(0) if isinstance(answers, list) else answers

    return ScriptedModel(answer)


@pytest.fixture
def person(tmp_path, site, model, monkeypatch):
    monkeypatch.setattr(opening, "open_chat_model", lambda _: model)
    with welcome_person(tmp_path / "home", site) as person:
        yield person


def write_script(resolved, query_type, *, page, route, intent="informational"):
    """Return what a model decides of a query before it answers it."""
    return {
        "analysis": {
            "resolved_query": resolved,
            "query_type": query_type,
            "page": page,
            "reasoning": "By the turn before",
        },
        "reflection": {
            "decision": "PROCEED",
            "confidence": 90,
            "intent": intent,
            "is_followup": True,
            "question": "",
            "reasoning": "It is clear",
        },
        "selection": {"answering": [1], "near": []},
        "plan": {
            "goals": [{"description": resolved, "depends_on": []}],
            "subtasks": ["Answer"],
            "route": route,
            "intent": intent,
            "question": "",
            "reasoning": "By the evidence",
        },
        "validation": APPROVED,
    }


def test_cached_research_answers_a_follow_up(person, site, script):
    person.ask("My favourite hamster is Syrian.")
    person.ask(READ_HAMSTERS)
    resolved = "Can you find me some Syrian hamsters for sale online please?"
    script |= write_script(resolved, "followup", page=0, route="synthesis", intent="transactional")
    script["synthesis"] = write_answer(
        "A Syrian Hamster is for sale at $25-$35 [1].", ("Syrian Hamster at $25-$35", 1, 1)
    )
    reply = person.ask(FIND_SOME)
    assert reply.turn.engine == "scripted"
    assert (reply.turn.resolved_query, reply.turn.intent) == (resolved, "transactional")
    assert [*person.read_sections(reply)] == ["0", "1", "2", "3", "5", "6"]
    assert reply.text.startswith("A Syrian Hamster is for sale at $25-$35 [1].\n\nSources:\n")
    assert site.visits["/hamsters"] == 1


def test_a_question_about_a_page_is_answered_from_its_capture(person, site, script):
    person.ask(READ_THREAD)
    resolved = "how many pages is the 'Best glass scraper thoughts?' thread on 127.0.0.1?"
    script |= write_script(resolved, "specific_content", page=1, route="synthesis")
    script["synthesis"] = write_answer("Page 1 of 3 [1].", ("Page 1 of 3", 1, 1))
    reply = person.ask("how many pages is the thread?")
    analysis = person.read_analysis(reply)
    assert analysis["content_reference"]["source_url"] == site.url("/thread")
    assert analysis["reasoning"] == "By the turn before"
    assert [*person.read_sections(reply)] == ["0", "1", "2", "3", "5", "6"]
    assert reply.text.startswith("Page 1 of 3 [1].\n\nSources:\n")
    assert list_quotes(reply) == ["Page 1 of 3"]
    assert site.visits["/thread"] == 1


def test_what_may_have_changed_is_read_again_where_it_stood(person, site, script):
    person.ask(READ_LAPTOP)
    site.bodies["/laptop"] = LAPTOP.format(price="$697.00", stock="Sold out")
    resolved = "is the 'Lenovo LOQ 15 laptop' page on 127.0.0.1 still in stock?"
    script |= write_script(resolved, "specific_content", page=1, route="coordinator")
    visit = {
        "tool": "web.visit",
        "arguments": [{"name": "url", "value": site.url("/laptop")}],
        "goal": 1,
    }
    script["action"] = [
        {"reasoning": "Stock changes", "calls": [visit]},
        {"reasoning": "It was read", "calls": []},
    ]
    script["synthesis"] = write_answer("It is Sold out [2].", ("Sold out", 2, 1))
    reply = person.ask("is the laptop still in stock?")
    sections = person.read_sections(reply)
    assert [*sections] == [*"0123456"]
    assert "**Reasoning:** Stock changes" in sections["4"]
    assert "**Reasoning:** It was read" in sections["4"]
    assert "**Tool Calls:** 1/20" in sections["4"]
    assert reply.text.startswith("It is Sold out [1].\n\nSources:\n")
    assert site.visits == {"/laptop": 2}


def test_a_model_that_would_tell_what_may_have_changed_is_made_to_look(person, site, script):
    person.ask(READ_HAMSTERS)
    site.bodies["/hamsters"] = HAMSTERS.format(price="$40")
    person.clock.advance(hours=7)
    script |= write_script(FIND_SOME, "followup", page=0, route="synthesis", intent="transactional")
    reply = person.ask(FIND_SOME)
    assert site.visits["/hamsters"] == 2
    assert "$40" in reply.text
