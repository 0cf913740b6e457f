"""Links of web pages and Word files: the addresses that can be found and cited afterwards."""

from __future__ import annotations

import pytest

from integration.files_to_read import docx_of
from wellworn.domain.sources.identifiers import find_identifiers
from wellworn.engines.extraction import ExtractionSettings, Extractor


@pytest.fixture(scope="module")
def extractor():
    made = Extractor(ExtractionSettings())
    yield made
    made.close()


def page(extractor, body):
    made = extractor.extract(f"<html><body>{body}</body></html>".encode(), name="page.html")
    return made.text


def test_a_page_keeps_where_its_links_lead(extractor):
    text = page(
        extractor,
        "<p>See <a href='https://x.example/d/7'>the <b>board</b></a>, <a href='#top'>top</a>.</p>",
    )
    assert text == "See [the board](https://x.example/d/7), top.\n"
    assert [one.value for one in find_identifiers(text)] == ["https://x.example/d/7"]


def test_a_list_of_links_stays_a_list(extractor):
    text = page(extractor, "<ul><li><a href=a.html>A</a></li><li><a href=b.html>B</a>: b</li></ul>")
    assert text == "- [A](a.html)\n- [B](b.html): b\n"


def test_a_cell_keeps_where_its_links_lead(extractor):
    row = "<tr><td><a href='https://x.example/1'>Pumps <i>1</i></a> now</td><td>Ana</td></tr>"
    text = page(extractor, f"<table><tr><th>Board</th><th>Owner</th></tr>{row}</table>")
    assert text.endswith("| [Pumps 1](https://x.example/1) now | Ana |\n")


def test_a_link_around_blocks_is_one_on_its_first_words(extractor):
    text = page(extractor, "<a href='/card'><div><img></div><h3>Card</h3><p>What it is</p></a>")
    assert text == "### [Card](/card)\n\nWhat it is\n"


def test_the_name_of_a_page_is_its_heading_without_the_link(extractor):
    raw = b"<html><h1><a href='https://x.example'>Pumps</a></h1><p>text</p></html>"
    assert extractor.extract(raw, name="page.html").title == "Pumps"


def test_inside_of_a_site_the_first_of_equal_links_is_kept(extractor):
    text = page(
        extractor,
        "<p><a href=vec.html><img></a><a href=vec.html>Vec</a> and <a href=vec.html>Vec</a>,"
        " <a href='https://x.example'>X</a> and <a href='https://x.example'>X</a></p>",
    )
    assert text == ("[Vec](vec.html) and Vec, [X](https://x.example) and [X](https://x.example)\n")


def test_links_to_the_pages_before_and_after_are_words(extractor):
    body = (
        "<p>text</p><p><a rel='next prefetch' href=b.html>On</a> <a rel=prev href=a.html>Back</a>"
    )
    assert page(extractor, body) == "text\n\nOn Back\n"


def test_a_link_around_a_block_begins_after_the_words_before_it(extractor):
    text = page(extractor, "<div>See <a href='/card'><div>Card</div></a></div>")
    assert text == "See\n\n[Card](/card)\n"


def test_a_name_in_a_heading_is_no_link(extractor):
    text = page(extractor, "<h2>New in <a href='https://x.example'>1.2</a></h2><p>text</p>")
    assert text == "## New in 1.2\n\ntext\n"


RELATED = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"


def linking(document, related):
    paragraph = document.add_paragraph("See ")
    link = paragraph._p.makeelement(paragraph._p.tag.replace("}p", "}hyperlink"))
    link.set(f"{{{RELATED}}}id", related)
    link.append(document.add_paragraph("the board").runs[0]._r)
    paragraph._p.append(link)


def test_a_word_file_keeps_where_its_links_lead(extractor):
    def fill(document):
        to = document.part.relate_to(
            "https://x.example/d/7", f"{RELATED}/hyperlink", is_external=True
        )
        linking(document, to)

    made = extractor.extract(docx_of(fill), name="file.docx")
    assert made.text == "See [the board](https://x.example/d/7)\n"


@pytest.mark.parametrize("related", ["styles", "rId999"])
def test_a_link_of_a_word_file_to_its_own_parts_is_words(extractor, related):
    def fill(document):
        styles = document.part.part_related_by(f"{RELATED}/styles")
        own = document.part.relate_to(styles, f"{RELATED}/styles")
        linking(document, own if related == "styles" else related)

    assert extractor.extract(docx_of(fill), name="file.docx").text == "See the board\n"
