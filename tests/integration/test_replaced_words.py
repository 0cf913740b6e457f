"""What replaces a thought in quite other words, found with the encoder that ships."""

from __future__ import annotations

from contextlib import closing

import pytest

from wellworn.application.bootstrap import open_app
from wellworn.domain.memory import Contribute, Prompt
from wellworn.domain.spaces import local_access
from wellworn.domain.thoughts import ThoughtDraft

LOCAL = local_access()
OTHERS = (
    "The library closes at six on Fridays.",
    "Bed nine has courgettes this year.",
    "Piet keeps the books since the assembly.",
    "Anna sings second alto from March.",
    "The boiler was serviced on 3 May.",
    "Publicity goes to Tamsin.",
    "The drill hangs on the back wall of the shed.",
    "Flights to Bergen are booked for July.",
    "The savings account pays two percent.",
    "Dogs stay on the leash in the garden.",
    "The cover is painted by Femi.",
)


@pytest.fixture
def app(tmp_path):
    with closing(open_app(tmp_path)) as app:
        for text in OTHERS:
            store(app, text)
        yield app


def store(app, text, *replaces):
    draft = ThoughtDraft(text, contributor_id="ann", contributor_name="Ann", replaces=replaces)
    return app.thoughts.think(LOCAL, draft).thought_id


def ask(app, text):
    prompt = Prompt(text, "bob", "Bob", contribute=Contribute.NEVER)
    return app.memory.converse(LOCAL, prompt).result


def test_what_replaces_the_answer_is_the_answer(app):
    red = store(app, "The main branch is red, something in the snapshot tests.")
    question = "Is the main branch red?"
    assert ask(app, question).sources[0].thought_id == red
    green = store(app, "A font was missing on the runner, it passes since noon.", red)
    answer = ask(app, question)
    assert answer.sources[0].thought_id == green
    assert not answer.response.startswith("Nothing")
    assert answer.sources[0].score < 0.3


def test_the_history_of_an_answer_is_shown_whole(app):
    red = store(app, "The main branch is red, something in the snapshot tests.")
    green = store(app, "A font was missing on the runner, it passes since noon.", red)
    answer = ask(app, "What was the state of the main branch before?")
    assert [source.thought_id for source in answer.sources][:2] == [green, red]
