"""A process's memory is for itself and for root: no core file, and nobody attaches to it.

Source: prctl(2), PR_SET_DUMPABLE; core(5).
"""

from __future__ import annotations

import ctypes
import resource
import sys
from contextlib import suppress
from typing import Final

_PR_SET_DUMPABLE: Final = 4


def keep_memory_private() -> None:
    """Keep the memory of this process out of core files and from other programs of its user."""
    with suppress(ValueError, OSError):  # not every system knows or allows every limit
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)
