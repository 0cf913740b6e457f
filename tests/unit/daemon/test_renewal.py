"""A process that begins anew keeps its folder, and nothing of its memory."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

RENEWING = """
import json, os, sys
from pathlib import Path
from wellworn.engines import daemon

home = Path(sys.argv[1])
left = daemon.take_inheritance()
with daemon.hold_folder(home, inherited=left and left.lock) as lock:
    if left is None:
        daemon.announce(home, "http://127.0.0.1:1")
        ours = os.open(home, os.O_RDONLY)
        daemon.renew_process(daemon.Inheritance(lock, ours, (ours,)))
    holder = daemon.find_holder(home)
    print(json.dumps({
        "holds": holder.pid == os.getpid(),
        "announced": (home / "daemon.json").exists(),
        "listener": os.path.samestat(os.fstat(left.listener), home.stat()),
        "inheritable": os.get_inheritable(lock),
        "again": daemon.take_inheritance(),
        "environment": sorted(name for name in os.environ if name.startswith("WELLWORN_")),
    }))
"""
PRIVATE = """
import ctypes, resource
from wellworn.kit.process_memory import keep_memory_private

keep_memory_private()
print(ctypes.CDLL(None).prctl(3, 0, 0, 0, 0), *resource.getrlimit(resource.RLIMIT_CORE))
"""


def run_program(*words: str, **environment: str) -> str:
    command = [sys.executable, "-c", *words]
    done = subprocess.run(
        command, check=True, capture_output=True, text=True, env={**os.environ, **environment}
    )
    return done.stdout


def test_the_folder_stays_held_and_a_callers_key_is_dropped(tmp_path):
    told = run_program(RENEWING, str(tmp_path), WELLWORN_KEY="ww_a_b", WELLWORN_HOME="elsewhere")
    assert json.loads(told) == {
        "holds": True,
        "announced": True,
        "listener": True,
        "inheritable": False,
        "again": None,
        "environment": [
            "WELLWORN_HOME",
            "WELLWORN_READING__ENABLED",
            "WELLWORN_THOUGHTS__ORDER_MODEL",
        ],
    }


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux knows processes without an image")
def test_a_process_leaves_no_core_and_nobody_attaches_to_it():
    assert run_program(PRIVATE).split() == ["0", "0", "0"]
