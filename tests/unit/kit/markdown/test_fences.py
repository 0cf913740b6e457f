from __future__ import annotations

import pytest

from wellworn.kit.markdown import Markdown


def fenced(text: str) -> list[str]:
    return [text[start:end] for start, end in Markdown(text).fences]


def test_a_fence_is_from_its_mark_to_the_one_that_closes_it():
    text = "before\n```py\nx = 1\n\n# no heading\n```\nafter\n~~~\ny\n~~~"
    assert fenced(text) == ["```py\nx = 1\n\n# no heading\n```", "~~~\ny\n~~~"]


def test_a_shorter_or_another_mark_does_not_close_it():
    text = "````\n```\n~~~\n````\nafter"
    assert fenced(text) == ["````\n```\n~~~\n````"]


def test_a_fence_that_is_never_closed_ends_the_text():
    assert fenced("a\n\n```\nb\n\nc") == ["```\nb\n\nc"]


@pytest.mark.parametrize("text", ["", "a `` b", "code ``` in ``` a line", "```one``` line\n\nmore"])
def test_marks_within_a_line_are_no_fence(text: str):
    assert fenced(text) == []


def test_front_matter_holds_no_fence():
    assert fenced("---\na: |\n  ```\n---\ntext") == []


def test_a_fence_in_a_list_or_an_admonition_is_one_however_deep():
    text = "!!! tip\n\n    Say:\n\n    ```sh\n    make\n    ```\n\n    more\n"
    assert fenced(text) == ["    ```sh\n    make\n    ```"]


def test_code_that_shows_how_a_fence_begins_begins_none():
    assert fenced("Begin with\n\n    ```\n\nand go on.\n") == []


@pytest.mark.parametrize(
    "opening",
    ['!!! tip "Say"', "??? note", '=== "Linux"', '<TabItem value="sh">', "* item", "1. item"],
)
def test_a_fence_right_below_the_line_of_an_admonition_a_tab_or_an_item_is_one(opening):
    code = "    ```sh\n    # make\n    ```"
    text = f"words\n{opening}\n{code}\n\n# Heading\n"
    if opening.startswith(("<", "*", "1")):
        code = code.replace("    ", "   ")
        text = text.replace("    ", "   ")
    assert [one.strip() for one in fenced(text)] == [code.strip()]
    assert [heading.title for heading in Markdown(text).headings] == ["Heading"]


def test_a_fence_in_a_quote_is_one():
    assert fenced("> ```\n> code\n> ```\nafter") == ["```\n> code\n> ```"]
