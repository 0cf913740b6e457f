"""Tables of a PDF, from the places of its letters to Markdown."""

from __future__ import annotations

import pytest

from integration.files_to_read import pdf, stream
from wellworn.engines.extraction import ExtractionSettings, Extractor
from wellworn.engines.safety import redact_document

HEADER = ("Host", "Password", "Owner")
ROWS = [("cube", "hunter22x", "Ana Miller"), ("pump", "", "Ben"), ("valve", "tr0ub4dor", "Cho")]


@pytest.fixture(scope="module")
def extractor():
    made = Extractor(ExtractionSettings())
    yield made
    made.close()


def page_with(*placed):
    """Make a PDF of one page with words at places; `font` F2 is bold, F3 a typewriter's."""
    shown = "\n".join(
        f"BT /{font} 11 Tf {left} {low} Td ({text}) Tj ET" for left, low, text, font in placed
    )
    fonts = "".join(f"/F{number} {number + 6} 0 R " for number in (1, 2, 3))
    page = (
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 5 0 R"
        f" /Resources << /Font << {fonts}>> >> >>"
    )
    objects = {
        1: b"<< /Type /Catalog /Pages 2 0 R >>",
        2: b"<< /Type /Pages /Count 1 /Kids [6 0 R] >>",
        3: b"<< >>",
        4: b"null",
        5: stream(shown.encode("latin-1")),
        6: page.encode(),
    }
    for number, name in ((7, "Helvetica"), (8, "Helvetica-Bold"), (9, "Courier")):
        objects[number] = b"<< /Type /Font /Subtype /Type1 /BaseFont /%s >>" % name.encode()
    return pdf(objects)


def grid(rows, *, top=700, fonts=("F2", "F1")):
    return [
        (left, top - 16 * at, text, fonts[min(at, 1)])
        for at, row in enumerate(rows)
        for left, text in zip((72, 220, 370), row, strict=True)
        if text
    ]


def test_a_table_is_read_as_one_between_its_paragraphs(extractor):
    before = (72, 730, "The plant has many hosts, and each has one owner.", "F1")
    after = (72, 630, "Call them first, whatever it is about.", "F1")
    made = extractor.extract(page_with(before, *grid([HEADER, *ROWS]), after), name="plant.pdf")
    assert made.text == (
        "The plant has many hosts, and each has one owner.\n\n"
        "| Host | Password | Owner |\n| --- | --- | --- |\n"
        "| cube | hunter22x | Ana Miller |\n| pump |  | Ben |\n| valve | tr0ub4dor | Cho |\n\n"
        "Call them first, whatever it is about.\n"
    )


def test_passwords_in_a_column_of_a_pdf_are_found(extractor):
    made = extractor.extract(page_with(*grid([HEADER, *ROWS])), name="plant.pdf")
    found = redact_document(made.text)
    assert [one.kind for one in found.findings] == ["password", "password"]


def test_code_with_aligned_remarks_stays_as_it_is(extractor):
    rows = [("x = 1", "# one", "ok"), ("yes = 2", "# two", "bad"), ("z = 3", "# three", "ok")]
    made = extractor.extract(page_with(*grid(rows, fonts=("F3", "F3"))), name="code.pdf")
    assert made.text == "x = 1 # one ok\nyes = 2 # two bad\nz = 3 # three ok\n"


def test_two_columns_of_prose_are_read_one_after_the_other(extractor):
    line = "the pump runs all day and is checked"
    columns = [(left, 700 - 13 * at, f"{line} {at}", "F1") for left in (72, 320) for at in range(6)]
    made = extractor.extract(page_with(*columns), name="paper.pdf")
    assert "|" not in made.text
    assert made.text.split() == [word for at in range(6) for word in f"{line} {at}".split()] * 2


def test_the_bold_header_of_a_table_is_no_heading(extractor):
    body = [
        (72, 500 - 14 * at, f"The text number {at} of many that follow.", "F1") for at in range(9)
    ]
    made = extractor.extract(page_with(*grid([HEADER, *ROWS]), *body), name="plant.pdf")
    assert "# " not in made.text
    assert made.flags == ()


def test_bold_letters_name_the_columns_where_no_number_does(extractor):
    rows = [("Host", "Place", "Owner"), ("cube", "the lake", "Ana"), ("pump", "the hill", "Ben")]
    made = extractor.extract(page_with(*grid(rows)), name="plant.pdf")
    assert made.text.startswith("| Host | Place | Owner |\n| --- |")


def test_a_row_that_fills_its_columns_is_seen_by_those_around_it(extractor):
    full = ("the pump at the end of the", "long pipe that leads to the", "lake and to the hill")
    made = extractor.extract(page_with(*grid([HEADER, *ROWS[:2], full, ROWS[2]])), name="plant.pdf")
    assert made.text.count("\n|") == 5
    assert f"| {' | '.join(full)} |" in made.text


PARTS = ("Part", "Kind", "Count")


@pytest.mark.parametrize(
    "rows",
    [
        [("impeller", "A", "12"), ("valve", "B", "7"), ("pump", "C", "14")],
        [("impeller", "A1", "2"), ("valve", "B2", "7"), ("pump", "C3", "4")],
        [("A", "3.5 m", "12"), ("B", "4 m", "7"), ("C", "5 m", "14")],
        [("impeller", "metal", "12"), ("valve", "-", "7"), ("pump", "iron", "14")],
        [("impeller", "metal", "12"), ("-", "brass", "7"), ("pump", "iron", "14")],
        [("1.", "metal", "12"), ("2.", "brass", "7"), ("10.", "iron", "14")],
        [("1", "x", "2"), ("3", "y", "4"), ("5", "z", "6")],
    ],
    ids=lambda rows: "/".join(rows[0]),
)
def test_a_cell_of_one_character_leaves_its_table_whole(extractor, rows):
    made = extractor.extract(page_with(*grid([PARTS, *rows], fonts=("F1", "F1"))), name="parts.pdf")
    lines = ["| Part | Kind | Count |", "| --- | --- | --- |"]
    lines += [f"| {' | '.join(row)} |" for row in rows]
    assert made.text == "\n".join(lines) + "\n"


def test_a_list_whose_items_have_marks_is_no_table(extractor):
    rows = [(72, 700 - 14 * at, mark, "F1") for at, mark in enumerate(("a)", "b)", "c)", "d)"))] + [
        (90, 700 - 14 * at, f"the step number {at} of the plan, which is told", "F1")
        for at in range(4)
    ]
    rows.sort(key=lambda each: -each[1])
    assert "|" not in extractor.extract(page_with(*rows), name="list.pdf").text
