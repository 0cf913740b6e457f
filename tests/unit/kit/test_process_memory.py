"""Threads share two heaps of the C library, as it tells itself."""

from __future__ import annotations

import os
import platform
import subprocess
import sys

import pytest

HEAPS = """
import ctypes, sys, threading
from wellworn.kit.process_memory import share_heaps

if sys.argv[1] == "shared":
    share_heaps()
libc = ctypes.CDLL(None)
libc.malloc.restype = libc.fopen.restype = ctypes.c_void_p
started, done = threading.Barrier(8), threading.Barrier(8)

def allocate():
    started.wait()
    libc.malloc(5_000)
    done.wait()

threads = [threading.Thread(target=allocate) for _ in range(8)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
file = ctypes.c_void_p(libc.fopen(sys.argv[2].encode(), b"w"))
libc.malloc_info(0, file)
libc.fclose(file)
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="only glibc has several heaps")
@pytest.mark.parametrize(
    ("wanted", "environment", "most"),
    [("shared", {}, 2), ("own", {}, 99), ("shared", {"MALLOC_ARENA_MAX": "4"}, 4)],
)
def test_threads_share_two_heaps_unless_told_otherwise(tmp_path, wanted, environment, most):
    report = tmp_path / "heaps.xml"
    inherited = {name: value for name, value in os.environ.items() if name != "MALLOC_ARENA_MAX"}
    command = [sys.executable, "-c", HEAPS, wanted, str(report)]
    subprocess.run(command, check=True, env=inherited | environment)
    heaps = report.read_text().count("<heap ")
    assert 2 <= heaps <= most
    assert most == 2 or heaps > 2
