from __future__ import annotations

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wellworn.domain.thoughts.tags import (
    LONGEST_TAG,
    MOST_TAGS,
    clean_tags,
    collect_tags,
    find_hashtags,
    find_known_tags,
    pick_tag,
    tag_key,
)
from wellworn.errors import InvalidInput

WORDS = st.lists(
    st.text(string.ascii_lowercase + "äé", min_size=1, max_size=6), min_size=1, max_size=4
)


@pytest.mark.parametrize(
    "spelling",
    [
        "System Architecture",
        "system-architecture",
        "SYSTEM_ARCHITECTURE",
        " system \u2013 architecture",
    ],
)
def test_case_blanks_hyphens_and_underscores_make_no_other_tag(spelling: str) -> None:
    assert tag_key(spelling) == tag_key("system-architecture")


def test_c_and_its_descendants_are_three_tags() -> None:
    assert len({tag_key("C"), tag_key("C++"), tag_key("C#")}) == 3


@given(st.text())
def test_a_key_is_its_own_key(text: str) -> None:
    assert tag_key(tag_key(text)) == tag_key(text)


@pytest.mark.parametrize(
    ("prompt", "found"),
    [
        ("How do we start?", []),
        ("Is this art or craft?", ["art"]),
        ("Art!", ["art"]),
        ("The System Architecture of it", ["system-architecture"]),
        ("our system-architecture's price", ["system-architecture"]),
        ("system_architecture", ["system-architecture"]),
        ("a system, an architecture", []),
        ("written in C.", ["c"]),
        ("written in C++, mostly", ["c++"]),
        ("from c# to c", ["c#", "c"]),
        ("C/C++ and CI/CD", ["c", "c++", "ci/cd"]),
        ("runs on node.js.", ["node.js"]),
        ("the node. JS is separate", []),
        ("we like .NET and the net", [".net", "net"]),
        ("关于架构的问题", ["架构"]),
        ("यह हिन्दी है", ["हिन्दी"]),
        ("कि", []),
        ("", []),
    ],
)
def test_known_tags_are_found_as_whole_words_only(prompt: str, found: list[str]) -> None:
    known = [
        "art", "system-architecture", "c", "c++", "c#", "ci/cd",
        "node.js", ".net", "net", "架构", "हिन्दी", "क", "--",
    ]  # fmt: skip
    assert find_known_tags(prompt, known) == found


@given(
    WORDS,
    st.sampled_from([" ", "-", "_"]),
    st.sampled_from([str.upper, str.title, str.lower]),
    WORDS,
    WORDS,
)
def test_a_tag_is_found_however_its_words_are_joined(words, joint, case, before, behind) -> None:
    tag = "-".join(words)
    prompt = f"{' '.join(before)}, {case(joint.join(words))}! {' '.join(behind)}"
    assert tag in find_known_tags(prompt, [tag])


@given(WORDS)
def test_a_tag_is_not_found_inside_a_longer_word(words) -> None:
    tag = " ".join(words)
    assert find_known_tags(f"zz{tag}zz", [f"{tag}"]) == []


def test_every_known_tag_of_thousands_is_found() -> None:
    known = [f"topic {number}" for number in range(5000)]
    assert find_known_tags("about topic-4711 and Topic 12", known) == ["topic 4711", "topic 12"]


@pytest.mark.parametrize(
    ("prompt", "found"),
    [
        ("#architecture is #system-design", ["architecture", "system-design"]),
        ("(#c++, #C#) and #node.js.", ["c++", "C#", "node.js"]),
        ("fixes #12 and #2fa", ["2fa"]),
        ("http://example.org/#part x#y ## #", []),
        ("#One #one #ONE", ["One"]),
        ("#end- of", ["end"]),
        ("# Heading", []),
        ("#हिन्दी #架构", ["हिन्दी", "架构"]),
        ("#" + "x" * (LONGEST_TAG + 1), []),
    ],
)
def test_hashtags_are_read_from_the_prompt(prompt: str, found: list[str]) -> None:
    assert find_hashtags(prompt) == found


def test_given_tags_lose_blanks_empties_and_second_spellings() -> None:
    assert clean_tags([" Role  Separation ", "", "  ", "-", "role-separation", "ops"]) == [
        "Role Separation",
        "ops",
    ]


@pytest.mark.parametrize(
    "tags",
    [
        [f"tag {number}" for number in range(MOST_TAGS + 1)],
        ["x" * (LONGEST_TAG + 1)],
        ["nul\x00"],
        ["lone \ud800"],
    ],
)
def test_tags_beyond_the_limits_are_refused_without_echoing_them(tags: list[str]) -> None:
    with pytest.raises(InvalidInput) as refused:
        clean_tags(tags)
    assert tags[0] not in refused.value.message


def test_tags_at_the_limits_are_taken() -> None:
    tags = [f"{number:0{LONGEST_TAG}}" for number in range(MOST_TAGS)]
    assert clean_tags([*tags, tags[0]]) == tags


def test_a_thought_gets_given_then_hash_then_known_tags_in_the_usual_spelling() -> None:
    tags = collect_tags(
        "We test the #data_model in the billing service.",
        chosen=["Ops"],
        known=["Billing", "data-model", "ops", "unrelated"],
    )
    assert tags == ["Ops", "data-model", "Billing"]


def test_tags_found_in_a_prompt_never_exceed_what_a_thought_can_carry() -> None:
    known = [f"k{number}" for number in range(40)]
    assert collect_tags(" ".join(known), chosen=["mine"], known=known) == [
        "mine",
        *known[: MOST_TAGS - 1],
    ]


@pytest.mark.parametrize(
    ("prompt", "tag"),
    [
        ("system architecture", "system-architecture"),
        ("The System Architecture one, please.", "system-architecture"),
        ("architecture", "architecture"),
        ("c++", "c++"),
        ("C", "c"),
        ("🔥", "🔥"),
        ("++", "++"),
        ("data or testing?", None),
        ("none of these", None),
        ("", None),
    ],
)
def test_a_follow_up_names_the_longest_offered_tag(prompt: str, tag: str | None) -> None:
    offered = ["architecture", "system-architecture", "data", "testing", "c", "c++", "🔥", "++"]
    assert pick_tag(prompt, offered) == tag


@pytest.mark.parametrize(
    ("prompt", "tag"),
    [
        ("architecure", "architecture"),
        ("the sytsem architectur one", "system-architecture"),
        ("System Architecutre, please", "system-architecture"),
        ("tesitng", "testing"),
        ("data or tesitng?", None),
        ("tesitng or architecure?", None),
        ("model", "models"),
        ("models", "models"),
        ("date", None),
        ("srv-03", None),
        ("sevrer-01", "server-01"),
        ("server-03", None),
        ("c**", None),
        ("tesitng " * 50, None),
    ],
)
def test_a_follow_up_may_misspell_an_offered_tag_but_no_number(
    prompt: str, tag: str | None
) -> None:
    offered = [
        *("architecture", "system-architecture", "data", "testing", "models"),
        *("srv-01", "srv-02", "server-01", "server-02", "c++", "c#"),
    ]
    assert pick_tag(prompt, offered) == tag


def test_of_two_offered_tags_a_letter_apart_the_one_spelt_so_is_meant() -> None:
    assert pick_tag("models it is", ["model", "models"]) == "models"
    assert pick_tag("the modle one", ["model", "models"]) == "model"
    assert pick_tag("the mdoel one", ["model", "modal"]) == "model"
    assert pick_tag("serving", ["serving-1", "servings", "servingx"]) is None
