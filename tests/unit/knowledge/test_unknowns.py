"""Unknown terms: what was asked for in vain."""

from __future__ import annotations

from wellworn.domain.knowledge.artifacts import render_unknowns
from wellworn.domain.knowledge.unknowns import UnexplainedTerm, find_unexplained


def test_what_is_asked_most_comes_first():
    gaps = find_unexplained({"Atlas": 3, "old server": 5}, {}, known=())
    assert [(gap.term, gap.asked) for gap in gaps] == [("old server", 5), ("atlas", 3)]


def test_what_is_explained_by_now_is_not_unknown_though_it_was_asked():
    assert find_unexplained({"Cubes": 4}, {}, known={"cube"}) == []


def test_a_term_that_was_asked_for_tells_how_often_documents_say_it():
    [gap] = find_unexplained({"vault": 2}, {"vault": 5}, known=())
    assert gap == UnexplainedTerm("vault", 5, 2)
    assert "Asked 2 times, mentioned 5 times, explained nowhere" in render_unknowns([gap])
    [gap] = find_unexplained({"zebra": 1}, {"zebra": 0}, known=())
    assert "Asked once, no matching documentation" in render_unknowns([gap])
