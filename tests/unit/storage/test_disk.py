"""Room on the disk: writing stops before there is none, reading goes on."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from sqlalchemy import text

from patience import LONG_S
from wellworn.engines.storage import disk
from wellworn.engines.storage.disk import (
    LEAST_FREE_BYTES,
    free_bytes,
    require_space,
)
from wellworn.errors import StorageUnavailable


def notes(database):
    with database.read() as transaction:
        return list(transaction.execute(text("SELECT words FROM notes")).scalars())


def write(database, words):
    with database.write() as transaction:
        transaction.execute(text("INSERT INTO notes VALUES (:words)"), {"words": words})


def test_space_is_required_to_the_byte(tmp_path, monkeypatch):
    monkeypatch.setattr(disk, "free_bytes", lambda _path: 1000)
    require_space(tmp_path, 1000)
    with pytest.raises(StorageUnavailable, match="the disk is full") as caught:
        require_space(tmp_path, 1001)
    assert str(tmp_path) not in caught.value.message


def test_a_path_that_is_gone_is_unavailable(tmp_path):
    with pytest.raises(StorageUnavailable) as caught:
        require_space(tmp_path / "gone")
    assert isinstance(caught.value.__cause__, OSError)
    assert str(tmp_path) not in caught.value.message


def test_what_is_free_is_what_an_ordinary_user_may_take(tmp_path, monkeypatch):
    real = os.statvfs(tmp_path)
    kept_for_root = os.statvfs_result((*real[:4], 0, *real[5:]))
    monkeypatch.setattr(os, "statvfs", lambda _path: kept_for_root)
    assert free_bytes(tmp_path) == 0


def test_on_a_full_disk_no_transaction_is_begun_and_reading_goes_on(database, monkeypatch):
    write(database, "kept")
    monkeypatch.setattr(disk, "free_bytes", lambda _path: LEAST_FREE_BYTES - 1)
    with pytest.raises(StorageUnavailable):
        write(database, "refused")
    assert notes(database) == ["kept"]
    monkeypatch.undo()
    write(database, "later")
    assert notes(database) == ["kept", "later"]


@pytest.fixture
def small_disk(tmp_path):
    """A file system of 160 MiB, where the machine allows to mount one."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mounting = ["mount", "-t", "tmpfs", "-o", "size=160m", "tmpfs", str(folder)]
    try:
        mounted = subprocess.run(mounting, check=False, capture_output=True).returncode == 0
    except OSError:
        mounted = False
    if not mounted:
        pytest.skip("mounting a small file system is not permitted here")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)


WRITER = """
import errno
import sys
from pathlib import Path
from wellworn.errors import StorageUnavailable
from wellworn.engines.storage.vectors import StoredVectorIndex, Where
from wellworn.testing.vectors import DIMENSIONS, axis, point, points

def fill(path):
    with path.open("wb", buffering=0) as file:
        try:
            while file.write(bytes(65536)):
                pass
        except OSError as error:
            assert error.errno == errno.ENOSPC

disk = Path(sys.argv[1])
index = StoredVectorIndex(disk / "index", dimensions=DIMENSIONS)
index.upsert(points(1, 500))
fill(disk / "filler")
refused = 0
for number in range(1000, 1100):
    try:
        index.upsert([point(number + n) for n in range(0, 100_000, 1000)])
    except StorageUnavailable:
        refused += 1
assert refused == 100
index.delete([1])
assert len(index.candidates(axis(0), {}, Where("meadow"), limit=5)) == 5
assert len(index.ids()) == 499
(disk / "filler").unlink()
index.upsert([point(1000)])
assert len(index.ids()) == 500
index.close()
index = StoredVectorIndex(disk / "index", dimensions=DIMENSIONS)
# The file had no room for a deletion; whoever opens a memory mends that.
assert len(index.ids()) == 501
index.close()
"""


@pytest.mark.slow
def test_on_a_really_full_disk_the_index_refuses_and_its_process_lives(small_disk):
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [sys.executable, "-c", WRITER, str(small_disk)],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=LONG_S,
    )
    assert done.returncode == 0, f"{done.returncode}: {done.stderr}"
