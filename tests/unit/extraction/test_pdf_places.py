"""Columns, broken words and fields of a PDF's page, by the places of its lines."""

from __future__ import annotations

import pytest
from tests.growth import is_in_proportion

from wellworn.engines.extraction.pdf_columns import arrange, is_disordered, order_columns
from wellworn.engines.extraction.pdf_fields import Area
from wellworn.engines.extraction.pdf_filling import fill_in
from wellworn.engines.extraction.pdf_letters import Box
from wellworn.engines.extraction.pdf_lines import Cell, PdfLine
from wellworn.engines.extraction.pdf_text import find_spelling, join_lines


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
    def make(rows):
        return [row(at / 100, (60, "Cell one"), (260, "Cell two")) for at in range(rows)]

    assert len(order_columns(make(100))) == 100
    assert is_in_proportion(order_columns, make, 5_000)


@pytest.mark.parametrize(
    ("lines", "text"),
    [
        (["state-of-the-", "art"], "state-of-the-art"),
        (["substa-", "tion,"], "substation,"),
        (["(substa-", "tion)"], "(substation)"),
        (["well-", "known"], "well-known"),
        (["AB-100-", "C"], "AB-100-C"),
        (["10-", "12"], "10-12"),
        (["a long-", "term plan"], "a long-term plan"),
        (["a long\u00ad", "term plan"], "a longterm plan"),
        (["Baden-", "Baden"], "Baden-Baden"),
        (["a -", "b"], "a -\nb"),
        (["a-", "(b)"], "a-\n(b)"),
    ],
)
def test_a_hyphen_at_a_line_end_is_the_words_or_the_breaks(lines, text):
    assert (
        join_lines(lines, find_spelling(["a Well-known word", "for a substation", *lines])) == text
    )


BROKEN = ["the main-", "tenance of", "the reser-", "voir, the", "ven-", "tilation", "and the"]


@pytest.mark.parametrize(
    ("others", "text"),
    [
        ((), "a long-term plan"),
        (("the longterm one",), "a longterm plan"),
        (("a Long-Term plan", "the longterm one"), "a long-term plan"),
        # Who breaks words, breaks many, of which some stand elsewhere as a whole.
        ((*BROKEN, "maintenance"), "a longterm plan"),
        ((*BROKEN, "com-", "pressor", "ele-", "vator"), "a longterm plan"),
        (BROKEN, "a long-term plan"),
        (("a day-", "crew", "a cost-", "saving") + ("a line of it",) * 40, "a long-term plan"),
    ],
)
def test_a_hyphen_stays_unless_the_document_breaks_words(others, text):
    lines = ["a long-", "term plan"]
    assert join_lines(lines, find_spelling([*others, *lines])) == text


@pytest.mark.parametrize("hostile", ["a-\n", "-", "a" * 50 + "-\n", "-\na"])
def test_words_are_joined_in_time_in_proportion_to_the_text(hostile):
    def make(times):
        return (hostile * times).split("\n")

    assert is_in_proportion(lambda lines: join_lines(lines, find_spelling(lines)), make, 12_500)


def test_what_is_written_from_the_right_stays_as_it_is():
    lines = [(Box(200, 205, 700, 10), Box(240, 245, 690, 10))]
    assert is_disordered("a page", lines)
    assert not is_disordered("a page with \u05d0", lines)


def test_many_parts_of_lines_are_arranged_in_time_in_proportion_to_them():
    def make_page(cells):
        return [row(at // 9, (60 + 50 * (at % 9), "Cell")) for at in range(cells)]

    def make_line(cells):
        return [row(1, (60 + 50 * at, "Cell")) for at in range(cells)]

    assert len(arrange(make_page(20_000))) == 2223
    assert len(order_columns(arrange(make_line(20_000)))) == 200
    assert is_in_proportion(arrange, make_page, 5_000)
    assert is_in_proportion(arrange, make_line, 5_000)
    assert is_in_proportion(order_columns, make_line, 5_000)


def test_a_field_stands_in_the_nearest_line_beside_it():
    page = [row(0, (60, "Name:"), (300, "Day:")), row(1, (60, "End"))]
    fields = [Area(120, 798, 200, 812, "Ana"), Area(340, 798, 400, 812, "May")]
    assert [line.text for line in fill_in(page, fields)] == ["Name: Ana Day: May", "End"]
