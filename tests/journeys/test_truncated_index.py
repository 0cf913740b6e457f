"""A vector index that is cut short under a running server: nothing is lost, and calls are answered.

The engine maps its files, and reading what was cut off would end the process. The server notices
that before it reads, and begins anew in the same process, with an index made from the database.
"""

from __future__ import annotations

import os
import threading

import pytest

from patience import LONG_S
from wellworn.client import Wellworn, WellwornClientError

INSIGHT = "Role boundaries prevent coordination collapse in multi-agent systems."


def cut_index(server):
    """Leave nothing of the files with the vectors."""
    folder = server.home / "index" / "thoughts"
    vectors = list(folder.rglob("vector_storage-*/vectors/*.mmap"))
    assert vectors
    for file in vectors:
        os.truncate(file, 0)


def test_a_server_whose_index_was_cut_short_says_so_and_comes_back_by_itself(server):
    with Wellworn(server.url, agent_id="ann", attempts=1) as memory:
        memory.remember(INSIGHT)
        cut_index(server)
        with pytest.raises(WellwornClientError, match="was cut short") as gone:
            memory.recall("role boundaries")
        assert (gone.value.code, gone.value.retry_after_s) == ("NOT_READY", 5)
    pid = server.process.pid
    with Wellworn(server.url, agent_id="ann") as memory:
        while memory.health().status != "ok":
            threading.Event().wait(0.05)
        assert INSIGHT in {hit.content_preview for hit in memory.search("role boundaries")}
        memory.remember("The fence is painted.")
    assert server.process.poll() is None
    assert server.process.pid == pid


def test_a_call_after_its_index_was_cut_short_is_answered(server, wellworn):
    assert wellworn("remember", INSIGHT).returncode == 0
    cut_index(server)
    said = wellworn("recall", "role boundaries")
    assert said.returncode == 0, said.stderr
    assert INSIGHT in said.stdout
    assert server.process.poll() is None
    assert wellworn("stop").returncode == 0
    assert wellworn("doctor").returncode == 0


def test_a_server_stops_well_after_its_index_was_cut_short(server, wellworn):
    assert wellworn("remember", INSIGHT).returncode == 0
    cut_index(server)
    assert wellworn("stop").returncode == 0
    assert server.process.wait(timeout=LONG_S) == 0
    assert INSIGHT in wellworn("recall", "role boundaries").stdout
