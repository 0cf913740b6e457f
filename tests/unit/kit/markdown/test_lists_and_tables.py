from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wellworn.kit.markdown import Markdown

MARKDOWN = st.lists(
    st.one_of(
        st.text(max_size=12),
        st.sampled_from(
            [
                *("- ", "1. ", "  ", "    ", "\t", "> ", "\n", "\n\n", "|", "|-|-|\n", "| a | é |"),
                *("```\n", "# ", "- [x] ", "\u2022 ", "!!! note\n", "---\n", "\U0001f525", "\r"),
            ]
        ),
    ),
    max_size=40,
).map("".join)


def words(text: str) -> list[str]:
    return [text[item.words : item.end].partition("\n")[0] for item in Markdown(text).items]


def cells(text: str) -> list[list[list[str]]]:
    return [
        [[cell.text for cell in row.cells] for row in (table.head, *table.rows)]
        for table in Markdown(text).tables
    ]


@given(MARKDOWN)
def test_every_span_is_in_the_text_and_holds_what_it_says(text):
    markdown = Markdown(text)
    for item in markdown.items:
        assert 0 <= item.start <= item.words <= item.end <= len(text)
    for start, end in markdown.fences:
        assert 0 <= start <= end <= len(text)
    for table in markdown.tables:
        for row in (table.head, *table.rows):
            assert 0 <= row.span[0] <= row.span[1] <= len(text)
            assert all(text[cell.start : cell.end] == cell.text for cell in row.cells)


def test_items_come_in_order_with_the_place_of_their_words():
    text = "- **cube**\n  - IP: 1\n- [x] done\n10) ten\n\u2022 é bullet\n    - in\n"
    assert words(text) == ["**cube**", "IP: 1", "done", "ten", "é bullet", "in"]
    assert words(text.replace("  - ", "\t- ")) == words(text)
    item, inner, *_ = Markdown(text).items
    assert item.start < inner.start < inner.end <= item.end


@pytest.mark.parametrize("text", ["", "* * *\n", "text\n14. more\n", "```\n- a\n```\n", "-1\n"])
def test_what_only_looks_like_an_item_is_none(text):
    assert words(text) == []


@pytest.mark.parametrize("before", ["", "Words:\n", "# H\n", "!!! note\n\n", "- item\n\n"])
def test_a_table_has_the_cells_of_its_head_and_of_each_row(before):
    indent = "    " if before.startswith(("!", "-")) else ""
    table = ["| a | **é** |", "|---|:-:|", "| 1 \\| 2 | `x` |", "| 3 |"]
    text = before + "\n".join(indent + line for line in table) + "\n\nafter | all\n"
    assert cells(text) == [[["a", "**é**"], ["1 \\| 2", "`x`"], ["3", ""]]]
    [found] = Markdown(text).tables
    assert text[slice(*found.rows[0].span)] == table[2]


def test_pipes_without_a_rule_below_or_in_code_are_no_table():
    assert cells("a | b\nc | d\n") == []
    assert cells("```\na | b\n--|--\n```\n") == []


@pytest.mark.slow
@pytest.mark.parametrize("line", ["|", "- ", "- [", "> - ", "    " * 99 + "- a", "\u2022 é", "|-|"])
def test_text_made_to_be_slow_is_read_in_one_pass(line):
    markdown = Markdown((line + "\n") * (60_000 // len(line)))
    assert len(markdown.items) + len(markdown.tables) >= 0
