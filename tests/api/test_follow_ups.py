"""Answers to counter-questions, and prompts that refer to the last answer of their session."""

from __future__ import annotations

import pytest

from api.sealed_world import Anywhere, Place, founded, restarted
from api.world import ids

AREAS = {"system-architecture": 6, "org-architecture": 4, "data-architecture": 2}
ADVICE = (
    "If the pump fails, press the red button on its left side.",
    "If the pump fails after that, close the blue valve of the pump.",
    "If the pump still fails, call Rosa at the pump factory.",
)


@pytest.fixture
def areas(place):
    return {
        tag: {
            place.know(f"Architecture entry {tag} {number}".replace("-", ""), tags=[tag])
            for number in range(count)
        }
        for tag, count in AREAS.items()
    }


@pytest.fixture
def advice(place):
    stored = [place.know(content, agent) for content, agent in zip(ADVICE, "abc", strict=True)]
    place.know("Penguins waddle over the ice of the southern sea.")
    return stored


def begin(place, prompt):
    """Return the session that a prompt opens, and its answer."""
    reply = place.ask(prompt, "dev")
    return reply["trace"]["session_id"], reply


def follow(place, session, prompt, **more):
    return place.ask(prompt, "dev", session_id=session, **more)


@pytest.mark.parametrize(
    ("answer", "tags"),
    [
        ("org-architecture", ["org-architecture"]),
        ("org", ["org-architecture"]),
        ("the org one, please", ["org-architecture"]),
        ("2", ["org-architecture"]),
        ("The second.", ["org-architecture"]),
        ("number 2 please", ["org-architecture"]),
        ("the last one", ["data-architecture"]),
        ("data and org", ["data-architecture", "org-architecture"]),
        ("die zweite bitte", ["org-architecture"]),
        ("la segunda", ["org-architecture"]),
        ("le deuxième", ["org-architecture"]),
        ("第二个", ["org-architecture"]),
        ("2番目", ["org-architecture"]),
        ("الثاني", ["org-architecture"]),
    ],
)
def test_an_answer_names_areas_wholly_in_part_or_by_number(place, areas, answer, tags):
    session, _ = begin(place, "architecture?")
    reply = follow(place, session, answer)
    assert reply["result"]["disambiguation"] is None
    assert set(ids(reply)) == set().union(*(areas[tag] for tag in tags))
    assert reply["trace"]["thoughts_contributed"] == 0


@pytest.mark.parametrize("answer", ["All of them.", "everything", "alle", "todas", "tous", "全部"])
def test_all_of_them_is_answered_without_another_counter_question(place, areas, answer):
    session, _ = begin(place, "architecture?")
    reply = follow(place, session, answer, limit=50)
    assert reply["result"]["disambiguation"] is None
    assert set(ids(reply)) == set().union(*areas.values())


@pytest.mark.parametrize("answer", ["neither", "None of them.", "keine davon", "都不是"])
def test_neither_leaves_out_what_was_offered(place, areas, answer):
    other = place.know("Architecture of the opera house is splendid.")
    session, _ = begin(place, "architecture?")
    assert ids(follow(place, session, answer)) == [other]


def test_neither_of_everything_there_is_finds_nothing_close(place, areas):
    session, _ = begin(place, "architecture?")
    reply = follow(place, session, "neither")
    assert ids(reply) == []
    assert reply["result"]["response"].startswith("Nothing known is close to this.")


def test_an_answer_to_a_question_of_words_searches_what_says_the_word(place):
    thoughts = {
        city: {place.know(f"Hotel {number} of {city}") for number in (f"a{city}", f"b{city}")}
        for city in ("Lyon", "Ghent", "Leipzig", "Turin", "Basel")
    }
    session, asked = begin(place, "hotel?")
    offered = [cluster["tag"] for cluster in asked["result"]["disambiguation"]["clusters"]]
    assert set(offered) == set(thoughts)
    assert set(ids(follow(place, session, "Turin"))) == thoughts["Turin"]
    session, _ = begin(place, "hotel?")
    assert set(ids(follow(place, session, "the third one"))) == thoughts[offered[2]]


def test_a_word_that_several_areas_share_picks_none(place, areas):
    session, _ = begin(place, "architecture?")
    again = follow(place, session, "architecture")
    assert again["result"]["disambiguation"] is not None


