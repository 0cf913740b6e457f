"""Conversations as the data set writes them become records, questions and evidence."""

from __future__ import annotations

import json

import pytest
from benchmarks.conversations import read

from wellworn.formats.records import parsed

CONVERSATION = {
    "session_1_date_time": "1:56 pm on 8 May, 2023",
    "session_1": [
        {"speaker": "Ann", "dia_id": "D1:1", "text": "Hey Ben!"},
        {"speaker": "Ben", "dia_id": "D1:2", "text": "Look", "blip_caption": "a red boat"},
    ],
    "session_2_date_time": "12:09 am on 13 September, 2023",
    "session_2": [{"speaker": "Ann", "dia_id": "D2:1", "text": "I sold it."}],
    "speaker_a": "Ann",
}


def question(*evidence, category=4):
    return {"question": "What did Ben show?", "evidence": [*evidence], "category": category}


@pytest.fixture
def conversation(tmp_path):
    def written(*questions):
        sample = {"sample_id": "conv-1", "conversation": CONVERSATION, "qa": [*questions]}
        (tmp_path / "locomo").mkdir(exist_ok=True)
        (tmp_path / "locomo" / "locomo10.json").write_text(json.dumps([sample]))
        return read(tmp_path)[0]

    return written


def test_turns_become_records_with_speaker_place_time_and_caption(conversation):
    first, second, third = conversation().records
    assert first["content"] == "Hey Ben!"
    assert second["content"] == "Look [a red boat]"
    assert (second["contributor_name"], second["session"]) == ("Ben", "conv-1/session_1")
    assert [one["position"] for one in (first, second, third)] == [0, 1, 0]
    assert second["created_at"] == "2023-05-08T13:56:01+00:00"
    assert third["created_at"] == "2023-09-13T00:09:00+00:00"


def test_every_turn_is_a_record_that_import_takes(conversation):
    for line, record in enumerate(conversation().records, start=1):
        assert parsed(record, line).record == "thought"


@pytest.mark.parametrize(
    ("evidence", "found"),
    [
        (["D1:2"], {"Look [a red boat]"}),
        (["D1:1; D2:1"], {"Hey Ben!", "I sold it."}),
        (["D:1:02"], {"Look [a red boat]"}),
        (["D1:1", "D9:9"], {"Hey Ben!"}),
    ],
)
def test_evidence_is_read_as_it_was_meant(conversation, evidence, found):
    told = conversation(question(*evidence))
    content = {record["id"]: record["content"] for record in told.records}
    assert {content[turn] for turn in told.questions[0].turns} == found


def test_questions_without_evidence_are_left_out_and_categories_are_named(conversation):
    told = conversation(question(), question("D9:1"), question("D2:1", category=2))
    assert [one.category for one in told.questions] == ["temporal"]
    assert told.questions[0].sessions == {"conv-1/session_2"}
