"""Marks of a Word file that carry meaning: raised, struck, numbered, tracked, filled in."""

from __future__ import annotations

from io import BytesIO
from zipfile import ZipFile

import pytest

from wellworn.engines.extraction import Extracted, ExtractionSettings, Extractor

WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
PACKAGE = "http://schemas.openxmlformats.org/package/2006"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
MATH = "http://schemas.openxmlformats.org/officeDocument/2006/math"
CHUNK = "what is put in from a file of another kind was left out; save it anew in Word"
MAIN = "application/vnd.openxmlformats-officedocument.wordprocessingml"


@pytest.fixture(scope="module")
def extractor():
    made = Extractor(ExtractionSettings())
    yield made
    made.close()


def docx_of(body, *, numbering="", styles="", core=""):
    """Make a DOCX file of bare XML, with no part that is not asked for."""
    parts = {"word/document.xml": f"<w:document {SPACES}><w:body>{body}</w:body></w:document>"}
    types, inner, outer = {"word/document.xml": "document.main"}, "", ""
    for name, content in (("numbering", numbering), ("styles", styles)):
        if content:
            parts[f"word/{name}.xml"] = f"<w:{name} {SPACES}>{content}</w:{name}>"
            types[f"word/{name}.xml"] = name
            kind = f"{OFFICE}/{name}"
            inner += f'<Relationship Id="{name}" Type="{kind}" Target="{name}.xml"/>'
    if core:
        terms = "http://purl.org/dc/elements/1.1/"
        parts["docProps/core.xml"] = (
            f'<cp:coreProperties xmlns:cp="{PACKAGE}/metadata/core-properties"'
            f' xmlns:dc="{terms}"><dc:title>{core}</dc:title></cp:coreProperties>'
        )
        kind = f"{PACKAGE}/relationships/metadata/core-properties"
        outer = f'<Relationship Id="core" Type="{kind}" Target="docProps/core.xml"/>'
    overrides = "".join(
        f'<Override PartName="/{name}" ContentType="{MAIN}.{kind}+xml"/>'
        for name, kind in types.items()
    )
    if core:
        kind = "application/vnd.openxmlformats-package.core-properties+xml"
        overrides += f'<Override PartName="/docProps/core.xml" ContentType="{kind}"/>'
    main = f'<Relationship Id="main" Type="{OFFICE}/officeDocument" Target="word/document.xml"/>'
    parts |= {
        "[Content_Types].xml": (
            f'<Types xmlns="{PACKAGE}/content-types"><Default Extension="rels" ContentType='
            f'"application/vnd.openxmlformats-package.relationships+xml"/>{overrides}</Types>'
        ),
        "_rels/.rels": related(main + outer),
        "word/_rels/document.xml.rels": related(inner),
    }
    raw = BytesIO()
    with ZipFile(raw, "w") as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return raw.getvalue()


SPACES = f'xmlns:w="{WORD}" xmlns:m="{MATH}"'


def related(entries):
    return f'<Relationships xmlns="{PACKAGE}/relationships">{entries}</Relationships>'


def run(text, marks=""):
    return f'<w:r><w:rPr>{marks}</w:rPr><w:t xml:space="preserve">{text}</w:t></w:r>'


def line(*runs, marks=""):
    inside = "".join(each if each.startswith("<") else run(each) for each in runs)
    return f"<w:p><w:pPr>{marks}</w:pPr>{inside}</w:p>"


def numbered(text, number, depth=0):
    return line(
        text, marks=f'<w:numPr><w:ilvl w:val="{depth}"/><w:numId w:val="{number}"/></w:numPr>'
    )


def levels(*shapes):
    return "".join(
        f'<w:lvl w:ilvl="{depth}"><w:start w:val="{start}"/><w:numFmt w:val="{shape}"/>'
        f'<w:lvlText w:val="{text}"/></w:lvl>'
        for depth, (shape, text, start) in enumerate(shapes)
    )


def numbering(shapes, *numbers):
    made = f'<w:abstractNum w:abstractNumId="0">{levels(*shapes)}</w:abstractNum>'
    for number, start in enumerate(numbers, start=1):
        override = (
            f'<w:lvlOverride w:ilvl="0"><w:startOverride w:val="{start}"/></w:lvlOverride>'
            if start
            else ""
        )
        made += f'<w:num w:numId="{number}"><w:abstractNumId w:val="0"/>{override}</w:num>'
    return made


