"""What a call reads grows with what it shows, not with what the space holds."""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing

import pytest
from sqlalchemy import event
from sqlalchemy.engine import Engine
from sqlalchemy.pool import Pool

from integration.owners import ask, say
from wellworn.domain.thoughts import RetrievalMethod

WALKS = re.compile(r"SCAN (?!anon_)|\(knowledge_space_id=\?\)$")
"""Steps that go through a table, or all that a space has of one; what has no name is a list."""


@pytest.fixture
def statements():
    """Note what the driver runs, with its values in it."""
    executed = []

    def note(statement):
        if statement.startswith("SELECT"):
            executed.append(statement)

    def trace(connection, _record, _proxy):
        connection.set_trace_callback(note)

    event.listen(Pool, "checkout", trace)
    yield executed
    event.remove(Pool, "checkout", trace)


def test_a_call_walks_no_table(app, tmp_path, statements):
    for number in range(12):
        say(app, "ann", f"the cedar lantern number {number} hangs at the harbour")
    ask(app, "bob", "who hangs the lantern")  # Of a newcomer the sessions are searched.
    del statements[:]
    ask(app, "bob", "where is the cedar lantern", retrieval_method=RetrievalMethod.HYBRID)
    with closing(sqlite3.connect(tmp_path / "memory.db")) as connection:
        walks = {
            statement: step
            for statement in statements
            for *_, step in connection.execute(f"EXPLAIN QUERY PLAN {statement}")
            if WALKS.search(step)
        }
    assert len(statements) > 10
    assert walks == {}


def test_a_call_reads_what_it_shows_in_one_transaction(app):
    for number in range(12):
        say(app, "ann", f"the cedar lantern number {number} hangs at the harbour")
    begun = []

    def note(connection):
        begun.append(connection)

    event.listen(Engine, "begin", note)
    try:
        ask(app, "bob", "where is the cedar lantern", retrieval_method=RetrievalMethod.HYBRID)
    finally:
        event.remove(Engine, "begin", note)
    # Before it is embedded, for what is found, and to write.
    assert len(begun) <= 3
