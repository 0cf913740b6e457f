"""What a unit of a data set becomes in a memory."""

from __future__ import annotations

import pytest
from benchmarks.retrieval.models import Doc
from benchmarks.retrieval.moments import moment
from benchmarks.retrieval.records import record_id, records
from hypothesis import given
from hypothesis import strategies as st

from wellworn.engines.formats.records import parse_record

DOCS = st.builds(
    Doc,
    id=st.text(max_size=20),
    text=st.text(max_size=80),
    group=st.sampled_from(["", "s1", "s2"]),
    speaker=st.sampled_from(["", "Ann"]),
    time=st.text(max_size=20),
    position=st.integers(0, 99),
    extra=st.text(max_size=20),
)


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("1:56 pm on 8 May, 2023", "2023-05-08T13:56:00.000000Z"),
        ("12:09 am on 13 September, 2023", "2023-09-13T00:09:00.000000Z"),
        ("29.12.2023, 22:42:04", "2023-12-29T22:42:04.000000Z"),
        ("March-15-2024", "2024-03-15T00:00:00.000000Z"),
        (" 2023/05/30 (Tue) 23:40\n", "2023-05-30T23:40:00.000000Z"),
        ("31.02.2023, 10:00:00", None),
        ("yesterday", None),
        ("", None),
    ],
)
def test_times_are_read_as_each_data_set_writes_them(text, read):
    assert moment(text) == read


@given(st.text(max_size=40))
def test_whatever_is_no_time_is_none(text):
    assert moment(text) is None


def test_a_turn_keeps_speaker_session_time_and_caption():
    doc = Doc("D1:2", "Look", "conv/1", "Ben", "1:56 pm on 8 May, 2023", 7, "a red boat")
    [record] = records([doc])
    assert record["kind"] == "turn"
    assert record["content"] == "Look [a red boat]"
    assert (record["contributor_name"], record["session"]) == ("Ben", "conv/1")
    assert record["created_at"] == "2023-05-08T13:56:00.000000Z"


def test_a_section_is_a_thought_whose_heading_is_not_said_twice():
    [record] = records([Doc("a#1", "Set up\nRun it.", "a.md", extra="Set up")])
    assert record["kind"] == "thought"
    assert record["content"] == "Set up\nRun it."
    assert record["session"] == "a.md"
    assert "created_at" not in record


def test_places_are_counted_within_each_session():
    docs = [Doc(str(n), "x", group, "Ann", position=n) for n, group in enumerate("aabab")]
    assert [record["position"] for record in records(docs)] == [0, 1, 0, 2, 1]


def test_a_text_that_is_too_long_is_cut_and_an_empty_one_is_named():
    long, empty = records([Doc("1", "x" * 10_001, "a"), Doc("2", " ", "a")])
    assert long["content"] == "x" * 10_000
    assert empty["content"] == "(nothing)"


@given(st.lists(DOCS, max_size=5))
def test_every_unit_becomes_a_record_that_import_takes_under_its_own_id(docs):
    made = list(records(docs))
    assert [record["id"] for record in made] == [record_id(doc) for doc in docs]
    for number, record in enumerate(made, start=1):
        assert parse_record(record, number).record == "thought"
