"""What a new user is shown, whose memory has a few notes, with the encoder that ships."""

from __future__ import annotations

from contextlib import closing

import pytest

from api.test_small_memories import NOTES
from wellworn.application.bootstrap import open_app
from wellworn.domain.memory import Contribute, Prompt
from wellworn.domain.spaces import local_access
from wellworn.domain.thoughts import ThoughtDraft


@pytest.fixture(scope="module")
def memory(tmp_path_factory):
    with closing(open_app(tmp_path_factory.mktemp("home"))) as app:
        for text in NOTES.values():
            app.thoughts.think(local_access(), ThoughtDraft(text, "ana", "ana"))
        yield app.memory


def ask(memory, question):
    prompt = Prompt(question, "bo", "bo", contribute=Contribute.NEVER)
    return memory.converse(local_access(), prompt).result


@pytest.mark.parametrize(
    ("question", "note"),
    [
        ("Where does our boat lie?", "boat"),
        ("Kittiwake", "boat"),
        ("Where is the other key?", "key"),
        ("Welchen Toner braucht der Drucker?", "printer"),
        ("会議室はどこですか", "room"),
        ("階", "room"),
        ("أين مفتاح المخزن؟", "store"),
    ],
)
def test_of_few_notes_the_related_one_is_shown(memory, question, note):
    assert ask(memory, question).sources[0].content_preview == NOTES[note]


@pytest.mark.parametrize(
    "question",
    [
        "What is the capital of Chile?",
        "How do I rebase a branch?",
    ],
)
def test_of_few_notes_none_is_shown_for_what_has_nothing_to_do_with_them(memory, question):
    result = ask(memory, question)
    assert result.sources == ()
    assert result.response.startswith("Nothing known is close to this.")
