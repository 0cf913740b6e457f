"""Builds of the embedded index: graph and files change, the content and the service do not."""

from __future__ import annotations

import errno
import os
import select
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from integration.index_world import MANY, SETTINGS, held, same
from patience import LONG_S
from wellworn.engines.storage import disk
from wellworn.engines.storage.vectors import (
    EdgeVectorIndex,
    IndexBuilder,
    Labels,
    Point,
    Where,
    folder,
    round_vector,
)
from wellworn.engines.storage.vectors import shard as edge
from wellworn.errors import IndexUnavailable, StorageUnavailable
from wellworn.testing.vectors import (
    axis,
    point,
    points,
    vector,
)

STORED = {one.id: one for one in points(1, MANY)}


@pytest.fixture
def index(tmp_path):
    made = EdgeVectorIndex(tmp_path, SETTINGS)
    made.upsert(points(1, MANY))
    yield made
    made.close()


@pytest.fixture
def builder(index):
    return IndexBuilder(index)


def shards(path):
    return [entry.name for entry in (path / "shards").iterdir()]


def holding(path, number):
    """Name the files that hold the vector of a point of `STORED`, or of a later `point`."""
    needle = STORED.get(number, point(number)).vector
    needle = round_vector(needle).astype(np.float16).tobytes()
    files = [file for file in path.rglob("*") if file.is_file()]
    return [file.name for file in files if needle in file.read_bytes()]


def during(builder, monkeypatch, act):
    """Let something happen while the child builds."""
    built = builder._build

    def acting(build):
        act()
        return built(build)

    monkeypatch.setattr(builder, "_build", acting)


def test_a_build_changes_no_answer_and_leaves_one_shard(index, builder, tmp_path):
    asked = vector(1), {}, Where("meadow")
    before = index.candidates(*asked, limit=20)
    assert index.count_unindexed() == MANY
    assert builder.run_if_due()
    assert index.count_unindexed() == 0
    assert [one.id for one in index.candidates(*asked, limit=20)] == [one.id for one in before]
    assert held(index) == same(points(1, MANY))
    assert shards(tmp_path) == ["2"]


def test_a_built_index_opens_again_as_it_was(index, builder, tmp_path):
    builder.run_if_due()
    index.upsert([point(9999)])
    index.close()
    again = EdgeVectorIndex(tmp_path, SETTINGS)
    assert held(again) == same(points(1, MANY), [point(9999)])
    assert again.count_unindexed() == 1
    again.close()


def test_what_is_written_during_a_build_is_not_lost(index, builder, monkeypatch):
    def act():
        index.upsert(points(2, 20))
        index.upsert([point(9999, axis(0), {3: 1.0})])
        index.delete([30, 31])

    during(builder, monkeypatch, act)
    assert builder.run_if_due()
    more = [point(9999, axis(0), {3: 1.0})]
    assert held(index) == same(points(1, MANY), points(2, 20), more, without=(30, 31))


def test_what_is_written_while_the_copy_catches_up_is_not_lost(index, builder, monkeypatch):
    replay, late = edge.replay, [point(9999)]

    def replaying(operations, shard):
        replay(operations, shard)
        while late:
            index.upsert([late.pop()])

    monkeypatch.setattr(edge, "replay", replaying)
    assert builder.run_if_due()
    assert held(index) == same(points(1, MANY), [point(9999)])


def test_a_build_is_answered_from_throughout(index, builder, monkeypatch):
    found = []
    during(
        builder,
        monkeypatch,
        lambda: found.extend(index.candidates(vector(1), {}, Where("meadow"), limit=5)),
    )
    assert builder.run_if_due()
    assert len(found) == 5


def test_a_build_is_due_only_after_enough_new_points(index, builder):
    assert builder.run_if_due()
    assert not builder.run_if_due()
    index.upsert([point(number) for number in range(10_000, 10_000 + SETTINGS.build_after - 1)])
    assert not builder.run_if_due()
    index.upsert([point(20_000)])
    assert builder.run_if_due()
    assert index.count_unindexed() == 0
    assert index.count("meadow") + index.count("forest") == MANY + SETTINGS.build_after


def test_the_first_graph_is_made_sooner(tmp_path):
    index = EdgeVectorIndex(tmp_path, SETTINGS)
    first = SETTINGS.first_build_after
    assert first < SETTINGS.build_after
    index.upsert(points(1, first - 1))
    builder = IndexBuilder(index)
    assert (builder.run_if_due(), index.has_graph) == (False, False)
    index.upsert([point(9999)])
    assert (builder.run_if_due(), index.has_graph) == (True, True)
    index.close()


