"""The vector index contract: over the double, in a sealed space's database, and in a folder."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import threading
from contextlib import closing, suppress
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from postgres import share_server
from wellworn.engines.storage import disk
from wellworn.engines.storage.sql import RamDatabase, StorageSettings, open_database
from wellworn.engines.storage.vectors import (
    POINTS,
    ExactVectorIndex,
    Labels,
    Point,
    StoredVectorIndex,
    VectorIndexCopy,
    Where,
    round_vector,
)
from wellworn.engines.storage.vectors.pgvector import PgvectorIndex
from wellworn.engines.storage.vectors.shared import drop_points
from wellworn.errors import (
    DamagedStore,
    DiskFull,
    IndexDamaged,
    IndexUnavailable,
    InvalidInput,
    StoreInUse,
)
from wellworn.testing.persistence_contract import PersistentContract, answers
from wellworn.testing.vectors import (
    DIMENSIONS,
    ListVectorIndex,
    axis,
    point,
    points,
    vector,
    without_vector,
)
from wellworn.testing.vectors_contract import VectorIndexContract
from wellworn.testing.vectors_questions_contract import QuestionsContract


def opened(folder):
    return StoredVectorIndex(folder, dimensions=DIMENSIONS)


class TestListVectorIndex(VectorIndexContract, QuestionsContract):
    @pytest.fixture
    def new_index(self):
        return lambda: ListVectorIndex(DIMENSIONS)


class TestStoredVectorIndex(VectorIndexContract, QuestionsContract, PersistentContract):
    @pytest.fixture
    def new_index(self, tmp_path):
        return lambda: opened(tmp_path / "index")

    @pytest.fixture
    def open_index(self, new_index):
        return new_index


class TestExactVectorIndex(VectorIndexContract, QuestionsContract, PersistentContract):
    @pytest.fixture
    def database(self):
        made = RamDatabase()
        yield made
        made.close()

    @pytest.fixture
    def new_index(self, database):
        return lambda: ExactVectorIndex(database, dimensions=DIMENSIONS)

    @pytest.fixture
    def open_index(self, new_index):
        return new_index


@pytest.fixture(scope="module")
def postgresql():
    """An empty database of PostgreSQL, held as a server holds it."""
    server = share_server()
    name = server.make_database()
    settings = StorageSettings.model_validate({"url": server.operator_url(name), "connections": 4})
    with closing(open_database(Path("unused"), settings)) as database:
        database.hold()
        yield database
    server.drop_database(name)


@pytest.fixture(params=["exact", "graph"])
def pgvector(request, postgresql, tmp_path):
    """Opens an index whose vectors are in PostgreSQL, the same each time within a test."""
    drop_points(postgresql)

    def open_one(folder="index"):
        index = PgvectorIndex(
            tmp_path / folder, dimensions=DIMENSIONS, has_graph=request.param == "graph"
        )
        index.share(postgresql, "thoughts", "encoder")
        return index

    return open_one


class TestPgvectorIndex(VectorIndexContract, QuestionsContract, PersistentContract):
    @pytest.fixture
    def new_index(self, pgvector):
        return pgvector

    @pytest.fixture
    def open_index(self, pgvector):
        return pgvector


def test_points_move_to_pgvector_and_back_with_their_vectors(postgresql, tmp_path):
    drop_points(postgresql)
    exact, before = ListVectorIndex(DIMENSIONS), []
    kept = [*points(5, 40), without_vector(point(41, terms={3: 1.0}))]
    exact.upsert(kept)
    for number, opening in enumerate((StoredVectorIndex, PgvectorIndex) * 2):
        # The last has its folder still; what it finds there is of before.
        index = opening(tmp_path / str(number % 3), dimensions=DIMENSIONS)
        index.share(postgresql, "chunks", "encoder")
        if number == 0:
            index.upsert(kept)
        if number == 2:
            index.delete([7])
            exact.delete([7])
        before.append(answers(index) == answers(exact))
        index.close()
    assert before == [True] * 4


def test_another_encoder_finds_none_of_the_vectors(postgresql, tmp_path):
    drop_points(postgresql)
    for encoder, dimensions, there in (("one", 8, [1]), ("two", 9, [])):
        index = PgvectorIndex(tmp_path / encoder, dimensions=dimensions)
        index.share(postgresql, "thoughts", encoder)
        if dimensions == DIMENSIONS:
            index.upsert([point(1)])
        assert index.ids().tolist() == there
        index.close()


def test_vectors_that_were_made_beside_the_server_are_taken_over(postgresql, tmp_path):
    drop_points(postgresql)
    made = opened(tmp_path)
    made.upsert(points(3, 20))
    made.close()
    index, exact = PgvectorIndex(tmp_path, dimensions=DIMENSIONS), ListVectorIndex(DIMENSIONS)
    exact.upsert(points(3, 20))
    index.share(postgresql, "thoughts", "encoder")
    assert answers(index) == answers(exact)
    assert not (tmp_path / POINTS).exists()
    index.close()


def test_what_a_failed_transaction_stored_is_found_by_nobody(pgvector, postgresql):
    index = pgvector()
    index.upsert(points(1, 20))
    before = answers(index)
    with suppress(ZeroDivisionError), postgresql.write():
        index.upsert([point(1, axis(0)), point(30)])
        index.delete([2])
        assert index.candidates(axis(0), {}, Where("meadow"), limit=1)[0].id == 1
        raise ZeroDivisionError
    assert answers(index) == before
    index.close()


def test_a_graph_goes_on_until_it_found_enough_of_a_filter(pgvector, monkeypatch):
    monkeypatch.setattr("wellworn.engines.storage.vectors.pgvector._EXACT_UP_TO", 0)
    index, exact = pgvector(), ListVectorIndex(DIMENSIONS)
    stored = points(2, 1500)
    for each in (index, exact):
        each.upsert(stored)
    found, wanted = set(), set()
    for seed in range(20):
        where = Where("forest", all_tags=frozenset({"red"}), not_contributor="agent-1")
        for hits, each in ((found, index), (wanted, exact)):
            near = each.candidates(vector(seed), {}, where, limit=10)
            assert len(near) == 10
            hits.update((seed, hit.id) for hit in near)
    assert len(found & wanted) >= 0.95 * len(wanted)
    index.close()


@pytest.mark.parametrize(
    ("spoil", "advice"),
    [
        ("extension_control_path=/nowhere", "install its package"),
        ("role=nobody_special", "let a superuser run"),
        ("0.7.4", "ALTER EXTENSION vector UPDATE"),
    ],
)
def test_a_database_without_a_pgvector_that_works_is_told_what_to_do(tmp_path, spoil, advice):
    server = share_server()
    name = server.make_database()
    more = {}
    if spoil == "0.7.4":
        server.run("CREATE EXTENSION vector", name)
        server.run(f"UPDATE pg_extension SET extversion = '{spoil}'", name)
    else:
        more["options"] = f"-c {spoil}"
    if "role" in spoil:
        server.run("DROP ROLE IF EXISTS nobody_special; CREATE ROLE nobody_special", name)
    settings = StorageSettings.model_validate({"url": server.operator_url(name, **more)})
    index = PgvectorIndex(tmp_path / "index", dimensions=DIMENSIONS)
    with (
        closing(open_database(Path("unused"), settings)) as database,
        pytest.raises(InvalidInput) as caught,
    ):
        index.share(database, "thoughts", "encoder")
    assert advice in caught.value.message
    index.close()
    server.drop_database(name)


def test_vectors_in_postgresql_want_records_there(tmp_path):
    with pytest.raises(InvalidInput) as caught:
        open_database(tmp_path / "file", StorageSettings(vectors="pgvector"))
    assert "WELLWORN_STORAGE__URL" in caught.value.message


CHILD = """
import sys
from pathlib import Path
from wellworn.engines.storage.vectors import StoredVectorIndex
from wellworn.testing.persistence_contract import PersistentContract, answers
from wellworn.testing.vectors import DIMENSIONS, point, points
index = StoredVectorIndex(Path(sys.argv[1]), dimensions=DIMENSIONS)
index.upsert(points(7, 50))
index.delete([1, 2])
for number in range(100, 100_000):
    index.upsert([point(number)])
    print(number, flush=True)
