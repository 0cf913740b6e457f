"""What is asked of a name: its facts, else what is read where it is named, else a question."""

from __future__ import annotations

from contextlib import closing

import pytest

from integration.knowledge_world import local, synced
from knowledge_calls import call
from wellworn.application.bootstrap import open_app
from wellworn.domain.reading import PassageReader, ReadStretch
from wellworn.testing.clock import ManualClock

READS = True
DOCUMENTS = {
    "visits.md": "# Visitor passes\n\nA visitor pass costs $3 a day.\n",
    "kilns.md": "# Kiln guide\n\nThe kilns are fired on Fridays.\n",
    "heron.md": "# Heron\n\nHeron is the billing service. It is looked after by Rolf.\n",
    "heron-cache.md": "# Heron cache\n\nHeron cache keeps sessions.\n\n- Port: 6390\n",
    "cabin.md": "# Cabin\n\n| Device | Note |\n|---|---|\n| heater | 10.4.4.1 (old) |\n",
    "plover/runbook.md": "# Runbook\n\n## Stale locks\n\nA lock is stale after 40 seconds.\n",
    "osprey/runbook.md": "# Runbook\n\n## Stale locks\n\nA lock is stale after 3 minutes.\n",
    "hosts.md": "# Hosts\n\n| host | ip |\n|---|---|\n| zed3 | 10.9.0.77 |\n",
    "policies.md": "# Travel policies\n\nFlights are booked by the desk.\n",
    "one.md": "# Night operator\n\nThe night operator sits in the tower.\n",
    "two.md": "# Night operators\n\nNight operators change at six.\n",
    "three.md": "# Night operating\n\nNight operating is forbidden.\n",
}


@pytest.fixture(scope="module")
def app(tmp_path_factory):
    folder = tmp_path_factory.mktemp("read-values")
    with closing(open_app(folder / "home", clock=ManualClock())) as app:
        synced(app, local(app), folder / "docs", DOCUMENTS)
        app.embedding.finish()
        yield app


def resolve(app, term, context=""):
    answer = app.resolve(local(app), term, context=context, learn=False)
    return answer.outcome, [value.value for value in answer.values]


@pytest.mark.parametrize("term", ["visitor pass", "Visitor Passes", "travel policy", "kiln guides"])
def test_a_name_is_known_in_other_forms_of_its_words(app, term):
    assert resolve(app, term)[0] == "resolved"


def test_an_exact_name_comes_before_other_forms_and_things_of_one_form_are_asked_about(app):
    answer = app.resolve(local(app), "night operators", context="")
    assert answer.canonical == "mytech/two.md"
    answer = app.resolve(local(app), "night operates", context="")
    assert answer.outcome == "ambiguous"
    assert {each.label for each in answer.candidates} == {
        "night operator",
        "night operators",
        "night operating",
    }


def test_what_no_fact_states_is_read_where_the_name_stands_in_any_form(app):
    assert resolve(app, "price of visitor passes") == ("resolved", ["$3"])
    assert resolve(app, "who looks after heron?") == ("resolved", ["Rolf"])


def test_a_value_is_read_by_another_word_for_its_column(app):
    assert resolve(app, "What is the address of zed3?")[1] == ["10.9.0.77"]


def test_a_value_of_a_longer_name_is_not_read_for_a_shorter_one(app):
    outcome, values = resolve(app, "heron port")
    assert outcome == "not_stated"
    assert "6390" not in values


def test_places_that_answer_differently_are_asked_about(app):
    outcome, values = resolve(app, "when is a lock stale?")
    read = {value.removeprefix("after ") for value in values}
    assert (outcome, read) == ("ambiguous", {"40 seconds", "3 minutes"})


@pytest.mark.parametrize(("ahead", "stated"), [(2.5, 1), (1.5, 2)])
def test_a_place_that_is_less_like_the_question_is_no_rival(app, monkeypatch, ahead, stated):
    values = ["40 seconds", "3 minutes"]

    def read(self, question, passages):
        for value, rating in zip(values, (ahead, 0.0), strict=True):
            [place] = [at for at, each in enumerate(passages) if value in each.text]
            start = passages[place].text.index(value)
            yield ReadStretch(place, 0, 99, 0.95, rating, (start, start + len(value)))

    monkeypatch.setattr(PassageReader, "read", read)
    outcome = "resolved" if stated == 1 else "ambiguous"
    assert resolve(app, "when is a lock stale?") == (outcome, values[:stated])


def test_a_value_that_its_cell_qualifies_is_stated_with_all_that_it_says(app, monkeypatch):
    def read(self, question, passages):
        for place, passage in enumerate(passages):
            start = passage.text.find("10.4.4.1")
            if start >= 0:
                end = len(passage.text)
                return [ReadStretch(place, 0, end, 0.99, 1.0, (start, start + 8))]
        return []

    monkeypatch.setattr(PassageReader, "read", read)
    assert resolve(app, "way to heat the cabin") == ("resolved", ["10.4.4.1 (old)"])


def test_passages_are_weak_where_none_of_the_first_answers(app):
    def is_weak(text):
        return [each.is_weak for each in call(app, "find_passages")(local(app), text, limit=5)]

    assert not is_weak("What does a visitor pass cost?")[0]
    assert all(is_weak("What is the phone number of the heron?"))
    # A name alone asks nothing, and what is found to the letter is no guess.
    assert not all(is_weak("Heron"))
