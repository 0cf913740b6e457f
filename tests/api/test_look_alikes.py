"""Texts that look alike are the same word, in thoughts, documents and questions alike."""

from __future__ import annotations

import pytest

from api.walls import founded, served
from api.world import accepted, ids

KNOWLEDGE = "/api/knowledge"
NOTES = (
    "The forklift charger trips its fuse when two trucks charge at once.",
    "Paint the yellow lines again each autumn.",
    "The label printer needs the driver of 2019.",
    "Glass goes to shelf row G, never to row D.",
    "The scale in hall two shows 3 kg too much.",
    "Call the porter before you open the north door.",
    "The compressor is drained on Fridays.",
    "Spare ropes are ordered from the firm in Gdansk.",
    "Pallets with blue wrap are for export.",
    "Ladders are checked in January and July.",
    "The cleaning crew comes at five.",
)
PLAIN = "Das Hochregal steht hinter srv-01 in Halle 4."
WRITTEN = {
    "soft hyphens": "Das Hoch\u00adre\u00adgal steht hinter srv\u00ad-01 in Halle 4.",
    "zero-width blanks": "Das Hoch\u200bregal steht hinter srv-\u200b01 in Halle 4.",
    "bidi marks": "Das \u200eHoch\u2060regal\u200f steht hinter \u2066srv-01\u2069 in Halle 4.",
    "full width": "Das \uff28\uff4f\uff43\uff48\uff52\uff45\uff47\uff41\uff4c steht hinter "
    "\uff53\uff52\uff56\uff0d\uff10\uff11 in Halle 4.",
    "hard blanks and hyphens": "Das\u00a0Hochregal\u00a0steht hinter srv\u201101 in Halle\u202f4.",
}
forms = pytest.mark.parametrize("written", WRITTEN.values(), ids=WRITTEN)


@forms
@pytest.mark.parametrize("question", ["Hochregal", "srv-01"])
def test_a_note_is_found_however_its_letters_are_written(meaning, written, question):
    for note in NOTES:
        meaning.know(note)
    noted = meaning.know(written)
    assert ids(meaning.ask(question, contribute="never"))[0] == noted
    assert (written,) in meaning.rows("SELECT content FROM thoughts")


@forms
def test_a_question_finds_however_its_letters_are_written(meaning, written):
    for note in NOTES:
        meaning.know(note)
    noted = meaning.know(PLAIN)
    assert ids(meaning.ask(written.split()[1] + "?", contribute="never"))[0] == noted


def test_tags_and_names_are_the_same_however_they_are_written(world):
    noted = world.know("The lamp burns.", "zoe", tags=["\uff28ochregal"])
    spoken = world.know("The gate is open.", "al", contributor_name="Ana\u00a0Lo\u00adpez")
    assert ids(world.ask("lamp", filter_tags=["hochregal"])) == [noted]
    assert ids(world.ask("gate", by="Ana Lopez")) == [spoken]
    assert ids(world.ask("What did Ana Lopez say?")) == [spoken]


@pytest.fixture(scope="module")
def founder():
    with served() as world:
        yield founded(world)


TEXT = (
    "# Rechner\n\n## Hoch\u00adregal\n\nDer Rechner steht in Halle 4.\n\n"
    "- Host: lab\u200b-srv-01.example.com\n- Port: \uff19\uff11\uff10\uff10\n"
)
SHOWN = ("lab\u200b-srv-01.example.com", "\uff19\uff11\uff10\uff10")


@pytest.fixture(scope="module")
def library(founder):
    body = {"source_type": "manual_note", "name": "shelf", "config": {"text": TEXT}}
    source = accepted(founder.post(f"{KNOWLEDGE}/sources", body))
    accepted(founder.post(f"{KNOWLEDGE}/sources/{source['id']}/sync", None))
    return founder


@pytest.mark.parametrize(
    "question", ["Hochregal", "Hoch\u200bregal", "lab-srv-01.example.com", "lab\u2011srv\u00ad-01"]
)
def test_a_document_is_found_however_its_letters_are_written(library, question):
    found = accepted(library.get(f"{KNOWLEDGE}/search", params={"q": question}))["results"]
    [snippet, *_] = found[0]["snippets"]
    document = accepted(library.get(f"{KNOWLEDGE}/documents/{found[0]['document_id']}"))
    assert document["text"] == TEXT
    assert TEXT[snippet["start"] : snippet["end"]] == snippet["text"]
    assert snippet["exact"] is (question == "lab-srv-01.example.com")


@pytest.mark.parametrize("term", ["Hochregal", "Hoch\u00adregal", "\uff28ochregal"])
def test_a_name_is_resolved_however_it_is_written(library, term):
    answer = accepted(library.post(f"{KNOWLEDGE}/resolve", {"term": term}))
    assert answer["outcome"] == "resolved"
    for value, shown in zip(answer["values"], SHOWN, strict=True):
        assert value["value"] == TEXT[value["start"] : value["end"]] == shown
        assert value["evidence"]["anchor"] == "hochregal"
