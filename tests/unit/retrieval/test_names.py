"""Names that are found though mistyped, and names that are never taken for each other."""

from __future__ import annotations

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wellworn.engines.retrieval.text.names import (
    LONGEST_NAME,
    Names,
    extract_names,
    find_asked_name,
    is_same_name,
    score_full_name,
    score_names,
    weigh_name_terms,
    weigh_query_names,
)

LETTERS = string.ascii_lowercase
TEXTS = st.one_of(
    st.text(),
    st.text(st.characters(categories=["Cs", "Mn", "So", "Lo", "Nd"])),
    st.text("ab1 .*+?[](){}|\\^$#`~:/@_-\n", max_size=400),
)
HOSTILE = [
    "a" * 10_000,
    "a." * 5_000,
    "a" + "." * 9_999,
    "#" * 10_000,
    "# " * 5_000,
    "```\n" * 2_500,
    "::" * 5_000,
    " " * 10_000,
    "\n" * 10_000,
    "1" * 10_000,
    "\u6771\u4eac" * 5_000,
    "\ufdfa" * 10_000,
    "\U0001f525" * 10_000,
    "what is " * 1_250,
]


def score(query: str, names: Names) -> float:
    """Add up what an index would if all trigrams were equally rare."""
    stored = weigh_name_terms(names)
    return sum(weight * stored.get(term, 0.0) for term, weight in weigh_query_names(query).items())


def called(*titles: str) -> Names:
    return Names(titles=titles)


def swapped(word: str, at: int) -> str:
    return word[:at] + word[at + 1] + word[at] + word[at + 2 :]


@pytest.mark.parametrize(
    ("content", "titles"),
    [
        ("# Rate limits\nAt most ten a second.", ["# Rate limits"]),
        ("Intro\n\n## Rate limits ##\ntext", ["Intro", "Rate limits"]),
        ("Rate limits\nAt most ten a second.", ["Rate limits"]),
        ("Rate limits", []),
        ("A first line of very many words that goes on and on and on\nand on", []),
        ("text\n```sh\n# no heading\n```\n# A heading", ["text", "A heading"]),
        ("import os;\nprint(1)", []),
        ("text\n- do\n  ```sh\n  # no heading\n  ```\n", ["text"]),
        ("+++\n# no heading\nweight = 1\n+++\n# A heading", ["+++", "A heading"]),
        ("def parse(self):\n    return 1", []),
        ("one\n# two\n# three\n# four", ["one", "two", "three"]),
        ("", []),
    ],
)
def test_headings_and_a_short_first_line_are_what_a_text_is_called(content, titles):
    assert extract_names(content).titles == tuple(title.removeprefix("# ") for title in titles)


def test_a_given_heading_and_tags_are_names_too():
    names = extract_names("Ten a second.", ["api", "limits", "api"], "Rate limits")
    assert names.titles == ("Rate limits", "api", "limits")


def test_identifiers_are_told_by_how_they_are_written():
    text = "Ask srv-01.lan for /etc/hosts, ERR_4711 or OomObserver v1.2.3; NATO, Rust and 10-12 not"
    assert extract_names(text).identifiers == (
        *("srv-01.lan", "etc/hosts", "ERR_4711", "OomObserver", "v1.2.3"),
    )


def test_however_long_a_text_is_its_names_are_few():
    text = "\n".join(f"# heading {n}\nhost-{n}.lan" for n in range(1_000))
    names = extract_names(text, [f"tag-{n}" for n in range(1_000)])
    assert len(names.titles) == 24
    assert len(names.identifiers) == 12
    assert all(len(name) <= LONGEST_NAME for name in names.titles)


@pytest.mark.parametrize(
    ("query", "name"),
    [
        ("what is X?", "X"),
        ("What's the rate limit?", "rate limit"),
        ("What\u2019s a Pydantic model", "Pydantic model"),
        ("Rate limits", "Rate limits"),
        ("what does checkpoint mean?", "checkpoint"),
        ("explain `dlt.secrets`", "dlt.secrets"),
        ("time to live", "time to live"),
        ("what was it?", ""),
        ("what is explain?", "explain"),
        ("", ""),
        ("?", ""),
        ("c", "c"),
        ("\u6771\u4eac", "\u6771\u4eac"),
        (
            "how is the first of all those many servers named that we bought in that shop nearby",
            "",
        ),
        ("x" * 10_000, ""),
    ],
)
def test_what_a_query_looks_up_is_left_when_the_question_is_taken_off(query, name):
    assert find_asked_name(query) == name


def test_in_a_sentence_only_identifiers_are_asked_for():
    sentence = (
        "why did all the many small jobs that we had put on {} fail so often in those two or three"
        " weeks before the autumn release"
    )
    assert weigh_query_names(sentence.format("them")) == {}
    assert score(sentence.format("buildd-07.lan"), extract_names("we run buidld-07.lan")) > 0
    assert score(sentence.format("buildd-07.lan"), called("buildd-07.lan")) == 0


