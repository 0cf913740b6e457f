"""The folder of an embedded index: its pointer and its copies."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from wellworn.engines.storage.vectors.folder import IndexFolder


def test_opening_keeps_what_counts_and_sweeps_the_rest(tmp_path):
    folder = IndexFolder(tmp_path)
    for number in (3, 4, 5):
        folder.shard(number).mkdir()
    folder.point_to(4)
    folder.sweep()
    assert folder.current() == 4
    assert [entry.name for entry in (tmp_path / "shards").iterdir()] == ["4"]
    folder.release()


def test_a_released_folder_can_be_held_again(tmp_path):
    IndexFolder(tmp_path).release()
    IndexFolder(tmp_path).release()


@settings(deadline=None, max_examples=30)
@given(pieces=st.lists(st.tuples(st.integers(0, 3_000_000), st.binary(min_size=1, max_size=50))))
def test_a_copy_has_the_same_bytes_and_the_same_holes(tmp_path_factory, pieces):
    path = tmp_path_factory.mktemp("sparse")
    folder = IndexFolder(path)
    folder.shard(1).mkdir()
    original = folder.shard(1) / "file"
    with original.open("wb") as file:
        file.truncate(3_100_000)
        for at, content in pieces:
            file.seek(at)
            file.write(content)
    copy = folder.copy(1) / "file"
    assert copy.read_bytes() == original.read_bytes()
    assert copy.stat().st_blocks <= original.stat().st_blocks + 64
    folder.release()


def test_a_copy_goes_over_the_remains_of_an_earlier_one(tmp_path):
    folder = IndexFolder(tmp_path)
    folder.shard(1).mkdir()
    (folder.shard(1) / "old").write_bytes(b"remains")
    folder.copy(1)
    (folder.shard(1) / "old").rename(folder.shard(1) / "new")
    assert [entry.name for entry in folder.copy(1).iterdir()] == ["new"]
    folder.release()
