from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wellworn.domain.sources.chunking import Chunk, split_into_chunks
from wellworn.domain.sources.features import build_indexed_text
from wellworn.kit.markdown import Markdown, TableHeads

LINES = st.lists(
    st.one_of(
        st.text(max_size=40),
        st.sampled_from(
            [
                *("# A", "## B ##", "### C {#c}", "Title", "=====", "-----", "```", "~~~~", ""),
                *("- item one", "  more of it", "1. first", "| a | b |", "|---|---|", "> quoted"),
                *(
                    "One. Two! Three? ",
                    "word " * 30,
                    "x" * 200,
                    "\u4f60\u597d\u3002" * 40,
                    "\r",
                    "\x0b",
                ),
                *("---", "+++", "a: 1", "    indented code", "\u00a0", "\t"),
            ]
        ),
    ),
    max_size=40,
).map("\n".join)


def words(texts: Sequence[str]) -> list[int]:
    """Count a piece for every five characters of a word."""
    return [sum(-(-len(word) // 5) for word in text.split()) for text in texts]


def cut(text: str, limit: int = 40, **how) -> list[str]:
    return [
        text[one.start : one.end] for one in split_into_chunks(text, size=words, limit=limit, **how)
    ]


@given(LINES, st.integers(4, 60))
def test_every_visible_character_is_in_exactly_one_chunk(text: str, limit: int):
    end = 0
    for one in split_into_chunks(text, size=words, limit=limit):
        assert one.start >= end
        assert not text[end : one.start].strip()
        assert text[one.start : one.end].strip()
        end = one.end
    assert not text[end:].strip()


def test_a_chunk_of_rows_leaves_room_for_the_head_of_their_table():
    head = "| Article | Pieces on hand |\n|---|---|"
    text = f"# Stock\n\n{head}\n" + "".join(f"| ZQ-{n} | {n} |\n" for n in range(100, 200))
    heads, chunks = TableHeads(text), split_into_chunks(text, size=words, limit=40)
    texts = [build_indexed_text("", chunk, text, heads) for chunk in chunks]
    assert len(texts) > 5
    assert all(head in indexed for indexed in texts)
    assert all(size <= 40 + len(["Stock"]) for size in words(texts))
    assert [text[chunk.start :][:1] for chunk in chunks[1:]] == ["|"] * (len(chunks) - 1)


@given(LINES, st.integers(4, 60))
def test_no_chunk_has_more_than_the_limit(text: str, limit: int):
    assert all(size <= limit for size in words(cut(text, limit)))


@given(LINES)
def test_no_chunk_reaches_across_a_heading_of_its_rank_or_a_higher_one(text: str):
    found = Markdown(text).headings
    for one in split_into_chunks(text, size=words, limit=40):
        inside = [head.level for head in found if one.start <= head.start < one.end]
        # Only what a bare heading has below it may follow it.
        assert inside == sorted(set(inside))


@given(LINES)
def test_what_is_measured_at_once_is_measured_a_few_times(text: str):
    calls: list[int] = []

    def size(texts: Sequence[str]) -> list[int]:
        calls.append(len(texts))
        return words(texts)

    split_into_chunks(text, size=size, limit=10)
    assert len(calls) <= 7


def test_a_section_that_fits_is_one_chunk_with_its_heading():
    text = "# Servers\n\ncube is at home.\n\n- one\n- two\n\n# Next\n\nmore"
    assert cut(text) == ["# Servers\n\ncube is at home.\n\n- one\n- two", "# Next\n\nmore"]


def test_a_short_section_is_not_joined_to_the_next():
    assert cut("## A\na\n## B\nb") == ["## A\na", "## B\nb"]


def test_thousands_of_sections_that_say_nothing_are_not_kept_apart():
    few, many = "# Timeout\n" * 900, "# Timeout\n" * 9_000
    assert len(cut(few)) == 900
    assert len(cut(many)) < 900
    long_ones = "".join(f"# Part {number}\n\n{'word ' * 30}\n\n" for number in range(1_200))
    assert len(cut(long_ones)) == 1_200


def test_a_heading_without_words_of_its_own_joins_the_section_below_it():
    text = "# Guide\n\n## Install\n\nRun it.\n\n## Use\n\nUse it."
    made = split_into_chunks(text, size=words)
    assert [text[one.start : one.end] for one in made] == [
        "# Guide\n\n## Install\n\nRun it.",
        "## Use\n\nUse it.",
    ]
    assert [one.headings for one in made] == [("Guide", "Install"), ("Guide", "Use")]
    assert [one.anchor for one in made] == ["install", "use"]


def test_a_bare_heading_with_nothing_below_it_is_kept():
    assert cut("# A\n# B\n\nb\n\n## C\n") == ["# A", "# B\n\nb", "## C"]


def test_whole_blocks_are_packed_as_long_as_they_fit():
    one, two, three = ("word " * 15).strip(), ("text " * 15).strip(), ("rest " * 15).strip()
    assert cut(f"{one}\n\n{two}\n\n{three}") == [f"{one}\n\n{two}", three]


def test_what_does_not_fit_is_cut_between_sentences():
    first, second = "Aa " * 24 + "end.", "Bb " * 24 + "end."
    assert cut(f"{first} {second}") == [first, second]


def test_an_abbreviation_ends_no_sentence():
    first = "many words " * 10 + "e.g. such and " + "so on " * 5 + "here."
    assert cut(f"{first} {'Next one ' * 10}.")[0] == first


def test_a_table_is_cut_between_rows():
    rows = [f"| row {number} | some. More words |" for number in range(20)]
    table = "\n".join(["| name | value |", "|---|---|", *rows])
    made = cut(table)
    assert len(made) > 1
    assert "\n".join(made) == table


def test_a_list_is_cut_between_items():
    items = [f"- item {number}. It has\n  a second line" for number in range(20)]
    made = cut("\n".join(items))
    assert len(made) > 1
    assert all(one.startswith("- item") and one.endswith("line") for one in made)


def test_code_is_cut_between_lines_and_only_where_it_must_be():
    lines = [f"call(number={number}). Then(it)" for number in range(40)]
    code = "\n".join(["```py", *lines, "```"])
    assert "\n".join(cut(code)) == code
    short = "```py\na = 1\n\nb = 2\n```"
    before = ("word " * 36).strip()
    assert cut(f"{before}\n\n{short}") == [before, short]


def test_what_looks_like_a_heading_in_code_begins_no_chunk():
    text = "# Run\n\n```sh\n# a comment\nls\n```"
    assert cut(text) == [text]


def test_code_keeps_the_indentation_of_its_first_line():
    lines = [f"    indented number {number}" for number in range(30)]
    made = cut("\n".join(["def main():", *lines]))
    assert all(one.startswith("    indented") for one in made[1:])


def test_a_heading_stays_with_the_beginning_of_what_is_too_long():
    text = "# Long\n\n" + "word " * 39 + "end.\n\nNext."
    first = cut(text)[0]
    assert first.startswith("# Long\n\nword")


def test_a_word_without_end_is_cut_anywhere():
    made = cut("a" * 500)
    assert "".join(made) == "a" * 500
    assert all(size <= 40 for size in words(made))


def test_what_the_model_takes_for_one_piece_is_still_cut():
    made = split_into_chunks("a" * 10_000, size=lambda texts: [1] * len(texts))
    assert max(one.end - one.start for one in made) < 4_000


def test_headings_are_shown_without_markup_and_have_their_own_anchors():
    text = "# The `API` {#api}\n\na\n\n## [Limits](x.md)\n\nb\n\n## Limits\n\nc"
    made = split_into_chunks(text, size=words)
    assert [(one.headings, one.anchor) for one in made] == [
        (("The API",), "api"),
        (("The API", "Limits"), "limits"),
        (("The API", "Limits"), "limits-1"),
    ]


def test_before_the_first_heading_there_is_no_anchor():
    first, second = split_into_chunks("intro\n\n# A\n\na", size=words)
    assert (first.headings, first.anchor) == ((), "")
    assert (second.headings, second.anchor) == (("A",), "a")


def test_an_underlined_title_is_a_heading_too():
    (one,) = split_into_chunks("Title\n=====\n\ntext", size=words)
    assert one == Chunk(0, 17, ("Title",), "title")


def test_the_documents_own_anchors_win_up_to_where_the_chunk_begins():
    text = "before\n\n## A\n\n" + "word " * 60 + "\n\n## B\n\nb"
    middle, b = text.index("word") + 250, text.index("## B")
    anchors = [(0, "top"), (text.index("## A"), "sect-a"), (middle, "later"), (b + 1, "sect-b")]
    made = split_into_chunks(text, size=words, limit=40, anchors=anchors)
    assert [one.anchor for one in made] == ["top", "sect-a", "sect-a", "sect-b"]


@pytest.mark.parametrize(
    ("pages", "expected"), [((), [None, None]), ((0, 10), [1, 2]), ((0, 5, 6, 100), [1, 3])]
)
def test_a_chunk_is_on_the_page_it_begins_on(pages: tuple[int, ...], expected: list[int | None]):
    made = split_into_chunks("# A\n\nfirst\n\n# B\n\nsecond", size=words, pages=pages)
    assert [one.page for one in made] == expected


@pytest.mark.parametrize("text", ["", " ", "\n" * 1000, "\u00a0\t\n"])
def test_nothing_to_see_is_no_chunk(text: str):
    assert split_into_chunks(text, size=words) == []


HOSTILE = {
    "one line of words": "word " * 400_000,
    "one word": "a" * 1_000_000,
    "sentences": "A. " * 200_000,
    "lines": "abc def\n" * 100_000,
    "paragraphs": "abc\n\n" * 100_000,
    "headings": "# a\n" * 30_000,
    "blanks": " " * 2_000_000,
    "a blank between": "a" + " " * 2_000_000 + "b",
    "line breaks": "\n" * 400_000,
    "fences": "```\n" * 100_000,
    "an open fence": "```\n" + "x\n\n" * 100_000,
    "rows": "| a | b |\n" * 100_000,
    "a long heading": "# " + "x y " * 200_000,
    "open anchors": "# x {#" * 100_000,
}


@pytest.mark.slow
@pytest.mark.parametrize("name", HOSTILE)
def test_no_text_is_trouble(name: str):
    text = HOSTILE[name]
    made = split_into_chunks(text, size=words, limit=240)
    assert sum(one.end - one.start for one in made) >= len("".join(text.split()))


def test_front_matter_is_a_chunk_of_its_own_whatever_follows():
    front = "---\ntitle: A\n---"
    assert cut(f"{front}\nWords.\n\nMore.") == [front, "Words.\n\nMore."]
    assert cut(f"{front}\n\n# A\n\nWords.") == [front, "# A\n\nWords."]
    assert cut(front) == [front]


def test_what_stands_between_two_rules_keeps_its_headings():
    made = split_into_chunks("---\n\n# cube\n\n- IP: 10.0.0.5\n\n---\n\n# two\n\nb", size=words)
    assert [one.headings for one in made] == [(), ("cube",), ("two",)]


def test_a_comment_in_front_matter_is_no_heading():
    text = "+++\n# for the menu\nweight = 1\n+++\n\n## Use\n\nUse it."
    made = split_into_chunks(text, size=words)
    assert [text[one.start : one.end] for one in made] == [text[:33], "## Use\n\nUse it."]
    assert [one.headings for one in made] == [(), ("Use",)]


def test_what_is_cut_no_further_is_weighed_once():
    weighed: list[str] = []

    def weigh(texts: Sequence[str]) -> list[int]:
        weighed.extend(texts)
        return words(texts)

    # Neither items nor sentences part these lines, which are tried before lines are.
    split_into_chunks("\n".join(f"{number:030}" for number in range(40)), size=weigh, limit=100)
    assert len(weighed) == len(set(weighed))