def read(extractor, body, **parts):
    made = extractor.extract(docx_of(body, **parts), name="file.docx")
    assert isinstance(made, Extracted), made
    return made


SUPER = '<w:vertAlign w:val="superscript"/>'
SUB = '<w:vertAlign w:val="subscript"/>'


@pytest.mark.parametrize(
    ("runs", "text"),
    [
        (["3×10", run("6", SUPER), " W"], "3×10^6 W"),
        (["10", run("-", SUPER), run("6", SUPER)], "10^-6"),
        (["ends in 20", "31", run("4", SUPER), " for"], "ends in 2031[^4] for"),
        (["H", run("2", SUB), "O"], "H2O"),
        (["The fee is ", run("80", "<w:strike/>"), " 65"], "The fee is ~~80~~ 65"),
        ([run("80", "<w:dstrike/>"), run(" euro", "<w:strike/>"), " 65"], "~~80 euro~~ 65"),
        ([run("80", '<w:strike w:val="0"/>'), " 65"], "80 65"),
        ([run("80", '<w:rStyle w:val="Old"/>'), " 65"], "~~80~~ 65"),
        ([run("80", '<w:rStyle w:val="Older"/>'), " 65"], "~~80~~ 65"),
        ([run("80", '<w:rStyle w:val="Gone"/>'), "65"], "65"),
        (
            [
                "3×",
                (
                    "<m:oMath><m:sSup><m:e><m:r><m:t>10</m:t></m:r></m:e>"
                    "<m:sup><m:r><m:t>6</m:t></m:r></m:sup></m:sSup></m:oMath>"
                ),
            ],
            "3×10^6",
        ),
        (
            [
                "2",
                (
                    "<m:oMath><m:f><m:num><m:r><m:t>1</m:t></m:r></m:num>"
                    "<m:den><m:r><m:t>2</m:t></m:r></m:den></m:f></m:oMath>"
                ),
            ],
            "2 (1)/(2)",
        ),
        (["5 ", '<w:r><w:sym w:font="Symbol" w:char="F057"/></w:r>'], "5 Ω"),
        (["a", '<w:r><w:sym w:font="Symbol" w:char="F021"/></w:r>'], "a\ufffd"),
        (['<w:r><w:sym w:font="Wingdings" w:char="F0FE"/></w:r>', " lit"], "[x] lit"),
    ],
)
def test_runs_keep_their_marks(extractor, runs, text):
    styles = (
        '<w:style w:styleId="Old" w:type="character"><w:rPr><w:strike/></w:rPr></w:style>'
        '<w:style w:styleId="Older" w:type="character"><w:basedOn w:val="Old"/></w:style>'
        '<w:style w:styleId="Gone" w:type="character"><w:rPr><w:vanish/></w:rPr></w:style>'
    )
    assert read(extractor, line(*runs), styles=styles).text == f"{text}\n"


DELETED = '<w:rPr><w:del w:id="1" w:author="A"/></w:rPr>'
MOVED = '<w:rPr><w:moveFrom w:id="1" w:author="A"/></w:rPr>'


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (
            line("The valve code is ", marks=DELETED) + line("VX-300."),
            "The valve code is VX-300.\n",
        ),
        (line("a ", marks=DELETED) + line("b ", marks=MOVED) + line("c"), "a b c\n"),
        (line("last", marks=DELETED), "last\n"),
        (line(marks=DELETED) + line("b"), "b\n"),
    ],
)
def test_paragraphs_whose_end_is_deleted_are_one(extractor, body, text):
    assert read(extractor, body).text == text


def test_deleted_rows_and_cells_are_left_out_and_inserted_ones_kept(extractor):
    def row(*cells, marks=""):
        inside = "".join(f"<w:tc>{cell}</w:tc>" for cell in cells)
        return f"<w:tr><w:trPr>{marks}</w:trPr>{inside}</w:tr>"

    gone = f'<w:tcPr><w:cellDel w:id="1" w:author="A"/></w:tcPr>{line("x")}'
    body = "".join(
        [
            row(line("Item"), line("Limit"), marks="<w:tblHeader/>"),
            row(line("A"), line("12"), gone),
            row(line("B"), line("20"), marks='<w:del w:id="1" w:author="A"/>'),
            row(line("C"), line("30"), marks='<w:ins w:id="1" w:author="A"/>'),
            row(line("7"), marks='<w:gridBefore w:val="1"/>'),
        ]
    )
    table = "| Item | Limit |\n| --- | --- |\n| A | 12 |\n| C | 30 |\n|  | 7 |\n"
    assert read(extractor, f"<w:tbl>{body}</w:tbl>").text == table


