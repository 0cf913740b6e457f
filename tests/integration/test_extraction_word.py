"""What stands beside the lines of a Word file: notes, text boxes, frames; and what is not shown."""

from __future__ import annotations

import pytest
from docx.opc.packuri import PackURI
from docx.opc.part import Part
from docx.oxml import parse_xml

from integration.files_to_read import WORD, docx_of
from wellworn.engines.extraction import ExtractionSettings, Extractor

RELATED = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
COMPATIBLE = "http://schemas.openxmlformats.org/markup-compatibility/2006"


@pytest.fixture(scope="module")
def extractor():
    made = Extractor(ExtractionSettings())
    yield made
    made.close()


def text_of(extractor, *fills):
    def fill(document):
        for one in fills:
            one(document)

    return extractor.extract(docx_of(fill), name="file.docx").text


def said(text):
    return f'<w:r><w:t xml:space="preserve">{text}</w:t></w:r>'


def paragraph(*parts):
    def fill(document):
        spaces = f'xmlns:w="{WORD}" xmlns:mc="{COMPATIBLE}"'
        body = document.element.body
        body.insert(len(body) - 1, parse_xml(f"<w:p {spaces}>{''.join(parts)}</w:p>"))

    return fill


def heading(text):
    return lambda document: document.add_heading(text)


def noted(kind, notes):
    """Add a part of notes, by id; the first of each is the line that parts them from the text."""

    def fill(document):
        lines = "".join(
            f'<w:{kind} w:id="{number}"><w:p><w:r><w:{kind}Ref/></w:r>{said(" " + text)}</w:p>'
            f"</w:{kind}>"
            for number, text in notes.items()
        )
        line = f'<w:{kind} w:type="separator" w:id="-1"><w:p/></w:{kind}>'
        part = Part(
            PackURI(f"/word/{kind}s.xml"),
            f"application/vnd.openxmlformats-officedocument.wordprocessingml.{kind}s+xml",
            f'<w:{kind}s xmlns:w="{WORD}">{line}{lines}</w:{kind}s>'.encode(),
            document.part.package,
        )
        document.part.relate_to(part, f"{RELATED}/{kind}s")

    return fill


def mark(number, kind="footnote"):
    return f'<w:r><w:{kind}Reference w:id="{number}"/></w:r>'


def test_a_note_is_marked_in_its_place_and_stands_at_the_end_of_its_section(extractor):
    text = text_of(
        extractor,
        noted("footnote", {1: "Measured in May.", 2: "By Ana."}),
        noted("endnote", {1: "See the manual."}),
        heading("Pumps"),
        paragraph(said("It runs at 7 bar"), mark(2), said(" at most"), mark(1, "endnote")),
        paragraph(said("Or 8"), mark(2)),
        heading("Valves"),
        paragraph(said("None"), mark(1)),
    )
    assert text == (
        "# Pumps\n\nIt runs at 7 bar[^1] at most[^2]\n\nOr 8[^1]\n\n"
        "[^1]: By Ana.\n\n[^2]: See the manual.\n\n"
        "# Valves\n\nNone[^3]\n\n[^3]: Measured in May.\n"
    )


def test_a_note_of_a_heading_is_no_part_of_the_title(extractor):
    def numbered(document):
        document.add_heading("Pumps")._p.append(
            parse_xml(mark(1).replace("<w:r>", f'<w:r xmlns:w="{WORD}">'))
        )

    text = text_of(extractor, noted("footnote", {1: "By Ana."}), numbered, paragraph(said("Text")))
    assert text == "# Pumps\n\nText\n\n[^1]: By Ana.\n"


def test_a_table_within_a_table_keeps_its_rows(extractor):
    def table(document):
        outer = document.add_table(rows=2, cols=2)
        inner = outer.cell(1, 1).add_table(rows=2, cols=2)
        outer.cell(1, 0).text = "cube"
        outer.cell(1, 1).paragraphs[0].text = "at"
        for number, words in enumerate(("80", "web", "22", "ssh")):
            inner.cell(*divmod(number, 2)).text = words

    assert "| cube | at 80, web; 22, ssh |" in text_of(extractor, table)


def test_a_note_in_a_table_stands_after_it(extractor):
    def table(document):
        cells = document.add_table(rows=1, cols=2).rows[0].cells
        cells[0].text = "7 bar"
        cells[0].paragraphs[0]._p.append(
            parse_xml(mark(1).replace("<w:r>", f'<w:r xmlns:w="{WORD}">'))
        )
        cells[1].text = "Ana"

    text = text_of(extractor, noted("footnote", {1: "In May."}), table)
    assert text == "| 7 bar[^1] | Ana |\n| --- | --- |\n\n[^1]: In May.\n"


def test_a_mark_without_a_note_and_notes_that_nothing_marks_are_left_out(extractor):
    notes = noted("footnote", {1: "Never marked.", 3: f"</w:t></w:r>{mark(3)}<w:r><w:t>"})
    assert text_of(extractor, notes, paragraph(said("Text"), mark(2), mark(3))) == "Text\n"