def test_a_statement_that_names_an_area_is_kept(place, areas):
    session, _ = begin(place, "architecture?")
    reply = follow(place, session, "The data architecture uses Parquet: 14 tables, 3 views.")
    assert reply["trace"]["thoughts_contributed"] == 1


def test_an_answer_is_understood_after_a_restart(opened):
    anywhere = Anywhere(opened)
    place = founded(anywhere("home"))
    for tag, count in AREAS.items():
        for number in range(count):
            place.know(f"Architecture entry {tag} {number}".replace("-", ""), tags=[tag])
    session, _ = begin(place, "architecture?")
    later: Place = restarted(anywhere, place)
    assert len(ids(follow(later, session, "the second"))) == AREAS["org-architecture"]


@pytest.mark.parametrize(
    ("prompt", "at"),
    [("the second one", 1), ("2", 1), ("Tell me more about the first one.", 0), ("the last", -1)],
)
def test_one_of_what_was_shown_is_shown_alone(place, advice, prompt, at):
    session, reply = begin(place, "What do I do if the pump fails?")
    shown = ids(reply)
    assert ids(follow(place, session, prompt)) == [shown[at]]


def test_a_place_beyond_the_last_finds_nothing_close(place, advice):
    session, _ = begin(place, "What do I do if the pump fails?")
    reply = follow(place, session, "the ninth one")
    assert ids(reply) == []
    assert reply["result"]["response"].startswith("Nothing known is close to this.")


@pytest.mark.parametrize(
    "prompt",
    ["who said so?", "When was that?", "wer hat das gesagt?", "¿quién lo dijo?", "谁说的？"],
)
def test_who_said_so_and_when_shows_the_same_with_author_and_day(place, advice, prompt):
    session, first = begin(place, "What do I do if the pump fails?")
    reply = follow(place, session, prompt)
    assert ids(reply) == ids(first)
    source = first["result"]["sources"][0]
    assert f"(from {source['contributor']}, 2026-02-23)" in reply["result"]["response"]


@pytest.mark.parametrize(
    "prompt",
    ["and if that does not help?", "What else?", "und wenn das nicht hilft?", "如果不行呢？"],
)
def test_what_else_shows_something_that_was_not_shown(place, advice, prompt):
    session, first = begin(place, "What do I do if the pump fails?")
    place.know("If the pump fails for good, take the spare pump of the cellar.")
    reply = follow(place, session, prompt)
    assert set(ids(reply)).isdisjoint(ids(first))
    assert "spare pump" in reply["result"]["response"]


def test_nothing_is_close_where_nothing_else_was_said(meaning):
    meaning.know("To reset the router, hold its button for ten seconds.")
    meaning.know("Penguins waddle over the ice of the southern sea.")
    session, first = begin(meaning, "How is the router reset?")
    assert len(ids(first)) == 1
    reply = follow(meaning, session, "and if that does not help?")
    assert ids(reply) == []
    assert reply["result"]["response"].startswith("Nothing known is close to this.")


@pytest.mark.parametrize("prompt", ["tell me more", "why?", "how does it work?", "pourquoi ?"])
def test_more_is_searched_with_what_was_shown(meaning, prompt):
    meaning.know("Gulls gather at the harbour in the morning.")
    first = meaning.know("The export job runs at 02:30.")
    second = meaning.know("The export job waits for the replicas, which are quiet at night.")
    session, _ = begin(meaning, "When does the export job run?")
    assert set(ids(follow(meaning, session, prompt))) == {first, second}


def test_the_same_is_asked_of_something_else(meaning):
    meaning.know("The port of the gateway in production is 3100.")
    staging = meaning.know("The port of the gateway in staging is 3150.")
    meaning.know("Staging is refreshed from an anonymised copy each Monday.")
    session, _ = begin(meaning, "Which port does the gateway in production use?")
    assert ids(follow(meaning, session, "and in staging?"))[0] == staging


@pytest.mark.parametrize(
    "prompt",
    [
        "why?",
        "it",
        "that thing",
        "et ce truc ?",
        "und das Ding da?",
        "and if that does not help?",
        "もっと教えて",
        "那个东西",
        "قل لي المزيد",
    ],
)
def test_what_names_nothing_and_has_no_answer_before_it_is_asked_back(place, advice, prompt):
    reply = place.ask(prompt, "eve")
    assert reply["result"]["response"].startswith("It is not clear what this refers to")
    assert (ids(reply), reply["trace"]["operations"]) == ([], ["disambiguate", "onboard"])
    assert all(place.record(thought)["access_count"] == 0 for thought in advice)
    assert ids(place.ask(prompt, "eve", context="What do I do if the pump fails?"))


