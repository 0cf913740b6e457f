"""Whatever holds the rare words of a question is shown, however little it is like it in meaning."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from api.world import World, ids

NOTES = (
    "The forklift charger trips its fuse when two trucks charge at once.",
    "Paint the yellow lines again each autumn.",
    "The label printer needs the driver of 2019.",
    "Glass goes to shelf row G, never to row D.",
    "The scale in hall two shows 3 kg too much.",
    "Call the porter before you open the north door.",
    "The compressor is drained on Fridays.",
    "Spare ropes are ordered from the firm in Gdansk.",
    "The fire door at the stairs must not be wedged.",
    "Pallets with blue wrap are for export.",
    "The roof leaks above rack 12 when it rains from the west.",
    "The cleaning crew comes at five.",
    "Ladders are checked in January and July.",
    "Keys hang in the box behind the office door.",
)


def make_log(lines: int, last: str) -> str:
    start = datetime(2026, 11, 1, tzinfo=UTC)
    texts = ("INFO  door closed", "WARN  cycle end", "WARN  oil ok", "INFO  cycle start")
    moments = (start + timedelta(minutes=431 * number, seconds=number) for number in range(lines))
    listed = [
        f"{moment:%Y-%m-%d %H:%M:%S}  {texts[number % 4]}" for number, moment in enumerate(moments)
    ]
    return "\n".join(["Event list of the press, copied from the panel:", *listed, last])


@pytest.fixture
def plant(meaning: World) -> World:
    for note in NOTES:
        meaning.know(note)
    return meaning


def test_the_only_note_with_the_words_is_shown_however_long(plant: World):
    log = plant.know(make_log(80, "2026-11-29 04:11:12 ERROR code 55D1 ram stuck"))
    reply = plant.ask("ram stuck", contribute="never")
    assert ids(reply) == [log]
    assert "ram stuck" in reply["result"]["response"]


def test_the_longest_log_is_searched_to_its_end(plant: World):
    distinct = " ".join(f"q{number:x}z" for number in range(1_900))
    log = plant.know(f"{distinct[:9_500]} ram stuck")
    assert log in ids(plant.ask("ram stuck", contribute="never"))


@pytest.mark.parametrize(
    "note",
    [
        pytest.param("E-204: Folie am Wickler leer, Rolle tauschen.", id="another language"),
        pytest.param("E-204", id="alone"),
        pytest.param("ラッパーの E-204 はフィルム切れです。", id="another script"),
    ],
)
@pytest.mark.parametrize("question", ["E-204", "What does the alarm E-204 on the line mean?"])
def test_whatever_holds_an_identifier_is_shown(plant: World, note: str, question: str):
    noted = plant.know(note)
    assert noted in ids(plant.ask(question, contribute="never"))


def test_all_of_several_notes_with_an_identifier_are_shown(plant: World):
    noted = {plant.know(f"{place}: 55D1") for place in ("Halle 1", "hall 2", "atelier 3", "sala 4")}
    assert noted <= set(ids(plant.ask("where did 55D1 come up", contribute="never")))


def test_an_answer_by_exact_words_is_not_called_far(plant: World):
    plant.know(make_log(80, "2026-11-29 04:11:12 ERROR code 55D1 ram stuck"))
    response = plant.ask("code 55D1", contribute="never")["result"]["response"]
    assert "othing close" not in response


def test_half_known_words_show_nothing_of_another_matter(plant: World):
    assert ids(plant.ask("Who won the chess tournament in Lisbon?", contribute="never")) == []


@pytest.mark.parametrize(
    ("notes", "asked"),
    [
        (["Plan A costs 20 euro.", "Plan B costs 30 euro."], "Plan B costs 30 euro."),
        (["Tea costs 2 euro."], "Tea costs 2 euro."),
        (["The book costs 30 euro."], "Which book costs 30 euro?"),
    ],
)
def test_what_is_asked_for_word_for_word_is_close(meaning, notes, asked):
    known = [meaning.know(note) for note in notes]
    reply = meaning.ask(asked, contribute="never")
    assert reply["result"]["sources"][0]["thought_id"] == known[-1]
    assert "Nothing known is close" not in reply["result"]["response"]
