from __future__ import annotations

import pytest

from wellworn.kit.markdown import TableHeads

TABLE = "| Article | Pieces |\n|---|--:|\n| ZQ-250 | 417 |\n| ZQ-251 | 3 |\n"


def find_head(text, at):
    head = TableHeads(text).find(text.index(at))
    return text[slice(*head)] if head else None


@pytest.mark.parametrize("row", ["| ZQ-250", "417", "| ZQ-251"])
def test_a_row_has_the_head_of_its_table_with_its_rule(row):
    text = f"# Stock\n\n{TABLE}\nWords.\n\n| Other | Head |\n|---|---|\n| x | y |\n"
    assert find_head(text, row) == "| Article | Pieces |\n|---|--:|"
    assert find_head(text, "| x |") == "| Other | Head |\n|---|---|"


@pytest.mark.parametrize("place", ["# Stock", "| Article", "|---", "Words"])
def test_what_is_no_row_has_none(place):
    assert find_head(f"# Stock\n\n{TABLE}\nWords.\n", place) is None


@pytest.mark.parametrize("text", ["| a | b |\n| c | d |\n", "| a |", "|---|---|\n| c | d |\n", ""])
def test_lines_without_a_rule_below_the_first_are_no_table(text):
    assert TableHeads(text).find(max(0, len(text) - 3)) is None


def test_an_indented_table_has_a_head():
    text = "- here\n\n  | a | b |\n  |---|---|\n  | c | d |\n"
    assert find_head(text, "c |") == "  | a | b |\n  |---|---|"
