"""When memory asks back, on 150 thoughts about six topics that were written for this.

`topics.txt` holds them (`tags | thought`, and `? question | number of the thought that answers`).
`scores.json` holds what all-MiniLM-L6-v2, BM25 and their fusion gave for each prompt, as
`[number from 0, cosine, keyword, fused]`, so that the rule meets real figures without a model.
Its `pattern` prompts go to fourteen thoughts that differ in two words only.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wellworn.domain.memory.areas import PoolResult
from wellworn.domain.memory.disambiguation import (
    Clusters,
    Prominence,
    ask_back,
    filter_relevant,
    find_telling_words,
    has_clear_best,
    is_even_match,
    is_relevant,
    measure_prominence,
)
from wellworn.domain.memory.wording import TagArea

HERE = Path(__file__).parent
SCORES = json.loads((HERE / "scores.json").read_text())


def written() -> tuple[list[tuple[str, ...]], dict[str, int]]:
    tags: list[tuple[str, ...]] = []
    answers: dict[str, int] = {}
    for line in (HERE / "topics.txt").read_text().splitlines():
        if line.startswith("# "):
            first = len(tags)
        elif line.startswith("? "):
            question, number = line[2:].split(" | ")
            answers[question] = first + int(number) - 1
        elif line:
            tags.append(tuple(line.split(" | ")[0].split(", ")))
    return tags, answers


TAGS, ANSWERS = written()


def found(group: str, prompt: str) -> list[PoolResult]:
    pattern_tags = [("roles", f"area-{number % 4}") for number in range(14)]
    tags = pattern_tags if group.startswith("pattern") else TAGS
    return [
        PoolResult(str(number), cosine, keyword, fused, tags[number])
        for number, cosine, keyword, fused in SCORES[group][prompt]
    ]


def asked(group: str) -> dict[str, Clusters | None]:
    return {prompt: ask_back(prompt, found(group, prompt)) for prompt in SCORES[group]}


def alike(count: int, *tags: str, keyword: float = 1.0) -> list[PoolResult]:
    return [
        PoolResult(str(number), 0.5, keyword, 1.0 - number / 1000, (tags[number % len(tags)],))
        for number in range(count)
    ]


def test_vague_prompts_that_many_thoughts_fit_are_asked_back() -> None:
    answered = [
        prompt
        for prompt, clusters in asked("vague").items()
        if clusters is None and len(filter_relevant(found("vague", prompt))) >= 10
    ]
    assert len(SCORES["vague"]) == 60
    assert len(answered) <= 2
    assert sum(clusters is not None for clusters in asked("vague").values()) >= 49


def test_precise_questions_are_answered_by_the_thought_that_answers_them() -> None:
    for prompt, clusters in asked("precise").items():
        assert clusters is None, prompt
        assert filter_relevant(found("precise", prompt))[0].id == str(ANSWERS[prompt]), prompt


def test_thoughts_of_one_pattern_are_asked_back_however_long_the_prompt() -> None:
    assert all(asked("pattern_vague").values())


def test_a_question_for_one_thought_of_a_pattern_is_answered() -> None:
    assert not any(asked("pattern_precise").values())


def test_the_offer_counts_tags_and_lists_the_largest_area_best_first() -> None:
    clusters = ask_back("architecture", alike(12, "b", "c", "a", "b"))
    assert clusters == Clusters(
        total_found=12,
        areas=(TagArea("b", 6), TagArea("a", 3), TagArea("c", 3)),
        shown=("0", "3", "4", "7", "8"),
    )


@pytest.mark.parametrize(("count", "asks"), [(9, False), (10, True)])
def test_fewer_than_ten_results_are_answered(count: int, asks: bool) -> None:
    assert (ask_back("architecture", alike(count, "a", "b", "c")) is not None) is asks


@pytest.mark.parametrize(("count", "asks"), [(4, False), (5, True)])
def test_fewer_than_five_relevant_results_are_answered(count: int, asks: bool) -> None:
    unrelated = [PoolResult(f"far {n}", 0.1, 0.0, -2.0, ("x", "y", "z")) for n in range(20)]
    assert (ask_back("architecture", alike(count, "a", "b", "c") + unrelated) is not None) is asks


@pytest.mark.parametrize(("tags", "asks"), [(("a", "b"), False), (("a", "b", "c"), True)])
def test_fewer_than_three_tags_are_answered(tags: tuple[str, ...], asks: bool) -> None:
    assert (ask_back("architecture", alike(12, *tags)) is not None) is asks


@pytest.mark.parametrize(("ending", "asks"), [("", False), (" brass", True)])
def test_words_that_no_two_results_share_are_no_areas(ending: str, asks: bool) -> None:
    names = "anvil bellows crucible dowel easel ferrule gasket hasp ingot jigsaw kiln lathe"
    openings = [f"lamp {name}" for name in names.split()]
    openings[0] += ending
    openings[1] += ending
    pool = [
        replace(result, opening=opening, tags=())
        for result, opening in zip(alike(12, "tag"), openings, strict=True)
    ]
    assert (ask_back("lamp", pool) is not None) is asks


@pytest.mark.parametrize(
    ("prompt", "asks"),
    [
        ("the lamp colour", True),
        ("What colour is the lamp?", False),
        ("Which colour should the lamp have?", False),
        ("What is the lamp's colour?", True),
        ("Which one is the lamp colour?", True),
    ],
)
def test_a_question_for_something_of_a_kind_is_answered(prompt: str, asks: bool) -> None:
    unrelated = [PoolResult(f"far {n}", 0.1, 0.0, -2.0) for n in range(20)]
    assert (ask_back(prompt, alike(9, "a", "b", "c") + unrelated) is not None) is asks


def test_spellings_of_one_tag_are_one_area_under_the_usual_one() -> None:
    clusters = ask_back("ops", alike(15, "Ops", "ops", "ops", "dev", "data"))
    assert clusters is not None
    assert clusters.areas[0] == TagArea("ops", 9)
    assert ask_back("ops", alike(12, "Ops", "ops", "OPS")) is None


def test_no_more_than_fifty_results_are_counted() -> None:
    clusters = ask_back("architecture", alike(80, "a", "b", "c"))
    assert clusters is not None
    assert clusters.total_found == 50


def test_a_clear_best_result_is_answered() -> None:
    pool = alike(20, "a", "b", "c")
    best = PoolResult("best", 0.9, 20.0, 3.0, ("a",))
    assert ask_back("carbonara", [*pool, best]) is None


def test_a_question_of_its_own_is_answered_even_without_a_clear_best() -> None:
    uneven = [
        PoolResult(str(n), 0.5 - n / 50, 5.0 - n / 5, 1.0 - n / 10, (f"t{n % 4}",))
        for n in range(15)
    ]
    assert ask_back("architecture", uneven) is not None
    assert ask_back("Which service may write to the invoice tables?", uneven) is None


def test_a_best_result_well_ahead_of_the_second_is_clear() -> None:
    scores = [2.0, 0.8, 0.7, -0.7, 0.6, -0.8, 0.5, -0.9, 0.4, -1.0, 0.3, -1.3]
    pool = [PoolResult(str(n), 0.5, n + 1.0, score) for n, score in enumerate(sorted(scores)[::-1])]
    best = measure_prominence(pool)
    assert best.above_mean < 2.5
    assert best.ahead > 1.0
    assert has_clear_best(pool)


def test_results_of_very_different_meaning_do_not_match_evenly() -> None:
    pool = [PoolResult(str(n), 0.9 - n / 20, 1.0, 1.0 - n / 1000) for n in range(12)]
    assert not is_even_match(pool)


def test_order_of_arrival_does_not_matter() -> None:
    pool = alike(12, "a", "b", "c")
    assert ask_back("architecture", pool[::-1]) == ask_back("architecture", pool)


def test_a_shared_word_lowers_the_bar_of_relevance() -> None:
    assert is_relevant(0.22, 0.0)
    assert not is_relevant(0.21, 0.0)
    assert is_relevant(0.15, 0.1)
    assert not is_relevant(0.14, 9.0)


@given(
    st.lists(st.floats(-3, 3), min_size=2, max_size=50, unique=True),
    st.floats(0.1, 10),
    st.floats(-5, 5),
)
def test_prominence_does_not_depend_on_the_scale_of_the_score(
    scores: list[float], factor: float, shift: float
) -> None:
    ordered = sorted((round(score, 3) for score in scores), reverse=True)
    plain = [PoolResult("", 0.5, 1.0, score) for score in ordered]
    scaled = [PoolResult("", 0.5, 1.0, factor * score + shift) for score in ordered]
    if len(set(ordered)) > 1:
        one, other = measure_prominence(plain), measure_prominence(scaled)
        assert other.above_mean == pytest.approx(one.above_mean, abs=1e-6)
        assert other.ahead == pytest.approx(one.ahead, abs=1e-6)


def test_nothing_stands_out_of_an_empty_a_single_or_an_even_pool() -> None:
    for pool in ([], alike(1, "a"), [PoolResult("", 0.5, 1.0, 1.0)] * 10):
        assert measure_prominence(pool) == Prominence(0.0, 0.0)
        assert not has_clear_best(pool)


def test_without_any_shared_word_nothing_matches_evenly() -> None:
    assert is_even_match(alike(12, "a"))
    assert not is_even_match(alike(12, "a", keyword=0.0))
    assert not is_even_match(alike(9, "a"))


@pytest.mark.parametrize(
    ("prompt", "asks"),
    [
        ("So which day for the propane?", False),
        ("So no more propane, right?", False),
        ("the propane", True),
    ],
)
def test_one_thing_that_few_results_name_is_answered(prompt: str, asks: bool) -> None:
    matters = ("harbour crane", "harbour lamp", "harbour fair")
    others = [f"Day {number} of the {matters[number % 3]}." for number in range(12)]
    openings = ["Propane comes on any day.", *others]
    pool = [
        PoolResult(str(number), 0.3, 1.0, 1.0 - number / 1000, opening=opening)
        for number, opening in enumerate(openings)
    ]
    assert (ask_back(prompt, pool) is not None) is asks


@pytest.mark.parametrize(
    ("prompt", "words"),
    [
        ("What do we know about deployment?", {"deployment"}),
        ("Tell me everything you've learned about testing, please!", {"testing"}),
        ("What\u2019s new?", set()),
        ("Who is Anthony?", {"who", "anthony"}),
        ("So no more Carel, right?", {"carel"}),
        ("Which way is right?", {"right"}),
        ("How long does a rollback take?", {"long", "rollback", "take"}),
        ("关于系统架构的决定", {"关于", "系统", "架构", "的决", "定"}),
    ],
)
def test_telling_words_leave_out_what_any_question_has(prompt: str, words: set[str]) -> None:
    assert find_telling_words(prompt) == words
