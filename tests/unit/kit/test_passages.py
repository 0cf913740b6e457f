"""The stretch of a long text that is quoted for a question."""

from __future__ import annotations

import pytest
from tests.growth import is_in_proportion

from wellworn.engines.retrieval.text import hash_words
from wellworn.kit.passages import pick_passage, split_plainly

LINE = "2026-11-29 08:{:02} worker {} started the job and finished the job in {} ms"
LOG = [LINE.format(number % 60, number, number) for number in range(900)]
TOLD = "2026-11-29 08:11 worker 9 lost the heron lock and waited for it"


@pytest.mark.parametrize("split", [split_plainly, hash_words])
@pytest.mark.parametrize("between", ["\n", " ; ", ". "])
@pytest.mark.parametrize("at", [0, 450, 899])
def test_of_a_long_log_the_line_with_the_words_is_quoted(split, between, at):
    log = between.join([*LOG[:at], TOLD, *LOG[at + 1 :]])
    quoted = pick_passage(log, "Which worker lost the heron lock?", 240, split=split)
    assert "worker 9 lost the heron lock" in quoted
    assert len(quoted) <= 240 + len("\u2026  \u2026")
    if between == "\n":
        assert quoted.removeprefix("\u2026 ").startswith(TOLD)


def test_a_text_that_fits_is_quoted_whole():
    assert pick_passage(" a heron \n", "heron", 240) == "a heron"


def test_where_no_word_is_said_the_beginning_is_quoted():
    text = " ".join(LOG)
    assert pick_passage(text, "zebra", 200).startswith(text[:150])


def test_a_text_without_blanks_is_quoted_where_it_has_the_words():
    assert "\u4ed9\u9e64\u9501" in pick_passage(
        "\u5e93" * 500 + "\u4ed9\u9e64\u9501" + "\u5e93" * 500, "\u4ed9\u9e64\u9501", 100
    )


@pytest.mark.parametrize("unit", ["a ", "a", "a. ", "\n", "heron ", "x heron. "])
def test_a_passage_is_found_in_time_in_proportion_to_the_text(unit):
    def pick(text):
        return pick_passage(text, "a heron a", 240, split=hash_words)

    assert is_in_proportion(pick, lambda length: unit * (length // len(unit)), 40_000)
