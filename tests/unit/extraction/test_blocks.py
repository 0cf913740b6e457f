"""Blocks of canonical Markdown: each stands where it is said, and none says more than was meant."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from wellworn.engines.extraction import FileKind
from wellworn.engines.extraction.blocks import Blocks, escape
from wellworn.kit.markdown import Markdown

PROSE = st.text(st.sampled_from("#=-~`+| \n\tab"), max_size=40)


def built(*calls):
    blocks = Blocks()
    for name, *values in calls:
        getattr(blocks, name)(*values)
    return blocks.build(FileKind.HTML, most_characters=10_000)


CALLS = st.one_of(
    st.tuples(st.just("paragraph"), PROSE),
    st.tuples(st.just("definition"), PROSE),
    st.tuples(st.just("item"), st.just("-"), PROSE),
    st.tuples(st.just("table"), st.lists(st.lists(PROSE, max_size=3), max_size=3)),
)


@example([("item", "-", "=\n\t#")])
@given(st.lists(CALLS, max_size=5))
def test_prose_never_becomes_headings_code_or_front_matter(calls):
    made = built(*calls, ("heading", 1, "The one"))
    assert [heading.title for heading in Markdown(made.text).headings] == ["The one"]


@given(PROSE)
def test_only_backslashes_are_added_to_prose(text):
    assert escape(text).replace("\\", "") == text.replace("\\", "")


@given(PROSE)
def test_code_never_ends_its_own_fence(text):
    made = built(("code", text), ("heading", 1, "The one"))
    assert [heading.title for heading in Markdown(made.text).headings] == ["The one"]


@given(
    st.lists(st.tuples(st.integers(-1, 9), st.text(max_size=9), st.text(max_size=9)), max_size=6)
)
def test_anchors_stand_at_their_headings(wanted):
    blocks = Blocks()
    for level, title, anchor in wanted:
        blocks.heading(level, title, anchor=anchor)
        blocks.paragraph("text")
    made = blocks.build(FileKind.HTML, most_characters=10_000)
    assert all(made.text[anchor.start] == "#" for anchor in made.anchors)


def test_rows_are_as_long_as_the_longest():
    made = built(("table", [["a", "b", "c"], ["d"], ["", " "], ["e|f", "g\nh"]]))
    assert made.text == "| a | b | c |\n| --- | --- | --- |\n| d |  |  |\n| e\\|f | g h |  |\n"


def test_items_of_a_list_stand_together():
    made = built(("paragraph", "a"), ("item", "-", "b\nc"), ("item", "-", "d"), ("paragraph", "e"))
    assert made.text == "a\n\n- b\n  c\n- d\n\ne\n"


def test_an_anchor_behind_the_cut_goes_with_the_text():
    blocks = Blocks()
    blocks.paragraph("word " * 100)
    blocks.heading(1, "Late", anchor="late")
    made = blocks.build(FileKind.HTML, most_characters=300)
    assert made.anchors == ()
    assert len(made.text) <= 300
