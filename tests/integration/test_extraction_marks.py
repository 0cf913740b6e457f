"""Marks of a page that carry meaning: raised, struck, numbered, captioned, filled in."""

from __future__ import annotations

import pytest

from wellworn.engines.extraction import Extracted, ExtractionSettings, Extractor


@pytest.fixture(scope="module")
def extractor():
    made = Extractor(ExtractionSettings())
    yield made
    made.close()


def text_of(extractor, page):
    made = extractor.extract(f"<!DOCTYPE html><body>{page}".encode(), name="page.html")
    assert isinstance(made, Extracted)
    return made.text.rstrip("\n")


def test_code_that_a_wiki_keeps_as_characters_is_read_and_hidden_ones_are_not(extractor):
    kept = "<ac:code><ac:body><![CDATA[drain <node>\n  --now]]></ac:body></ac:code>"
    assert text_of(extractor, f"<p>Run:</p>{kept}") == "Run:\n\n```\ndrain <node>\n  --now\n```"
    assert text_of(extractor, "<p>Shown <![CDATA[never]]> here <![CDATA[open") == "Shown here"


@pytest.mark.parametrize(
    ("page", "text"),
    [
        ("<p>3&times;10<sup>6</sup> W", "3×10^6 W"),
        ("<p>ends in 2031<sup>4</sup> for plot 12", "ends in 2031[^4] for plot 12"),
        ("<p>plot 12<sup><a href='#n4'>4</a></sup>", "plot 12[^4]"),
        ("<p>plot 12<a href='#n4'><sup>4</sup></a>", "plot 12[^4]"),
        ("<p>10<span style='vertical-align: super'>6</span>", "10^6"),
        ("<p>H<sub>2</sub>O and V<sub>max</sub>", "H2O and V_max"),
        ("<p>5<sup>1</sup>/<sub>2</sub> in", "5 1/2 in"),
        ("<p>5<sup>1</sup>&frasl;<sub>2</sub> in", "5 1⁄2 in"),
        ("<p><code>10<sup>6</sup></code>", "`10^6`"),
        ("<pre>10<sup>6</sup></pre>", "```\n10^6\n```"),
        ("<h2>10<sup>6</sup> W</h2>", "## 10^6 W"),
        ("<p><math><msup><mn>10</mn><mn>6</mn></msup></math>", "10^6"),
        ("<p><math><msub><mi>V</mi><mi>max</mi></msub></math>", "V_max"),
        ("<p>2<math><mfrac><mn>1</mn><mn>2</mn></mfrac></math>", "2 (1)/(2)"),
        ("<ul><li>10<sup>6</sup>", "- 10^6"),
    ],
)
def test_raised_numbers_stay_apart(extractor, page, text):
    assert text_of(extractor, page) == text


@pytest.mark.parametrize(
    ("page", "text"),
    [
        ("<p>The fee is <del>80</del> <ins>65</ins> euro.", "The fee is ~~80~~ 65 euro."),
        ("<p>Gate port: <s>8081</s> 9091.", "Gate port: ~~8081~~ 9091."),
        ("<p><strike>80</strike> 65", "~~80~~ 65"),
        ("<p><span style='text-decoration:line-through'>80</span> 65", "~~80~~ 65"),
        ("<p><i style='color:red;text-decoration-line: line-through'>80</i> 65", "~~80~~ 65"),
        ("<p><b>fee <del>80</del></b> 65", "fee ~~80~~ 65"),
        ("<del><p>Old.</p><ul><li>item</ul></del><p>New.", "~~Old.~~\n\n- ~~item~~\n\nNew."),
        ("<pre>port=<del>8081</del>9091</pre>", "```\nport=9091\n```"),
        ("<p><del>see <a href='/x'>x</a></del>", "~~see [x](/x)~~"),
    ],
)
def test_what_is_struck_says_so(extractor, page, text):
    assert text_of(extractor, page) == text