def test_without_an_answer_before_it_what_names_something_is_searched(place, advice):
    plain = place.ask("the second one", "eve")
    prompt = "the second one"
    looked_up = place.post(
        "retrieve", {"query": prompt, "agent_id": "eve", "session_id": plain["trace"]["session_id"]}
    )
    assert ids(plain) == [found["thought_id"] for found in looked_up.json()]


def test_a_statement_after_an_answer_is_kept_whatever_it_begins_with(place, advice):
    session, _ = begin(place, "What do I do if the pump fails?")
    reply = follow(place, session, "And if that does not help, Rosa's number is 555 310.")
    assert reply["trace"]["thoughts_contributed"] == 1


def test_what_is_erased_completes_no_question(place, advice):
    session, first = begin(place, "What do I do if the pump fails?")
    for thought in ids(first):
        place.forget(thought)
    reply = follow(place, session, "the first one")
    assert ids(reply) == []
    assert "red button" not in reply["result"]["response"]


def test_questions_in_a_row_are_about_what_the_first_one_named(meaning):
    standup = meaning.know("The standup is at 09:45 in room Elbe.")
    backup = meaning.know("The night backup starts at 23:15 and goes to the Leeds vault.")
    session, _ = begin(meaning, "When is the standup?")
    for prompt in ("where?", "and since when?", "are you sure?", "how long?"):
        assert ids(follow(meaning, session, prompt))[0] == standup
    assert ids(follow(meaning, session, "and the night backup?"))[0] == backup


def test_a_question_after_an_answer_that_showed_nothing_is_about_the_one_before(meaning):
    standup = meaning.know("The standup is at 09:45 in room Elbe.")
    session, first = begin(meaning, "When is the standup?")
    assert ids(follow(meaning, session, "the ninth one")) == []
    reply = follow(meaning, session, "who said that?")
    assert (ids(first), ids(reply)) == ([standup], [standup])


def test_the_other_one_is_the_second_that_was_shown(meaning):
    badges = meaning.know("The badge printer stands in room 2.14.")
    labels = meaning.know("The label printer stands in room 1.03.")
    session, first = begin(meaning, "Where is the badge printer?")
    assert ids(first) == [badges, labels]
    assert ids(follow(meaning, session, "and the other one?")) == [labels]
    assert ids(follow(meaning, session, "and the label printer?"))[0] == labels


def test_their_is_whose_the_first_question_was_about(meaning):
    supplier = meaning.know("Lund Analytical supplies the pH probes, order number 4471.")
    number = meaning.know("The phone number of Lund Analytical is +46 40 555 120.")
    other = meaning.know("The phone number of Hanford Instruments is +44 20 555 810.")
    session, first = begin(meaning, "Who supplies the pH probes?")
    assert ids(first)[0] == supplier
    theirs = ids(follow(meaning, session, "what is their phone number?"))
    assert theirs.index(number) < [*theirs, other].index(other)
    assert supplier in ids(follow(meaning, session, "and the order number?"))


@pytest.mark.parametrize("prompt", ["thanks, and who steers it?", "ok. who steers it?"])
def test_a_further_question_about_the_same_is_answered_first_with_what_says_it(meaning, prompt):
    meaning.know("The morning boat to Lund leaves at 7:10 from pier 2.")
    steering = meaning.know("Berta steers the morning boat since May.")
    meaning.know("The evening boat to Lund leaves at 18:30 from pier 4.")
    meaning.know("Carl steers the evening boat.")
    session, first = begin(meaning, "When does the morning boat leave?")
    assert ids(first)[0] != steering
    assert ids(follow(meaning, session, prompt))[0] == steering


@pytest.mark.parametrize(
    ("said", "answered"),
    [("no, it's pier 5 now", "{0}"), ("no, it's Petra now", "{0} {1}")],
)
def test_a_correction_after_a_further_question_is_kept_with_what_that_was_about(
    meaning, said, answered
):
    meaning.know("The evening boat to Lund leaves at 18:30 from pier 4.")
    question = "Which pier does the evening boat use?"
    session, _ = begin(meaning, question)
    further = "ok thanks. who is its skipper?"
    follow(meaning, session, further)
    reply = follow(meaning, session, said)
    content = meaning.record(reply["trace"]["thought_id"])["content"]
    assert content == f"{said} ({answered.format(question, further)})"