def test_an_opened_index_with_a_graph_waits_for_as_many_as_any_other(index, builder):
    builder.run_if_due()
    index.upsert([point(number) for number in range(10_000, 10_000 + SETTINGS.first_build_after)])
    assert not IndexBuilder(index).run_if_due()


def test_points_stored_again_are_outside_the_graph_again(index, builder):
    builder.run_if_due()
    index.upsert(points(1, 50))
    index.delete([1, 2])
    assert index.count_unindexed() == 50


def test_deletions_after_a_build_stay_deleted_in_the_next(index, builder):
    builder.run_if_due()
    index.delete(list(range(1, 101)))
    index.upsert([point(number) for number in range(10_000, 10_400)])
    assert builder.run_if_due()
    more = [point(number) for number in range(10_000, 10_400)]
    assert held(index) == same(points(1, MANY), more, without=range(1, 101))


def test_a_copy_taken_without_a_flush_holds_everything(index, tmp_path):
    index.upsert(points(5, 50))
    index.delete([70, 71])
    copy, _ = index.begin_build()
    (tmp_path / "other" / "shards").mkdir(parents=True)
    copy.rename(tmp_path / "other" / "shards" / "1")
    (tmp_path / "other" / "CURRENT").write_text("1\n")
    other = EdgeVectorIndex(tmp_path / "other", SETTINGS)
    assert held(other) == same(points(1, MANY), points(5, 50), without=(70, 71))
    other.close()
    index.end_build()


def test_a_copy_takes_no_more_room_than_its_original(index, tmp_path):
    copy, _ = index.begin_build()

    def room(path: Path) -> int:
        return sum(file.stat().st_blocks for file in path.rglob("*") if file.is_file())

    assert room(copy) <= 1.1 * room(tmp_path / "shards" / "1")
    index.end_build()


def test_a_failed_child_leaves_the_index_serving(index, builder, tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "executable", "/bin/false")
    with pytest.raises(IndexUnavailable):
        builder.run_if_due()
    assert held(index) == same(points(1, MANY))
    assert shards(tmp_path) == ["1"]
    assert not builder.run_if_due()


def test_a_full_disk_leaves_the_index_serving(index, builder, tmp_path, monkeypatch):
    def full(source, target):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(folder, "_copy_with_holes", full)
    with pytest.raises(IndexUnavailable) as caught:
        builder.run_if_due()
    assert isinstance(caught.value.__cause__, OSError)
    index.upsert([point(9999)])
    assert shards(tmp_path) == ["1"]
    assert index._journal is None


def test_a_built_copy_that_lacks_points_is_not_used(index, builder, tmp_path, monkeypatch):
    during(builder, monkeypatch, lambda: (index.upsert([point(9999)]), index._journal.clear()))
    with pytest.raises(IndexUnavailable, match="lacks points"):
        builder.run_if_due()
    assert shards(tmp_path) == ["1"]
    assert 9999 in index.ids()


def test_stopping_gives_up_the_build_and_begins_no_other(index, builder, tmp_path, monkeypatch):
    during(builder, monkeypatch, builder.stop)
    assert not builder.run_if_due()
    assert shards(tmp_path) == ["1"]
    builder._due_at = 1
    assert not builder.run_if_due()


def test_stopping_kills_the_child_at_work(index, builder, monkeypatch):
    started = builder._start
    children = []

    def starting(build):
        children.append(started(build))
        builder.stop()
        return children[0]

    monkeypatch.setattr(builder, "_start", starting)
    assert not builder.run_if_due()
    assert children[0].returncode == -signal.SIGKILL


def test_closing_under_a_build_ends_it_with_an_error(index, builder, monkeypatch):
    during(builder, monkeypatch, index.close)
    with pytest.raises(IndexUnavailable, match="closed"):
        builder.run_if_due()


def test_no_file_holds_what_was_deleted_before_a_build(index, builder, tmp_path):
    builder.run_if_due()
    index.delete([5])
    assert holding(tmp_path, 5)
    assert builder.run_if_due()
    assert holding(tmp_path, 5) == []
    assert holding(tmp_path, 6)
    assert held(index) == same(points(1, MANY), without=(5,))
    assert not builder.run_if_due()


def test_no_file_holds_the_labels_of_what_was_deleted(index, builder, tmp_path):
    labels = Labels("meadow", contributor="marigold", tags=frozenset({"flowerpots"}))
    index.upsert([Point(9999, axis(0), {}, labels)])
    index.delete([9999])
    builder.run_if_due()
    files = [file.read_bytes() for file in tmp_path.rglob("*") if file.is_file()]
    assert not any(b"flowerpots" in file or b"marigold" in file for file in files)


