from __future__ import annotations

import os
import stat
import subprocess
import sys

import pytest

from wellworn.kit.scratch import scratch

PREFIX = "wellworn-git-"


def test_the_folder_is_private_and_gone_afterwards(tmp_path):
    with scratch(tmp_path, PREFIX) as folder:
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
        (folder / "inside").mkdir()
        (folder / "inside" / "secret").write_text("x")
    assert list(tmp_path.iterdir()) == []


def test_the_folder_is_gone_after_a_fault(tmp_path):
    with pytest.raises(RuntimeError), scratch(tmp_path, PREFIX):
        raise RuntimeError
    assert list(tmp_path.iterdir()) == []


def test_two_folders_live_side_by_side(tmp_path):
    with scratch(tmp_path, PREFIX) as first:
        with scratch(tmp_path, PREFIX) as second:
            assert first != second
        assert first.is_dir()


def test_what_a_killed_process_left_is_swept_by_the_next(tmp_path):
    dying = (
        "import os, sys; from pathlib import Path\n"
        "from wellworn.kit.scratch import scratch\n"
        "with scratch(Path(sys.argv[1]), sys.argv[2]) as folder:\n"
        "    (folder / 'secret').write_text('x'); os._exit(9)"
    )
    done = subprocess.run(
        [sys.executable, "-c", dying, str(tmp_path), PREFIX],
        check=False,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert done.returncode == 9
    (left,) = tmp_path.iterdir()
    with scratch(tmp_path, PREFIX):
        assert not left.exists()


def test_folders_of_others_are_left_alone(tmp_path):
    other = tmp_path / "wellworn-git-other"
    other.mkdir()
    with scratch(tmp_path, PREFIX):
        pass
    assert other.is_dir()
