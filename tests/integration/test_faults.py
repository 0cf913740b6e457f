"""Faults of the machine under a real server process, which a test process could not survive."""

from __future__ import annotations

import sqlite3
import subprocess
from contextlib import closing, suppress

import pytest

from journeys.conftest import serving
from wellworn.application.bootstrap import DATABASE
from wellworn.client import Wellworn, WellwornClientError


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


def fill(file):
    """Take every last block of the file system."""
    with file.open("wb", buffering=0) as full, suppress(OSError):
        for size in (65_536, 4_096, 1):
            with suppress(OSError):
                while full.write(b"\0" * size):
                    pass


def long_thought(number):
    return " ".join(f"word{number}x{n}" for n in range(700))


@pytest.mark.timeout(600)  # fills a disk, which a busy machine does slowly
def test_on_a_full_disk_the_server_refuses_stays_up_and_loses_nothing(small_disk):
    home, filler = small_disk / "home", small_disk / "filler"
    with serving(home) as server, Wellworn(server.url, agent_id="ann", attempts=1) as memory:
        stored = [memory.remember(f"Roles stay apart, case {n}.").thought_id for n in range(5)]
        fill(filler)
        refusals = []
        for number in range(20):
            try:
                stored.append(memory.remember(long_thought(number)).thought_id)
            except WellwornClientError as refusal:
                refusals.append(refusal.code)
        assert server.process.poll() is None, "the server is gone"
        assert set(refusals) <= {"INTERNAL_ERROR", "QDRANT_ERROR"}
        assert refusals
        filler.unlink()
        assert all(memory.thought(one).content for one in stored)
        stored.append(memory.remember("There is room again, and it is used.").thought_id)
        assert {one.thought_id for one in memory.recall("Roles stay apart").sources} & {*stored}
    with closing(sqlite3.connect(home / DATABASE)) as database:
        assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert database.execute("SELECT count(*) FROM thoughts").fetchone() == (len(stored),)