def test_several_rows_of_heads_are_one(extractor):
    def row(*cells, marks=""):
        return f"<w:tr><w:trPr>{marks}</w:trPr>{''.join(cells)}</w:tr>"

    def cell(text, marks=""):
        return f"<w:tc><w:tcPr>{marks}</w:tcPr>{line(text)}</w:tc>"

    head = "<w:tblHeader/>"
    body = "".join(
        [
            row(
                cell("Pump", '<w:vMerge w:val="restart"/>'),
                cell("2024", '<w:gridSpan w:val="2"/>'),
                marks=head,
            ),
            row(cell("", "<w:vMerge/>"), cell("Q1"), cell("Q2"), marks=head),
            row(cell("A"), cell("1"), cell("2")),
        ]
    )
    table = "| Pump | 2024 Q1 | 2024 Q2 |\n| --- | --- | --- |\n| A | 1 | 2 |\n"
    assert read(extractor, f"<w:tbl>{body}</w:tbl>").text == table


@pytest.mark.parametrize(
    ("shapes", "numbers", "items", "text"),
    [
        ([("decimal", "%1.", 5)], [0], [("a", 1), ("b", 1)], "5. a\n6. b\n"),
        ([("lowerLetter", "(%1)", 1)], [0], [("a", 1), ("b", 1)], "- (a) a\n- (b) b\n"),
        ([("upperRoman", "%1.", 4)], [0], [("a", 1)], "- IV. a\n"),
        ([("decimal", "%1)", 1)], [0], [("a", 1)], "1) a\n"),
        ([("decimal", "%1.", 1)], [0, 0], [("a", 1), ("b", 2), ("c", 1)], "1. a\n2. b\n3. c\n"),
        ([("decimal", "%1.", 1)], [0, 1], [("a", 1), ("b", 2), ("c", 2)], "1. a\n1. b\n2. c\n"),
        ([("decimal", "%1.", 1)], [0, 7], [("a", 1), ("b", 2)], "1. a\n7. b\n"),
        ([("bullet", "•", 1)], [0], [("a", 1)], "- a\n"),
    ],
)
def test_items_have_the_labels_that_word_shows(extractor, shapes, numbers, items, text):
    body = "".join(numbered(*item) for item in items)
    assert read(extractor, body, numbering=numbering(shapes, *numbers)).text == text


def test_items_of_a_list_in_a_cell_stay_apart_and_keep_their_labels(extractor):
    def row(*cells):
        return "<w:tr>" + "".join(f"<w:tc>{cell}</w:tc>" for cell in cells) + "</w:tr>"

    body = "".join(
        [
            row(line("Key"), line("Steps")),
            row(line("a"), numbered("First item", 1) + numbered("Second item", 1)),
            row(numbered("", 2), line("words") + line("more words")),
            row(numbered("", 2), line("Do:") + numbered("sand", 3)),
        ]
    )
    made = read(
        extractor,
        f"<w:tbl>{body}</w:tbl>" + numbered("after", 1),
        numbering=numbering([("decimal", "%1.", 1)], 0, 1, 1),
    )
    assert made.text == (
        "| Key | Steps |\n| --- | --- |\n| a | 1. First item; 2. Second item |\n"
        "| 1. | words; more words |\n| 2. | Do: 1. sand |\n\n2. after\n"
    )


def test_a_label_may_name_the_levels_above_it(extractor):
    shapes = [("decimal", "%1.", 1), ("decimal", "%1.%2", 1)]
    items = [("a", 1, 0), ("b", 1, 1), ("c", 1, 1), ("d", 1, 0), ("e", 1, 1)]
    body = "".join(numbered(*item) for item in items)
    text = "1. a\n  - 1.1 b\n  - 1.2 c\n2. d\n  - 2.1 e\n"
    assert read(extractor, body, numbering=numbering(shapes, 0)).text == text


def test_a_numbered_heading_has_its_number(extractor):
    styles = (
        '<w:style w:styleId="H1" w:type="paragraph"><w:name w:val="heading 1"/><w:pPr><w:numPr>'
        '<w:numId w:val="1"/></w:numPr></w:pPr></w:style>'
    )
    body = "".join(line(each, marks='<w:pStyle w:val="H1"/>') for each in ("Pumps", "Fans"))
    made = read(
        extractor, body, styles=styles, numbering=numbering([("decimal", "Article %1", 1)], 0)
    )
    assert made.text == "# Article 1 Pumps\n\n# Article 2 Fans\n"


