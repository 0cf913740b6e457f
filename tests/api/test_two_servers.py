"""Two servers over one database, in this process: what each takes in, and what only one may do."""

from __future__ import annotations

import shutil
from contextlib import ExitStack, contextmanager, suppress
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
from empty_memory import drop_databases, look_into, put_into_postgresql
from patience import LONG_S
from wellworn.application.bootstrap import open_app
from wellworn.application.settings import Settings
from wellworn.domain.spaces import local_access
from wellworn.domain.turns import TurnQuery
from wellworn.engines.jobs import JobSettings
from wellworn.engines.storage.sql import postgresql, undo_with
from wellworn.engines.storage.sql.commits import SharedCommit
from wellworn.errors import HeldElsewhere, InvalidInput, StorageUnavailable
from wellworn.interfaces.server import create_asgi
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


def test_a_server_without_others_cannot_leave_jobs_to_them(tmp_path):
    settings = Settings(jobs=JobSettings(most_at_once=0))
    with pytest.raises(InvalidInput, match="leaves jobs to other servers"):
        open_app(tmp_path, settings, embedder=HashEmbedder())


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


def test_a_turn_of_one_server_is_read_followed_exported_and_erased_at_the_other(pair):
    a, b = pair
    note = b.know(TIDE)
    first = accepted(a.post("turns", query(ASKED)))["turn"]
    files = f"turns/{first['id']}/files"
    assert accepted(b.send("GET", f"turns/{first['id']}"))["turn"] == first
    for path in accepted(a.send("GET", files))["files"]:
        assert b.send("GET", f"{files}/{path}").text == a.send("GET", f"{files}/{path}").text
    assert TIDE in b.send("GET", f"{files}/context.md").text
    second = accepted(b.post("turns", query("And who painted it?", follows=first["id"])))["turn"]
    assert second["number"] == first["number"] + 1
    assert second["follows"] == first["number"]
    exported = b.send("GET", "export").text
    assert exported == a.send("GET", "export").text
    assert f'"turns/turn_{second["number"]:06}/context.md"' in exported
    for world in pair:
        assert not (world.home / "turns").exists()
    b.forget(note)
    for world in pair:
        assert TIDE not in world.send("GET", f"{files}/context.md").text
        assert TIDE not in world.send("GET", "export").text
    assert b.send("DELETE", f"turns/{first['id']}").status_code < 300
    refused(a.send("GET", f"turns/{first['id']}"), 404, "TURN_NOT_FOUND")


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


def test_a_space_is_moved_and_deleted_at_any_server_while_no_other_is_up(pair):
    a, b = pair
    place = founded(b, sealed=False)
    path = f"/api/v1/spaces/{place.client.space}"
    note = place.know(TIDE)
    at_a = Bearer(a.client, place.client.key, place.client.space)
    turn = accepted(at_a.post("/api/v1/turns", json=query(ASKED)))["turn"]["id"]
    back = {"owner": place.member, "since": "2020-01-01T00:00:00Z", "dry_run": True}
    accepted(at_a.post(f"{path}/rollback", json=back))
    for call in (
        lambda: at_a.post(f"{path}/seal"),
        lambda: place.client.request("DELETE", path),
    ):
        assert "end them first" in refused(call(), 503, "NOT_READY")
    b.app.close()
    assert accepted(repeat(lambda: at_a.post(f"{path}/seal")))["mode"] == "sealed"
    files = f"/api/v1/turns/{turn}/files/context.md"
    assert TIDE in at_a.get(files).text
    assert count_files(a) == 0
    sealed = Bearer(a.client, place.client.key, place.client.space)
    accepted(sealed.post(f"{path}/unseal"))
    assert TIDE in at_a.get(files).text
    assert count_files(a) > 0
    accepted(at_a.post(f"{path}/rollback", json=back | {"dry_run": False}))
    assert note not in ids(accepted(at_a.post("/api/v1/memory", json=talk(ASKED))))
    assert at_a.get(files).status_code == 404
    assert at_a.request("DELETE", path).status_code < 300
    assert count_files(a) == 0


def count_files(world):
    """Return how many files of turns are rows that anybody with the database reads."""
    with look_into(world.home) as records:
        return records.execute("SELECT count(*) FROM turn_files").fetchone()[0]