def test_a_cell_keeps_its_marks(extractor):
    page = (
        "<table><tr><th>Load<sup>2</sup><th>Fee<tr><td>10<sup>6</sup>"
        "<td><del>80</del> 65 <span hidden>secret</span></table>"
    )
    assert text_of(extractor, page).endswith("| 10^6 | ~~80~~ 65 |")


@pytest.mark.parametrize(
    ("items", "text"),
    [
        ("<ol start=5><li>five<li value=9>nine<li>ten", "5. five\n9. nine\n10. ten"),
        ("<ol reversed><li>c<li>b<li>a", "3. c\n2. b\n1. a"),
        ("<ol reversed start=9><li>c<li>b", "9. c\n8. b"),
        ("<ol start=-1><li>a<li>b", "- -1. a\n0. b"),
        ("<ol type=a><li>x<li>y", "- a. x\n- b. y"),
        ("<ol type=I start=4><li>x<li value=9>y", "- IV. x\n- IX. y"),
        ("<ol style='list-style-type: lower-roman'><li>x", "- i. x"),
        ("<ol><li type=A>x", "- A. x"),
        ("<ol start=x><li value=y>x", "1. x"),
    ],
)
def test_items_have_the_numbers_that_a_browser_shows(extractor, items, text):
    assert text_of(extractor, items) == text


def test_the_caption_of_a_table_stands_above_it(extractor):
    page = (
        "<table><caption>Pumps of <b>May</b> (CT-52)</caption>"
        "<tr><th>Pump<th>Bar<tr><td>P-1<td>5</table>"
    )
    table = "| Pump | Bar |\n| --- | --- |\n| P-1 | 5 |"
    assert text_of(extractor, page) == f"Pumps of May (CT-52)\n\n{table}"


STRIKE = "<style>{}</style><p><b class='strike big'>80</b> <i id=new>65</i>"


@pytest.mark.parametrize(
    ("rules", "text"),
    [
        (".strike { text-decoration: line-through }", "~~80~~ 65"),
        ("i{color:red} b.strike, .x {COLOR:red;TEXT-DECORATION: red Line-Through;}", "~~80~~ 65"),
        ("/* .a{ */ @import 'x'; #new{text-decoration-line:line-through}", "80 ~~65~~"),
        ("b,i{text-decoration:line-through} #new{text-decoration:none}", "~~80~~ 65"),
        ("p { color: red } .strike { text-decoration: line-through", "~~80~~ 65"),
        ("p .strike, .x i { text-decoration: line-through }", "~~80~~ 65"),
        ("body p b { text-decoration: line-through }", "~~80~~ 65"),
        # What holds at times, or for what is in something else, is not followed.
        ("@media print { .strike { text-decoration: line-through } }", "80 65"),
        (".strike:hover { text-decoration: line-through }", "80 65"),
        (".x .strike { text-decoration: line-through }", "80 65"),
        (".strike { text-decoration: underline }", "80 65"),
    ],
)
def test_what_a_rule_of_the_page_strikes_is_struck(extractor, rules, text):
    assert text_of(extractor, STRIKE.format(rules)) == text


def test_what_an_element_says_of_itself_holds_before_a_rule(extractor):
    page = "<style>b{text-decoration:line-through}</style><p><b style='text-decoration:none'>80</b>"
    assert text_of(extractor, page) == "80"


def test_cells_of_a_table_are_struck_by_rule_too(extractor):
    page = (
        "<style>.gone{text-decoration:line-through}</style>"
        "<table><tr><th>Gate<th>Port<tr><td>A<td class=gone>8081</table>"
    )
    assert text_of(extractor, page) == "| Gate | Port |\n| --- | --- |\n| A | ~~8081~~ |"


INNER = "<table><thead><tr><th>Port<th>Use<tbody><tr><td>80<td>web<tr><td>22<td>ssh</table>"
INNER_ROWS = "| Port | Use |\n| --- | --- |\n| 80 | web |\n| 22 | ssh |"


