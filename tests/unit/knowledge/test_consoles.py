"""What a console printed is no prose, and states nothing."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wellworn.domain.knowledge.consoles import detect_output
from wellworn.domain.knowledge.facts import extract_facts
from wellworn.domain.knowledge.views import DocumentView, Reading


def prose(text: str) -> list[str]:
    lines = text.split("\n")
    return [
        line for line, is_shown in zip(lines, detect_output(lines), strict=True) if not is_shown
    ]


def values(text: str) -> set[str]:
    return {
        fact.value for fact in extract_facts(Reading(DocumentView(1, "s", "cube.md", None, text)))
    }


@pytest.mark.parametrize(
    "text",
    [
        "$ wellworn status\nHost: 10.0.0.4\nPort: 8000",
        "> $ wellworn status\n> Host: 10.0.0.4",
        "ana@cube:~/docs$ ip a\ninet: 10.0.0.4",
        "[ana@cube ~]# ip a\ninet: 10.0.0.4",
        "PS C:\\Users\\ana> ipconfig\nIP: 10.0.0.4",
        "NAME     READY   IP\natlas    1/1     10.0.0.4\nborea    1/1     10.0.0.5",
        "Filesystem      Size  Used Avail\n/dev/sda1        20G  1.2G   18G",
        "atlas\t1/1\t10.0.0.4\nborea\t1/1\t10.0.0.5",
        "2026-01-02T10:11:12Z host: 10.0.0.4",
        "I0102 10:11:12.345 host: 10.0.0.4",
        "level=info host=10.0.0.4",
        "[INFO] host: 10.0.0.4",
        '10.0.0.4 - - [02/Jan/2026] "GET /"',
    ],
)
def test_what_a_console_printed_is_no_prose(text):
    assert prose(text) == []
    assert prose(f"It says:\n\n{text}\n\nThat is all.") == ["It says:", "", "", "That is all."]


@pytest.mark.parametrize(
    "text",
    [
        "Cube costs $ 40 a month.",
        "$ 40 a month is what cube costs.",
        "Write to ana@cube.example when it is down.",
        "The first sentence.  The second one.  The third.\nAnother one.  And so on.  And on.",
        "- cube   (10.0.0.4)   is the server\n- borea   (10.0.0.5)   is another",
        "| cube  |  10.0.0.4  |  GPU  |\n| borea |  10.0.0.5  |  mail |",
        "Host:    cube\nIP:      10.0.0.4",
        "10.0.0.4 - atlas, the VPS",
        "one   line   of columns",
        "WARNING: do not touch cube.",
        "",
    ],
)
def test_what_somebody_wrote_is_prose(text):
    assert prose(text) == text.split("\n")


def test_output_ends_at_an_empty_line():
    assert values("# Cube\n\n$ ip a\nIP: 10.0.0.4\n\n- IP: 10.0.0.8\n") == {"10.0.0.8"}


def test_code_set_as_it_is_in_html_states_nothing():
    text = "# Cube\n\n<pre><code>\nIP: 10.0.0.4\n\nPort: 99\n</code></pre>\n\n- IP: 10.0.0.8\n"
    assert values(text) == {"10.0.0.8"}


@given(st.lists(st.text(alphabet="$ab: \t|-[]@~#%>.0129TZ", max_size=30), max_size=8))
def test_any_lines_can_be_told(lines):
    assert len(list(detect_output(lines))) == len(lines)
