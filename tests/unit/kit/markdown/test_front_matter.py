from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wellworn.kit.markdown import LONGEST_FRONT_MATTER, Markdown, read_front_matter

LINES = st.lists(
    st.sampled_from(
        ["---", "+++", "...", "title: A", "weight = 3", "[params]", "# note", "", "words", "- item"]
    ),
    max_size=12,
).map("\n".join)


@pytest.mark.parametrize(
    "front",
    [
        "---\ntitle: A\n---\n",
        "---\r\ntitle: A\r\n...\r\n",
        "---  \n# a comment\n\n'quoted key': 1\n- item\n---\n",
        "---\ntitle: Setup: part 1\nby: @ann\nintro: >\n  long\n---\n",
        "---\ntitle: {{ page.title }}\n---\n",
        "---\n{title: A}\n---\n",
        "---\n\ntitle: A\n\n---\n",
        '+++\ntitle = "A"\n# a comment\n+++\n',
        "+++\n[[menu.main]]\nweight = 3\n+++\n",
        "+++\ntitle = A\n+++\n",
    ],
    ids=[
        *(
            "yaml",
            "yaml-other-marks",
            "yaml-with-comment",
            "not-quite-yaml",
            "template",
            "flow",
            "blank-first",
        ),
        *("toml", "toml-table", "not-quite-toml"),
    ],
)
def test_front_matter_ends_after_its_second_mark(front: str):
    assert Markdown(f"{front}\nWords.\n").front_end == len(front)
    assert Markdown(front.rstrip("\r\n")).front_end == len(front.rstrip("\r\n"))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Words.\n---\ntitle: A\n---\n",
        "---\nSome words between two rules.\n---\nMore.\n",
        "---\nNote: this is the first line\n\nof prose.\n---\nMore.\n",
        "---\n- an item: of a list\n---\nMore.\n",
        "---\n# Only a heading\n---\nMore.\n",
        "---\n\nName: cube\n\n## Net\n\nIP: 10.0.0.5\n\n---\n",
        "---\n---\nWords.\n",
        "---\ntitle: A\nnever closed\n",
        '+++\ntitle = "A"\n---\nWords.\n',
        "---\n" + "title: A\n" * LONGEST_FRONT_MATTER + "---\n",
        "---\n" + "- " * 3_900 + "\n---\n",
        "---\n" + "[" * 7_900 + "\n---\n",
    ],
    ids=[
        *("empty", "later", "a-rule", "prose", "list", "heading", "blank-first", "no-field"),
        *("open", "other-mark", "too-long", "deep-list", "deep-flow"),
    ],
)
def test_what_only_begins_like_front_matter_is_none(text: str):
    assert read_front_matter(text) is None


@given(LINES)
def test_it_ends_behind_a_line_that_is_a_mark_or_is_not_there(text: str):
    end = Markdown(text).front_end
    assert 0 <= end <= len(text)
    if end:
        first, *_, last = text[:end].splitlines()
        assert first in {"---", "+++"}
        assert last in {"---", "+++", "..."}


@pytest.mark.parametrize(
    "text",
    [
        "---\nTitle: Tea\ntags: [a, '#b']\nempty:\nextra:\n  deep: 1\ndate: 2026-02-30\n---\n",
        "---\nTitle: 'Tea'\ntags:\n  - a\n  - '#b'\ndate: 2026-02-30\nby: @ann\n---\n",
        '+++\nTitle = "Tea"\ntags = ["a", "#b"]\ndate = "2026-02-30"\n[extra]\ndeep = 1\n+++\n',
        "+++\nTitle = Tea\ntags = [a, '#b']\ndate = 2026-02-30\n+++\n",
    ],
    ids=["yaml", "not-quite-yaml", "toml", "not-quite-toml"],
)
def test_fields_are_what_is_written_however_it_is_written(text: str):
    front = read_front_matter(text)
    assert front is not None
    fields = {name: front.fields[name] for name in ("title", "tags", "date")}
    assert fields == {"title": ("Tea",), "tags": ("a", "#b"), "date": ("2026-02-30",)}
    assert not {"empty", "extra", "params"} & set(front.fields)
    assert front.value("title") == "Tea"
    assert front.value("none") == ""
    span = front.span("Tea")
    assert span is not None
    assert text[slice(*span)] == "Tea"


def test_a_value_that_is_written_in_another_way_has_no_span():
    front = read_front_matter("---\ntitle: >\n  two\n  lines\n---\n")
    assert front is not None
    assert front.value("title") == "two lines"
    assert front.span("two lines") is None


def test_a_title_that_a_template_fills_in_is_none():
    front = read_front_matter("---\ntitle: <%= title %>\nlayout: page\n---\n")
    assert (front.title, front.value("layout")) == ("", "page")
    assert read_front_matter("---\ntitle: The {{ name }} guide\n---\n").title.startswith("The")
