"""Columns, broken words and fields of a PDF's page, by the places of its lines."""

from __future__ import annotations

import time

import pytest

from wellworn.engines.extraction.pdf_columns import order_columns
from wellworn.engines.extraction.pdf_fields import Area
from wellworn.engines.extraction.pdf_filling import fill_in
from wellworn.engines.extraction.pdf_lines import Cell, PdfLine
from wellworn.engines.extraction.pdf_words import find_compounds, join_lines


def row(number, *cells, size=10.0):
    """Return a line of cells, each a left edge and words of five points a letter."""
    made = tuple(Cell(left, left + 5.0 * len(text), text) for left, text in cells)
    text = " ".join(cell.text for cell in made)
    return PdfLine(text, size, 400, low=800.0 - 12 * number, cells=made)


LEFT = ["the pump is greased each", "week by the day crew and", "its valve opens at 14 bar", "and"]
RIGHT = [
    "Fan three is cleaned each",
    "month by the night crew",
    "after 900 hours in box",
    "x y z a",
]


def test_columns_come_one_after_the_other():
    page = [
        row(at, (60, left), (260, right))
        for at, (left, right) in enumerate(zip(LEFT, RIGHT, strict=True))
    ]
    assert [line.text for line in order_columns(page)] == [*LEFT, *RIGHT]


@pytest.mark.parametrize(
    "cells",
    [
        [("Pump", "Bar"), ("P-1", "5"), ("P-2", "6"), ("P-3", "7"), ("P-4", "8")],
        [("port", "the number"), ("host", "a name of it"), ("user", "x"), ("time", "in seconds")],
        [("a b c", "d e f")] * 3,
    ],
)
def test_cells_are_no_columns_of_prose(cells):
    page = [row(at, (60, left), (260, right)) for at, (left, right) in enumerate(cells)]
    assert order_columns(page) == page


def test_a_long_table_is_gone_through_once():
    page = [row(at / 100, (60, "Cell one"), (260, "Cell two")) for at in range(20_000)]
    began = time.process_time()
    assert len(order_columns(page)) == len(page)
    assert time.process_time() - began < 3


@pytest.mark.parametrize(
    ("lines", "text"),
    [
        (["state-of-the-", "art"], "state-of-the-art"),
        (["substa-", "tion,"], "substation,"),
        (["(substa-", "tion)"], "(substation)"),
        (["well-", "known"], "well-known"),
        (["AB-100-", "C"], "AB-100-C"),
        (["10-", "12"], "10-12"),
        (["Baden-", "Baden"], "Baden-Baden"),
        (["a -", "b"], "a -\nb"),
        (["a-", "(b)"], "a-\n(b)"),
    ],
)
def test_a_hyphen_at_a_line_end_is_the_words_or_the_breaks(lines, text):
    assert join_lines(lines, find_compounds(["a Well-known word"])) == text


@pytest.mark.parametrize("hostile", ["a-\n", "-", "a" * 50 + "-\n", "-\na"])
def test_words_are_joined_in_time_in_proportion_to_the_text(hostile):
    lines = (hostile * 50_000).split("\n")
    began = time.process_time()
    join_lines(lines, find_compounds(lines))
    assert time.process_time() - began < 4


def test_a_field_stands_in_the_nearest_line_beside_it():
    page = [row(0, (60, "Name:"), (300, "Day:")), row(1, (60, "End"))]
    fields = [Area(120, 798, 200, 812, "Ana"), Area(340, 798, 400, 812, "May")]
    assert [line.text for line in fill_in(page, fields)] == ["Name: Ana Day: May", "End"]
