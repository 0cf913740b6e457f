"""What stands where on a PDF's page: columns, broken words, raised and struck letters, fields."""

from __future__ import annotations

import pytest

from integration.files_to_read import page_of, pdf, pdf_of, stream
from wellworn.engines.extraction import (
    Extracted,
    ExtractionSettings,
    Extractor,
    pdf_letters,
    pdf_reader,
)

COLUMNS = (
    (
        "the pump is greased each",
        "week by the day crew and",
        "its valve opens at 14 bar",
        "and is never closed while",
        "the motor turns at all so",
        "be careful with it today.",
    ),
    (
        "Fan three is cleaned each",
        "month by the night crew",
        "after 900 hours in box",
        "eleven; never touch the",
        "guard while light is red",
        "since the brakes can slip",
    ),
    (
        "Tank nine is emptied once",
        "a year by the contractor",
        "who brings a list to be",
        "signed by the manager in",
        "the office above the hall",
        "and kept for five years",
    ),
)


@pytest.fixture(scope="module")
def extractor():
    made = Extractor(ExtractionSettings())
    yield made
    made.close()


def text_of(extractor, content, *, notes="", form="", font="null"):
    """Read a PDF of one page of drawing instructions; `notes` are annotations; `font` is F3."""
    fonts = "/F1 7 0 R /F2 8 0 R /F3 9 0 R"
    annotations = [each for each in notes.split("\n") if each]
    numbers = " ".join(f"{10 + at} 0 R" for at in range(len(annotations)))
    page = (
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 5 0 R"
        f" /Annots [{numbers}] /Resources << /Font << {fonts} >> >> >>"
    )
    catalog = f"<< /Type /Catalog /Pages 2 0 R {form.format(numbers)} >>"
    objects = {
        1: catalog.encode(),
        2: b"<< /Type /Pages /Count 1 /Kids [6 0 R] >>",
        3: b"<< >>",
        4: b"null",
        5: stream(content.encode("latin-1")),
        6: page.encode(),
        7: b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        8: b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica-Bold >>",
        9: font.encode(),
        **{10 + at: each.encode() for at, each in enumerate(annotations)},
    }
    made = extractor.extract(pdf(objects), name="page.pdf")
    assert isinstance(made, Extracted), made
    return made.text


def at(left, low, text, size=10, font="F1"):
    return f"BT /{font} {size} Tf {left} {low} Td ({text}) Tj ET\n"


def across(*columns, step=170, top=700):
    return "".join(
        at(60 + step * number, top - 12 * row, words)
        for row in range(max(map(len, columns)))
        for number, column in enumerate(columns)
        for words in column[row : row + 1]
    )


@pytest.mark.parametrize("count", [2, 3])
def test_columns_drawn_line_by_line_are_read_one_after_the_other(extractor, count):
    title = at(60, 740, "A title over all of the columns", 18, "F2")
    text = text_of(extractor, title + across(*COLUMNS[:count]))
    blocks = ["# A title over all of the columns", *map("\n".join, COLUMNS[:count])]
    assert text == "\n\n".join(blocks) + "\n"


@pytest.mark.parametrize("lower", [-9, -6, -4, 4, 6])
@pytest.mark.parametrize("is_from_above", [True, False], ids=["from above", "in turns"])
def test_columns_whose_lines_stand_at_different_heights_do_not_mix(extractor, lower, is_from_above):
    placed = [
        (60 + 170 * side, 700 + lower * side - (12 + side) * row, words)
        for row in range(6)
        for side, column in enumerate(COLUMNS[:2])
        for words in column[row : row + 1]
    ]
    if is_from_above:
        placed.sort(key=lambda each: -each[1])
    text = text_of(extractor, "".join(at(*each) for each in placed))
    assert text == "\n\n".join(map("\n".join, COLUMNS[:2])) + "\n"


