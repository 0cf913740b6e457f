"""The log of an embedded index, and a folder from before there was one: both end with a build."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest

from integration.index_world import MANY, SETTINGS, held, same
from patience import LONG_S
from wellworn.engines.storage import disk
from wellworn.engines.storage.vectors import EdgeVectorIndex, IndexBuilder, Where
from wellworn.engines.storage.vectors import edge as edge_module
from wellworn.engines.storage.vectors import shard as edge
from wellworn.errors import IndexUnavailable
from wellworn.testing.vectors import DIMENSIONS, ListVectorIndex, axis, point, points, vector


@pytest.fixture
def index(tmp_path):
    made = EdgeVectorIndex(tmp_path, SETTINGS)
    made.upsert(points(1, MANY))
    yield made
    made.close()


@pytest.fixture
def builder(index):
    return IndexBuilder(index)


def log_of(path, number):
    return path / "shards" / str(number) / "updates.log"


def test_a_log_that_has_grown_is_gone_with_a_build(index, builder, monkeypatch, tmp_path):
    builder.run_if_due()
    index.upsert(points(2, 390))
    assert not builder.run_if_due()
    monkeypatch.setattr(edge_module, "_LEAST_LOG_BYTES", 1)
    monkeypatch.setattr(disk, "measure_folder", lambda _path: 2 * index._log.size)
    assert log_of(tmp_path, 2).stat().st_size
    assert builder.run_if_due()
    assert log_of(tmp_path, 3).stat().st_size == 0
    assert held(index) == same(points(1, MANY), points(2, 390))
    assert not builder.run_if_due()


def test_what_a_build_could_not_save_is_not_tried_again_at_once(index, builder, monkeypatch):
    builder.run_if_due()
    monkeypatch.setattr(EdgeVectorIndex, "is_untidy", lambda _index: True)
    monkeypatch.setattr(sys, "executable", "/bin/false")
    with pytest.raises(IndexUnavailable):
        builder.run_if_due()
    assert not builder.run_if_due()


def test_nothing_is_left_in_the_log_of_a_closed_index(index, tmp_path):
    assert log_of(tmp_path, 1).stat().st_size
    index.close()
    assert log_of(tmp_path, 1).stat().st_size == 0


@pytest.fixture
def before(tmp_path, monkeypatch):
    """A folder as it was made once: single precision, and the engine's own log."""
    now = edge.configuration
    with monkeypatch.context() as then:
        then.setattr(edge, "configuration", lambda settings, **_: now(settings, of_before=True))
        then.setattr(edge_module, "round_vector", lambda vector: vector)
        index = EdgeVectorIndex(tmp_path, SETTINGS)
        index.upsert(points(1, 60))
        index.close()
    return tmp_path


def test_an_index_of_before_serves_and_is_rewritten_in_the_background(before):
    index = EdgeVectorIndex(before, SETTINGS)
    expected = ListVectorIndex(DIMENSIONS)
    expected.upsert(points(1, 60))
    for each in (index, expected):
        each.upsert([point(9999, axis(2))])
        each.delete([5])
    asked = vector(1), {3: 1.0}, Where("meadow")
    wanted = {one.id: one for one in expected.candidates(*asked, limit=60)}
    for tolerance in (5e-4, 1e-6):  # eight numbers are too few for their rounding to even out
        found = index.candidates(*asked, limit=60)
        assert {one.id for one in found} == wanted.keys()
        assert all(one == pytest.approx(wanted[one.id], abs=tolerance) for one in found)
        index._erasures = 0
        assert IndexBuilder(index).run_if_due() == (tolerance > 1e-6)
    assert held(index) == same(points(1, 60), [point(9999, axis(2))], without=(5,))
    index.close()


def test_what_a_killed_process_wrote_to_an_index_of_before_is_there(before):
    done = subprocess.run(
        [sys.executable, "-c", WRITER, str(before), SETTINGS.model_dump_json()],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        check=False,
        timeout=LONG_S,
    )
    assert done.returncode == -signal.SIGKILL
    index = EdgeVectorIndex(before, SETTINGS)
    assert index.ids().tolist() == [*range(1, 5), *range(6, 61), 9999]
    assert IndexBuilder(index).run_if_due()
    assert held(index) == same(points(1, 60), [point(9999, axis(2))], without=(5,))
    index.close()


WRITER = """
import os, signal, sys
from pathlib import Path
from wellworn.engines.storage.vectors import EdgeVectorIndex, VectorSettings
from wellworn.testing.vectors import axis, point

index = EdgeVectorIndex(Path(sys.argv[1]), VectorSettings.model_validate_json(sys.argv[2]))
index.upsert([point(9999, axis(2))])
index.delete([5])
os.kill(os.getpid(), signal.SIGKILL)
"""