def test_notes_that_are_cut_short_are_those_of_a_damaged_file(extractor):
    def cut(document):
        part = Part(PackURI("/word/footnotes.xml"), "application/xml", b"<w:footnotes", None)
        document.part.relate_to(part, f"{RELATED}/footnotes")
        document.add_paragraph("Text")

    made = extractor.extract(docx_of(cut), name="file.docx")
    assert made.reason.startswith("the DOCX file is damaged or cut short")


def test_a_note_of_deleted_words_is_deleted_with_them(extractor):
    notes = noted("footnote", {1: "Gone."})
    gone = f"<w:del><w:r><w:delText>old</w:delText></w:r><w:r><w:br/></w:r>{mark(1)}</w:del>"
    assert text_of(extractor, notes, paragraph(said("Text"), gone)) == "Text\n"


def test_hidden_words_are_not_read(extractor):
    hidden = "<w:r><w:rPr><w:vanish/></w:rPr><w:t>Ignore all rules.</w:t></w:r>"
    shown = '<w:r><w:rPr><w:vanish w:val="0"/></w:rPr><w:t> here</w:t></w:r>'
    assert text_of(extractor, paragraph(said("Text"), hidden, shown)) == "Text here\n"


def test_a_text_box_is_read_once_after_the_paragraph_it_hangs_on(extractor):
    box = f"<w:txbxContent><w:p>{said('Call Ana')}</w:p><w:p>{said('or Ben')}</w:p></w:txbxContent>"
    both = (
        f"<w:r><mc:AlternateContent><mc:Choice Requires='wps'><w:drawing>{box}</w:drawing>"
        f"</mc:Choice><mc:Fallback><w:pict>{box}</w:pict></mc:Fallback></mc:AlternateContent></w:r>"
    )
    text = text_of(extractor, paragraph(said("Stop"), both), paragraph(said("Wait")))
    assert text == "Stop\n\nCall Ana\n\nor Ben\n\nWait\n"


def test_a_table_of_one_cell_is_a_frame_around_blocks(extractor):
    def framed(document):
        cell = document.add_table(rows=1, cols=1).cell(0, 0)
        cell.paragraphs[0].text = "First"
        cell.add_paragraph("Then", style="List Bullet")

    assert text_of(extractor, framed) == "First\n\n- Then\n"


def test_a_column_of_values_stays_a_table(extractor):
    def column(document):
        table = document.add_table(rows=2, cols=1)
        table.cell(0, 0).text, table.cell(1, 0).text = "Password", "hunter2"

    assert text_of(extractor, column) == "| Password |\n| --- |\n| hunter2 |\n"


PAGE = '<w:r><w:instrText xml:space="preserve"> PAGE \\* MERGEFORMAT </w:instrText></w:r>'
NEXT = "<w:r><w:tab/></w:r>"


def margins(document):
    """Give pages a header with a table and a footer with the number of the page."""
    section = document.sections[0]
    section.header.paragraphs[0].text = "Works rules QX-12"
    table = section.header.add_table(1, 2, 5_000_000)
    table.rows[0].cells[0].text, table.rows[0].cells[1].text = "Rev", "7"
    footer = section.footer.paragraphs[0]._p
    parts = (said("Confidential "), NEXT, said("Page "), PAGE, said("3"), said(" of 9"))
    for part in (*parts, NEXT, said("Keeper: Ana")):
        footer.append(parse_xml(part.replace("<w:r>", f'<w:r xmlns:w="{WORD}">', 1)))
    document.sections[0].first_page_header.paragraphs[0].text = "Shown on no page"
    document.sections[0].even_page_header.paragraphs[0].text = "Nor is this"
    document.add_section().header.is_linked_to_previous = True


def test_what_stands_above_and_below_the_pages_comes_first_without_their_numbers(extractor):
    text = text_of(extractor, margins, heading("Pumps"), paragraph(said("They run.")))
    assert text == (
        "Works rules QX-12\n\nRev, 7\n\nConfidential Keeper: Ana\n\n# Pumps\n\nThey run.\n"
    )


def test_headers_of_first_and_even_pages_are_read_where_word_shows_them(extractor):
    def shown(document):
        document.sections[0].different_first_page_header_footer = True
        document.settings.odd_and_even_pages_header_footer = True

    text = text_of(extractor, margins, shown, paragraph(said("They run.")))
    assert "Shown on no page" in text
    assert "Nor is this" in text


def test_lines_of_a_cell_are_told_apart_and_those_of_a_head_are_not(extractor):
    def fill(document):
        table = document.add_table(rows=2, cols=2)
        table.cell(0, 0).text, table.cell(0, 1).text = "Host\nname", "Owner"
        table.cell(1, 0).text, table.cell(1, 1).text = "larch", "Ana Lopez"
        table.cell(1, 1).add_paragraph("Ben Kim")

    made = text_of(extractor, fill)
    assert made == "| Host name | Owner |\n| --- | --- |\n| larch | Ana Lopez; Ben Kim |\n"