def test_three_columns_at_three_heights_are_read_one_after_the_other(extractor):
    drawn = "".join(
        at(60 + 170 * side, 700 - 4 * side - 12 * row, column[row])
        for row in range(6)
        for side, column in enumerate(COLUMNS)
    )
    assert text_of(extractor, drawn) == "\n\n".join(map("\n".join, COLUMNS)) + "\n"


def test_a_shorter_column_and_a_line_over_both_keep_their_place(extractor):
    first, second = COLUMNS[0], COLUMNS[1][:4]
    end = at(60, 610, "Here is a line that goes over both of the columns of the page again.")
    text = text_of(extractor, across(first, second) + end)
    assert text.startswith("\n".join(first) + "\n\n" + "\n".join(second) + "\n\n")


def test_a_table_with_long_cells_stays_one(extractor):
    rows = [
        ("timeout", "the time in seconds that", "30"),
        ("", "the server waits for it", ""),
        ("retries", "how many times it tries", "5"),
        ("", "to reach the other side", ""),
        ("port", "the number that the door", "8080"),
        ("", "of the service listens", ""),
    ]
    drawn = "".join(
        at(left, 700 - 12 * row - row // 2 * 6, words)
        for row, cells in enumerate(rows)
        for left, words in zip((72, 150, 300), cells, strict=True)
        if words
    )
    assert "| retries | how many times it tries to reach the other side | 5 |" in text_of(
        extractor, drawn
    )


@pytest.mark.parametrize(
    ("lines", "text"),
    [
        (("a state-of-the-", "art device"), "a state-of-the-art device"),
        (("a state-", "of-the-art device"), "a state-of-the-art device"),
        (("of a substation: the substa-", "tion"), "of a substation: the substation"),
        (("the long-", "term plan"), "the long-term plan"),
        (("model AB-100-", "C guards it"), "model AB-100-C guards it"),
        (("see pages 10-", "12 of it"), "see pages 10-12 of it"),
        (("in UTF-", "8 only"), "in UTF-8 only"),
        (("at https://plant.example/day-", "crew now"), "at https://plant.example/day-crew now"),
        (("a well-known and well-", "known one"), "a well-known and well-known one"),
        (("the Baden-", "Baden line"), "the Baden-Baden line"),
        (("valves - and -", "pumps"), "valves - and -\npumps"),
    ],
)
def test_a_hyphen_of_a_word_stays_and_that_of_a_break_goes(extractor, lines, text):
    drawn = "".join(at(60, 700 - 12 * row, words) for row, words in enumerate(lines))
    assert text_of(extractor, drawn) == f"{text}\n"


def raised(text, by, size=7):
    return f"/F1 {size} Tf {by} Ts ({text}) Tj 0 Ts /F1 12 Tf "


@pytest.mark.parametrize(
    ("shown", "text"),
    [
        (f"(3 x 10) Tj {raised('6', 5)} ( W) Tj", "3 x 10^6 W"),
        (f"(10) Tj {raised('-3', 5)} ( m) Tj", "10^-3 m"),
        (f"(10) Tj {raised('6', 5, 12)} ( W) Tj", "10^6 W"),
        (f"(ends in 2031) Tj {raised('4', 5)} ( for plot 12) Tj", "ends in 2031[^4] for plot 12"),
        (f"(H) Tj {raised('2', -3)} (O is wet) Tj", "H2O is wet"),
        ("(10 2031 AB12) Tj", "10 2031 AB12"),
    ],
)
def test_raised_letters_stay_apart(extractor, shown, text):
    assert text_of(extractor, f"BT /F1 12 Tf 72 700 Td {shown} ET") == f"{text}\n"


def test_letters_of_a_line_that_is_turned_are_not_raised(extractor):
    assert text_of(extractor, "BT /F1 12 Tf 0 1 -1 0 300 300 Tm (10 2031) Tj ET") == "10 2031\n"
    slanted = text_of(extractor, "BT /F1 12 Tf .7 .7 -.7 .7 300 300 Tm (10 2031) Tj ET")
    assert "^" not in slanted


FEE = at(72, 700, "The fee is 80 65 euro.", 12)


@pytest.mark.parametrize(
    ("drawn", "text"),
    [
        ("0.8 w 130 704 m 144 704 l S", "The fee is ~~80~~ 65 euro."),
        ("130 703.5 14 1 re f", "The fee is ~~80~~ 65 euro."),
        ("0.8 w 130 698 m 144 698 l S", "The fee is 80 65 euro."),
        ("130 690 14 30 re S", "The fee is 80 65 euro."),
    ],
)
def test_letters_with_a_line_through_them_are_struck(extractor, drawn, text):
    assert text_of(extractor, FEE + drawn) == f"{text}\n"


def test_a_stretch_struck_by_a_reviewer_is_struck(extractor):
    note = (
        "<< /Type /Annot /Subtype /StrikeOut /Rect [130 697 144 711]"
        " /QuadPoints [130 711 144 711 130 697 144 697] >>"
    )
    assert text_of(extractor, FEE, notes=note) == "The fee is ~~80~~ 65 euro.\n"


WIDGET = "<< /Type /Annot /Subtype /Widget /Rect [{}] {} >>"
FORM = "/AcroForm << /Fields [{}] >>"


def field(box, about):
    return WIDGET.format(box, about)


@pytest.mark.parametrize(
    ("drawn", "notes", "text"),
    [
        (
            at(60, 700, "Keeper:"),
            field("120 696 260 712", "/FT /Tx /T (a) /V (Odd FM-1)"),
            "Keeper: Odd FM-1",
        ),
        (at(60, 700, "Keeper:"), field("120 696 260 712", "/FT /Tx /T (a)"), "Keeper:"),
        (at(60, 700, "Key:"), field("120 696 260 712", "/FT /Tx /Ff 8192 /T (a) /V (x)"), "Key:"),
        (
            at(60, 700, "Keeper:"),
            field("120 696 260 712", "/F 2 /FT /Tx /T (a) /V (x)"),
            "Keeper:",
        ),
        (
            at(90, 700, "lit"),
            field("70 698 82 710", "/FT /Btn /T (a) /V /On /AS /On"),
            "[x] lit",
        ),
        (at(90, 700, "lit"), field("70 698 82 710", "/FT /Btn /T (a) /V /Off /AS /Off"), "[ ] lit"),
        (
            at(60, 700, "Gate:"),
            field("120 696 260 712", "/FT /Ch /Ff 131072 /T (a) /Opt [(a) (bee)] /V (bee)"),
            "Gate: bee",
        ),
        (
            at(60, 700, "Name: ________ Day: ________"),
            field("90 697 130 711", "/FT /Tx /T (a) /V (Ana)")
            + "\n"
            + field("155 697 190 711", "/FT /Tx /T (b) /V (May)"),
            "Name: Ana Day: May",
        ),
        (
            at(60, 700, "Above.") + at(60, 600, "Below."),
            field("60 640 260 660", "/FT /Tx /T (a) /V (Alone)"),
            "Above.\n\nAlone\n\nBelow.",
        ),
        (
            at(60, 700, "Keeper:"),
            (
                "<< /Type /Annot /Subtype /FreeText /Rect [120 696 260 712] /Contents (Ana)"
                " /DA (/F1 10 Tf) >>"
            ),
            "Keeper: Ana",
        ),
    ],
)
def test_a_field_stands_beside_its_label(extractor, drawn, notes, text):
    assert text_of(extractor, drawn, notes=notes, form=FORM) == f"{text}\n"


@pytest.mark.parametrize(
    ("turn", "matrix", "places"),
    [
        (90, "1 0 0 1", [(72, 700), (72, 680), (72, 660)]),
        (0, "0 1 -1 0", [(200, 100), (220, 100), (240, 100)]),
        (90, "0 1 -1 0", [(200, 100), (220, 100), (240, 100)]),
        (0, "0 -1 1 0", [(500, 700), (480, 700), (460, 700)]),
        (180, "-1 0 0 -1", [(500, 100), (500, 120), (500, 140)]),
        (0, "-1 0 0 -1", [(500, 100), (500, 120), (500, 140)]),
    ],
)
def test_a_page_is_read_as_it_is_held_to_be_read(extractor, turn, matrix, places):
    said = ("Coolant is 18.6 quarts.", "Oil is 6.0 quarts.", "Brake fluid is 1.2 quarts.")
    content = " ".join(
        f"BT /F1 12 Tf {matrix} {x} {y} Tm ({line}) Tj ET"
        for line, (x, y) in zip(said, places, strict=True)
    )
    objects = {
        1: b"<< /Type /Catalog /Pages 2 0 R >>",
        2: b"<< /Type /Pages /Count 1 /Kids [5 0 R] >>",
        3: b"<< >>",
        4: b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        5: b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Rotate %d"
        b" /Resources << /Font << /F1 4 0 R >> >> /Contents 6 0 R >>" % turn,
        6: stream(content.encode()),
    }
    made = extractor.extract(pdf(objects), name="page.pdf")
    assert isinstance(made, Extracted)
    assert " ".join(made.text.split()) == " ".join(said)


def test_a_large_first_letter_belongs_to_the_word_behind_it(extractor):
    content = (
        "BT /F1 42 Tf 72 668 Td (R) Tj ET"
        " BT /F1 12 Tf 103 688 Td (ealized with careful engineering and long) Tj ET"
        " BT /F1 12 Tf 103 672 Td (tests, the pump moves 40 litres each minute) Tj ET"
        " BT /F1 12 Tf 72 656 Td (without any noise. It needs service each year.) Tj ET"
    )
    text = text_of(extractor, content)
    assert " ".join(text.split()).startswith("Realized with careful engineering and long tests,")
    assert "\nR\n" not in text
    beside = "BT /F1 42 Tf 72 668 Td (R) Tj ET BT /F1 12 Tf 172 688 Td (ule of the house) Tj ET"
    assert "Rule" not in text_of(extractor, beside)


def test_a_ligature_that_a_font_calls_too_narrow_parts_no_word(extractor):
    widths = " ".join(["222", *["556"] * 254])
    font = (
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /FirstChar 1 /LastChar 255"
        f" /Widths [{widths}]"
        " /Encoding << /Type /Encoding /BaseEncoding /WinAnsiEncoding /Differences [1 /fi] >> >>"
    )
    drawn = at(72, 700, "\x01", 12, "F3") + at(77.7, 700, "eld coil", 12, "F3")
    assert text_of(extractor, drawn, font=font) == "field coil\n"
    parted = at(72, 700, "\x01", 12, "F3") + at(82, 700, "eld coil", 12, "F3")
    assert text_of(extractor, parted, font=font) == "fi eld coil\n"


class CountedCalls:
    """PDFium, with a count of the questions that it is asked."""

    def __init__(self, pdfium):
        self._pdfium = pdfium
        self.count = 0

    def __getattr__(self, name):
        self.count += 1
        return getattr(self._pdfium, name)


def test_letters_that_were_written_at_once_are_not_asked_for_one_by_one(monkeypatch):
    def count(*lines: str) -> int:
        calls = CountedCalls(pdf_letters._pdfium)
        with monkeypatch.context() as patch:
            patch.setattr(pdf_letters, "_pdfium", calls)
            made = pdf_reader.read_pdf(pdf_of([page_of(*lines)]), ExtractionSettings())
        assert made.text.split("\n")[:-1] == [*lines]
        return calls.count

    short, long = ("k1: v1", "k2: v2"), (f"k1: {'v1' * 30}", f"k2: {'v2' * 30}")
    assert count(*long) <= count(*short)