def test_turns_in_the_folder_of_an_earlier_version_are_moved_and_lose_what_was_erased_since(pair):
    a, b = pair
    notes = [b.know(TIDE), b.know("The tide table of the south pier hangs in the harbour office.")]
    turn = accepted(a.post("turns", query(ASKED)))["turn"]["id"]
    removed = accepted(a.post("turns", query(ASKED)))["turn"]["id"]
    files = f"turns/{turn}/files/context.md"
    text = a.send("GET", files).text
    assert TIDE in text
    a.app.close()
    vaults = a.app.guard.pool.shared.turns.vaults
    rows = vaults.list_all(local_access("ks-default"))
    for user, vault in rows.items():
        folder = vaults._open_folder(local_access("ks-default"), user)
        folder.write(".owner", f"{user}\n")
        for path in vault.list_paths(""):
            folder.write(path, vault.read(path))
    (folder.root / "plan.pdf").write_bytes(b"%PDF")
    with look_into(a.home) as records:
        records.execute("DELETE FROM turn_files")
    b.forget(notes[0])
    assert b.send("DELETE", f"turns/{removed}").status_code < 300
    settings = Settings(spaces=SETTINGS, storage=put_into_postgresql(a.home))
    for _ in range(2):
        app = open_app(a.home, settings, embedder=HashEmbedder(), clock=a.clock)
        app.close()
        moved = b.send("GET", files).text
        assert moved
        assert TIDE not in moved
        assert "south pier" in moved
        assert "turn_000002/journal" not in b.send("GET", "export").text
    left = {path for path in (a.home / "turns").rglob("*") if path.is_file()}
    left = {path for path in left if "turn_000002" not in path.parts}
    assert {path.name for path in left} == {".owner", "plan.pdf"}


def test_a_turn_that_one_server_works_on_is_left_alone_by_the_other_until_that_is_gone(pair):
    a, b = pair
    b.know(TIDE)
    turns = [world.app.guard.pool.shared.turns for world in pair]
    access = local_access("ks-default")
    turn = turns[0].open(access, TurnQuery(ASKED, "zoe", "Zoe"))
    with turns[0].reservations.hold(access, turn.id):
        assert turns[1].list_interrupted() == []
        told = refused(b.post(f"turns/{turn.id}/resume", {}), 400, "VALIDATION_ERROR")
        assert "being worked on" in told
        # It was cut off, and another one took it over.
        a.app.database.end_lease(f"turn {access.space} {turn.id}")
        assert b.app.database.take_lease(f"turn {access.space} {turn.id}")
        with pytest.raises(HeldElsewhere), a.app.database.write():
            pytest.fail("what is not its own is not written")
    b.app.database.end_lease(f"turn {access.space} {turn.id}")
    # Somebody may just have asked it: only what the next look misses, too, is gone.
    assert turns[1].list_interrupted() == []
    assert [each.id for _, each in turns[1].list_interrupted()] == [turn.id]
    answer = accepted(b.post(f"turns/{turn.id}/resume", {}))
    assert TIDE in answer["text"]
    assert accepted(a.send("GET", f"turns/{turn.id}"))["text"] == answer["text"]


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


@pytest.fixture
def databases(pair):
    """The databases of two servers whose ticks renew no lease."""
    for world in pair:
        world.app.jobs.close()
    return [world.app.database for world in pair]


@contextmanager
def standing_still(database, other, lease, meanwhile):
    """Lead something until the server was cut off, as it stood still, and is back."""
    with database.lead(lease) as is_ours, pytest.MonkeyPatch.context() as patch:
        assert is_ours
        assert other.find_leased([lease, "quay"]) == {lease}
        patch.setattr(postgresql, "_BEAT", "SET idle_session_timeout = '50ms'")
        database.renew_leases()
        with database._alone():  # none of its threads comes back before
            while other.find_leased([lease]):
                pass
            meanwhile()
        yield


def test_a_server_that_stands_still_loses_its_leases_and_writes_nothing_under_them(databases):
    a, b = databases
    refused = pytest.raises(HeldElsewhere)
    with standing_still(a, b, "pier", lambda: b.take_lease("pier")), refused, a.write():
        pytest.fail("what is not its own is not written")
    assert not a.has_lease("pier")
    b.end_lease("pier")

    def lead_and_end():
        with b.lead("pier"):
            pass

    with standing_still(a, b, "pier", lead_and_end), pytest.raises(HeldElsewhere), a.write():
        pytest.fail("what another one took over and ended is not gone on with")
    with standing_still(a, b, "pier", lambda: None):
        for _ in range(2):
            with a.write():
                pass  # nobody was there meanwhile
        assert b.find_leased(["pier"]) == {"pier"}
    assert b.take_lease("pier")
    # Nothing of it is left.
    assert a.read_fact("led: pier") is None


def test_a_lease_ends_with_what_it_was_for_though_the_database_is_away(databases, monkeypatch):
    a, b = databases
    with monkeypatch.context() as patch:

        def go_away():
            patch.setattr(postgresql, "_JOIN", "SELECT FROM away")

        with standing_still(a, b, "pier", go_away):
            with pytest.raises(StorageUnavailable), a.write():
                pytest.fail("the database is away")
            assert a.has_lease("pier")
    with a.write():
        pass  # It is back.
    assert b.take_lease("pier")


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
