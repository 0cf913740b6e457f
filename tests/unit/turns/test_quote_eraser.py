"""What is erased goes from what quotes it, and what is known from elsewhere stays."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wellworn.domain.turns.quoting_turns import ERASED, QuoteEraser
from wellworn.domain.turns.sections import format_line, format_quote

NOTE = "The spare key is under the third pot, and the gate code is 4711."
QUERY = "Where is the spare key?"
WORDS = st.lists(st.sampled_from(["pot", "key", "is", "the", "12", "código", "鍵"]), max_size=12)
TEXTS = st.one_of(st.text(max_size=80), WORDS.map(" ".join))


def erase(text, *, erased=NOTE, known=(QUERY,), statements=()):
    return QuoteEraser([erased], known, statements).erase(text)


@pytest.mark.parametrize(
    ("text", "left"),
    [
        (f"“{NOTE}” [1]", f"“The {ERASED}.” [1]"),
        ("> the spare key is\n> under the third pot", f"> the {ERASED}"),
        ("Use 4711 at the gate.", f"Use {ERASED} at the gate."),
        ("It is under the third po", f"It {ERASED}"),
        ("IS UNDER THE  THIRD\tpot!", f"{ERASED}!"),
        (QUERY, QUERY),
        ("The pot is third.", "The pot is third."),
        ("| under \\| the | third |", f"| {ERASED} |"),
    ],
)
def test_what_is_quoted_goes_and_what_the_question_says_stays(text, left):
    assert erase(text) == left


def test_a_statement_that_cites_what_was_erased_goes_however_short_it_is():
    assert erase("Orchid! [1]", erased="The code: orchid.", statements=["Orchid"]) == (
        f"{ERASED}! [1]"
    )
    assert erase("Orchid", erased="orchid") == ERASED
    assert erase("Orchid", known=["My hat is orchid"], statements=["Orchid"]) == "Orchid"


def test_what_another_source_says_stays_whoever_says_it_again_and_erases_that():
    document = "Backups run nightly at 02:00 with Kopia on 10.0.0.5."
    copy = f"{document} The rest is mine alone."
    text = f"“{document}” [1]\n“The rest is mine alone.” [2]"
    assert erase(text, erased=copy, known=[document]) == f"“{document}” [1]\n“{ERASED}.” [2]"


def test_nobody_breaks_what_sections_are_read_and_linked_by():
    head = "## 5. Synthesis\n\n**Response Preview:**\n\n> "
    links = "[E1](context.md#^evidence-1) | [[turns/turn_000001/context#^evidence-1|E1]]"
    tail = f"\n- [1] {links} ^evidence-1\n\n**Decision:** "
    section = f"{head}The synthesis hums here{tail}APPROVE"
    assert erase(section, erased=section, known=[]) == (f"{head}{ERASED}{tail}APPROVE")


def test_writing_that_parts_no_words_is_erased():
    assert erase("“鍵は三番目の鉢の下です。”", erased="鍵は三番目の鉢の下です。") == f"“{ERASED}。”"
    assert erase("答えは三番目の鉢です", erased="鍵は三番目の鉢の下です。") == f"答え{ERASED}です"


@given(TEXTS, TEXTS)
def test_what_is_known_stays_whatever_is_erased(erased, known):
    for form in (known, format_line(known), format_quote(known)):
        assert erase(form, erased=erased, known=[known]) == form


@given(TEXTS, TEXTS, TEXTS)
def test_nothing_is_left_of_a_quote(before, erased, after):
    eraser = QuoteEraser([erased], known=[])
    for form in (erased, format_line(erased), format_quote(erased)):
        alone = eraser.erase(form).replace(ERASED, "")
        assert sum(map(str.isalnum, alone)) < 8
        assert (form in eraser.erase(f"{before}\n{form}\n{after}")) <= (
            sum(map(str.isalnum, erased)) < 8
        )
