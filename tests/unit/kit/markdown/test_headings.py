from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wellworn.kit.markdown import Markdown

MARKDOWN = st.lists(
    st.one_of(
        st.text(max_size=20),
        st.sampled_from(
            [
                *("# A", "## B ##", "###### F", "####### G", "#no", "```", "~~~~", "````x"),
                *("---", "===", "- item", "", "    # code", "title", "> quote", "...", "\r"),
            ]
        ),
    ),
    max_size=30,
).map("\n".join)


def outlined(text: str) -> list[tuple[int, str]]:
    return [(heading.level, heading.title) for heading in Markdown(text).headings]


def parts(text: str) -> list:
    return Markdown(text).sections


@given(MARKDOWN)
def test_the_sections_of_any_text_are_all_of_it_in_order(text):
    assert "".join(text[one.start : one.end] for one in parts(text)) == text


@given(MARKDOWN)
def test_a_section_s_whole_ends_where_the_next_of_its_rank_begins(text):
    made = parts(text)
    for number, one in enumerate(made):
        later = [two for two in made[number + 1 :] if two.level <= one.level or not one.level]
        assert one.whole_end == (later[0].start if later else len(text))


@given(MARKDOWN)
def test_every_section_is_below_the_nearest_before_it_with_a_lesser_level(text):
    made = parts(text)
    for number, one in enumerate(made):
        assert one.parent == (_nearest(made, number) if one.level else None)


def _nearest(made: list, number: int) -> int | None:
    for at in range(number - 1, -1, -1):
        if 0 < made[at].level < made[number].level:
            return at
    return None


@given(MARKDOWN)
def test_a_heading_begins_where_its_section_does(text):
    begun = {section.start for section in parts(text)}
    assert {heading.start for heading in Markdown(text).headings} <= begun


def test_levels_may_jump_and_the_opening_is_a_section_of_its_own():
    text = "Before.\n# One\na\n#### Deep\nb\n## Two\nc\n# Last\n"
    made = parts(text)
    assert [(one.level, one.title, one.parent) for one in made] == [
        (0, "", None), (1, "One", None), (4, "Deep", 1), (2, "Two", 1), (1, "Last", None),
    ]  # fmt: skip
    assert text[made[1].start : made[1].whole_end] == "# One\na\n#### Deep\nb\n## Two\nc\n"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("```\n# no\n```\n# yes", [(1, "yes")]),
        ("~~~~\n# no\n~~~\n# no\n~~~~\n# yes", [(1, "yes")]),
        ("```\n# no\n``` x\n# no", []),
        ("``` a`b\n# yes", [(1, "yes")]),
        ("---\n# no\nname: x\n---\n# yes", [(1, "yes")]),
        ("---\n# yes\nno end", [(1, "yes")]),
        ("Title\n=====\n\nSub\n---\n", [(1, "Title"), (2, "Sub")]),
        ("two\nlines\n---\n", []),
        ("- item\n---\n", []),
        ("    code\n---\n", []),
        ("\n---\n", []),
        ("#hash\n####### seven\n", []),
        ("## Closed ##\n# C#\n# \n#", [(2, "Closed"), (1, "C#"), (1, ""), (1, "")]),
        ("   ### Indented\r\n    # code\r\n", [(3, "Indented")]),
        ("", []),
    ],
)
def test_what_is_a_heading_and_what_is_not(text, found):
    assert outlined(text) == found


@pytest.mark.slow
@pytest.mark.parametrize("line", ["#", "# #", "```", "a\n-", " " * 999 + "#", "#" * 9_999, "-\t"])
def test_text_made_to_be_slow_is_read_in_one_pass(line):
    text = (line + "\n") * (60_000 // len(line))
    assert "".join(text[one.start : one.end] for one in parts(text)) == text


TOURS = """*****
Tours
*****

Vans
====

The long way
~~~~~~~~~~~~

Three stops.

Keys
====

* Fresh goods van: ``K-17``
"""


def test_titles_of_restructured_text_are_headings_in_the_order_of_their_signs():
    assert outlined(TOURS) == [(1, "Tours"), (2, "Vans"), (3, "The long way"), (2, "Keys")]
    assert Markdown(TOURS).fences == []
    assert len(Markdown(TOURS).items) == 1


@pytest.mark.parametrize(
    "text",
    [
        "A\n===\n\nB\n---\n\n~~~\ncode\n~~~\n",
        "# A\n\nwords\n\n***\n\nmore\n",
        "# A\n\n```rst\nB\n~~~~\n```\n",
        "# A\n\nlonger than the line below\n~~~~\ncode\n~~~~\n",
    ],
)
def test_fences_and_rules_of_markdown_stay_what_they_are(text):
    assert [title for _, title in outlined(text)] == ["A", "B"][: 1 + text.startswith("A\n")]


@pytest.mark.parametrize(
    "title", ["<%= title %>", "{{ page.title }}", "{% include title.html %}", "{{ a }} - {{ b }}"]
)
def test_a_title_that_a_template_fills_in_heads_nothing(title):
    text = f"# {title}\n\nWords.\n\n## Install {{{{ name }}}}\n\n## `{{{{ name }}}}`\n"
    assert outlined(text) == [(2, "Install {{ name }}"), (2, "`{{ name }}`")]


MOST = 20_000


@pytest.mark.parametrize("form", ["# a{}\n", "a{}\n===\n", "a{}\n---\n"])
def test_of_very_many_short_sections_the_first_are_told_apart(form):
    text = "".join(form.format(number) for number in range(MOST + 5))
    markdown = Markdown(text)
    assert len(markdown.headings) == MOST
    assert markdown.has_more_headings
    assert markdown.sections[-1].end == len(text)
    assert text[markdown.sections[-1].start :].startswith(form.format(MOST - 1))


def test_as_many_headings_as_a_long_text_needs_are_told_apart():
    text = "".join(f"# a{number}\n\n{'It runs. ' * 6}\n\n" for number in range(MOST + 5))
    markdown = Markdown(text)
    assert len(markdown.headings) == MOST + 5
    assert not markdown.has_more_headings


def test_lines_that_are_no_headings_are_not_counted_as_such():
    assert not Markdown("```\n" + "# a\n" * (MOST + 5) + "```\n").has_more_headings
