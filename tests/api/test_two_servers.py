"""Two servers over one database, in this process: what each takes in, and what only one may do."""

from __future__ import annotations

import shutil
from contextlib import ExitStack, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread
from time import monotonic

import pytest
from starlette.testclient import TestClient

from api.conftest import BASE_URL, fast_folder
from api.routes import query
from api.sealed_world import SETTINGS, Bearer, founded
from api.world import World, accepted, ids, refused, talk
from empty_memory import drop_databases, put_into_postgresql
from patience import LONG_S
from wellworn.application.bootstrap import open_app
from wellworn.application.settings import Settings
from wellworn.engines.storage.sql import undo_with
from wellworn.engines.storage.sql.commits import SharedCommit
from wellworn.errors import InvalidInput, StorageUnavailable
from wellworn.interfaces.server import create_asgi
from wellworn.kit.ids import new_id
from wellworn.testing.clock import ManualClock
from wellworn.testing.embedder import HashEmbedder

TIDE = "The tide table of the north pier hangs beside the red door."
ASKED = "where does the tide table of the north pier hang?"


over_pgvector = pytest.mark.parametrize("pair", ["memory", "pgvector"], indirect=True)


@pytest.fixture
def pair(request):
    """Two servers, each with a folder of its own."""
    with TemporaryDirectory(dir=fast_folder()) as folder, ExitStack() as stack:
        homes = [Path(folder, name) for name in ("first", "second")]
        stack.callback(drop_databases, Path(folder))
        for home in homes:
            home.mkdir(mode=0o700)
        vectors = {"vectors": getattr(request, "param", "memory")}
        storage = put_into_postgresql(homes[0]).model_copy(update=vectors)
        settings = Settings(spaces=SETTINGS, storage=storage)
        worlds = []
        for home in homes:
            if worlds:
                shutil.copy(homes[0] / "server.key", home)
            clock = ManualClock()
            app = open_app(home, settings, embedder=HashEmbedder(), clock=clock)
            stack.callback(app.close)
            client = stack.enter_context(TestClient(create_asgi(app), base_url=BASE_URL))
            worlds.append(World(home, clock, app, client))
        yield tuple(worlds)


def repeat(call):
    """Call until PostgreSQL has noticed that the other server is gone."""
    end = monotonic() + LONG_S
    while (answer := call()).status_code == 503 and monotonic() < end:
        pass
    return answer


@over_pgvector
def test_each_finds_what_the_other_stored_and_nothing_that_it_erased(pair):
    a, b = pair
    note = a.know(TIDE)
    assert ids(b.ask(ASKED)) == [note]
    assert a.app.indexes[0].ids().tolist() == b.app.indexes[0].ids().tolist()
    b.forget(note)
    assert ids(a.ask(ASKED)) == []
    assert not len(a.app.indexes[0].ids())
    assert a.record(note)["content"] == ""


@over_pgvector
def test_what_one_embeds_in_the_background_the_other_has_with_its_meaning(pair):
    a, b = pair
    record = {"record": "thought", "content": TIDE}
    record |= {"contributor_id": "zoe", "contributor_name": "Zoe"}
    answer = a.client.post(
        "/api/v1/import", json=record, headers={"content-type": "application/x-ndjson"}
    )
    assert accepted(answer)["imported"] == 1
    [point] = a.app.indexes[0].ids().tolist()
    b.ask(ASKED)
    assert b.app.indexes[0].find_vector(point) is None
    # Of two servers one embeds.
    assert a.app.database.take_lease("embedding")
    b.app.embedding.finish()
    a.app.embedding.finish()
    b.ask(ASKED)
    assert b.app.indexes[0].find_vector(point) is not None
    assert b.app.repairs[0].missing() == []


def test_a_server_that_compares_vectors_in_another_way_is_refused(pair, tmp_path):
    home = tmp_path / "third"
    home.mkdir(mode=0o700)
    shutil.copy(pair[0].home / "server.key", home)
    storage = put_into_postgresql(pair[0].home).model_copy(update={"vectors": "pgvector"})
    with pytest.raises(InvalidInput) as caught:
        open_app(home, Settings(storage=storage), embedder=HashEmbedder())
    assert "the same WELLWORN_STORAGE__VECTORS" in caught.value.message
    assert ids(pair[0].ask(ASKED)) == []


@over_pgvector
def test_a_failed_write_leaves_no_point_at_either(pair, monkeypatch):
    a, b = pair

    def fail(*_, **__):
        raise InvalidInput("not today")

    with monkeypatch.context() as patch:
        patch.setattr(a.app.thoughts.writer, "_link_corrected", fail)
        body = {"content": TIDE, "contributor_id": "zoe", "contributor_name": "Zoe"}
        body |= {"thought_type": "original", "source_ids": [], "tags": []}
        assert a.post("think", body).status_code == 400
    assert ids(b.ask(ASKED)) == ids(a.ask(ASKED)) == []
    assert not len(a.app.indexes[0].ids())
    note = b.know(TIDE)
    assert ids(a.ask(ASKED)) == [note]


def test_a_sealed_space_is_open_at_one_server_and_at_the_other_when_it_is_closed_there(pair):
    a, b = pair
    place = founded(a)
    note = place.know(TIDE)
    there = Bearer(b.client, place.client.key, place.client.space)
    told = refused(there.post("/api/v1/memory", json=talk(ASKED)), 503, "NOT_READY")
    assert "open at another server" in told
    a.app.guard.pool.close_all()
    assert ids(accepted(there.post("/api/v1/memory", json=talk(ASKED)))) == [note]
    refused(place.client.post("/api/v1/memory", json=talk(ASKED)), 503, "NOT_READY")


