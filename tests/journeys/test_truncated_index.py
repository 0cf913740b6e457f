"""A vector index that is damaged under a running server: nothing is lost, and calls are answered.

The index is in memory; a file that was cut off is noticed by who writes to it, or opens it next.
"""

from __future__ import annotations

import os
import sqlite3
import threading
from contextlib import closing

import pytest

from patience import LONG_S
from wellworn.client import Wellworn, WellwornClientError
from wellworn.engines.storage.vectors import POINTS

INSIGHT = "Role boundaries prevent coordination collapse in multi-agent systems."


def points_of(server):
    return server.home / "index" / "thoughts" / POINTS


def cut_index(server):
    """Leave nothing of the file with the points."""
    os.truncate(points_of(server), 0)


def test_a_server_that_cannot_write_to_its_index_says_so_and_comes_back_by_itself(server):
    with Wellworn(server.url, agent_id="ann", attempts=1) as memory:
        memory.remember(INSIGHT)
        with closing(sqlite3.connect(points_of(server))) as database:
            database.execute("DROP TABLE points")
        assert INSIGHT in {hit.content_preview for hit in memory.search("role boundaries")}
        with pytest.raises(WellwornClientError, match="is damaged") as gone:
            memory.remember("The fence is painted.")
        assert (gone.value.code, gone.value.retry_after_s) == ("NOT_READY", 5)
    pid = server.process.pid
    with Wellworn(server.url, agent_id="ann") as memory:
        while memory.health().status != "ok":
            threading.Event().wait(0.05)
        assert INSIGHT in {hit.content_preview for hit in memory.search("role boundaries")}
        memory.remember("The fence is painted.")
    assert server.process.poll() is None
    assert server.process.pid == pid


def test_calls_after_the_index_was_cut_short_are_answered(server, wellworn):
    assert wellworn("remember", INSIGHT).returncode == 0
    cut_index(server)
    said = wellworn("recall", "role boundaries")
    assert said.returncode == 0, said.stderr
    assert INSIGHT in said.stdout
    assert server.process.poll() is None
    assert wellworn("stop").returncode == 0
    assert INSIGHT in wellworn("recall", "role boundaries").stdout
    assert wellworn("stop").returncode == 0
    assert wellworn("doctor").returncode == 0


def test_a_server_stops_well_after_its_index_was_cut_short(server, wellworn):
    assert wellworn("remember", INSIGHT).returncode == 0
    cut_index(server)
    assert wellworn("stop").returncode == 0
    assert server.process.wait(timeout=LONG_S) == 0
    assert INSIGHT in wellworn("recall", "role boundaries").stdout
