"""A vector index that is cut short under a running server: nothing is lost, and calls are answered.

The engine maps its files, so the server may end by SIGBUS. Whoever calls through the command line,
the Python client or the MCP bridge starts it again.
"""

from __future__ import annotations

import os
import signal

INSIGHT = "Role boundaries prevent coordination collapse in multi-agent systems."


def test_a_call_after_its_index_was_cut_short_is_answered(server, wellworn):
    assert wellworn("remember", INSIGHT).returncode == 0
    vectors = list((server.home / "index" / "thoughts").rglob("vector_storage-*/vectors/*.mmap"))
    assert vectors
    for file in vectors:
        os.truncate(file, 0)
    said = wellworn("recall", "role boundaries")
    assert said.returncode == 0, said.stderr
    assert INSIGHT in said.stdout
    assert server.process.poll() in {None, -signal.SIGBUS}
    assert wellworn("stop").returncode == 0
    assert wellworn("doctor").returncode == 0
