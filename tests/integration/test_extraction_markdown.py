"""HTML in a Markdown file: read as Markdown, all else as it was written."""

from __future__ import annotations

import pytest

from wellworn.engines.extraction import Extracted, ExtractionSettings, Extractor


@pytest.fixture(scope="module")
def extractor():
    made = Extractor(ExtractionSettings())
    yield made
    made.close()


def read(extractor, text):
    made = extractor.extract(text.encode(), name="notes.md")
    assert isinstance(made, Extracted)
    return made


@pytest.mark.parametrize(
    ("text", "read_as"),
    [
        ("3×10<sup>6</sup> W", "3×10^6 W"),
        ("ends in 2031<sup>4</sup> now", "ends in 2031[^4] now"),
        ("5<sup>1</sup>/<sub>2</sub> in", "5 1/2 in"),
        ("H<sub>2</sub>O & x &nbsp; **y**", "H2O & x &nbsp; **y**"),
        ("The fee is <del>80</del> 65.", "The fee is ~~80~~ 65."),
        ("<s>one\ntwo</s> three", "~~one~~\n~~two~~ three"),
        ("a<br>b<br/>\nc", "a\nb\n\nc"),
        ("| a<br>b | c<sup>2</sup> |\n| --- | --- |\n", "| a b | c^2 |\n| --- | --- |\n"),
        ("a<br>b | c\n--- | ---\nd<br/>e | f\n", "a b | c\n--- | ---\nd; e | f\n"),
        ("a|b\n-|-\nAna Lopez<br>Ben Kim<br>|c\n", "a|b\n-|-\nAna Lopez; Ben Kim |c\n"),
        ("a|b\n-|-\n<br>d.<br><br>E<br>(f)|`c`<br>d\n", "a|b\n-|-\n d. E (f)|`c`; d\n"),
        ("> | a<br>b | c |\n> | --- | --- |\n", "> | a b | c |\n> | --- | --- |\n"),
        ("# one<br>two\n\nthree<br>four\n", "# one two\n\nthree\nfour\n"),
        ("one<br>two\n=======\n", "one two\n=======\n"),
        ("press <kbd>Ctrl</kbd>, see <a href='y.md'>why</a>", "press `Ctrl`, see [why](y.md)"),
        ("[x] <input type=checkbox checked> lit", "[x]  [x]  lit"),
        ("- item with <b>bold</b> **x**", "- item with bold **x**"),
        ("# <a id='t'></a>Title <small>x</small>", "# <a id='t'></a>Title x"),
        ("gate<td>8081</td>", "gate 8081 "),
        ("<figure><img alt='A pump'><figcaption>Fig. 3</figcaption></figure>", "A pump\n\nFig. 3"),
        ("<h1 align=center>The plant</h1>\ntext", "# The plant\n\ntext"),
        ("above\n<p>one</p>\n", "above\n\none\n"),
        ("> <p>one</p><p>two</p>\n> three", "> one\n>\n> two\n>\n> three"),
        ("- a\n\n  <p>b</p><p>c</p>\n", "- a\n\n  b\n\n  c\n"),
        (
            "<details><summary>More</summary>\n\n- **b**\n\n</details>\n",
            "More\n\n- **b**\n\n\n",
        ),
        (
            "<table>\n<tr><td>gate<td>8081\n\n<tr><td>door<td>9091\n</table>\n",
            "|  |  |\n| --- | --- |\n| gate | 8081 |\n| door | 9091 |\n",
        ),
        ("<tr><td>gate<td>8081\n", "|  |  |\n| --- | --- |\n| gate | 8081 |\n"),
        ("<tr><td>gate\n", "gate\n"),
    ],
)
def test_html_in_a_text_is_read_as_markdown(extractor, text, read_as):
    made = read(extractor, text).text
    assert made.replace(" >", ">") == read_as.replace(" >", ">")


@pytest.mark.parametrize(
    "text",
    [
        "`10<sup>6</sup>` is code",
        "```html\n<p>code</p>\n```\n",
        "    <p>indented code</p>\n",
        "<!-- a comment <b>x</b> -->\n",
        "A List<String> and <https://plant.example> and a < b > c",
        "<Tabs>\n<Tab>hi</Tab>\n</Tabs>\n",
        "---\ntitle: <b>x</b>\n---\ntext",
        "<a id='here'></a>text",
        "\\<b>no tag\\</b>",
    ],
)
def test_what_is_no_html_of_the_text_stays_as_it_was_written(extractor, text):
    assert read(extractor, text).text == text


def test_the_title_of_a_page_in_html_is_found(extractor):
    assert read(extractor, "<h1 align='center'>The plant</h1>\n\ntext").title == "The plant"


def test_hostile_html_stays_as_it_was_written(extractor):
    text = "<b>" * 5_000 + "x"
    assert read(extractor, text).text == text


@pytest.mark.parametrize("hostile", ["x<sup>6</sup>", "<p>a\n\n", "<del>x\n", "<tr><td>x\n\n"])
def test_very_much_html_is_read_in_part_and_says_so(extractor, hostile):
    made = read(extractor, hostile * 20_000)
    assert made.flags == ("some of the HTML in it was left as it is, as there is much",)
