"""Turns that need little: a courtesy, a sentence of a short page, one look at the documents."""

from __future__ import annotations

import pytest

from integration.knowledge_world import local, opened, synced
from wellworn.domain.knowledge import Discovery
from wellworn.domain.turns import TurnQuery, TurnStatus

DOCUMENTS = {
    "hosts.md": (
        "# Hosts\n\n| Host | IP | Owner |\n|---|---|---|\n| larch | 10.4.4.1 | Zoe |\n"
        "| alder | 10.4.4.2 | Mia |\n| cedar | 10.4.4.3 | vacant |\n"
    ),
    "gate.md": "Gate port: 9091.\n",
}


@pytest.fixture(scope="module")
def app(tmp_path_factory):
    folder = tmp_path_factory.mktemp("plain-turns")
    with opened(folder / "home") as app:
        synced(app, local(app), folder / "docs", DOCUMENTS)
        yield app


def ask(app, text):
    return app.turns.ask(local(app), TurnQuery(text, "ann", "Ann"))


@pytest.mark.parametrize("text", ["thanks", "Thank you so much, that helped!", "hello", "bye"])
def test_a_courtesy_is_returned_and_looks_nothing_up(app, text, monkeypatch):
    monkeypatch.setattr(Discovery, "resolve", None)
    answer = ask(app, text)
    assert answer.turn.status is TurnStatus.DONE
    assert "?" not in answer.text
    assert not answer.missing


def test_a_text_without_a_word_is_asked_about(app):
    assert ask(app, "...").turn.status is TurnStatus.CLARIFY


def test_a_question_is_resolved_once_however_many_look_for_it(app, monkeypatch):
    asked, resolve = list[str](), Discovery.resolve

    def count(self, access, term, **options):
        asked.append(term)
        return resolve(self, access, term, **options)

    monkeypatch.setattr(Discovery, "resolve", count)
    assert "I found nothing" in ask(app, "who owns cedar?").text
    assert asked == ["who owns cedar?"]


def test_a_row_that_is_nearest_stands_below_its_head(app):
    text = ask(app, "who owns cedar?").text
    assert "> | Host | IP | Owner |\n  > |---|---|---|\n  > | cedar | 10.4.4.3 | vacant |" in text


def test_a_name_of_plain_words_answers_a_question(app):
    assert "Gate port: 9091." in ask(app, "what is the gate port?").text
