"""Which lines of a PDF's page are a table, and which only look like one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wellworn.engines.extraction.pdf_lines import Cell, PdfLine
from wellworn.engines.extraction.pdf_tables import tables

LETTER = 5.0
SIZE = 11.0
HOSTS = [
    ["Host", "Address", "Port"],
    ["cube", "10.0.0.7", "502"],
    ["pump", "10.0.0.8", ""],
    ["valve", "10.0.0.9", "504"],
]


def cell(left, text, letter=LETTER):
    # Letters are not all of one width, but for those of a typewriter.
    wide = sum(letter * (1.5 if one in "mwAWC" else 0.5 if one in "il.1" else 1) for one in text)
    return Cell(left, left + wide, text)


def line(low, *cells, weight=400):
    text = " ".join(one.text for one in cells)
    return PdfLine(text, SIZE, weight, low=low, cells=cells)


def page_of(rows, lefts=(72, 172, 322, 422), pitch=20.0, top=700.0):
    return [
        line(
            top - pitch * at,
            *(cell(left, text) for left, text in zip(lefts, row, strict=False) if text),
        )
        for at, row in enumerate(rows)
    ]


def only(page):
    (found,) = tables(page).values()
    return found


def test_lines_parted_in_the_same_places_are_a_table_with_its_empty_cells():
    found = only(page_of(HOSTS))
    assert found.rows == HOSTS
    assert found.end == len(HOSTS)
    assert found.has_header


def test_the_text_around_a_table_is_none_of_it():
    around = line(750, cell(72, "The plant has many parts."))
    below = line(600, cell(72, "They are checked daily."))
    found = tables([around, *page_of(HOSTS), below])
    assert [(first, table.end) for first, table in found.items()] == [(1, 5)]


def test_two_rows_are_no_table():
    assert not tables(page_of(HOSTS[:2]))


def test_rows_far_from_each_other_are_no_table():
    assert not tables(page_of(HOSTS, pitch=60))


def test_numbers_set_to_the_right_are_one_column():
    amounts = ["1,200.00", "87.20", "9.10"]
    page = [
        line(700 - 15 * at, cell(72, name), Cell(300 - 5 * len(amount), 300, amount))
        for at, (name, amount) in enumerate(zip(["Rent", "Power", "Water"], amounts, strict=True))
    ]
    assert only(page).rows == [["Rent", "1,200.00"], ["Power", "87.20"], ["Water", "9.10"]]


def test_words_that_did_not_fit_in_a_cell_are_joined_to_it():
    page = [
        line(700, cell(72, "Host"), cell(172, "What it does"), cell(322, "Address")),
        line(680, cell(72, "cube"), cell(172, "It runs the pumps")),
        line(667, cell(172, "of the plant")),
        line(680, cell(322, "10.0.0.7")),
        line(647, cell(72, "valve"), cell(172, "It opens"), cell(322, "10.0.0.8")),
    ]
    assert only(page).rows[1:] == [
        ["cube", "It runs the pumps of the plant", "10.0.0.7"],
        ["valve", "It opens", "10.0.0.8"],
    ]


def test_rows_that_begin_in_no_column_end_the_ones_above_if_they_stand_close():
    rows = page_of(HOSTS, pitch=30)
    more = line(rows[1].low - 13, cell(172, "or 10.0.1.7"), cell(322, "503"))
    moved = [one._replace(low=one.low - 13) for one in rows[2:]]
    found = only([*rows[:2], more, *moved])
    assert found.rows[1] == ["cube", "10.0.0.7 or 10.0.1.7", "502 503"]


def test_where_such_rows_stand_as_close_as_all_there_is_no_table():
    rows = [*HOSTS[:2], ["", "or 10.0.1.7", "503"], *HOSTS[2:]]
    assert not tables(page_of(rows, pitch=13))


@pytest.mark.parametrize("mark", ["•", "-", "1.", "a)", "(iv)", "[12]"], ids=range(6))
def test_a_list_is_no_table(mark):
    rows = [[mark, text] for text in ("Open the valve", "Press start", "Wait", "Stop")]
    assert not tables(page_of(rows, lefts=(72, 90)))


def test_prose_in_columns_is_no_table():
    rows = [["the pump runs all day and", "it is checked by Ana each day"]] * 3
    rows += [["a valve is opened by it at", "night when all of them sleep"]] * 2
    assert not tables(page_of(rows, lefts=(72, 322), pitch=13))


def test_what_a_typewriter_wrote_is_no_table():
    page = [
        line(700 - 13 * at, *(Cell(left, left + 6 * len(text), text) for left, text in parts))
        for at, parts in enumerate(
            [[(72, "x = 1"), (172, "# one")], [(72, "yes = 2"), (172, "# two")]] * 2
        )
    ]
    assert not tables(page)


def test_a_table_of_contents_with_dots_is_no_table():
    page = page_of([["Pumps", "7"], ["Valves", "9"], ["Pipes", "12"]], lefts=(72, 400))
    assert not tables([one._replace(text=f"{one.text} . . . . 7") for one in page])


def test_a_cell_under_two_columns_ends_the_table():
    wide = line(620, cell(72, "The whole plant and all that belongs to it"), cell(422, "all"))
    found = only([*page_of(HOSTS), wide])
    assert found.end == len(HOSTS)


def test_what_has_more_columns_than_anybody_reads_is_no_table():
    row = [f"{at}x" for at in range(41)]
    assert not tables(page_of([row] * 4, lefts=range(0, 4100, 100)))
    assert tables(page_of([row[:40]] * 4, lefts=range(0, 4100, 100)))


def test_of_keys_and_values_the_first_is_no_header():
    rows = [["Owner", "Ana"], ["Address", "10.0.0.7"], ["Port", "502"]]
    assert not only(page_of(rows)).has_header


def test_a_bold_first_row_is_a_header():
    first, *others = page_of([["Owner", "Place"], ["Ana", "the lake"], ["Ben", "the hill"]])
    assert only([first._replace(weight=700), *others]).has_header
    assert not only([first, *others]).has_header


def test_words_beside_a_bold_header_that_are_not_bold_are_none_of_it():
    header = line(
        700, *(cell(left, text) for left, text in zip((72, 172, 322), HOSTS[0], strict=True))
    )
    beside = line(687, cell(322, "503 and"))
    rows = page_of(HOSTS[1:], top=680)
    found = tables([header._replace(weight=700), beside, *rows])
    assert all("503 and" not in cell for table in found.values() for cell in table.rows[0])


def test_a_first_row_without_a_name_is_the_end_of_one_that_was_not_understood():
    rows = [["", "or 10.0.1.7", "501"], *HOSTS[1:]]
    assert tables(page_of(rows)).keys() == {1}


LINES = st.builds(
    lambda low, cells: line(low, *(cell(left, text) for left, text in cells)),
    st.sampled_from([700.0, 687.0, 674.0, 640.0]),
    st.lists(
        st.tuples(st.sampled_from([72, 172, 190, 322]), st.text("ab 1.", max_size=9)), max_size=4
    ),
)


@given(st.lists(LINES, max_size=12))
def test_no_word_is_lost_and_no_table_overlaps_another(page):
    last = 0
    for first, table in tables(page).items():
        assert last <= first < table.end <= len(page)
        last = table.end
        words = [word for one in page[first : table.end] for word in one.text.split()]
        assert sorted(words) == sorted(" ".join(map(" ".join, table.rows)).split())
        assert len({len(row) for row in table.rows}) == 1
