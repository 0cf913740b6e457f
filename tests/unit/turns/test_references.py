"""What a query refers to, by the turns before it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wellworn.domain.turns.briefs import Brief, RecentTurn, Recollection
from wellworn.domain.turns.extractive.references import reflect, resolve_references
from wellworn.domain.turns.models import ReflectionDecision
from wellworn.domain.turns.wording import find_subject, find_topic, split_goals


def follow(query, *earlier, question=None):
    """Return what a query means after others, newest first; the newest may have asked back."""
    turns = [
        RecentTurn(number, text, find_subject(text), "", question=question if number == 1 else None)
        for number, text in enumerate(earlier, 1)
    ]
    return resolve_references(query, Recollection(tuple(turns)))


@given(st.text())
def test_any_text_is_read_and_asked_about_where_it_names_nothing(text):
    analysis = follow(text, "What is the IP of cube?")
    assert reflect(Brief(text, "", analysis)).reasoning


@pytest.mark.parametrize("text", ["???", ".", "()", "🙂", '"'])
def test_a_query_without_a_word_is_asked_about(text):
    for earlier in ([], ["What is the IP of cube?"]):
        decision = reflect(Brief(text, "", follow(text, *earlier)))
        assert decision.decision is ReflectionDecision.CLARIFY
        assert decision.question


def test_a_common_word_of_who_asks_says_what_to_look_for_and_of_anything_else_does_not():
    for query, decision in (
        ("Where do I work?", ReflectionDecision.PROCEED),
        ("What does it do?", ReflectionDecision.CLARIFY),
    ):
        assert reflect(Brief(query, "", follow(query))).decision is decision


@pytest.mark.parametrize("greeting", ["hello", "thanks", "Thank you!", "???"])
def test_nobody_answers_a_question_after_a_greeting(greeting):
    asked = "What is the address of the router?"
    assert follow(asked, greeting, question="What would you like?").resolved_query == asked
    answer = follow("the lamp", "what is it?", question="What do you mean by “it”?")
    assert answer.resolved_query == "what is it (the lamp)?"


@pytest.mark.parametrize(
    ("query", "resolved"),
    [
        ("and what does it run?", "and what does router run?"),
        ("What port does it use?", "What port does router use?"),
        ("Which port does that need?", "Which port does router need?"),
        ("Does this cost anything?", "Does router cost anything?"),
        ("Does that server need a password?", None),
        ("Is that port open?", None),
        ("do they still have it?", "do they still have router?"),
        ("Great, what is its port?", "Great, what is router's port?"),
        ("My address is the lamp address, what is it?", None),
        ("What is the IP of cube and what is its role?", None),
    ],
)
def test_a_pronoun_means_what_was_asked_about_unless_its_own_query_says_so(query, resolved):
    analysis = follow(query, "What is the address of the router?")
    assert analysis.resolved_query == (resolved or query)
    assert analysis.was_resolved == (resolved is not None)


@pytest.mark.parametrize(
    ("query", "resolved"),
    [
        ("and for how long?", "and for how long (green tree frogs)?"),
        ("any for sale?", "any green tree frogs for sale?"),
        ("Please find me a few for sale", "Please find me a few green tree frogs for sale"),
        (
            "Which of them eat some of the crickets?",
            "Which of green tree frogs eat some of the crickets?",
        ),
    ],
)
def test_a_follow_up_stays_one_question_about_what_was_asked_about(query, resolved):
    analysis = follow(query, "How old do green tree frogs get?")
    assert analysis.resolved_query == resolved
    assert split_goals(resolved) == [resolved]


def test_the_title_of_a_page_asks_nothing_even_if_it_is_a_question():
    title = "the 'Does it leak? And how do I seal it? | Forum' thread on forum.example"
    query = f"Who wrote {title}, and how many pages has it?"
    assert split_goals(query) == [f"Who wrote {title}", "how many pages has it?"]


@pytest.mark.parametrize(
    ("query", "topic"),
    [
        ("Which batteries do the libraries use?", "batteries"),
        ("What is the price of Syrian hamsters?", "hamsters.syrian_hamsters"),
        ("What is Node.js?", "node-js"),
        ("hello", "general"),
        ("What shared memory is used?", "memory.shared_memory"),
    ],
)
def test_a_topic_is_made_of_the_words_that_people_write(query, topic):
    assert find_topic(query) == topic


@pytest.mark.parametrize(
    ("query", "topic"),
    [
        ("How do I install Grafana on cube?", "grafana"),
        ("Which dashboards does a Grafana server draw?", "server.grafana_server"),
        ("How tall is the Eiffel tower?", "tower.eiffel_tower"),
    ],
)
def test_a_topic_is_what_the_sources_are_about_where_the_query_names_it(query, topic):
    assert find_topic(query, frozenset(("grafana", "server", "port"))) == topic
