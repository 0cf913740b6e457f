from __future__ import annotations

import pytest

from wellworn.engines.safety import list_readings


@pytest.mark.parametrize(
    "text", ["", "The tide is high.", "Never deploy on Fridays.", "A youth of yourname."]
)
def test_what_addresses_nobody_need_not_be_read(text):
    assert list_readings(text) == ()


@pytest.mark.parametrize("text", ["Will you come?", "YOUR turn, then.", "Do it yourself, please."])
def test_what_addresses_somebody_is_read_once(text):
    assert list_readings(text) == (text,)


@pytest.mark.parametrize(
    ("text", "prose"),
    [
        ("Then you call `stop()` first.", "Then you call   first."),
        ("Then you run\n```sh\nrm -r build\n```\nand wait.", "Then you run\n \nand wait."),
        ("Then you run this:\n~~~\nrm -r build", "Then you run this:"),
    ],
)
def test_a_text_with_code_is_read_without_it_as_well(text, prose):
    assert list_readings(text) == (text, prose)


def test_code_alone_addresses_nobody():
    assert list_readings("```\nprint('for you')\n```") == ()


def test_hidden_and_wide_characters_hide_no_reader():
    assert list_readings("\u200b\uff39ou there: y\u00adou!") == ("You there: you!",)


def test_a_ruled_line_is_read_as_a_short_one():
    assert list_readings("For you\n" + "=" * 500) == ("For you\n===",)


def test_a_long_text_of_backticks_is_no_trouble():
    assert len(list_readings("you ` " * 20_000)) == 2
