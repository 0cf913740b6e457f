"""What is made for the reader to learn from: the same each time, with spans that are right."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import pytest
from training import changes, scenes, structures, written
from training.exchange import Exchanger
from training.found import Corpus, list_beside, make_answered, make_likest, make_vague
from training.judge import list_written
from training.pairs import Pair, answered
from training.sources import Question
from training.typed import type_casually
from training.values import read_stock

from wellworn.engines.reading import LATER

MAKERS = [
    scenes.make_twins,
    scenes.make_without_value,
    scenes.make_yes_or_no,
    changes.make_changes,
    changes.make_halves,
    structures.make_tables,
    structures.make_lists,
    structures.make_settings,
]
CONTEXT = (
    "The Harbour Museum was founded in 1911 by Elsa Quist. It moved to the old customs house after "
    "the flood. About 40,000 people visit it each year, most of them in July."
)
QUESTIONS = [
    Question("Who founded the Harbour Museum?", CONTEXT, ((42, 52),), "museum"),
    Question("When was the Harbour Museum founded?", CONTEXT, ((34, 38),), "museum"),
]
OTHERS = [
    ("The Harbour Museum closes at six, and the guards lock every door of it.", "museum"),
    ("Nobody founded anything in the village before the railway came.", "village"),
    ("The museum of clocks was founded by two brothers from Ghent.", "clocks"),
]
CORPUS = Corpus("some", QUESTIONS, [(CONTEXT, "museum"), *OTHERS])


def make(maker, *, seed: int = 5, count: int = 300) -> list[Pair]:
    rng = Random(seed)
    return [pair for at in range(count) for pair in maker(rng, str(at)) if pair is not None]


every_maker = pytest.mark.parametrize("maker", MAKERS, ids=lambda maker: maker.__name__)


@every_maker
def test_the_same_seed_makes_the_same_pairs(maker):
    assert make(maker) == make(maker)
    assert make(maker) != make(maker, seed=6)


@every_maker
def test_pairs_are_filled_and_their_spans_are_words(maker):
    for pair in make(maker):
        assert pair.question.strip()
        assert not {"{", "}"} & {*pair.question}
        assert "{it}" not in pair.text
        assert pair.answer.strip() == pair.answer
        assert pair.answers == bool(pair.answer)


@every_maker
def test_there_are_pairs_with_and_without_an_answer(maker):
    found = [pair.answers for pair in make(maker)]
    assert 0.1 < sum(found) / len(found) < 0.95


def test_of_twins_the_text_of_the_other_does_not_name_the_one_that_is_asked_about():
    rng = Random(3)
    for at in range(300):
        fact = scenes.draw_fact(rng)
        twin = fact.subject.draw_twin(rng)
        assert twin.name.lower() != fact.subject.name.lower(), at


def test_every_attribute_of_every_thing_is_known_and_is_asked_and_told():
    stock = read_stock()
    for thing, attributes in stock["things"].items():
        assert {*attributes} <= {*stock["attributes"]}, thing
    for name, attribute in stock["attributes"].items():
        assert all("{it}" in form and "{v}" in form for form in attribute["says"]), name
        assert all("{it}" in form and "{v}" not in form for form in attribute["asks"]), name


def test_every_change_tells_both_and_asks_for_both():
    for way in read_stock()["changes"]:
        for form in way["says"]:
            assert {"{old}", "{new}"} <= {word for word in ("{old}", "{new}") if word in form}, form
        assert not any("{old}" in form for form in way["past"])
        assert not any("{new}" in form for form in way["present"])


@pytest.fixture
def exchanger() -> Exchanger:
    texts = [CONTEXT, *(text for text, _ in OTHERS)] * 3
    return Exchanger(texts, Random(1))


def exchange_often(exchanger: Exchanger, *, alike: bool) -> Iterator[tuple[Pair, Pair]]:
    for question in QUESTIONS:
        start, end = question.spans[0]
        pair = answered("found", question.text, CONTEXT, CONTEXT[start:end], "museum")
        for _ in range(40):
            made = exchanger.exchange(pair, alike=alike)
            if made is not None:
                yield pair, made


def test_an_exchanged_pair_differs_on_one_side_and_keeps_what_answered(exchanger: Exchanger):
    pairs = [*exchange_often(exchanger, alike=False)]
    assert len(pairs) > 40
    for pair, made in pairs:
        assert not made.answers
        assert (made.question == pair.question) is not (made.text == pair.text)
        assert pair.answer in made.text


def test_exchanged_alike_it_answers_still(exchanger: Exchanger):
    pairs = [*exchange_often(exchanger, alike=True)]
    assert len(pairs) > 40
    for pair, made in pairs:
        assert made.answer == pair.answer
        assert made.question != pair.question
        assert made.text != pair.text


@pytest.mark.parametrize(
    ("question", "text", "answer"),
    [
        ("How much does kiln B hold?", "Kiln B holds 40 litres.", "40 litres"),
        ("What does error 4031 mean?", "4031 is raised when it lapsed.", "when it lapsed"),
    ],
)
def test_a_letter_or_number_that_both_share_is_exchanged(
    exchanger: Exchanger, question: str, text: str, answer: str
):
    pair = answered("found", question, text, answer, "")
    made = [exchanger.exchange(pair) for _ in range(30)]
    word = "B" if "B" in question else "4031"
    changed = [it for it in made if it and (word not in it.question or word not in it.text)]
    assert len(changed) > 10


def test_what_nothing_is_shared_by_is_not_exchanged(exchanger: Exchanger):
    assert exchanger.exchange(answered("found", "Who?", "It was Elsa.", "Elsa", "")) is None


def test_what_stands_beside_or_is_likest_has_not_the_answer():
    rng = Random(2)
    for question in QUESTIONS * 20:
        answer = CONTEXT[slice(*question.spans[0])]
        beside = [*list_beside(question, CORPUS, rng)]
        likest = make_likest(question, CORPUS, rng)
        for pair in (*beside, *([likest] if likest else [])):
            assert not pair.answers
            assert answer not in pair.text
    assert {pair.kind for pair in beside} == {"beside", "article"}


def test_a_window_around_an_answer_keeps_it():
    rng = Random(4)
    for question in QUESTIONS * 50:
        pair = make_answered(question, rng)
        assert pair is not None
        assert pair.answer == CONTEXT[slice(*question.spans[0])]


def test_what_is_made_vague_no_longer_says_it():
    rng = Random(4)
    pair = answered("found", QUESTIONS[1].text, CONTEXT, "1911", "museum")
    for _ in range(30):
        made = make_vague(pair, rng)
        assert made is not None
        assert "1911" not in made.text
        assert not made.answers


def test_what_is_typed_keeps_the_words_that_tell():
    for seed in range(30):
        typed = type_casually("What is the price of the Harbour pass?", Random(seed))
        assert {"price", "harbour", "pass"} <= {*typed.lower().split()}
        assert not typed.endswith("?")


def test_nothing_that_is_judged_is_learned_from():
    judged = {pair.text for pair in list_written()} | {pair.question for pair in list_written()}
    assert len(judged) > 300
    made = [pair for maker in MAKERS for pair in make(maker, count=600)]
    assert not judged & ({pair.text for pair in made} | {pair.question for pair in made})


def test_written_scenes_ask_each_text_and_answer_with_its_own_words(tmp_path, monkeypatch):
    (tmp_path / "a.txt").write_text(
        "+ Ann has the key.\n+ Ask Bo for the key, Ann left.\n- Ann has a dog.\n"
        "? who has the key | Bo / Ann\n? Who has the car? | -\n",
        "utf-8",
    )
    monkeypatch.setattr(written, "FOLDER", tmp_path)
    pairs = written.make_written(Random(1))
    assert {(pair.text, pair.answer) for pair in pairs if pair.answers} == {
        ("Ann has the key.", "Ann"),
        ("Ask Bo for the key, Ann left.", "Bo"),
    }
    assert {pair.text for pair in pairs if "car" in pair.question and pair.answers} == set()
    assert ("Ann has a dog.", False) in {(pair.text, pair.answers) for pair in pairs}


def test_a_scene_is_read_as_one_with_what_was_said_later(tmp_path, monkeypatch):
    (tmp_path / "a.txt").write_text(
        "+ Ann has the key.\n+ She left, so ask Bo.\n- Bo has a dog.\n"
        "? who has the key | Bo / Ann\n? who had it before | Ann\n? who has the car | -\n",
        "utf-8",
    )
    monkeypatch.setattr(written, "FOLDER", tmp_path)
    monkeypatch.setattr(written, "_find_likest", lambda *_: "The sea is wide.")
    monkeypatch.setattr(written, "_CASUALLY", 0)
    joined = f"Ann has the key.{LATER}She left, so ask Bo."
    pairs = [pair for seed in range(20) for pair in written.make_later(Random(seed))]
    told = {(pair.question, pair.answer) for pair in pairs if pair.text == joined}
    assert told == {
        ("who has the key", "Bo"),
        ("who had it before", "Ann"),
        ("who has the car", ""),
    }
    [start] = {pair.start for pair in pairs if pair.text == joined and pair.answer == "Bo"}
    assert start > joined.index(LATER)
    unchanged = f"Ann has the key.{LATER}The sea is wide."
    assert ("who has the key", "Ann") in {
        (pair.question, pair.answer) for pair in pairs if pair.text == unchanged
    }


@pytest.mark.parametrize(
    "scene", ["+ Ann has the key.\n? Who has it? | Bo\n", "Ann has the key.\n"]
)
def test_a_written_scene_that_is_no_scene_is_refused(tmp_path, monkeypatch, scene):
    (tmp_path / "a.txt").write_text(scene, "utf-8")
    monkeypatch.setattr(written, "FOLDER", tmp_path)
    with pytest.raises(ValueError, match="a:0"):
        written.make_written(Random(1))


def test_every_scene_that_is_written_is_one():
    pairs = written.make_written(Random(1))
    assert len(pairs) > 15_000
    assert {pair.kind for pair in pairs} == {"written"}
