"""Generated texts are the same for a seed, varied, and records that import takes."""

from __future__ import annotations

from benchmarks.texts import questions, thoughts, turns

from wellworn.domain.memory.disambiguation import VAGUE_WORDS, find_telling_words
from wellworn.engines.formats.records import parse_record


def test_a_seed_always_gives_the_same_texts():
    assert list(thoughts(50, seed=3)) == list(thoughts(50, seed=3))
    assert list(thoughts(50, seed=3)) != list(thoughts(50, seed=4))
    assert questions(20) == questions(20)


def test_thoughts_are_hardly_ever_the_same_and_as_long_as_real_ones():
    contents = [record["content"] for record in thoughts(3_000)]
    assert len(set(contents)) > 2_990
    assert 20 < sum(len(content.split()) for content in contents) / len(contents) < 60
    assert not any("{" in content for content in contents)


def test_turns_of_a_session_are_numbered_and_said_by_two_people():
    session = [record for record in turns(60) if record["session"] == "session-1"]
    assert [record["position"] for record in session] == [*range(20)]
    assert len({record["contributor_id"] for record in session}) == 2


def test_all_records_are_such_as_import_takes():
    for line, record in enumerate([*thoughts(100), *turns(100)], start=1):
        assert parse_record(record, line).record == "thought"


def test_questions_say_enough_to_be_answered_rather_than_asked_back():
    vague = [text for text in questions(300) if len(find_telling_words(text)) <= VAGUE_WORDS]
    assert len(vague) <= 30
