"""The log of a shard: what was written is read again, whatever the process died of."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wellworn.engines.storage.vectors import Labels, Point
from wellworn.engines.storage.vectors.log import FILE, Update, UpdateLog, updates

VECTORS = st.lists(st.floats(-1, 1, width=16), min_size=4, max_size=4)
POINTS = st.builds(
    Point,
    st.integers(1, 2**63 - 1),
    st.none() | VECTORS.map(lambda numbers: np.array(numbers, np.float32)),
    st.dictionaries(st.integers(0, 2**32 - 1), st.floats(0.125, 8, width=32), max_size=3),
    st.builds(Labels, st.text(min_size=1), st.text(), st.frozensets(st.text(), max_size=3)),
)
UPDATES = st.one_of(
    st.lists(POINTS, min_size=1, max_size=3).map(lambda some: Update(stored=some)),
    st.lists(st.integers(1, 2**63 - 1), min_size=1).map(lambda ids: Update(deleted=ids)),
)
SOME = [Update(deleted=[number]) for number in (1, 2, 3)]


def plain(update: Update):
    """Write an update so that two of them can be compared."""
    stored = [
        (one.id, None if one.vector is None else one.vector.tolist(), dict(one.terms), one.labels)
        for one in update.stored
    ]
    return stored, [*update.deleted]


def written(folder, some):
    log = UpdateLog(folder)
    for update in some:
        log.append(update)
    return log


def read(folder):
    return [plain(update) for update in updates(folder)]


@settings(deadline=None, max_examples=50)
@given(st.lists(UPDATES, max_size=4))
def test_what_was_written_is_read_in_order(tmp_path_factory, some):
    folder = tmp_path_factory.mktemp("log")
    log = written(folder, some)
    assert read(folder) == [plain(update) for update in some]
    assert log.size == (folder / FILE).stat().st_size
    log.close()


@pytest.mark.parametrize("lost", [1, 5, 10])
def test_a_torn_end_is_passed_over_and_written_over(tmp_path, lost):
    written(tmp_path, SOME).close()
    whole = (tmp_path / FILE).read_bytes()
    (tmp_path / FILE).write_bytes(whole[:-lost])
    assert read(tmp_path) == [plain(update) for update in SOME[:2]]
    written(tmp_path, SOME[2:]).close()
    assert read(tmp_path) == [plain(update) for update in SOME]


def test_what_comes_after_a_changed_byte_is_not_read(tmp_path):
    written(tmp_path, SOME).close()
    content = bytearray((tmp_path / FILE).read_bytes())
    content[len(content) // 2] ^= 1
    (tmp_path / FILE).write_bytes(content)
    assert read(tmp_path) == [plain(SOME[0])]


def test_what_is_taken_back_is_gone(tmp_path):
    log = written(tmp_path, SOME[:1])
    size = log.size
    log.append(SOME[1])
    log.cut(size)
    log.append(SOME[2])
    assert read(tmp_path) == [plain(SOME[0]), plain(SOME[2])]
    log.close()


def test_an_update_that_finds_no_room_leaves_nothing(tmp_path):
    log = written(tmp_path, SOME[:1])
    real = log._file

    class Full:
        def write(self, content):
            real.write(content[:3])
            raise OSError("no space left on device")

        def truncate(self, size):
            real.truncate(size)

    log._file = Full()
    with pytest.raises(OSError, match="no space"):
        log.append(SOME[1])
    log._file = real
    log.append(SOME[2])
    assert read(tmp_path) == [plain(SOME[0]), plain(SOME[2])]
    log.close()


def test_a_shard_without_a_log_has_no_updates(tmp_path):
    assert [*updates(tmp_path)] == []
