"""The vector index contract, over the exact double and both engines."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from wellworn.engines.storage.sql import RamDatabase
from wellworn.engines.storage.vectors import (
    EdgeVectorIndex,
    ExactVectorIndex,
    VectorSettings,
    Where,
)
from wellworn.engines.storage.vectors import shard as edge
from wellworn.engines.storage.vectors.statistics import Statistics
from wellworn.errors import DamagedStore, IndexUnavailable, StoreInUse
from wellworn.testing.persistence_contract import PersistentContract, answers
from wellworn.testing.vectors import DIMENSIONS, ListVectorIndex, axis, point, points
from wellworn.testing.vectors_contract import VectorIndexContract
from wellworn.testing.vectors_questions_contract import QuestionsContract

SETTINGS = VectorSettings(dimensions=DIMENSIONS)


class TestListVectorIndex(VectorIndexContract, QuestionsContract):
    @pytest.fixture
    def new_index(self):
        return lambda: ListVectorIndex(DIMENSIONS)


class TestEdgeVectorIndex(VectorIndexContract, QuestionsContract, PersistentContract):
    @pytest.fixture
    def new_index(self, tmp_path):
        return lambda: EdgeVectorIndex(tmp_path / "index", SETTINGS)

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
from wellworn.engines.storage.vectors import EdgeVectorIndex, VectorSettings
from wellworn.testing.persistence_contract import PersistentContract, answers
from wellworn.testing.vectors import DIMENSIONS, point, points
index = EdgeVectorIndex(Path(sys.argv[1]), VectorSettings(dimensions=DIMENSIONS))
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
    index = EdgeVectorIndex(tmp_path, SETTINGS)
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
from wellworn.engines.storage.vectors import EdgeVectorIndex, VectorSettings
from wellworn.testing.persistence_contract import PersistentContract, answers
from wellworn.testing.vectors import DIMENSIONS
index = EdgeVectorIndex(Path(sys.argv[1]), VectorSettings(dimensions=DIMENSIONS))
print("open", flush=True)
sys.stdin.read()
"""


def test_a_folder_open_in_another_process_is_said_to_be_in_use(tmp_path):
    process = child(HOLDER, tmp_path)
    process.stdout.readline()
    with pytest.raises(StoreInUse) as caught:
        EdgeVectorIndex(tmp_path, SETTINGS)
    assert str(tmp_path) not in caught.value.message
    process.kill()
    process.wait()
    process.stdout.close()
    EdgeVectorIndex(tmp_path, SETTINGS).close()


def test_a_folder_open_in_this_process_is_said_to_be_in_use(tmp_path):
    index = EdgeVectorIndex(tmp_path, SETTINGS)
    with pytest.raises(StoreInUse):
        EdgeVectorIndex(tmp_path, SETTINGS)
    index.close()


def stored_files(folder: Path) -> dict[str, Path]:
    files = [file for file in folder.rglob("*") if file.is_file() and file.name != "LOCK"]
    return {str(file.relative_to(folder)): file for file in files}


@pytest.mark.parametrize(
    "damage",
    [
        "CURRENT",
        "shards/1/edge_config.json",
        "segment.json",
    ],
)
def test_a_damaged_folder_is_said_to_be_damaged_and_let_go(tmp_path, damage):
    index = EdgeVectorIndex(tmp_path, SETTINGS)
    index.upsert(points(1, 20))
    index.flush()
    index.close()
    for name, file in stored_files(tmp_path).items():
        if name.endswith(damage):
            file.write_bytes(b"\xffnonsense")
    for _ in range(2):
        with pytest.raises(DamagedStore) as caught:
            EdgeVectorIndex(tmp_path, SETTINGS)
        assert caught.value.__cause__ is not None
        assert str(tmp_path) not in caught.value.message


def test_a_folder_whose_shard_is_gone_is_said_to_be_damaged(tmp_path):
    EdgeVectorIndex(tmp_path, SETTINGS).close()
    (tmp_path / "CURRENT").write_text("9\n")
    with pytest.raises(DamagedStore):
        EdgeVectorIndex(tmp_path, SETTINGS)


def test_vectors_of_another_length_are_not_opened(tmp_path):
    index = EdgeVectorIndex(tmp_path, SETTINGS)
    index.upsert([point(1)])
    index.close()
    with pytest.raises(DamagedStore):
        EdgeVectorIndex(tmp_path, VectorSettings(dimensions=DIMENSIONS + 1))


def test_a_folder_that_cannot_be_made_is_unavailable(tmp_path):
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(IndexUnavailable) as caught:
        EdgeVectorIndex(tmp_path / "file", SETTINGS)
    assert isinstance(caught.value.__cause__, OSError)