@pytest.mark.parametrize("core", ["", "Word Document", "Untitled", "Microsoft Word - x.doc"])
def test_a_stand_in_is_no_title(extractor, core):
    styles = '<w:style w:styleId="H1" w:type="paragraph"><w:name w:val="heading 1"/></w:style>'
    body = line("Plant rules", marks='<w:pStyle w:val="H1"/>') + line("The gate opens at 5.")
    assert read(extractor, body, styles=styles, core=core).title == "Plant rules"


def test_a_title_of_the_properties_is_the_title(extractor):
    assert read(extractor, line("text"), core="Rules of the plant").title == "Rules of the plant"


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (
            (
                "<w:sdt><w:sdtPr><w:showingPlcHdr/></w:sdtPr><w:sdtContent>"
                "<w:r><w:t>Click here.</w:t></w:r></w:sdtContent></w:sdt>"
            ),
            "Keeper:\n",
        ),
        (
            "<w:sdt><w:sdtPr/><w:sdtContent><w:r><w:t>Odd</w:t></w:r></w:sdtContent></w:sdt>",
            "Keeper: Odd\n",
        ),
        (
            (
                '<w:r><w:fldChar w:fldCharType="begin"><w:ffData><w:checkBox><w:default w:val="0"/>'
                "<w:checked/></w:checkBox></w:ffData></w:fldChar></w:r>"
            ),
            "Keeper: [x]\n",
        ),
        (
            (
                '<w:r><w:fldChar w:fldCharType="begin"><w:ffData><w:ddList><w:result w:val="1"/>'
                '<w:listEntry w:val="Ana"/><w:listEntry w:val="Ben"/></w:ddList></w:ffData>'
                "</w:fldChar></w:r>"
            ),
            "Keeper: Ben\n",
        ),
        (
            (
                '<w:r><w:fldChar w:fldCharType="begin"><w:ffData><w:ddList><w:default w:val="1"/>'
                '<w:listEntry w:val="Ana"/><w:listEntry w:val="Cy"/></w:ddList></w:ffData>'
                "</w:fldChar></w:r>"
            ),
            "Keeper: Cy\n",
        ),
    ],
)
def test_fields_say_what_is_filled_in(extractor, body, text):
    assert read(extractor, line("Keeper: ", body)).text == text


def test_what_is_put_in_from_another_file_is_said_to_be_left_out(extractor):
    chunk = "<w:altChunk/>"
    made = read(extractor, line("The yard opens at seven.") + chunk)
    assert made.flags == (CHUNK,)
    assert extractor.extract(docx_of(chunk), name="a.docx").reason == CHUNK


def mark(kind):
    return f'<w:r><w:fldChar w:fldCharType="{kind}"/></w:r>'


def field(instruction, *inside):
    code = "".join(f"<w:r><w:instrText>{part}</w:instrText></w:r>" for part in instruction)
    shown = "".join(each if each.startswith("<") else run(each) for each in inside)
    return mark("begin") + code + mark("separate") + shown + mark("end")


@pytest.mark.parametrize(
    ("parts", "text"),
    [
        (
            ["Read ", field([' HYPERLINK "https://e.org/m" \\h '], "the manual"), " first."],
            "Read [the manual](https://e.org/m) first.",
        ),
        ([field([" HYPER", 'LINK "https://e.org/m"'], "a", "b"), "c"], "[ab](https://e.org/m)c"),
        (
            [field(["HYPERLINK https://e.org/m"], field([" DATE "], "4 May"))],
            "[4 May](https://e.org/m)",
        ),
        (
            [
                '<w:fldSimple w:instr=" HYPERLINK &quot;https://e.org/m&quot; ">'
                + run("m")
                + "</w:fldSimple>"
            ],
            "[m](https://e.org/m)",
        ),
        ([field([' HYPERLINK \\l "part" '], "below")], "below"),
        ([field([' HYPERLINK "javascript:run()" '], "go")], "go"),
        ([mark("end"), mark("begin"), run("open"), mark("separate"), run(" field")], "open field"),
    ],
)
def test_a_link_that_is_a_field_keeps_where_it_leads(extractor, parts, text):
    assert read(extractor, line(*parts)).text == f"{text}\n"
