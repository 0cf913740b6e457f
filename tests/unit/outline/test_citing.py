"""How a stretch of a document is cited, and which section a citation means."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wellworn.domain.outline.citing import CitationFormatter, find_headed
from wellworn.kit.markdown import Markdown

TEXT = "Before.\n\n# Guide\n\n## Set *up*\n\nOne.\n\n## Use {#using}\n\n### Set up\n\nTwo.\n"
MADE = Markdown(TEXT).sections


@pytest.mark.parametrize(
    ("words", "citation"),
    [
        ("Before", "wiki/a.md"),
        ("# Guide", "wiki/a.md"),
        ("One", "wiki/a.md#set-up"),
        ("## Use", "wiki/a.md#using"),
        ("Two", "wiki/a.md#set-up-1"),
    ],
)
def test_a_stretch_is_cited_by_the_nearest_heading_before_it(words, citation):
    assert CitationFormatter("wiki", "a.md", TEXT)(TEXT.index(words)) == citation


def test_a_page_of_the_web_is_cited_by_its_address():
    assert (
        CitationFormatter("wiki", "https://example.org/a", "## Use\n")(0)
        == "https://example.org/a#use"
    )
    assert CitationFormatter("wiki", "https://example.org/a", "")(0) == "https://example.org/a"


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("set-up", ["Set *up*"]),
        ("set-up-1", ["Set up"]),
        ("using", ["Use {#using}"]),
        ("SET UP", ["Set *up*", "Set up"]),
        ("Use > Set up", ["Set up"]),
        ("guide > use > set up", ["Set up"]),
        ("Guide > Set up", ["Set *up*"]),
        ("up", []),
        ("Set up > Guide", []),
    ],
)
def test_a_section_is_meant_by_its_anchor_or_by_an_end_of_its_path(name, found):
    assert [MADE[at].title for at in find_headed(MADE, name)] == found


@given(st.lists(st.sampled_from(["# A", "## A", "### b c", "## B {#x}", "Words.", "```"])))
def test_whatever_is_cited_leads_back_to_where_it_stands(lines):
    text = "\n\n".join(lines)
    made = Markdown(text).sections
    for at, one in enumerate(made):
        _, _, anchor = CitationFormatter("s", "p", text)(one.start).partition("#")
        if anchor and anchor != "x":
            assert find_headed(made, anchor) == [at]
