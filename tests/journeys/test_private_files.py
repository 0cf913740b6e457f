"""What wellworn writes is its owner's alone, in a folder that was open to everybody before."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest


def find_open(folder: Path) -> dict[str, str]:
    """Return what others than the owner may read, write or enter, with its mode."""
    modes = {path: path.lstat().st_mode for path in [folder, *folder.rglob("*")]}
    return {
        str(path): stat.filemode(mode)
        for path, mode in modes.items()
        if mode & (stat.S_IRWXG | stat.S_IRWXO) and not stat.S_ISLNK(mode)
    }


@pytest.fixture
def generous_umask():
    """Let every process that a test starts make files that everybody may read and write."""
    before = os.umask(0)
    yield
    os.umask(before)


@pytest.mark.usefixtures("generous_umask")
def test_an_open_data_folder_is_closed_and_nothing_that_is_written_is_open(
    home, serve, wellworn, tmp_path
):
    home.mkdir(mode=0o777)
    serve(home)
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "a.md").write_text("# Cube\n\nIts address is 10.0.0.7.")
    for words in [
        ("remember", "The cube is in the cellar."),
        ("source", "add", str(tmp_path / "notes")),
        ("credential", "create", "ada"),
        ("export", str(tmp_path / "all.jsonl")),
        ("backup", str(tmp_path / "copy")),
    ]:
        done = wellworn(*words)
        assert done.returncode == 0, (words, done.stderr)
    assert find_open(home) == {}
    assert find_open(tmp_path / "copy") == {}
    assert find_open(tmp_path / "all.jsonl") == {}
