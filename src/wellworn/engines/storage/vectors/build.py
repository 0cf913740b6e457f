"""The child of a build: `python -m ...storage.vectors.build COPY NEW SETTINGS PARENT`.

Building a graph holds the interpreter lock from beginning to end, minutes for 100,000 points, so it
is done by a process of its own, from a copy that nobody else has open. It steps back behind whoever
serves, and does not outlive its parent.
"""

from __future__ import annotations

import ctypes
import os
import shutil
import signal
import sys
from pathlib import Path

from wellworn.engines.storage.vectors import shard as edge
from wellworn.engines.storage.vectors.settings import VectorSettings

_PR_SET_PDEATHSIG = 1


def main(copy: str, new: str, settings_json: str, parent: str) -> None:
    """Write the living points of a copy into a new shard, build its graph, remove the copy."""
    _die_with(int(parent))
    settings = VectorSettings.model_validate_json(settings_json)
    os.nice(settings.build_niceness)
    shard = edge.rewrite(Path(copy), Path(new), settings)
    # Removed before the graph takes its room.
    shutil.rmtree(copy)
    shard.optimize()
    shard.flush()
    shard.close()


def _die_with(parent: int) -> None:
    # A thread that watches the parent would not run: the build holds the interpreter lock.
    # Elsewhere than on Linux an orphan finishes, and its copy is removed by the next open.
    if sys.platform.startswith("linux"):
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        sys.exit("the parent is gone")


if __name__ == "__main__":
    main(*sys.argv[1:])
