"""Unknown terms: what was asked for in vain or is not stated, and what nobody explains."""

from __future__ import annotations

from wellworn.domain.knowledge.artifacts import list_unknown, render_unknowns
from wellworn.domain.knowledge.digests import digest
from wellworn.domain.knowledge.views import DocumentView

NOTES = digest(
    DocumentView(1, "s", "cube.md", None, "# Cube\n\nCube asks the vault, and then the vault.\n")
)


def test_what_is_asked_most_comes_first():
    gaps = list_unknown({"Atlas": 3, "old server": 5}, [])
    assert [(gap.term, gap.times) for gap in gaps] == [("old server", 5), ("atlas", 3)]


def test_what_is_explained_by_now_is_not_unknown_though_it_was_asked():
    assert list_unknown({"Cubes": 4}, [NOTES]) == []


def test_a_term_that_was_asked_for_tells_how_often_documents_say_it():
    [gap] = list_unknown({"vault": 2}, [NOTES])
    assert (gap.term, gap.times, gap.mentions) == ("vault", 2, 2)
    assert "Asked 2 times, mentioned 2 times, explained nowhere" in render_unknowns([gap])
    [gap] = list_unknown({"zebra": 1}, [NOTES])
    assert "Asked once, no matching documentation" in render_unknowns([gap])


def list_gaps(*texts, unstated=None):
    views = [DocumentView(at, "s", f"{at}.md", None, text) for at, text in enumerate(texts)]
    return list_unknown({}, [*map(digest, views)], unstated or {})


def test_a_name_that_stands_in_several_documents_and_is_explained_in_none_is_unknown():
    gaps = list_gaps(
        "# Backups\n\nEvery night we copy all of it to Osprexas, as ever.\n",
        "# Network\n\nThe gate talks to Osprexas and the `frobnitz` of it.\n",
    )
    assert [(gap.term, gap.times, gap.mentions) for gap in gaps] == [("osprexas", 0, 2)]
    assert "Mentioned 2 times, named in 2 documents, explained in none" in render_unknowns(gaps)


def test_a_name_that_a_document_explains_is_none():
    gaps = list_gaps(
        "# Backups\n\nEvery night we copy all of it to Osprexas, as ever.\n",
        "# Network\n\nThe gate talks to Osprexas.\n",
        "# Osprexas\n\nOsprexas is the store in the cellar.\n",
    )
    assert gaps == []


def test_what_everybody_says_is_no_name():
    text = "# {}\n\nEvery night we send it over HTTP to the `server` below.\n"
    assert list_gaps(text.format("One"), text.format("Two")) == []


def test_what_is_not_stated_of_a_known_thing_is_unknown_too():
    [gap] = list_gaps("# Cube\n\nCube is a box.\n", unstated={"Cube port": 2})
    assert (gap.term, gap.times) == ("cube port", 2)
    assert "Asked 2 times, known, but this is not stated" in render_unknowns([gap])
