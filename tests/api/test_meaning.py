"""What the meaning of notes decides of their order: with the real encoder."""

from __future__ import annotations

import pytest

from api.world import ids

NEW = "The Marlin exporter listens on port 9200."


def test_of_what_happened_the_time_that_is_named_comes_first(meaning):
    broken = [meaning.know("The mixer broke at the bakery, dough was lost.", "kim")]
    meaning.clock.advance(21 * 24 * 3600)
    broken.append(meaning.know("The oven at the bakery broke, the bread was lost.", "kim"))
    meaning.clock.advance(21 * 24 * 3600)
    broken.append(meaning.know("The fridge at the bakery broke, all cream was lost.", "kim"))
    for month, at in (("in the second half of March", 1), ("in February", 0), ("in April", 2)):
        assert ids(meaning.ask(f"What broke at the bakery {month}?", "dev"))[0] == broken[at]


def test_what_was_said_later_of_a_day_counts_to_it(meaning):
    that_day = meaning.know("The kitchen serves pea soup.", "kim")
    meaning.clock.advance(24 * 3600)
    next_day = meaning.know("Yesterday the potatoes came two hours late.", "kim")
    meaning.clock.advance(3 * 24 * 3600)
    later = meaning.know("On 23 February the north pump failed.", "kim")
    other = meaning.know("On 21 February the north pump failed as well.", "kim")
    assert ids(meaning.ask("What happened on 23 February?", "dev")) == [later, next_day, that_day]
    assert ids(meaning.ask("What happened on 21 February?", "dev")) == [other]
    for day, told in (("21", other), ("23", later)):
        assert ids(meaning.ask(f"Which pump failed on {day} February?", "dev"))[0] == told


@pytest.mark.parametrize(
    "guess",
    [
        "If we moved the Marlin exporter to port 9100, the firewall would break.",
        "Ana thinks the Marlin exporter may be on port 9100.",
        "It is not true that the Marlin exporter listens on port 9100.",
    ],
)
def test_what_was_never_stated_stands_below_and_is_not_said_to_be_replaced(meaning, guess):
    never = meaning.know(guess, "bo")
    meaning.clock.advance(60)
    new = meaning.know(NEW.replace("listens", "now listens"), "bo")
    asked = meaning.ask("Which port does the Marlin exporter listen on?", "dev")
    assert ids(asked) == [new, never]
    assert not any(
        {"replaces", "replaced_by"} & source.keys() for source in asked["result"]["sources"]
    )
    assert meaning.record(never)["replaced_by"] == []


def test_a_question_in_words_that_no_reader_knows_keeps_the_order_of_the_search(meaning):
    notes = ("今天玩成语接龙游戏", "昨晚我们讨论了中欧红利基金", "오늘 끝말잇기 게임을 했다")
    told = {note: meaning.know(note, "kim") for note in notes}
    meaning.know("今日は成語しりとりをした", "kim")
    meaning.know("明天下午三点开项目评审会议讨论排期", "kim")
    for question, note in zip(("成语接龙", "昨晚", "끝말잇기"), notes, strict=True):
        assert ids(meaning.ask(question, "dev", contribute="never"))[0] == told[note]