"""


def child(code: str, folder: Path) -> subprocess.Popen[str]:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", code, str(folder)]
    return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)


def test_killing_the_process_loses_nothing_it_acknowledged(tmp_path):
    process = child(CHILD, tmp_path)
    acknowledged = [int(process.stdout.readline()) for _ in range(300)][-1]
    process.send_signal(signal.SIGKILL)
    acknowledged = max([acknowledged, *(int(line) for line in process.stdout if line[-1] == "\n")])
    process.wait()
    process.stdout.close()
    index = opened(tmp_path)
    exact = ListVectorIndex(DIMENSIONS)
    exact.upsert(points(7, 50))
    exact.delete([1, 2])
    exact.upsert([point(number) for number in range(100, acknowledged + 1)])
    index.delete([acknowledged + 1])  # stored, and killed before it could say so
    assert answers(index) == answers(exact)
    index.close()


HOLDER = """
import sys
from pathlib import Path
from wellworn.engines.storage.vectors import StoredVectorIndex
from wellworn.testing.persistence_contract import PersistentContract, answers
from wellworn.testing.vectors import DIMENSIONS
index = StoredVectorIndex(Path(sys.argv[1]), dimensions=DIMENSIONS)
print("open", flush=True)
sys.stdin.read()
"""


def test_a_folder_open_in_another_process_is_said_to_be_in_use(tmp_path):
    process = child(HOLDER, tmp_path)
    process.stdout.readline()
    with pytest.raises(StoreInUse) as caught:
        opened(tmp_path)
    assert str(tmp_path) not in caught.value.message
    process.kill()
    process.wait()
    process.stdout.close()
    opened(tmp_path).close()


def test_a_folder_open_in_this_process_is_said_to_be_in_use(tmp_path):
    index = opened(tmp_path)
    with pytest.raises(StoreInUse):
        opened(tmp_path)
    index.close()


def test_vectors_of_another_length_are_not_opened(tmp_path):
    index = opened(tmp_path)
    index.upsert([point(1)])
    index.close()
    with pytest.raises(DamagedStore):
        StoredVectorIndex(tmp_path, dimensions=DIMENSIONS + 1)


def test_a_folder_that_cannot_be_made_is_unavailable(tmp_path):
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(IndexUnavailable) as caught:
        opened(tmp_path / "file")
    assert isinstance(caught.value.__cause__, OSError)


def test_an_index_of_the_earlier_kind_is_left_behind(tmp_path):
    (tmp_path / "shards" / "1" / "segments").mkdir(parents=True)
    for name in ("CURRENT", "STATISTICS"):
        (tmp_path / name).write_text("1\n", encoding="ascii")
    index = opened(tmp_path)
    assert index.ids().tolist() == []
    assert not (tmp_path / "shards").exists()
    assert not (tmp_path / "CURRENT").exists()
    assert not (tmp_path / "STATISTICS").exists()
    index.close()


@pytest.fixture
def closed(tmp_path):
    """A folder that an index has left in good order."""
    index = opened(tmp_path)
    index.upsert(points(1, 50))
    index.close()
    return tmp_path


def write_nonsense(path):
    path.write_bytes(b"nonsense" * 1000)


def cut_short(path):
    with path.open("r+b") as file:
        file.truncate(path.stat().st_size // 2)


def lengthen_a_vector(path):
    with closing(sqlite3.connect(path)) as database:
        database.execute("UPDATE points SET vector = ? WHERE id = 3", (b"\x00\x7c" * DIMENSIONS,))
        database.commit()


def shorten_terms(path):
    with closing(sqlite3.connect(path)) as database:
        database.execute("UPDATE points SET terms = x'0102' WHERE id = 3")
        database.commit()


@pytest.mark.parametrize("damage", [write_nonsense, cut_short, lengthen_a_vector, shorten_terms])
def test_a_damaged_file_is_said_to_be_damaged_and_let_go(closed, damage):
    damage(closed / POINTS)
    for _ in range(2):
        with pytest.raises(DamagedStore) as caught:
            opened(closed)
        assert caught.value.__cause__ is not None
        assert str(closed) not in caught.value.message


def test_an_index_whose_file_is_damaged_meanwhile_finds_all_and_is_made_anew(tmp_path):
    index = opened(tmp_path)
    index.upsert(points(1, 50))
    index.scrub_if_due()
    before = answers(index)
    with closing(sqlite3.connect(tmp_path / POINTS)) as database:
        database.execute("DROP TABLE points")
    for change in (lambda: index.upsert([point(60)]), lambda: index.delete([1])):
        with pytest.raises(IndexDamaged) as caught:
            change()
        assert "/" not in caught.value.message
    assert index.is_damaged
    assert answers(index) == before
    with pytest.raises(IndexUnavailable):
        index.check()
    index.close()
    again = opened(tmp_path)
    assert again.ids().tolist() == []
    again.close()


def test_on_a_full_disk_nothing_is_stored_and_all_else_goes_on(tmp_path, monkeypatch):
    index = opened(tmp_path)
    index.upsert(points(1, 50))
    monkeypatch.setattr(disk, "free_bytes", lambda _path: 1000)
    with pytest.raises(DiskFull):
        index.upsert([point(60)])
    index.delete([7])
    assert index.ids().tolist() == [number for number in range(1, 51) if number != 7]
    assert not index.is_damaged
    index.close()
    again = opened(tmp_path)
    assert len(again.ids()) == 49
    again.close()


def holding(folder, secret):
    files = [file for file in folder.rglob("*") if file.is_file()]
    return [file.name for file in files if secret in file.read_bytes()]


def test_no_file_holds_what_was_deleted_once_it_is_scrubbed(tmp_path):
    index = opened(tmp_path)
    secret = Point(99, vector(99), {}, Labels("meadow", "marigold", frozenset({"flowerpots"})))
    index.upsert([*points(1, 50), secret])
    index.scrub_if_due()
    kept = round_vector(vector(99)).astype("<f2").tobytes()
    assert holding(tmp_path, kept) == holding(tmp_path, b"flowerpots") == [POINTS]
    index.delete([99])
    assert index.scrub_if_due()
    assert holding(tmp_path, kept) == holding(tmp_path, b"flowerpots") == []
    assert not index.scrub_if_due()
    index.close()


@pytest.fixture
def followed(tmp_path):
    """An index, the updates since it is followed, and the copy."""
    index, updates = opened(tmp_path), []
    index.upsert(points(1, 50))
    index.follow(updates.append)
    # What was told before the copy was opened is in it already, and does no harm once more.
    index.upsert([point(60, axis(0)), point(61)])
    index.delete([60, 2])
    copy = VectorIndexCopy(tmp_path, dimensions=DIMENSIONS)
    yield index, updates, copy
    index.close()
    copy.close()


def test_a_copy_finds_what_the_index_finds_whatever_is_stored_later(followed):
    index, updates, copy = followed
    assert answers(copy) == answers(index)
    index.upsert([point(number) for number in range(70, 110)])
    index.delete([1, 72])
    index.upsert([point(2)])
    for update in updates:
        copy.repeat(update)
    assert answers(copy) == answers(index)


def test_nothing_is_missed_of_what_many_threads_store(followed):
    index, updates, copy = followed

    def store(start):
        for number in range(start, start + 50):
            index.upsert([point(number)])
            index.upsert([point(200, axis(number % DIMENSIONS))])

    writers = [threading.Thread(target=store, args=[1000 * start]) for start in (1, 2, 3)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    for update in updates:
        copy.repeat(update)
    assert answers(copy) == answers(index)


def test_a_refused_update_and_one_after_unfollowing_are_not_told(tmp_path):
    index, updates = opened(tmp_path), []
    tell = updates.append
    index.follow(tell)
    with pytest.raises(IndexUnavailable):
        index.upsert([replace(point(1), vector=np.full(DIMENSIONS, 9.0, np.float32))])
    assert not updates
    index.unfollow(tell)
    index.upsert([point(1)])
    assert not updates
    index.close()
    with pytest.raises(IndexUnavailable):
        index.follow(tell)