def test_a_table_in_a_cell_keeps_its_rows(extractor):
    page = (
        f"<table><tr><th>Host<th>Ports<th>By<tr><td>cube<td>at {INNER}<td>Ana"
        "<tr><td>pump<td>-<td>Ben</table>"
    )
    assert text_of(extractor, page) == (
        "| Host | Ports | By |\n| --- | --- | --- |\n"
        "| cube | at Port, Use; 80, web; 22, ssh | Ana |\n| pump | - | Ben |"
    )


@pytest.mark.parametrize(
    ("rows", "text"),
    [
        (f"<tr><td>Menu<td><p>Words.</p>{INNER}", f"Menu\n\nWords.\n\n{INNER_ROWS}"),
        (f"<tr><td>{INNER}", INNER_ROWS),
        (f"<tr><td>a<td>{INNER}<tr><td>b<td>{INNER}", f"a\n\n{INNER_ROWS}\n\nb\n\n{INNER_ROWS}"),
    ],
)
def test_a_table_in_a_layout_keeps_its_rows(extractor, rows, text):
    assert text_of(extractor, f"<table>{rows}</table>") == text


@pytest.mark.parametrize(
    ("cell", "text"),
    [
        ("<ol><li>First item<li>Second item</ol>", "1. First item; 2. Second item"),
        ("<ol start=5><li>Five</ol>", "5. Five"),
        ("<ol type=a><li>red</li> <li value=4>blue</ol>", "a. red; d. blue"),
        ("<ul><li>red<li>blue</ul>", "red; blue"),
        ("Do: <ol><li>sand<li>paint <ul><li>twice</ul></ol>", "Do: 1. sand; 2. paint twice"),
    ],
)
def test_items_of_a_list_in_a_cell_stay_apart_and_keep_their_numbers(extractor, cell, text):
    page = f"<table><tr><th>Key<th>Steps<tr><td>a<td>{cell}</table>"
    assert text_of(extractor, page) == f"| Key | Steps |\n| --- | --- |\n| a | {text} |"


def test_a_heading_in_a_cell_is_a_value_where_the_columns_are_named(extractor):
    page = "<table><tr><th>Part<th>Opens<tr><td><h2>Login</h2><td><p>in <b>4</b> s</table>"
    assert text_of(extractor, page) == "| Part | Opens |\n| --- | --- |\n| Login | in 4 s |"
    laid_out = "<table><tr><td><h2>Login</h2><td><p>Words.</table>"
    assert text_of(extractor, laid_out) == "## Login\n\nWords."


def test_the_foot_of_a_table_is_its_last_row(extractor):
    page = (
        "<table><thead><tr><th>Item<th>Cost<tfoot><tr><td>Total<td>7<tbody><tr><td>Pen<td>7</table>"
    )
    rows = "| Item | Cost |\n| --- | --- |\n| Pen | 7 |\n| Total | 7 |"
    assert text_of(extractor, page) == rows


def test_names_above_names_of_columns_are_one_head(extractor):
    page = (
        "<table><tr><th rowspan=2>Pump<th colspan=2>2024<th>2025<tr><th>Q1<th>Q2<th>Q1"
        "<tr><td>A<td>1<td>2<td>3</table>"
    )
    head = "| Pump | 2024 Q1 | 2024 Q2 | 2025 Q1 |"
    assert text_of(extractor, page) == f"{head}\n|{' --- |' * 4}\n| A | 1 | 2 | 3 |"


def test_a_table_without_end_tags_is_whole(extractor):
    page = "<table><tr><td>gate<td>8081<tr><td>door<td>9091<p>"
    assert text_of(extractor, page) == "|  |  |\n| --- | --- |\n| gate | 8081 |\n| door | 9091 |"