@given(TEXTS)
def test_any_text_has_names_and_can_be_asked(text):
    names = extract_names(text, [text[:50]], text)
    assert all(0 <= term < 2**32 and 0 < w <= 1 for term, w in weigh_name_terms(names).items())
    query = weigh_query_names(text)
    # Up to four identifiers are asked at once, each of a full score of its own.
    assert score_full_name(text, dict.fromkeys(query, 2.0)) <= 4 * 2.0 + 1e-9
    assert is_same_name(text, text[1:]) == is_same_name(text[1:], text)


@pytest.mark.parametrize("text", HOSTILE, ids=lambda text: repr(text[:6]))
def test_hostile_text_gives_few_terms_and_an_answer(text):
    assert len(weigh_name_terms(extract_names(text, [text], text))) < 6_000
    assert len(weigh_query_names(text)) < 6_000
    assert is_same_name(text, text) or not text.strip()
    assert not is_same_name(text, text + "2")


@given(
    st.lists(st.text("bcdfgklmnprst", min_size=5, max_size=14), min_size=1, max_size=4), st.data()
)
def test_the_right_spelling_finds_at_least_as_well_as_a_wrong_one(words, data):
    name = " ".join(words)
    wrong = swapped(name, data.draw(st.integers(0, len(name) - 2)))
    assert score(f"what is {name}?", called(name)) == pytest.approx(1.0)
    assert (
        score(f"what is {name}?", called(name)) >= score(f"what is {wrong}?", called(name)) - 1e-9
    )


def test_a_misspelt_heading_beats_other_headings():
    titles = ["Rate limits", "Rate of growth", "Speed limits", "Credentials", "Rating"]
    ranked = sorted(titles, key=lambda title: -score("what is raet limtis?", called(title)))
    assert ranked[0] == "Rate limits"


def test_a_unit_with_many_names_is_as_good_as_its_best_one():
    many = called("Rate limits", "throttling", "requests per second", "quota")
    assert score("rate limits", many) == pytest.approx(score("rate limits", called("Rate limits")))


def test_what_is_called_so_is_found_before_what_mentions_it():
    assert score("OomObserver", extract_names("OomObserver\nIt watches.")) > score(
        "OomObserver", extract_names("We use the OomObserver here, and a HitObserver.")
    )


def test_the_share_is_1_for_what_is_called_just_so_and_0_for_a_chance_likeness():
    query = "what is the rate limit?"
    full = score_full_name(query, dict.fromkeys(weigh_query_names(query), 3.0))
    same, other = (3.0 * score(query, called(name)) for name in ("Rate limit", "Late night"))
    assert score_names([same, other], full).tolist() == pytest.approx([1.0, 0.0])
    assert score_names([1.0], 0.0).tolist() == [0.0]
    assert score_names([9.0], 3.0).tolist() == [1.0]
    assert score_names([], 3.0).tolist() == []


@given(st.floats(0, 10), st.floats(0, 10), st.floats(0.1, 10))
def test_a_better_name_never_has_the_smaller_share(one, other, full):
    less, more = score_names(sorted([one, other]), full)
    assert 0 <= less <= more <= 1


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("System Architecture", "system-architecture"),
        ("architecture", "architecure"),
        ("architecture", "architecutre"),
        ("architecture", "architectture"),
        ("architecture", "architecturs"),
        ("server-01", "sevrer-01"),
        ("\u0430\u0440\u0445\u0438\u0432\u044b", "\u0430\u0440\u0445\u0438\u0432\u0438"),
    ],
)
def test_a_typing_error_in_a_long_word_is_forgiven(one, other):
    assert is_same_name(one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("srv-01", "srv-02"),
        ("srv-01", "svr-01"),
        ("srv-01", "srv01"),
        ("server-1", "server-11"),
        ("server-01", "server"),
        ("v1.2", "v1-2"),
        ("c++", "c#"),
        ("data", "date"),
        ("house", "mouse"),
        ("architecture", "architecuter"),
        ("eu-west-1", "us-west-1"),
        ("staging.lan", "staging.wan"),
        ("version \u4e09", "version \u4e8c"),
        ("\u6771\u4eac\u5927\u5b66\u9662", "\u6771\u4eac\u5927\u5b66\u6821"),
        ("a" * 200 + "1", "a" * 200 + "2"),
        ("", ""),
        ("-", "_"),
    ],
)
def test_other_names_are_never_taken_for_the_same(one, other):
    assert not is_same_name(one, other)
    assert not is_same_name(other, one)


@given(st.text(LETTERS + "-. ", max_size=12), st.text(LETTERS + "-. ", max_size=12), st.data())
def test_a_digit_changed_is_never_forgiven(before, after, data):
    one, other = data.draw(st.permutations(range(20)))[:2]
    assert not is_same_name(f"{before}{one}{after}", f"{before}{other}{after}")


@given(st.text(max_size=30), st.text(max_size=30))
def test_which_of_two_names_comes_first_does_not_matter(one, other):
    assert is_same_name(one, other) == is_same_name(other, one)


def test_even_a_word_of_four_letters_is_found_with_two_of_them_exchanged():
    assert score("what is csot?", called("Cost")) > score("what is csot?", called("Cast"))
