from __future__ import annotations

import re

import pytest
from tests.growth import is_in_proportion

from wellworn.kit.sentences import NOT_SHORT

END = re.compile(rf"[.!?]{NOT_SHORT}(?=\s|$)")


@pytest.mark.parametrize(
    "text",
    [
        "The office is at 100 E. Main Street.",
        "Ask at St. George before noon.",
        "Dr. Smith and Mrs. Jones lead it, with J. R. Hartley.",
        "It takes 3 hrs. Monday is free.",
        "The hall is on Mt. Rushmore Blvd. North.",
        "Use a proxy, e.g. Traefik.",
    ],
)
def test_initials_and_short_forms_end_no_sentence(text):
    assert [match.end() for match in END.finditer(text)] == [len(text)]


@pytest.mark.parametrize(
    "text",
    ["It runs NFS. Mars does not.", "It is on port 8080. Use it.", "See the wiki. It helps!"],
)
def test_words_numbers_and_names_in_capitals_do(text):
    assert len(END.findall(text)) == 2


def test_the_work_grows_with_the_length_alone():
    assert is_in_proportion(END.findall, "St. ".__mul__, 50_000)
    assert is_in_proportion(END.findall, "x.".__mul__, 100_000)
