"""The vector index contract: over the double, in a sealed space's database, and in a folder."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import threading
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from wellworn.engines.storage import disk
from wellworn.engines.storage.sql import RamDatabase
from wellworn.engines.storage.vectors import (
    POINTS,
    ExactVectorIndex,
    Labels,
    Point,
    StoredVectorIndex,
    VectorIndexCopy,
    round_vector,
)
from wellworn.errors import DamagedStore, DiskFull, IndexDamaged, IndexUnavailable, StoreInUse
from wellworn.testing.persistence_contract import PersistentContract, answers
from wellworn.testing.vectors import DIMENSIONS, ListVectorIndex, axis, point, points, vector
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
