from __future__ import annotations

from wellworn.domain.memory.wording import (
    FIRST_TO_SAY,
    HELD_BACK,
    LABEL_CHARACTERS,
    NOTHING_KNOWN,
    STORED_BESIDE,
    WELCOME,
    ReplyQuote,
    TagArea,
    ask_for_area,
    format_highway,
    format_label,
    write_response,
)


def test_the_welcome_is_the_specified_one_without_its_promise_to_track() -> None:
    assert WELCOME == (
        "Welcome! I haven't seen you before. Ask me anything or share what you're learning."
    )


def test_the_response_quotes_the_first_three_with_their_contributors() -> None:
    quotes = [ReplyQuote(f"Thought {number}.\n", f"Agent {number}") for number in range(1, 5)]
    said = write_response(quotes)
    assert said.startswith("Based on collective knowledge, ")
    for number in (1, 2, 3):
        assert f"Thought {number}. (from Agent {number})" in said
    assert "Thought 4" not in said


def test_a_long_thought_is_quoted_to_its_end() -> None:
    assert "x" * 9_999 + "y" in write_response([ReplyQuote("x" * 9_999 + "y", "A")])


def test_what_is_far_from_the_prompt_is_not_called_an_answer() -> None:
    told = write_response([ReplyQuote("Cats sleep.", "Ann")], near=False)
    assert (
        told
        == "Nothing known is close to this. The nearest thoughts are:\n\nCats sleep. (from Ann)"
    )


def test_an_empty_memory_says_so() -> None:
    assert write_response([]) == NOTHING_KNOWN
    assert write_response([], contributed=True) == FIRST_TO_SAY


def test_who_states_something_learns_that_it_is_stored() -> None:
    quotes = [ReplyQuote("Cats sleep.", "Ann")]
    assert write_response(quotes, contributed=True).endswith("Your thought is stored.")
    assert write_response(quotes, contributed=True, closing=STORED_BESIDE).endswith(STORED_BESIDE)
    assert write_response(quotes, contributed=True, near=False) == FIRST_TO_SAY
    assert write_response(quotes, contributed=True, held=True).endswith(HELD_BACK)


def test_who_asks_for_something_to_be_forgotten_learns_that_it_was_not() -> None:
    told = write_response([ReplyQuote("Cats sleep.", "Ann")], erases=True)
    assert "Cats sleep. (from Ann)" in told
    assert told.endswith(
        "Nothing was erased. A thought is erased by its id, which each result has."
    )


def test_the_counter_question_names_every_area_with_its_count() -> None:
    areas = [
        TagArea("system-architecture", 12),
        TagArea("org-architecture", 6),
        TagArea("data-architecture", 3),
        TagArea("security-architecture", 2),
    ]
    assert ask_for_area(23, areas) == (
        "I found 23 thoughts across 4 areas: system-architecture (12), org-architecture (6), "
        "data-architecture (3), security-architecture (2). Which area interests you?"
    )


def test_the_counter_question_stays_readable_with_many_areas() -> None:
    said = ask_for_area(50, [TagArea(f"t{number}", 60 - number) for number in range(40)])
    assert said.startswith("I found 50 thoughts across 40 areas: t0 (60), t1 (59), ")
    assert said.endswith(", t9 (51), ... Which area interests you?")
    assert "t10" not in said


def test_a_highway_is_labelled_by_its_first_tag() -> None:
    line = format_highway("Role boundaries.", ["role-separation", "agents"], accesses=12, agents=4)
    assert line == "role-separation (12 accesses, 4 agents)"


def test_a_highway_without_tags_is_labelled_by_its_first_words() -> None:
    line = format_highway("One two\nthree four five six seven", [], accesses=1, agents=1)
    assert line == "One two three four five six… (1 accesses, 1 agents)"


def test_short_content_is_its_own_label() -> None:
    assert format_label("Roles matter.", []) == "Roles matter."


def test_a_label_is_never_longer_than_its_limit() -> None:
    assert len(format_label("y" * 500, [])) == LABEL_CHARACTERS
