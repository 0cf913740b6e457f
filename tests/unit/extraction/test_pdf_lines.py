"""Which lines of a PDF are headings, and which only repeat on every page."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from wellworn.engines.extraction.pdf_lines import (
    PdfLine,
    guess_headings,
    match_outline,
    set_largest,
    without_repeated,
)

LINES = st.builds(
    PdfLine,
    st.text("ab1 .", max_size=6),
    st.sampled_from([0.0, 8.0, 11.0, 18.0]),
    st.sampled_from([0, 400, 700]),
    st.booleans(),
)
PAGES = st.lists(st.lists(LINES, max_size=5), max_size=6)


def body(*texts):
    return [PdfLine(text, 11, 400) for text in texts]


def texts(pages):
    return [[line.text for line in page] for page in pages]


def test_headers_and_counted_footers_go():
    pages = [body("The plant", f"a{n * n}", "b", f"c{n * 7}", f"{n + 4} of 9") for n in range(6)]
    kept = texts(without_repeated(pages))
    assert kept == [[f"a{n * n}", "b", f"c{n * 7}"] for n in range(6)]


def test_the_counted_line_of_a_short_chapter_goes_though_most_pages_have_another():
    def page(n):
        chapter = "The lake" if n < 3 else "The pipes" if n < 5 else f"Part {'abcdefg'[n - 5]}"
        return body(f"{chapter} {n + 7}", f"b{n * n}", f"c{n * 5}", f"d{n * 3}", "x" * n)

    kept = texts(without_repeated([page(n) for n in range(12)]))
    assert [one[0] for one in kept[:5]] == ["b0", "b1", "b4", "The pipes 10", "The pipes 11"]


def test_roman_and_marked_page_numbers_go():
    marks = ["i", "ii", "iii", "iv", "- 5 -", "[6]"]
    pages = [body(f"text {'abcdef'[n]}", mark) for n, mark in enumerate(marks)]
    assert all(len(page) == 1 for page in without_repeated(pages))


def test_numbers_that_do_not_count_the_pages_stay():
    pages = [body(f"Pump {n * n} is on", f"{'xyz' * n}", f"until {n * 3} h") for n in range(9)]
    assert without_repeated(pages) == pages


def test_a_heading_that_counts_the_pages_stays():
    pages = [[PdfLine(f"Chapter {n}", 18, 700), *body("a", "b", str(n * n))] for n in range(6)]
    assert all(page[0].text == f"Chapter {n}" for n, page in enumerate(without_repeated(pages)))


def test_the_title_stays_though_later_pages_repeat_it_in_small_letters():
    pages = [[PdfLine("The plant", 24, 700), *body("intro", "text")]]
    pages += [body("The plant", f"a{n * n}", "b", f"c{n * 5}") for n in range(6)]
    kept = texts(without_repeated(pages))
    assert kept[0][0] == "The plant"
    assert all("The plant" not in page for page in kept[1:])


def test_pages_that_are_all_the_same_stay():
    pages = [body("A notice")] * 5
    assert without_repeated(pages) == pages


def test_an_outline_names_lines_whatever_their_numbering_and_case():
    pages = [body("see Valves", "1.2 VALVES", "text"), body("Pumps")]
    outline = [(2, 0, "Valves"), (1, 1, "Chapter 3: Pumps"), (1, 7, "Pumps"), (1, 0, "Gone")]
    assert match_outline(pages, outline) == {(0, 1): 2, (1, 0): 1}


def test_larger_lines_are_headings_by_size():
    page = [PdfLine("Plant", 24, 700), *body("some text of it. " * 9), PdfLine("Pumps", 16, 700)]
    page += body("more text of it. " * 9)
    assert guess_headings([page]) == {(0, 0): 1, (0, 2): 2}


def test_bold_lines_are_headings_only_where_they_stand_apart():
    page = [*body("some text of it. " * 9), PdfLine("Pumps", 11, 700, parted=True)]
    page += [*body("more text of it. " * 9), PdfLine("Note", 11, 700)]
    assert guess_headings([page]) == {(0, 1): 1}


def test_of_too_many_larger_lines_only_the_largest_are_headings():
    authors = [PdfLine(f"Author {'abcdefgh'[n]}", 14, 400) for n in range(8)]
    page = [PdfLine("A paper", 24, 400), *authors, *body("some text of it. " * 90)]
    assert guess_headings([page]) == {(0, 0): 1}


def test_nothing_is_guessed_without_sizes():
    assert guess_headings([[PdfLine("Plant"), PdfLine("text " * 9)]]) == {}
    assert set_largest([PdfLine("Plant"), PdfLine("text")]) is None


def test_the_largest_lines_of_the_first_page_are_its_title():
    page = [PdfLine("The plant", 24), PdfLine("and its pumps", 24), *body("text")]
    assert set_largest(page) == "The plant and its pumps"
    assert set_largest(body("only", "text")) is None


@given(PAGES)
def test_pages_only_lose_lines_and_never_all(pages):
    for before, after in zip(pages, without_repeated(pages), strict=True):
        rest = iter(before)
        assert all(line in rest for line in after)
        assert bool(after) == bool(before)


@given(PAGES)
def test_headings_are_few_and_of_three_levels(pages):
    found = guess_headings(pages)
    assert len(found) <= 3 * len(pages)
    assert set(found.values()) <= {1, 2, 3}