def test_a_small_index_is_rewritten_too_and_its_points_still_wait_for_a_graph(tmp_path):
    index = EdgeVectorIndex(tmp_path, SETTINGS)
    index.upsert([STORED[number] for number in range(1, 21)])
    index.delete([5])
    builder = IndexBuilder(index)
    assert builder.run_if_due()
    assert holding(tmp_path, 5) == []
    assert holding(tmp_path, 6)
    assert held(index) == same([STORED[number] for number in range(1, 21)], without=(5,))
    assert index.count_unindexed() == 19
    assert not builder.run_if_due()
    index.close()


def test_an_emptied_index_is_rewritten_too(tmp_path):
    index = EdgeVectorIndex(tmp_path, SETTINGS)
    index.upsert([STORED[5]])
    index.delete([5])
    assert holding(tmp_path, 5)
    assert IndexBuilder(index).run_if_due()
    assert holding(tmp_path, 5) == []
    assert index.ids().tolist() == []
    index.close()


def test_deleting_what_is_not_there_calls_for_no_build(tmp_path):
    index = EdgeVectorIndex(tmp_path, SETTINGS)
    index.upsert([point(1)])
    index.delete([2])
    assert not IndexBuilder(index).run_if_due()
    index.close()


def test_what_is_deleted_during_a_build_calls_for_another(index, builder, monkeypatch, tmp_path):
    during(builder, monkeypatch, lambda: index.delete([5]))
    assert builder.run_if_due()
    assert holding(tmp_path, 5)
    monkeypatch.undo()
    assert builder.run_if_due()
    assert holding(tmp_path, 5) == []
    assert not builder.run_if_due()


def test_what_comes_and_goes_during_a_build_calls_for_another(
    index, builder, monkeypatch, tmp_path
):
    during(builder, monkeypatch, lambda: (index.upsert([point(9999)]), index.delete([9999])))
    builder.run_if_due()
    assert holding(tmp_path, 9999)
    monkeypatch.undo()
    builder.run_if_due()
    assert holding(tmp_path, 9999) == []


def test_a_deletion_is_remembered_until_a_build_succeeds(index, builder, monkeypatch, tmp_path):
    index.delete([5])
    monkeypatch.setattr(sys, "executable", "/bin/false")
    with pytest.raises(IndexUnavailable):
        builder.run_if_due()
    index.close()
    monkeypatch.undo()
    again = EdgeVectorIndex(tmp_path, SETTINGS)
    assert IndexBuilder(again).run_if_due()
    assert holding(tmp_path, 5) == []
    again.close()
    last = EdgeVectorIndex(tmp_path, SETTINGS)
    assert not IndexBuilder(last).run_if_due()
    last.close()


def test_files_that_cannot_be_removed_keep_the_deletion_in_mind(
    index, builder, monkeypatch, tmp_path
):
    index.delete([5])
    monkeypatch.setattr(folder.shutil, "rmtree", lambda *_args, **_options: None)
    builder.run_if_due()
    index.close()
    monkeypatch.undo()
    again = EdgeVectorIndex(tmp_path, SETTINGS)
    assert IndexBuilder(again).run_if_due()
    assert holding(tmp_path, 5) == []
    again.close()


def test_a_deletion_that_cannot_be_marked_is_still_done(index, builder, monkeypatch, tmp_path):
    def fail(_folder):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(folder.IndexFolder, "mark_erased", fail)
    index.delete([5])
    assert 5 not in index.ids()
    assert builder.run_if_due()
    assert holding(tmp_path, 5) == []


def room_for(shards, index, monkeypatch):
    size = disk.measure_folder(index._folder.shard(index._number))
    free = shards * size + disk.LEAST_FREE_BYTES
    monkeypatch.setattr(disk, "free_bytes", lambda _path: free)


def test_a_build_waits_for_room_on_the_disk(index, builder, monkeypatch, tmp_path, caplog):
    index.delete([5])
    room_for(1, index, monkeypatch)
    assert not builder.run_if_due()
    assert "waits for room" in caplog.text
    assert shards(tmp_path) == ["1"]
    index.upsert([point(9999)])
    room_for(2, index, monkeypatch)
    assert builder.run_if_due()
    assert held(index) == same(points(1, MANY), [point(9999)], without=(5,))


def test_on_a_full_disk_nothing_is_stored_and_all_else_goes_on(index, monkeypatch):
    monkeypatch.setattr(disk, "free_bytes", lambda _path: disk.LEAST_FREE_BYTES - 1)
    with pytest.raises(StorageUnavailable, match="full"):
        index.upsert([point(9999)])
    assert 9999 not in index.ids()
    assert len(index.candidates(vector(1), {}, Where("meadow"), limit=5)) == 5
    index.delete([5])
    assert 5 not in index.ids()
    monkeypatch.undo()
    index.upsert([point(9999)])
    assert held(index) == same(points(1, MANY), [point(9999)], without=(5,))