def test_turns_are_where_their_files_are_and_lose_what_is_erased_at_the_other(pair):
    a, b = pair
    note = b.know(TIDE)
    turn = accepted(a.post("turns", query(ASKED)))["turn"]["id"]
    files = f"turns/{turn}/files/context.md"
    assert TIDE in a.send("GET", files).text
    for answer in (
        b.send("GET", f"turns/{turn}"),
        b.post("turns", query(ASKED)),
        b.send("GET", "export"),
    ):
        assert "the folder of another server" in refused(answer, 503, "NOT_READY")
    b.forget(note)
    a.app.maintain()
    assert TIDE not in a.send("GET", files).text


def test_one_server_syncs_a_source_at_a_time_and_one_keeps_the_open_spaces(pair):
    a, b = pair
    assert a.app.guard.pool.keeps_open_spaces
    assert not b.app.guard.pool.keeps_open_spaces
    body = {"source_type": "upload", "name": "piers", "config": {}}
    source = accepted(a.client.post("/api/knowledge/sources", json=body))["id"]
    path = f"/api/knowledge/sources/{source}/files/tide.md"
    assert b.app.database.take_lease(f"source {source}")
    refused(a.client.put(path, content=TIDE), 409, "SYNC_RUNNING")
    b.app.database.end_lease(f"source {source}")
    accepted(a.client.put(path, content=TIDE))
    found = accepted(b.client.get("/api/knowledge/search", params={"q": "tide table"}))
    assert [one["path"] for one in found["results"]] == ["tide.md"]


def test_a_space_is_sealed_while_no_other_server_may_write_to_it(pair):
    a, b = pair
    place = founded(a, sealed=False)
    place.know(TIDE)
    path = f"/api/v1/spaces/{place.client.space}/seal"
    assert "end them first" in refused(place.client.post(path), 503, "NOT_READY")
    b.app.close()
    assert accepted(repeat(lambda: place.client.post(path)))["mode"] == "sealed"


def test_a_space_is_moved_and_deleted_where_the_files_of_its_turns_are(pair):
    a, b = pair
    place = founded(b, sealed=False)
    path = f"/api/v1/spaces/{place.client.space}"
    accepted(a.post("turns", query(ASKED)))
    back = {"owner": place.member, "since": "2020-01-01T00:00:00Z"}
    calls = [
        lambda: place.client.post(f"{path}/seal"),
        lambda: place.client.request("DELETE", path),
        lambda: place.client.post(f"{path}/rollback", json=back),
    ]
    for call in calls:
        assert "the folder of another server" in refused(call(), 503, "NOT_READY")
    at_a = Bearer(a.client, place.client.key, place.client.space)
    assert "end them first" in refused(at_a.request("DELETE", path), 503, "NOT_READY")
    b.app.close()
    assert repeat(lambda: at_a.request("DELETE", path)).status_code < 300


def test_what_was_erased_while_the_server_of_the_turns_was_down_is_erased_there_when_it_is_up(pair):
    a, b = pair
    note = b.know(TIDE)
    turn = accepted(a.post("turns", query(ASKED)))["turn"]["id"]
    files = f"turns/{turn}/files/context.md"
    assert TIDE in a.send("GET", files).text
    a.app.close()
    b.forget(note)
    settings = Settings(spaces=SETTINGS, storage=put_into_postgresql(a.home))
    app = open_app(a.home, settings, embedder=HashEmbedder(), clock=a.clock)
    with TestClient(create_asgi(app), base_url=BASE_URL) as client:
        again = World(a.home, a.clock, app, client)
        app.maintain()
        assert TIDE not in again.send("GET", files).text
    app.close()


def test_a_call_that_begins_no_turn_decides_for_no_server(pair):
    a, b = pair
    refused(b.post("turns", query(ASKED, follows=new_id())), 404, "TURN_NOT_FOUND")
    accepted(a.post("turns", query(ASKED)))
    refused(b.post("turns", query(ASKED)), 503, "NOT_READY")


def test_a_sealed_space_gets_a_new_key_at_the_server_where_it_is_open(pair):
    a, b = pair
    place = founded(a)
    note = place.know(TIDE)
    path = f"/api/v1/spaces/{place.client.space}/rotate"
    there = Bearer(b.client, place.client.key, place.client.space)
    assert "open at another server" in refused(there.post(path), 503, "NOT_READY")
    accepted(place.client.post(path))
    assert ids(accepted(there.post("/api/v1/memory", json=talk(ASKED)))) == [note]


def test_a_sealed_space_whose_lease_was_lost_is_left_to_the_server_that_has_it(pair):
    a, b = pair
    place = founded(a)
    place.know(TIDE)
    a.app.database.end_lease(f"space {place.client.space}")
    there = Bearer(b.client, place.client.key, place.client.space)
    accepted(there.post("/api/v1/memory", json=talk(ASKED)))
    refused(place.client.post("/api/v1/memory", json=talk(ASKED)), 503, "NOT_READY")


def test_who_takes_a_lease_undoes_what_another_thread_wrote_as_its_own(pair, monkeypatch):
    database = pair[0].app.database
    undone = []

    def write():
        with suppress(StorageUnavailable), database.share_write() as transaction:
            undo_with(transaction, lambda: undone.append(database.is_undoing))

    monkeypatch.setattr(SharedCommit, "_commit", lambda _: None)
    database._sharers.append(None)  # As if another waited, the commit stays open.
    writer = Thread(target=write)
    writer.start()
    while not (database._open and database._open._steps):
        writer.join(0.01)
    database.take_lease("any")
    writer.join()
    database._sharers.pop()
    assert undone == [True]
