from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wellworn.domain.sources.anchors import Anchors, explicit_anchor, slug


@pytest.mark.parametrize(
    ("title", "anchor"),
    [
        ("Servers", "servers"),
        ("Getting Started", "getting-started"),
        ("Foo & Bar", "foo--bar"),
        ("What's new in 2.0?", "whats-new-in-20"),
        ("`GET /api/reports`", "get-apireports"),
        ("snake_case and kebab-case", "snake_case-and-kebab-case"),
        ("[The guide](guide.md) to *all* of **it**", "the-guide-to-all-of-it"),
        ("\u00dcber uns \U0001f680", "\u00fcber-uns-"),
        ("\u5b89\u88c5", "\u5b89\u88c5"),
        ("\u0939\u093f\u0928\u094d\u0926\u0940", "\u0939\u093f\u0928\u094d\u0926\u0940"),
        ("<b>Bold</b> move", "bold-move"),
        ("![logo](l.png) Name", "logo-name"),
        ("???", ""),
    ],
)
def test_an_anchor_is_made_as_renderers_make_it(title: str, anchor: str):
    assert slug(Anchors.strip_title(title)) == anchor


@pytest.mark.parametrize(
    ("title", "anchor"),
    [
        ("Setup {#install}", "install"),
        ("Setup {: #install .wide }", "install"),
        ("Setup {#a.b:c-d}", "a.b:c-d"),
        ('<a id="old-name"></a>Setup', "old-name"),
        ("<a name='x'/> Setup", "x"),
        ("Setup {install}", ""),
        ("Use {#each} blocks", ""),
    ],
)
def test_an_anchor_that_the_title_names_itself_is_found(title: str, anchor: str):
    assert explicit_anchor(title) == anchor


def test_what_names_the_anchor_is_not_shown():
    assert Anchors.strip_title("Setup {#install}") == "Setup"
    assert Anchors.strip_title('<a id="x"></a>Set `up` \\*') == "Set up *"


def test_the_same_title_again_gets_a_number():
    anchors = Anchors()
    assert [anchors.of(title) for title in ["A", "a", "B", "A!"]] == ["a", "a-1", "b", "a-2"]


def test_an_explicit_anchor_wins():
    anchors = Anchors()
    assert [anchors.of(title) for title in ["A {#top}", "A", "top"]] == ["top", "a", "top-1"]


@given(st.lists(st.sampled_from(["a", "a-1", "a-1-1", "a 1", "", "?"])))
def test_no_two_headings_get_the_same_anchor(titles: list[str]):
    anchors = Anchors()
    made = [anchors.of(title) for title in titles]
    assert len(set(made)) == len(made)
