"""What counts as a word."""

from __future__ import annotations

import unicodedata
from concurrent.futures import ThreadPoolExecutor

import pytest
import Stemmer
from hypothesis import given
from hypothesis import strategies as st

from wellworn.engines.retrieval.text.vocabulary import _LANGUAGES, load_stemmer, split_words


def test_forms_of_a_word_are_the_same_word():
    assert split_words("Deploying deployed DEPLOYS") == ["deploy"] * 3


def test_function_words_do_not_count():
    assert split_words("what was it that you would do?") == []


def test_possessives_and_contractions_leave_the_word():
    assert split_words("Caroline's dogs don\u2019t bark") == split_words("Caroline dog bark")


@pytest.mark.parametrize(
    ("identifier", "parts"),
    [
        ("ERR_CONN_4711", ["err", "conn", "4711"]),
        ("foo.bar.baz", ["foo", "bar", "baz"]),
        ("10.0.0.7", ["10", "0", "0", "7"]),
        ("HDR-42", ["hdr", "42"]),
        ("root@db1", ["root", "db1"]),
        ("etc/nginx/conf", ["etc", "nginx", "conf"]),
        ("std::vector", ["std", "vector"]),
        ("getUserName", ["get", "user", "name"]),
    ],
)
def test_an_identifier_is_one_word_beside_its_parts(identifier: str, parts: list[str]):
    assert split_words(f"see ({identifier}), please") == [
        "see",
        identifier.lower(),
        *parts,
        "pleas",
    ]


def test_an_address_is_found_inside_a_longer_one():
    assert "10.0.0.7" in split_words("http://10.0.0.7:8080/health")
    assert "db1.example.org" in split_words("root@db1.example.org")


def test_language_names_keep_their_signs():
    assert "c++" in split_words("written in C++, not C#")
    assert "c#" in split_words("written in C++, not C#")


def test_scripts_without_blanks_are_cut_into_pairs():
    assert split_words("東京都 語") == ["東京", "京都", "語"]


def test_words_of_other_scripts_stay_whole():
    words = split_words("हिन्दी भाषा")
    assert (words[0], "भाषा" in words) == ("हिन्दी", True)
    assert split_words("Привет") == ["привет"]
    assert split_words("שלום עולם") == ["שלום", "עולם"]


@pytest.mark.parametrize(
    ("form", "other"),
    [
        ("الخادم", "خادم"),
        ("المدرسة", "مدرسة"),
        ("база", "базы"),
        ("сервер", "сервера"),
        ("διακομιστής", "διακομιστή"),
        ("किताब", "किताबें"),
        ("کتاب", "کتابها"),
        ("սերվեր", "սերվերներ"),
    ],
)
def test_forms_of_a_word_in_another_script_share_a_stem(form: str, other: str):
    assert set(split_words(form)) & set(split_words(other))
    assert split_words(form)[0] == form.casefold(), "what was indexed before is found as before"


def test_every_language_is_one_that_the_stemmer_knows():
    assert set(_LANGUAGES.values()) <= set(Stemmer.algorithms())


def test_case_folds_beyond_ascii():
    assert split_words("STRASSE") == split_words("Straße")


@given(st.text())
def test_composed_and_decomposed_text_have_the_same_words(text: str):
    assert split_words(unicodedata.normalize("NFD", text)) == split_words(
        unicodedata.normalize("NFC", text)
    )


@given(st.text())
def test_every_word_says_something(text: str):
    assert all(word and not word.isspace() for word in split_words(text))


@pytest.mark.parametrize(
    "hostile",
    [
        "(",
        "[[",
        "a-",
        "-",
        "a",
        "_",
        "a.",
        "::",
        "'s",
        "aB",
        "@/",
        "東",
        "\u0301",
        "a\u200d",
        "#",
        "++",
    ],
)
def test_hostile_text_gives_at_most_three_words_a_character(hostile: str):
    text = hostile * 10_000
    assert len(split_words(text)) <= 3 * len(text)


@given(st.text(st.characters(max_codepoint=0x7F)))
def test_letters_beyond_ascii_elsewhere_change_no_word(text: str):
    assert split_words(f"\u00e9t\u00e9 {text}")[1:] == split_words(f"a {text}")


def test_a_thread_makes_its_stemmers_once_and_shares_none():
    with ThreadPoolExecutor(1) as thread:
        others = [thread.submit(load_stemmer).result() for _ in range(2)]
    assert load_stemmer() is load_stemmer() is not others[0] is others[1]
    assert load_stemmer("german") is not load_stemmer()