def test_a_creation_cut_short_is_begun_anew(tmp_path):
    (tmp_path / "shards" / "1" / "segments").mkdir(parents=True)
    (tmp_path / "shards" / "1" / "segments" / "half").write_bytes(b"written")
    index = EdgeVectorIndex(tmp_path, SETTINGS)
    index.upsert([point(1, axis(0))])
    assert index.count("meadow") == 1
    index.close()


@pytest.fixture
def closed(tmp_path):
    """A folder that an index has left in good order."""
    index = EdgeVectorIndex(tmp_path, SETTINGS)
    index.upsert(points(1, 50))
    index.close()
    return tmp_path


def test_what_was_counted_when_the_index_closed_is_not_counted_again(closed, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(edge, "all_words", None)
        index = EdgeVectorIndex(closed, SETTINGS)
    exact = ListVectorIndex(DIMENSIONS)
    exact.upsert(points(1, 50))
    assert answers(index) == answers(exact)
    index.close()


def test_counts_are_kept_in_a_file_only_while_nobody_can_make_them_untrue(closed):
    index = EdgeVectorIndex(closed, SETTINGS)
    assert not (closed / "STATISTICS").exists()
    index.close()
    assert (closed / "STATISTICS").exists()


@pytest.mark.parametrize("saved", [b"", b"nonsense", Statistics().to_bytes()])
def test_counts_that_cannot_be_trusted_are_made_anew(closed, saved):
    (closed / "STATISTICS").write_bytes(saved)
    index = EdgeVectorIndex(closed, SETTINGS)
    exact = ListVectorIndex(DIMENSIONS)
    exact.upsert(points(1, 50))
    assert answers(index) == answers(exact)
    index.close()


class Broken:
    """An engine that fails in every call."""

    def __getattr__(self, name):
        def fail(*args):
            raise Exception(f"{name} failed at /secret/path")  # noqa: TRY002 - what the binding does

        return fail


@pytest.mark.parametrize(
    "call",
    [
        lambda index: index.upsert([point(1)]),
        lambda index: index.delete([1]),
        lambda index: index.candidates(axis(0), {}, Where("meadow"), limit=1),
        lambda index: index.ids(),
        lambda index: index.flush(),
        lambda index: index.close(),
    ],
)
def test_whatever_the_engine_raises_becomes_unavailable(tmp_path, call):
    index = EdgeVectorIndex(tmp_path, SETTINGS)
    real, index._shard = index._shard, Broken()
    with pytest.raises(IndexUnavailable) as caught:
        call(index)
    assert "failed at" in str(caught.value.__cause__)
    assert "/" not in caught.value.message
    real.close()
    if index._shard is not None:
        index._shard = None
        index._log.close()
        index._folder.release()


def test_an_index_that_failed_once_answers_nothing_more_and_is_not_opened_again(tmp_path):
    index = EdgeVectorIndex(tmp_path, SETTINGS)
    index.upsert(points(1, 20))
    real, index._shard = index._shard, Broken()
    with pytest.raises(IndexUnavailable):
        index.upsert([point(30)])
    index._shard = real
    for call in (index.ids, index.check, lambda: index.count("meadow"), lambda: index.delete([1])):
        with pytest.raises(IndexUnavailable, match="wellworn rebuild"):
            call()
    index.close()
    for _ in range(2):
        with pytest.raises(DamagedStore):
            EdgeVectorIndex(tmp_path, SETTINGS)


def test_files_that_changed_since_the_index_was_closed_are_damage(closed):
    [vectors] = closed.rglob("vector_storage-meaning/vectors/chunk_0.mmap")
    with vectors.open("r+b") as file:
        file.seek(20)
        file.write(b"\x01")
    for _ in range(2):
        with pytest.raises(DamagedStore):
            EdgeVectorIndex(closed, SETTINGS)


def test_a_copy_without_holes_is_no_damage(closed, tmp_path_factory):
    copy = tmp_path_factory.mktemp("copy") / "index"
    shutil.copytree(closed, copy)
    EdgeVectorIndex(copy, SETTINGS).close()


def test_vectors_lost_with_the_process_are_seen_when_the_index_opens(closed):
    (closed / "STATISTICS").unlink()
    [vectors] = closed.rglob("vector_storage-meaning/vectors/chunk_0.mmap")
    with vectors.open("r+b") as file:
        file.write(bytes(4096))
    with pytest.raises(DamagedStore):
        EdgeVectorIndex(closed, SETTINGS)
