"""Texts that look alike are one text, and every span leads back to what was written."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wellworn.kit.folding import FoldedText, fold_forms

ALIKE = [
    ("Hoch\u00adregal", "Hochregal"),
    ("Hoch\u200bregal", "Hochregal"),
    ("\ufeffHoch\u2060regal\u200e", "Hochregal"),
    ("a\u200db\u200cc", "abc"),
    ("\u26a0\ufe0fPort", "\u26a0Port"),
    ("\ufb01le \ufb02ow \ufb03x", "file flow ffix"),
    ("\uff30\uff4f\uff52\uff54 \uff19\uff11\uff10\uff10", "Port 9100"),
    ("\uff53\uff52\uff56\uff0d\uff10\uff11\uff0e\uff4c\uff41\uff42", "srv-01.lab"),
    ("\U0001d40f\U0001d428\U0001d42b\U0001d42d", "Port"),
    ("node\u20111 and node\u20102", "node-1 and node-2"),
    ("10\u00a0kg, 3\u202fm", "10 kg, 3 m"),
    ("\uff76\uff9e\uff97\uff7d", "\u30ac\u30e9\u30b9"),
    ("\u2f00\u2f5f", "\u4e00\u7389"),
    ("H\u2082O and m\u00b2", "H2O and m2"),
    ("10\u00b2 is not 102", "10^2 is not 102"),
    ("10\u207b\u00b3", "10^-3"),
    ("1\u00bd cups", "1 1/2 cups"),
    ("\u2163", "IV"),
    ("cafe\u0301", "caf\u00e9"),
]
UNLIKE = [
    "ACME\u2122 and \u00a9",
    "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
    "\u0915\u094d\u200d\u0937",
    "\u3053\u308c\uff1a\u305d\u308c\uff0e",
    "stra\u00dfe \u2013 \u2019s",
    "l\u00b4eau",
    "\ufdfa",  # a form of several words
]


@pytest.mark.parametrize(("written", "folded"), ALIKE)
def test_what_looks_alike_is_folded(written: str, folded: str):
    assert fold_forms(written) == folded


@pytest.mark.parametrize("text", UNLIKE)
def test_what_looks_otherwise_stays(text: str):
    assert fold_forms(text) == unicodedata.normalize("NFC", text)


HARD = st.text(
    st.one_of(st.characters(), st.sampled_from("ab1\u00ad\u200b\ufb01\u00b2\u00bd\ufdfa"))
)


@given(HARD)
def test_folding_is_idempotent(text: str):
    assert fold_forms(fold_forms(text)) == fold_forms(text)


@given(HARD)
def test_both_ways_fold_alike(text: str):
    assert unicodedata.normalize("NFC", FoldedText.of(text).text) == fold_forms(text)


@given(HARD, st.data())
def test_a_span_leads_back_to_what_looks_the_same(text: str, data: st.DataObject):
    folded = FoldedText.of(text)
    start = data.draw(st.integers(0, len(folded.text)))
    end = data.draw(st.integers(start, len(folded.text)))
    first, last = folded.find_span(start, end)
    assert 0 <= first <= last <= len(text)
    inside = FoldedText.of(text[first:last]).text
    assert folded.text[start:end].strip("^_ ") in inside or inside in folded.text[start:end]


def test_spans_of_words_are_exact():
    written = "The \u00adHoch\u00adregal\u200b of \ufb01re, \uff30\uff4f\uff52\uff54."
    folded = FoldedText.of(written)
    assert folded.text == "The Hochregal of fire, Port."

    def find(word: str) -> str:
        start = folded.text.index(word)
        first, last = folded.find_span(start, start + len(word))
        return written[first:last]

    assert find("Hochregal") == "Hoch\u00adregal"
    assert find("fire") == "\ufb01re"
    assert find("Port") == "\uff30\uff4f\uff52\uff54"
    assert find("The") == "The"
