from __future__ import annotations

import pytest
from tests.growth import is_in_proportion

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


STOCK = """Stock of May.

Article   Part       Pieces on hand   Bin
ZQ-250    impeller              417   F39
ZQ-251    seal ring               1   F40

Words.
"""
TABS = STOCK.replace("   ", "\t").replace("    ", "\t")
DASHES = "Name   Port\n=====  =====\ncube   80\npump   81\n"
DRAWN = f"=====  =====\n{DASHES}=====  =====\n"
PAIRS = "Name   Port\ncube   80\npump   81\n"


@pytest.mark.parametrize(
    ("text", "row", "head"),
    [
        (STOCK, "ZQ-250", "Article   Part       Pieces on hand   Bin"),
        (STOCK, "1   F40", "Article   Part       Pieces on hand   Bin"),
        ("A\tB\tC\n1\t2\t3\n4\t\t6\n", "4", "A\tB\tC"),
        ("Aa\t\tB\tC\nlonger 1\t2\t3\n4\t\t6\t7\n", "4", "Aa\t\tB\tC"),
        (DASHES, "pump", "Name   Port\n=====  ====="),
        (DRAWN, "pump", "Name   Port\n=====  ====="),
        (f"{PAIRS}lamp   82\ndoor   83\n", "lamp", "Name   Port"),
        (f"```\n{STOCK}```\n", "ZQ-251", "Article   Part       Pieces on hand   Bin"),
    ],
)
def test_a_row_that_is_aligned_has_the_head_of_its_columns(text, row, head):
    assert find_head(text, row) == head


@pytest.mark.parametrize(
    ("text", "place"),
    [
        (STOCK, "Article"),
        (STOCK, "Words"),
        # Two columns may be names and values, and a first line with digits one of values.
        (PAIRS, "pump"),
        ("port   value of\nuser   ana\nhost   cube 1\n", "host"),
        ("12:00  start  ok\n12:01  stop  ok\n12:02  wait  ok\n", "12:02"),
        ("a\tb\tc\nd\te\n", "d"),
        ("One sentence.  Another one here.\nThe next line goes  on.\nAnd ends.  So.\n", "And"),
        ("Title  here\n-----------\nwords of  it\nmore  words\n", "more"),
    ],
)
def test_lines_that_may_have_no_head_have_none(text, place):
    assert find_head(text, place) is None


@pytest.mark.parametrize(
    "line", ["a  b\n", "a\tb\n", "a  b  c\n1\n", "--  --\n", "a  " * 600 + "\n"]
)
def test_heads_of_long_texts_are_found_in_time_in_proportion_to_them(line):
    def make(length):
        return line * (length // len(line)) + "x  y"

    assert is_in_proportion(lambda text: TableHeads(text).find(len(text) - 2), make, 150_000)