@pytest.mark.parametrize(
    ("page", "text"),
    [
        ("<p>Name: <input value='Odd'>", "Name: Odd"),
        ("<p>Key: <input type=password value=x> <input type=hidden value=y>", "Key:"),
        ("<p><input type=checkbox checked> lit <input type=radio> dim", "[x] lit [ ] dim"),
        ("<p>Gate: <select><option>a<option selected>bee</select>", "Gate: bee"),
        ("<p>Note: <textarea>Hello\nthere</textarea>", "Note: Hello\nthere"),
        ("<fieldset><legend>Lock</legend><p>shut</fieldset>", "Lock\n\nshut"),
        ("<details><summary>More</summary>inside</details>", "More\n\ninside"),
        ("<figure><img alt='Valve VX-3'><figcaption>Fig. 1</figcaption>", "Valve VX-3\n\nFig. 1"),
        ("<p>The <abbr title='Main Water Pump'>MWP</abbr>", "The MWP (Main Water Pump)"),
        ("<p><ruby>漢<rp>(</rp><rt>kan</rt><rp>)</rp></ruby>", "漢(kan)"),
        ("<p>He said <q>no</q>", 'He said "no"'),
    ],
)
def test_what_a_reader_sees_beside_bare_words_is_kept(extractor, page, text):
    assert text_of(extractor, page) == text


def test_a_cell_spans_to_the_end_of_its_group_of_rows_and_no_further(extractor):
    page = (
        "<table><thead><tr><th>Region<th>Product<th>Units"
        "<tbody><tr><td rowspan=0>EU<td>Cable<td>12<tr><td>Hub<td>7"
        "<tbody><tr><td rowspan=9>US<td>Router<td>31<tr><td>Switch<td>44"
        "<tfoot><tr><td>Total<td>all<td>94</table>"
    )
    rows = "| EU | Cable | 12 |\n| EU | Hub | 7 |\n| US | Router | 31 |\n| US | Switch | 44 |"
    head = "| Region | Product | Units |\n| --- | --- | --- |"
    assert text_of(extractor, page) == f"{head}\n{rows}\n| Total | all | 94 |"


@pytest.mark.parametrize(
    ("page", "text"),
    [
        (
            '<div>at $<div style="display:inline;"><b>5.22</b></div> a share.</div>',
            "at $5.22 a share.",
        ),
        ('<div>at $<p style="color: red; display : inline">5.22</p> each</div>', "at $5.22 each"),
        ("<div>at $<div>5.22</div> each</div>", "at $\n\n5.22\n\neach"),
        ('<div>a<div style="display:inline-block">b</div></div>', "a\n\nb"),
    ],
)
def test_what_stands_within_its_line_parts_no_value(extractor, page, text):
    assert text_of(extractor, page) == text


def test_blocks_in_a_cell_stay_apart_unless_they_stand_within_the_line(extractor):
    inside = '$<div style="display:inline">5.22</div> each'
    page = f"<table><tr><th>A<th>B<tr><td><div>one</div><div>two</div>three<td>{inside}</table>"
    rows = "| A | B |\n| --- | --- |\n| one two three | $5.22 each |"
    assert text_of(extractor, page) == rows


def test_a_cell_that_a_rule_strikes_in_its_row_is_struck(extractor):
    page = (
        "<style>tr.gone td { text-decoration: line-through }</style><table><tr><th>Gate<th>Code"
        "<tr class=gone><td>North<td>4411<tr><td>South<td>5522</table>"
    )
    rows = text_of(extractor, page).split("\n")[2:]
    assert rows == ["| ~~North~~ | ~~4411~~ |", "| South | 5522 |"]


@pytest.mark.parametrize(
    ("first", "head"),
    [
        ("<td>Dog licence<td>12 dollars", "|  |  |"),
        ("<td>Licence<td>Fee", "| Licence | Fee |"),
        ("<th>Of<th>2024", "| Of | 2024 |"),
    ],
)
def test_a_thing_and_its_number_name_no_columns(extractor, first, head):
    page = f"<table><tr>{first}<tr><td>Cat licence<td>7 dollars</table>"
    assert text_of(extractor, page).split("\n")[0] == head