def test_on_a_full_disk_no_index_is_opened_and_the_folder_is_let_go(tmp_path, monkeypatch):
    monkeypatch.setattr(disk, "free_bytes", lambda _path: disk.LEAST_FREE_BYTES - 1)
    with pytest.raises(StorageUnavailable):
        EdgeVectorIndex(tmp_path, SETTINGS)
    monkeypatch.undo()
    EdgeVectorIndex(tmp_path, SETTINGS).close()


# A process that dies by its own hand at one named moment of a build.
VICTIM = """
import os, signal, sys
from pathlib import Path
from wellworn.engines.storage.vectors import EdgeVectorIndex, IndexBuilder, VectorSettings, folder
from wellworn.testing.vectors import point, points

index = EdgeVectorIndex(Path(sys.argv[1]), VectorSettings.model_validate_json(sys.argv[2]))
index.upsert(points(1, 600))
index.delete([5])
builder = IndexBuilder(index)

def die(*args):
    os.kill(os.getpid(), signal.SIGKILL)

def before(owner, name, act):
    real = getattr(owner, name)
    def wrapped(*args):
        act()
        return real(*args)
    setattr(owner, name, wrapped)

def after(owner, name, act):
    real = getattr(owner, name)
    def wrapped(*args):
        result = real(*args)
        act()
        return result
    setattr(owner, name, wrapped)

def write():
    index.upsert([point(9999)])
    index.delete([7])
    print("written", flush=True)

copied = []
def count():
    copied.append(1)
    if len(copied) == 9:
        die()

def announce():
    print(builder._child.pid, flush=True)
    die()

moment = sys.argv[3]
if moment == "copying":
    write()
    before(folder, "_copy_with_holes", count)
else:
    after(index, "begin_build", write)
if moment == "copied":
    after(index, "begin_build", die)
if moment == "building":
    after(builder, "_start", announce)
if moment == "built":
    before(index, "finish_build", die)
if moment == "about to swap":
    before(index._folder, "point_to", die)
if moment == "naming":
    Path.replace = die
if moment == "swapped":
    after(index._folder, "point_to", die)
if moment == "sweeping":
    before(index._folder, "sweep", die)
builder.run_if_due()
"""


@pytest.mark.parametrize(
    ("moment", "number"),
    [
        ("copying", "1"),
        ("copied", "1"),
        ("building", "1"),
        ("built", "1"),
        ("about to swap", "1"),
        ("naming", "1"),
        ("swapped", "2"),
        ("sweeping", "2"),
    ],
)
def test_dying_at_any_moment_of_a_build_leaves_one_complete_shard(tmp_path, moment, number):
    said = killed_when(moment, tmp_path)
    assert said[0] == "written"
    index = EdgeVectorIndex(tmp_path, SETTINGS)
    try:
        assert held(index) == same(points(1, MANY), [point(9999)], without=(5, 7))
        assert shards(tmp_path) == [number]
        assert holding(tmp_path, 7)
        assert IndexBuilder(index).run_if_due()
        assert holding(tmp_path, 5) + holding(tmp_path, 7) == []
        assert held(index) == same(points(1, MANY), [point(9999)], without=(5, 7))
    finally:
        index.close()


PARENT = """
import subprocess, sys
child = '''
import os, signal, sys
from wellworn.engines.storage.vectors import build
build._die_with(int(sys.argv[1]))
print(os.getpid(), flush=True)
signal.pause()
'''
import os
subprocess.run([sys.executable, "-c", child, str(os.getpid())])
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="Linux tells of a parent's death")
def test_the_child_dies_with_its_parent():
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", PARENT]
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as parent:
        child = int(parent.stdout.readline())
        handle = os.pidfd_open(child)
        parent.kill()
        ended, _, _ = select.select([handle], [], [], 20)
        if not ended:
            signal.pidfd_send_signal(handle, signal.SIGKILL)
        os.close(handle)
    assert ended


def killed_when(moment: str, path: Path) -> list[str]:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", VICTIM, str(path), SETTINGS.model_dump_json(), moment]
    done = subprocess.run(
        command, env=environment, capture_output=True, text=True, check=False, timeout=LONG_S
    )
    assert done.returncode == -signal.SIGKILL, done.stderr
    return done.stdout.split()


def test_a_build_runs_no_module_of_the_folder_that_the_server_was_started_in(
    index, builder, tmp_path, monkeypatch
):
    stranger = tmp_path / "repository"
    stranger.mkdir()
    (stranger / "numpy.py").write_text(f"open({str(stranger / 'taken')!r}, 'w')\n")
    monkeypatch.chdir(stranger)
    assert builder.run_if_due()
    assert index.count_unindexed() == 0
    assert [path.name for path in stranger.iterdir()] == ["numpy.py"]
