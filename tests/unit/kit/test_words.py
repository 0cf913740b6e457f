"""Lists of words stand in files beside the packages that read them."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

import wellworn
from wellworn.kit.words import load_phrases, load_words

SOURCE = Path(wellworn.__file__).parent
FILES = sorted(SOURCE.rglob("words.toml"))


def test_a_list_is_read_in_the_order_of_its_file():
    assert load_words("wellworn.engines.retrieval.text.vocabulary", "function_words")[:3] == (
        *("a", "about", "an"),
    )


def test_phrases_are_alternatives_that_prefer_the_longest():
    pattern = re.compile(load_phrases("wellworn.engines.retrieval.text.moments", "time_words"))
    assert pattern.match("weekend")[0] == "weekend"
    assert pattern.match("this week")[0] == "this week"


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.parent.name)
def test_every_list_has_words_none_twice_and_is_read_by_a_module_beside_it(file):
    modules = "".join(module.read_text("utf-8") for module in file.parent.glob("*.py"))
    for key, words in tomllib.loads(file.read_text("utf-8")).items():
        assert re.search(rf"load_(?:words|phrases)\(__name__, ['\"]{key}['\"]\)", modules)
        assert words.split()
        assert len(set(words.split())) == len(words.split()), key


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.parent.name)
def test_every_list_says_what_it_is_for(file):
    text = file.read_text("utf-8")
    assert text.startswith("# ")
    for key in tomllib.loads(text):
        assert re.search(rf"^# .*\n{key} = ", text, re.MULTILINE), key
