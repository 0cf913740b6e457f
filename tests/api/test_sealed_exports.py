"""An export of a sealed space is read page by page, while others use the space."""

from __future__ import annotations

import tracemalloc
from concurrent.futures import ThreadPoolExecutor
from uuid import uuid4

import pytest

from api.sealed_world import Anywhere, founded
from query_records import make_query

QUERIES = 2_000
AT_ONCE = 1_000
BYTES = 8_000
BOUND = QUERIES * BYTES // 2


@pytest.fixture
def place(opened):
    place = founded(Anywhere(opened)())
    session = str(uuid4())
    place.import_records({"record": "session", "id": session, "agent_id": "ada", "created_at": 1.0})
    for _ in range(QUERIES // AT_ONCE):
        place.import_records(
            *(make_query(session, "lamp oil " * (BYTES // 9)) for _ in range(AT_ONCE))
        )
    return place


def begin(place):
    access = place.app.authenticator.enter(place.key, place.space)
    return place.app.export(access)


def test_an_export_never_holds_the_whole_space_in_memory(place):
    tracemalloc.start()
    try:
        count = sum(1 for _ in begin(place))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert count > QUERIES
    assert peak < BOUND


def test_an_export_is_read_by_many_threads_while_others_write(place):
    before = list(begin(place))
    records = begin(place)
    first = next(records)
    place.know("The lamp burns whale oil.")
    rest = []
    with ThreadPoolExecutor(4) as threads:
        while (record := threads.submit(next, records, None).result()) is not None:
            rest.append(record)
    assert [first, *rest] == before
