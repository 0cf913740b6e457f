"""Unknown terms: what was asked for in vain."""

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
