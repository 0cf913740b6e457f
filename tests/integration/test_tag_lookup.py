"""The tags that a prompt names, looked up by an index: the same as comparing with every tag."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import create_engine, event, select

from wellworn.application.migrations import metadata
from wellworn.domain.spaces import local_access
from wellworn.domain.thoughts.store import tagging
from wellworn.domain.thoughts.tables import query_log
from wellworn.domain.thoughts.tables import tags as tag_table
from wellworn.domain.thoughts.tags import collect_tags, tag_key, words_key

ME = local_access()
WORD = st.sampled_from(
    [
        "a",
        "b",
        "ab",
        "c++",
        "c#",
        ".net",
        "node.js",
        "架构",
        "架",
        "हि",
        "ﷺ",
        "Å",
        "42",
        "/",
        "--",
        "_",
    ]
)
JOINT = st.sampled_from([" ", "-", "_", "/", "", ", ", "\u2003"])
TAG = st.lists(st.tuples(WORD, JOINT), min_size=1, max_size=4).map(
    lambda parts: "".join(word + joint for word, joint in parts)[:100]
)
PROMPT = st.lists(st.tuples(WORD, JOINT), max_size=30).map(
    lambda parts: "".join(word + joint for word, joint in parts)
)


@pytest.fixture(scope="module")
def engine():
    made = create_engine("sqlite://")
    metadata.create_all(made, tables=[tag_table])
    yield made
    made.dispose()


@pytest.fixture
def connection(engine):
    with engine.connect() as opened:
        yield opened
        opened.rollback()


def every_tag(connection):
    statement = select(tag_table.c.tag).where(tag_table.c.knowledge_space_id == ME.space)
    return connection.execute(statement.order_by(tag_table.c.tag_key)).scalars().all()


@given(st.lists(TAG, max_size=20), PROMPT, st.lists(TAG, max_size=2))
def test_the_index_finds_what_a_comparison_with_every_tag_finds(engine, known, prompt, given_tags):
    with engine.connect() as connection:
        tagging.count_tags(connection, ME, [tag for tag in known if tag_key(tag)])
        expected = collect_tags(prompt, given_tags, every_tag(connection))
        found = collect_tags(prompt, given_tags, tagging.find_tags(connection, ME, prompt))
        connection.rollback()
    assert found == expected


def test_a_tag_is_counted_again_and_found_once(connection):
    tagging.count_tags(connection, ME, ["Role Separation"])
    tagging.count_tags(connection, ME, ["role-separation"])
    assert tagging.find_tags(connection, ME, "on ROLE separation") == ["Role Separation"]


def test_of_two_tags_with_the_same_words_the_first_by_key_is_found(connection):
    tagging.count_tags(connection, ME, ["ci/cd", "CI-CD"])
    known = tagging.find_tags(connection, ME, "our ci, cd and more")
    assert known == ["CI-CD", "ci/cd"]
    assert collect_tags("our ci, cd and more", (), known) == ["CI-CD"]


def test_more_runs_of_words_than_a_statement_can_hold_are_looked_up(connection):
    tagging.count_tags(connection, ME, ["w0", "w9999 w10000", "w39999"])
    prompt = " ".join(f"w{number}" for number in range(40_000))
    assert tagging.find_tags(connection, ME, prompt) == ["w0", "w39999", "w9999 w10000"]


def test_tags_without_a_word_are_in_no_prompt(connection):
    tagging.count_tags(connection, ME, ["/", "!!"])
    assert words_key("/") == ""
    assert tagging.find_tags(connection, ME, "/ and !!") == []


def test_a_look_up_reads_only_the_tags_it_returns(connection):
    tagging.count_tags(connection, ME, [f"topic {number}" for number in range(500)])
    asked, driver = [], connection.connection.driver_connection
    driver.set_trace_callback(asked.append)
    assert tagging.find_tags(connection, ME, "about topic-7") == ["topic 7"]
    driver.set_trace_callback(None)
    plans = [
        row[3]
        for statement in asked
        for row in connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}")
    ]
    assert plans
    # What has no name is a list that the statement makes.
    assert not [plan for plan in plans if plan.startswith("SCAN") and " anon_" not in plan]
    assert any("words_key=?" in plan for plan in plans)


def test_names_of_dozens_of_characters_are_not_sought_in_all_of_a_long_prompt(
    connection, monkeypatch
):
    prompt = "".join(chr(0x4E00 + number) for number in range(9_000))
    tagging.count_tags(connection, ME, [prompt[start : 2 * start] for start in range(1, 65)])
    runs = []
    listed = tagging.list_runs
    monkeypatch.setattr(
        tagging, "list_runs", lambda *asked: runs.append(keys := listed(*asked)) or keys
    )
    named = tagging.find_tags(connection, ME, prompt)
    assert named == sorted(prompt[start : 2 * start] for start in range(1, 65))
    assert sum(map(len, runs)) < 9 * len(prompt)


def test_what_is_forgotten_takes_one_look_at_the_tags_however_often_it_was_offered(
    engine, connection
):
    metadata.create_all(connection, tables=[query_log])
    columns = {column.name: 0 for column in query_log.c if not column.nullable}
    offers = [
        columns | {"seq": seq, "id": str(seq), "knowledge_space_id": ME.space, "offered_tags": tags}
        for seq, tags in enumerate(['["roof", "hill"]', '["lamp"]'] * 100, start=1)
    ]
    connection.execute(query_log.insert(), offers)
    tagging.count_tags(connection, ME, ["hill"])
    statements = []
    note = lambda *call: statements.append(call[2].split()[0])  # noqa: E731 - an event's listener
    event.listen(engine, "before_cursor_execute", note)
    try:
        tagging._withdraw_offers(connection, ME, {"roof", "hill"})
    finally:
        event.remove(engine, "before_cursor_execute", note)
    assert statements.count("SELECT") == 2
    left = set(connection.execute(select(query_log.c.offered_tags)).scalars())
    assert left == {'["hill"]', '["lamp"]'}
