"""What a search over documents shows: words rather than front matter, many documents, how sure."""

from __future__ import annotations

import pytest

from integration.sources_world import LOCAL, Docs, opened
from wellworn.domain.sources import chunking, group_by_document

FRONT = "---\ntitle: Lantern\nowner: harbour lantern crew\nhost: lamp-07.example.net\n---\n"
WORDS = "The lantern hangs above the quay.\n"


@pytest.fixture
def world(empty, tmp_path):
    with opened(empty, tmp_path / "memory.db") as world:
        yield world


@pytest.fixture
def docs(world, tmp_path):
    return Docs(world, tmp_path / "docs")


def text_of(docs, one):
    return docs.world.sources.get_document(LOCAL, one.document_id).text


def test_the_words_of_a_document_are_shown_for_its_front_matter(docs):
    docs.write("lamp.md", f"{FRONT}\n# Lamp\n\n{WORDS}")
    docs.write("ship.md", "# Ship\n\nThe ship sails at noon.\n")
    docs.sync()
    docs.embed()
    [best, *others] = docs.search("which harbour lantern hangs there?")
    assert best.text == f"# Lamp\n\n{WORDS}".strip()
    assert [one.path for one in others] == ["ship.md"]


def test_long_front_matter_in_several_chunks_is_not_shown_either(docs):
    links = "".join(
        f"- {number} lantern crew of the harbour in the north\n" for number in range(90)
    )
    docs.write("lamp.md", f"---\ntitle: Lantern\nlinks:\n{links}---\n\n# Lamp\n\n{WORDS}")
    docs.sync()
    assert [one.anchor for one in docs.search("lantern above the quay in the north")] == ["lamp"]


def test_front_matter_is_shown_where_nothing_else_of_its_document_is_found(docs):
    docs.write("lamp.md", FRONT)
    docs.sync()
    [only] = docs.search("harbour lantern crew")
    assert only.text == FRONT.strip()


def test_an_identifier_that_stands_only_in_front_matter_is_found_there(docs):
    docs.write("lamp.md", f"{FRONT}\n# Lamp\n\n{WORDS}")
    docs.sync()
    [best, *_] = docs.search("lamp-07.example.net")
    assert best.is_exact
    assert best.text == FRONT.strip()


def test_front_matter_alone_answers_where_no_words_below_it_are_close(docs):
    said = "The harbour master keeps the spare sluice crank in locker 14."
    docs.write("a.md", f"---\nname: sluice\ndescription: {said}\n---\n\n# Body\n\nOther words.\n")
    docs.write("b.md", "# Ship\n\nThe ship sails at noon.\n")
    docs.sync()
    docs.embed()
    [best, *_] = docs.search("who keeps the spare sluice crank")
    assert said in best.text
    assert text_of(docs, best)[best.start : best.end] == best.text
    assert not best.is_weak


def test_front_matter_in_one_chunk_with_words_is_left_out_of_what_is_shown(docs, monkeypatch):
    with monkeypatch.context() as patched:
        # As a document was cut that was kept by an earlier version.
        patched.setattr(chunking, "_set_apart", lambda stretches, _: stretches)
        docs.write("lamp.md", f"{FRONT}\n{WORDS}")
        docs.sync()
    [one] = docs.search("harbour lantern crew")
    assert one.text == WORDS.strip()
    assert text_of(docs, one)[one.start : one.end] == one.text
    [exact] = docs.search("lamp-07.example.net")
    assert exact.text == f"{FRONT}\n{WORDS}".strip()
    assert text_of(docs, exact)[exact.start : exact.end] == exact.text


def test_scores_fall_with_the_order_and_a_document_has_that_of_its_best_passage(docs):
    docs.write("exact.md", "# Hosts\n\nAmong much else that is said here: lamp-07.example.net.\n")
    for number in range(12):
        docs.write(f"{number}.md", f"# Note {number}\n\n{'lantern ' * number}harbour quay\n" * 2)
    docs.sync()
    docs.embed()
    found = docs.search("lantern lamp-07.example.net", limit=20)
    assert found[0].path == "exact.md"
    scores = [one.score for one in found]
    assert scores == sorted(scores, reverse=True)
    assert len(set(scores)) > 3
    documents = group_by_document(found, most=3)
    assert all(max(one.score for one in each) == each[0].score for each in documents)


def test_a_long_document_leaves_places_to_as_many_others_as_are_asked_for(docs):
    book = "\n".join(
        f"## Part {number}\n\nlantern harbour quay {number}\n" for number in range(300)
    )
    docs.write("book.md", book)
    for number in range(6):
        docs.write(f"{number}.md", f"# Ship {number}\n\nOne lantern is on board ship {number}.\n")
    docs.sync()
    found = docs.search("lantern harbour quay", limit=20)
    assert len(found) == 20
    assert len({one.path for one in found}) == 5
    assert [one.path for one in found[:16]] == ["book.md"] * 16


def test_documents_are_filled_up_from_the_sources_that_are_asked_only(docs, tmp_path):
    docs.write("book.md", "\n".join(f"## {n}\n\nlantern harbour quay {n}\n" for n in range(200)))
    docs.write("ship.md", "# Ship\n\nThe ship sails at noon.\n")
    docs.sync()
    other = Docs(docs.world, tmp_path / "other")
    other.write("train.md", "# Train\n\nThe train leaves at noon.\n")
    other.sync()
    docs.embed()
    found = docs.search("lantern harbour quay", limit=20, sources=(docs.source.id,))
    assert {one.path for one in found} == {"book.md", "ship.md"}


def test_what_has_nothing_to_do_with_a_question_is_called_weak(docs):
    docs.write("lamp.md", f"# Lamp\n\n{WORDS}")
    docs.write("ship.md", "# Ship\n\nThe ship sails at noon.\n")
    docs.sync()
    docs.embed()
    assert [one.is_weak for one in docs.search("zxqv blorptang")] == [True, True]
    assert [(one.path, one.is_weak) for one in docs.search("lantern above the quay")] == [
        ("lamp.md", False),
        ("ship.md", True),
    ]


def test_what_holds_an_identifier_to_the_letter_is_never_weak(docs):
    words = "and much else that has nothing to do with it at all but is said here " * 2
    docs.write("hosts.md", f"# Hosts\n\n{words}: lamp-07.example.net, {words}\n")
    docs.sync()
    [one] = docs.search("where is lamp-07.example.net and what would happen if nobody knew it")
    assert one.is_exact
    assert not one.is_weak
